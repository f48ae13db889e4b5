"""Reranking: the order is the model's, what the question names stays in front."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from apikb.kb.errors import ApikbError
from apikb.retrieval.hits import Hit, Leg
from apikb.retrieval.reranker import CrossEncoderReranker, reranked, reranker_named


class Longest:
    """Likes what has much to say."""

    name = "longest"

    def scores(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        return np.array([len(text) for text in texts], np.float32)


def hit(rank: int, symbol: str, docstring: str, leg: str = "lexical") -> Hit:
    return Hit(
        rank=rank,
        score=1.0 / rank,
        project="p",
        version="1.0",
        symbol=symbol,
        kind="function",
        signature="()",
        summary="",
        docstring=docstring,
        legs={leg: Leg(1.0, rank)},
    )


def test_the_order_is_that_of_the_model_behind_what_is_named() -> None:
    hits = [hit(1, "p.named", "", "name"), hit(2, "p.a", "x"), hit(3, "p.b", "xxx"), hit(4, "p.c", "xx")]
    found = reranked("query", hits, Longest())
    assert [(each.rank, each.symbol) for each in found] == [
        (1, "p.named"),
        (2, "p.b"),
        (3, "p.c"),
        (4, "p.a"),
    ]
    assert [each.legs["rerank"].rank for each in found] == [1, 2, 3, 4]
    assert found[1].legs["lexical"] == Leg(1.0, 3)
    assert found[1].score == hits[2].score
    assert reranked("query", [], Longest()) == []


@pytest.mark.parametrize("answer", [[[1.0, 2.0]], [float("nan")], [1.0, 2.0]])
def test_a_model_that_is_no_ranker_is_refused(answer: list[object]) -> None:
    class Model:
        def predict(self, pairs: list[tuple[str, str]], show_progress_bar: bool) -> object:
            return answer

    with pytest.raises(ApikbError, match="a score for each text"):
        CrossEncoderReranker("st:x", Model()).scores("query", ["text"])


@pytest.mark.parametrize("name", ["", "st:", "bge", "hash"])
def test_a_wrong_name(name: str) -> None:
    with pytest.raises(ApikbError, match="no reranker"):
        reranker_named(name)


def test_a_cross_encoder_by_its_path(tmp_path: Path) -> None:
    pytest.importorskip("sentence_transformers")
    transformers = pytest.importorskip("transformers")
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "rows", "of", "a", "table", "file"]
    (tmp_path / "vocab.txt").write_text("\n".join(words))
    transformers.BertTokenizerFast(str(tmp_path / "vocab.txt")).save_pretrained(tmp_path)
    config = transformers.BertConfig(
        vocab_size=len(words),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        num_labels=1,
    )
    transformers.BertForSequenceClassification(config).save_pretrained(tmp_path)
    reranker = reranker_named(f"st:{tmp_path}")
    scores = reranker.scores("rows of a table", ["a file", "rows", "half of a pair: \udc80"])
    assert scores.shape == (3,)
    assert scores.dtype == np.float32
    again = reranker.scores("rows of a table", ["rows", "a file"])
    assert np.allclose(again, scores[[1, 0]], atol=1e-5)
    with pytest.raises(ApikbError, match="cannot be loaded"):
        reranker_named(f"st:{tmp_path / 'nothing'}")
