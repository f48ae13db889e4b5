"""The order of hits: equal to a plain ranking of the allowed documents, whatever is allowed."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apikb.kb.corpus import Document
from apikb.retrieval.embedded import embedded_text, similarities
from apikb.retrieval.encoders import HashingEncoder
from apikb.retrieval.lexical import bm25
from apikb.retrieval.project_index import ProjectIndex, build_index
from apikb.retrieval.ranking import AGAIN, CALLS, DEPTH, PRIORS, Ranking, Searched, descending
from apikb.retrieval.tokens import terms

WORDS = ["add", "row", "column", "table", "read", "write", "file", "sort", "merge", "join", "text", "line"]
KINDS = list(PRIORS)
ENCODER = HashingEncoder(32)


def document(number: int, generator: np.random.Generator) -> Document:
    leaf = "_".join(generator.choice(WORDS, generator.integers(1, 3)))
    above = [f"m{number % 3}"] * int(generator.integers(0, 4))
    summary = " ".join(generator.choice(WORDS, generator.integers(0, 8)))
    return Document(
        key=number.to_bytes(16, "big"),
        project="p",
        names=(".".join(["p", *above, leaf]),),
        kind=KINDS[int(generator.integers(len(KINDS)))],
        signature="",
        summary=summary,
        docstring=summary,
        examples=(),
        spans=((0, 0, 1),),
    )


def searched(count: int, share: float, seed: int) -> tuple[list[Document], Searched]:
    generator = np.random.default_rng(seed)
    documents = [document(number, generator) for number in range(count)]
    index = build_index(documents)
    vectors = ENCODER.encode_documents(index.embedded.all())
    return documents, Searched(index, generator.random(count) < share, vectors)


Scores = npt.NDArray[np.float64]


def plain_scores(documents: list[Document], part: Searched, query: str, index: ProjectIndex) -> Scores:
    """The same by loops over the allowed documents alone, in double precision."""
    allowed = [place for place in range(len(documents)) if part.mask[place]]
    fresh = build_index([documents[place] for place in allowed])
    wanted = {term: float(count) for term, count in Counter(terms(query)).items()}
    lexical = bm25([(fresh.postings, np.ones(len(allowed), np.bool_))], wanted)[0].astype(float)
    text = lexical / (lexical.std() or 1)
    vector = ENCODER.encode_query(query).astype(float)
    cosines = {}
    for own, place in enumerate(allowed):
        if embedded := embedded_text(documents[place]):
            cosines[own] = float(ENCODER.encode_documents([embedded])[0].astype(float) @ vector)
    mean = float(np.mean(list(cosines.values()))) if cosines else 0.0
    spread = float(np.std(list(cosines.values()))) if cosines else 0.0
    for own, cosine in cosines.items():
        text[own] += max((cosine - mean) / (spread or 1), 0)
    for own, place in enumerate(allowed):
        depth = min(max(documents[place].names[0].count(".") - 1, 0), 6)
        text[own] *= PRIORS[documents[place].kind] * (1 - DEPTH * depth)
    least, each, most = CALLS
    weight = min(most, max(least, each * len(wanted))) * math.sqrt(max(text, default=0))
    scores = np.zeros(len(documents))
    for own, place in enumerate(allowed):
        scores[place] = text[own] + weight * index.calls[place] if text[own] > 0 else 0
    leaves = [each_.names[0].rpartition(".")[2] for each_ in documents]
    for place in allowed:
        best = max(scores[other] for other in allowed if leaves[other] == leaves[place])
        if scores[place] < best - 1e-9:
            scores[place] = scores[place] * -AGAIN  # Marked, so that the others still see the old one.
    return np.abs(scores)


@pytest.mark.parametrize("share", [0.02, 0.2, 0.7, 1.0])
@pytest.mark.parametrize("seed", [0, 1])
def test_scores_are_those_of_a_plain_ranking_of_the_allowed(share: float, seed: int) -> None:
    documents, part = searched(300, share, seed)
    wanted = {term: float(count) for term, count in Counter(terms("add a row to the table")).items()}
    ranking = Ranking([part], wanted, ENCODER.encode_query("add a row to the table"))
    expected = plain_scores(documents, part, "add a row to the table", part.index)
    np.testing.assert_allclose(ranking.scores, expected, atol=1e-4)
    order = [document for _, document in ranking]
    assert [document for document in order if not part.mask[document]] == []
    assert len(order) == int((expected > 1e-6).sum())
    assert all(expected[a] >= expected[b] - 1e-4 for a, b in pairwise(order))


def test_two_projects_are_ranked_as_one() -> None:
    documents, whole = searched(200, 1.0, 3)
    wanted = dict.fromkeys(terms("merge two text files"), 1.0)
    query = ENCODER.encode_query("merge two text files")
    halves = []
    for part in (documents[:90], documents[90:]):
        index = build_index(part)
        vectors = ENCODER.encode_documents(index.embedded.all())
        halves.append(Searched(index, np.ones(len(part), np.bool_), vectors))
    apart = Ranking(halves, wanted, query)
    legs = [apart.legs(int(place >= 90), place - 90 * (place >= 90)) for place in range(200)]
    together = Ranking([whole], wanted, query)
    for place in range(200):
        one = together.legs(0, place)
        assert one.keys() == legs[place].keys()
        for name, leg in one.items():
            assert leg.score == pytest.approx(legs[place][name].score, abs=1e-5)


def test_without_a_query_vector_only_words_count() -> None:
    _, part = searched(100, 1.0, 5)
    ranking = Ranking([part], {"sort": 1.0})
    found = list(ranking)
    assert found
    assert all(ranking.legs(*each).keys() == {"lexical"} for each in found)
    assert all(ranking.score(*each) > 0 for each in found)


@pytest.mark.parametrize("query", [None, ENCODER.encode_query("sort")])
def test_where_nothing_is_allowed_nothing_is_found(query: np.ndarray | None) -> None:  # type: ignore[type-arg]
    _, part = searched(50, 1.0, 6)
    nothing = Searched(part.index, np.zeros(50, np.bool_), part.vectors)
    assert list(Ranking([nothing], {"sort": 1.0}, query)) == []
    assert list(Ranking([], {"sort": 1.0}, query)) == []
    assert list(Ranking([part], {"neverseen": 1.0}, None)) == []


def test_the_rank_of_a_leg_counts_what_is_better() -> None:
    _, part = searched(100, 1.0, 7)
    ranking = Ranking([part], {"sort": 1.0}, ENCODER.encode_query("sort a text"))
    for name in ("lexical", "dense"):
        ranked = sorted(
            (leg for each in ranking if (leg := ranking.legs(*each).get(name))), key=lambda leg: leg.rank
        )
        assert [leg.score for leg in ranked] == sorted((leg.score for leg in ranked), reverse=True)
    assert (
        min(ranking.legs(*each)["lexical"].rank for each in ranking if "lexical" in ranking.legs(*each)) == 1
    )


@given(st.lists(st.sampled_from([-1.0, 0.0, 0.5, 1.0, 2.0, 2.5]), max_size=3000))
@settings(deadline=None)
def test_descending_is_a_stable_sort_of_what_is_above_zero(values: list[float]) -> None:
    scores = np.array(values, np.float32)
    expected = [place for place in sorted(range(len(values)), key=lambda p: -values[p]) if values[place] > 0]
    assert list(descending(scores)) == expected


def test_descending_of_many_different_scores() -> None:
    scores = np.random.default_rng(0).random(5000).astype(np.float32)
    assert list(descending(scores)) == np.argsort(-scores, kind="stable").tolist()


@pytest.mark.parametrize("share", [0.0, 0.01, 0.24, 0.26, 1.0])
def test_cosines_are_the_same_gathered_or_not(share: float) -> None:
    generator = np.random.default_rng(1)
    vectors = generator.standard_normal((400, 24)).astype(np.float32)
    rows = generator.integers(-1, 400, 900).astype(np.int32)
    mask = generator.random(900) < share
    query = generator.standard_normal(24).astype(np.float32)
    found = similarities(query, vectors, rows, mask)
    for place in range(900):
        expected = float(vectors[rows[place]] @ query) if mask[place] and rows[place] >= 0 else 0.0
        assert math.isclose(found[place], expected, abs_tol=1e-4)
