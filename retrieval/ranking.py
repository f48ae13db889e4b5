"""From the scores of each leg to one order: what the texts say, and what people ask about at all.

docs/ranking.md tells how it works and what was measured.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from .embedded import similarities
from .hits import Leg
from .lexical import Floats, bm25
from .project_index import KINDS, ProjectIndex

PRIORS = {"module": 0.5, "class": 1.0, "function": 1.0, "method": 1.0, "property": 0.7, "attribute": 0.5}
"""Scores of text are multiplied by these: questions are seldom about a module or a constant."""
DEPTH = 0.04
"""What each part of a path beyond two costs of the score of its text."""
_DEEPEST = 6
CALLS = (0.05, 0.025, 0.5)
"""How much it counts that examples call a symbol: at least, per term of the question, and at most, each
times the root of the best score of a text.

A long question tells of many things besides the one that it is about, and then what is used often is the
better guess; a short one means what it says."""
AGAIN = 0.7
"""What is left of the score of a symbol where another of its last name scores more."""
_FIRST = 256
"""How many are put in order at once."""


@dataclass(frozen=True, slots=True)
class Searched:
    """One project that is searched: n documents, `mask` bool (n,) of the allowed ones, and the vectors of
    its embedded texts, float32 (t, d), where there are any."""

    index: ProjectIndex
    mask: npt.NDArray[np.bool_]
    vectors: Floats | None = None


class Ranking:
    """The order of the allowed documents of some projects for a question.

    `wanted` are its terms with their weights, `query` its vector (d,) or None.  A document of which no leg
    says anything is in no place of it.
    """

    def __init__(
        self, parts: Sequence[Searched], wanted: Mapping[str, float], query: Floats | None = None
    ) -> None:
        self._starts = np.cumsum([0, *(len(part.mask) for part in parts)])
        lexical: Floats = _joined(bm25([(part.index.postings, part.mask) for part in parts], wanted))
        self._legs = {"lexical": lexical}
        text: Floats = lexical / _spread(lexical[_masks([part.mask for part in parts])])
        if query is not None:
            cosines, has_vector = _cosines(parts, query)
            self._legs["dense"] = cosines
            text += _above_average(cosines, has_vector)
        bounds = pairwise(self._starts.tolist())
        textual = [
            _textual(text[low:high], part.index) for part, (low, high) in zip(parts, bounds, strict=True)
        ]
        weight = _weight_of_calls(textual, sum(weight >= 1 for weight in wanted.values()))
        self.scores = _joined(
            [
                _once(_with_calls(scores, part.index, weight), part.index)
                for part, scores in zip(parts, textual, strict=True)
            ]
        )

    def __iter__(self) -> Iterator[tuple[int, int]]:
        """(number of the part, document), the best first; of equal scores the earlier one."""
        for place in descending(self.scores):
            number = int(np.searchsorted(self._starts, place, "right")) - 1
            yield number, int(place - self._starts[number])

    def score(self, number: int, document: int) -> float:
        """The score of a document, 0 where no leg says anything of it."""
        return float(self.scores[self._starts[number] + document])

    def legs(self, number: int, document: int) -> dict[str, Leg]:
        """What the legs say of a document."""
        place = self._starts[number] + document
        return {
            name: Leg(float(scores[place]), 1 + int((scores > scores[place]).sum()))
            for name, scores in self._legs.items()
            if scores[place] > 0
        }


def descending(scores: Floats) -> Iterator[int]:
    """Places of the scores above 0, the highest first, of equal ones the first first."""
    places = np.flatnonzero(scores > 0)
    values = scores[places]
    count = _FIRST
    done = 0
    while done < len(values):
        least = np.partition(values, len(values) - count)[len(values) - count] if count < len(values) else 0
        some = np.flatnonzero(values >= least)
        order = some[np.argsort(-values[some], kind="stable")]
        yield from places[order[done:]].tolist()
        done = len(order)
        count *= 8


def _joined(arrays: Sequence[Floats]) -> Floats:
    return np.concatenate([np.zeros(0, np.float32), *arrays])


def _masks(arrays: Sequence[npt.NDArray[np.bool_]]) -> npt.NDArray[np.bool_]:
    return np.concatenate([np.zeros(0, np.bool_), *arrays])


def _spread(scores: Floats) -> np.float32:
    spread = float(scores.std(dtype=np.float64)) if len(scores) else 0.0
    return np.float32(spread or 1.0)


def _cosines(parts: Sequence[Searched], query: Floats) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Of all documents of all parts: the cosine, and whether it is one."""
    cosines, present = [], []
    for part in parts:
        rows = part.index.embedded.rows
        if part.vectors is None:
            cosines.append(np.zeros(len(rows), np.float32))
            present.append(np.zeros(len(rows), np.bool_))
        else:
            cosines.append(similarities(query, part.vectors, rows, part.mask))
            present.append(part.mask & (rows >= 0))
    return _joined(cosines), _masks(present)


def _above_average(cosines: Floats, present: npt.NDArray[np.bool_]) -> Floats:
    """How far above the average of the allowed documents each is, in units of their spread; else 0."""
    allowed = cosines[present]
    if not len(allowed):
        return np.zeros(len(cosines), np.float32)
    mean = np.float32(allowed.mean(dtype=np.float64))
    return np.where(present, np.maximum((cosines - mean) / _spread(allowed), 0), 0).astype(np.float32)


def _textual(text: Floats, index: ProjectIndex) -> Floats:
    """The score of a text (n,) times what its kind and the depth of its path make of it."""
    kinds = np.array([PRIORS[kind] for kind in KINDS], np.float32)[index.kinds]
    depths = np.clip(index.depths.astype(np.float32) - 1, 0, _DEEPEST)
    return (text * kinds * (1 - DEPTH * depths)).astype(np.float32)


def _weight_of_calls(textual: Sequence[Floats], terms: int) -> np.float32:
    """For a question of so many terms, of which texts have these scores."""
    least, each, most = CALLS
    peak = max((float(scores.max(initial=0)) for scores in textual), default=0.0)
    return np.float32(min(most, max(least, each * terms)) * math.sqrt(peak))


def _with_calls(scores: Floats, index: ProjectIndex, weight: np.float32) -> Floats:
    """Add what examples call; what says nothing of the question stays 0."""
    return np.where(scores > 0, scores + weight * index.calls, np.float32(0))


def _once(scores: Floats, index: ProjectIndex) -> Floats:
    """Lower all symbols of a name but the best: the tenth `reshape` tells less than another function."""
    best = np.zeros(int(index.leaf_codes.max(initial=-1)) + 1, np.float32)
    np.maximum.at(best, index.leaf_codes, scores)
    return np.where(scores < best[index.leaf_codes], scores * np.float32(AGAIN), scores)
