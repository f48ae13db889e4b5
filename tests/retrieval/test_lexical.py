"""BM25 with statistics of the allowed documents: what a fresh index of them alone would say."""

from __future__ import annotations

import bm25s
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from apikb.retrieval.lexical import K1, B, Postings, bm25, build_postings
from apikb.retrieval.strings import StringTable
from apikb.retrieval.tokens import STOP_WORDS, terms

words = st.sampled_from(["frame", "row", "column", "é", "read_csv", "x"])
texts = st.lists(words, min_size=1, max_size=9)


def postings_of(documents: list[list[str]]) -> Postings:
    return build_postings([{word: float(text.count(word)) for word in text} for text in documents])


def fresh(documents: list[list[str]], query: list[str]) -> np.ndarray:
    """The scores that bm25s gives in an index of these documents and no others."""
    model = bm25s.BM25(method="lucene", k1=K1, b=B)
    model.index(documents, show_progress=False)
    return np.asarray(model.get_scores([word for word in query if word in model.vocab_dict]))


@given(st.lists(texts, min_size=1, max_size=12), st.sets(words, min_size=1), st.data())
def test_scores_are_those_of_an_index_of_the_allowed(
    documents: list[list[str]], query: set[str], data: st.DataObject
) -> None:
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=len(documents), max_size=len(documents))))
    (scores,) = bm25([(postings_of(documents), mask)], dict.fromkeys(query, 1.0))
    assert not scores[~mask].any()
    allowed = [text for text, kept in zip(documents, mask, strict=True) if kept]
    asked = [word for word in query if any(word in text for text in allowed)]
    if asked:
        np.testing.assert_allclose(scores[mask], fresh(allowed, asked), rtol=1e-4)
    else:
        assert not scores.any()


@given(st.lists(texts, max_size=6), st.lists(texts, max_size=6), st.sets(words, min_size=1))
def test_two_projects_are_scored_as_one(
    first: list[list[str]], second: list[list[str]], query: set[str]
) -> None:
    weights = dict.fromkeys(query, 1.0)
    both = [*first, *second]
    (whole,) = bm25([(postings_of(both), np.ones(len(both), bool))], weights)
    parts = bm25([(postings_of(part), np.ones(len(part), bool)) for part in (first, second)], weights)
    np.testing.assert_allclose(np.concatenate(parts), whole, rtol=1e-5)


@given(st.lists(st.text(), unique=True).map(sorted), st.text())
def test_strings_are_found_where_they_stand(strings: list[str], other: str) -> None:
    table = StringTable.of(strings)
    assert [table[place] for place in range(len(table))] == strings
    for place, text in enumerate(strings):
        assert table.find(text) == place
    assert table.find(other) == (strings.index(other) if other in strings else None)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("HTTPServer", ["httpserver", "http", "server"]),
        ("how do I use the", []),
        ("encoding encoded", ["encod", "encod"]),
        ("conv2d", ["conv2d", "conv"]),
        ("A" * 65, []),
        ("größe Ελλάδα", ["größe", "ελλάδα"]),
    ],
)
def test_terms(text: str, found: list[str]) -> None:
    assert list(terms(text)) == found


def test_stop_words_hold_nothing_that_code_is_called() -> None:
    assert STOP_WORDS.isdisjoint({"filter", "map", "append", "add", "open", "all", "any", "sum"})
