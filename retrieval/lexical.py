"""BM25 over the allowed documents only: the statistics are theirs, as if the others did not exist."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .strings import StringTable

K1 = 1.2
B = 0.5
"""How much the length of a document counts; docstrings are long where there is much to say."""

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Postings:
    """Which documents have which terms, and how much of each.

    `terms` (t,) sorted; `starts` int64 (t + 1,): postings of term i are `documents[starts[i]:starts[i + 1]]`
    and the weights beside them; `lengths` float32 (n,): sum of the weights of each document.
    """

    terms: StringTable
    starts: npt.NDArray[np.int64]
    documents: npt.NDArray[np.int32]
    weights: Floats
    lengths: Floats

    def of(self, term: str) -> slice:
        """Where the postings of a term lie; empty where no document has it."""
        place = self.terms.find(term)
        return slice(0, 0) if place is None else slice(int(self.starts[place]), int(self.starts[place + 1]))


def build_postings(documents: Iterable[Mapping[str, float]]) -> Postings:
    """Postings of documents that are given as term -> weight, in order."""
    numbers: dict[str, int] = {}
    terms, places, weights, lengths = array("i"), array("i"), array("f"), array("f")
    for place, document in enumerate(documents):
        lengths.append(sum(document.values()))
        for term, weight in document.items():
            terms.append(numbers.setdefault(term, len(numbers)))
            places.append(place)
            weights.append(weight)
    names = sorted(numbers)
    ranks = np.empty(len(names), np.int32)
    ranks[[numbers[name] for name in names]] = np.arange(len(names), dtype=np.int32)
    ranked = ranks[np.frombuffer(terms, np.int32)] if names else np.empty(0, np.int32)
    order = np.argsort(ranked, kind="stable")
    starts = np.zeros(len(names) + 1, np.int64)
    np.cumsum(np.bincount(ranked, minlength=len(names)), out=starts[1:])
    return Postings(
        StringTable.of(names),
        starts,
        np.frombuffer(places, np.int32)[order] if len(places) else np.empty(0, np.int32),
        np.frombuffer(weights, np.float32)[order] if len(weights) else np.empty(0, np.float32),
        np.frombuffer(lengths, np.float32).copy() if len(lengths) else np.empty(0, np.float32),
    )


def bm25(parts: Sequence[tuple[Postings, npt.NDArray[np.bool_]]], query: Mapping[str, float]) -> list[Floats]:
    """Scores of all documents for a weighted query, one array (n,) a part; 0 for what is not allowed.

    `parts` are the projects that are searched, each with its mask (n,) of allowed documents.  The number of
    documents, the mean length and how many have a term are counted over the allowed ones of all parts, so
    that scores of two projects compare, and a score is what a fresh index of the allowed ones would give
    (Robertson and Zaragoza 2009, with Lucene's idf, which is never negative).
    """
    count = sum(int(mask.sum()) for _, mask in parts)
    scores = [np.zeros(len(mask), np.float32) for _, mask in parts]
    if not count:
        return scores
    total = sum(float(postings.lengths[mask].sum(dtype=np.float64)) for postings, mask in parts)
    mean = total / count or 1.0
    for term, weight in query.items():
        found = []
        for postings, mask in parts:
            where = postings.of(term)
            documents = postings.documents[where]
            kept = mask[documents]
            found.append((documents[kept], postings.weights[where][kept]))
        having = sum(len(documents) for documents, _ in found)
        if not having:
            continue
        idf = math.log(1 + (count - having + 0.5) / (having + 0.5))
        for (postings, _), (documents, often), score in zip(parts, found, scores, strict=True):
            norm = K1 * (1 - B + B * postings.lengths[documents] / mean)
            score[documents] += weight * idf * (often / (often + norm))
    return scores
