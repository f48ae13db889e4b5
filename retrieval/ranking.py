"""From the scores of each leg to one score: what the text says, and what people ask about at all."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .lexical import Floats
from .project_index import KINDS, ProjectIndex

PRIORS = {"module": 0.5, "class": 1.0, "function": 1.0, "method": 1.0, "property": 0.7, "attribute": 0.5}
"""Scores of text are multiplied by these: questions are seldom about a module or a constant."""
DEPTH = 0.04
"""What each part of a path beyond two costs of the score of its text."""
_DEEPEST = 6
CALLS = (0.2, 0.04, 1.0)
"""How much it counts that examples call a symbol: at least, per term of the question, and at most.

A long question tells of many things besides the one that it is about, and then what is used often is the
better guess; a short one means what it says.  Chosen on numpy and pandas, see docs/ranking.md."""


def standardised(scores: Sequence[Floats], masks: Sequence[np.ndarray]) -> list[Floats]:
    """Scores of all parts in units of their spread over the allowed documents: 0 stays 0."""
    allowed = [score[mask] for score, mask in zip(scores, masks, strict=True)]
    spread = float(np.concatenate(allowed).std()) if allowed else 0.0
    return [score / np.float32(spread or 1.0) for score in scores]


def textual(standard: Floats, index: ProjectIndex) -> Floats:
    """The score of a text (n,) times what its kind and the depth of its path make of it."""
    kinds = np.array([PRIORS[kind] for kind in KINDS], np.float32)[index.kinds]
    depths = np.clip(index.depths.astype(np.float32) - 1, 0, _DEEPEST)
    return (standard * kinds * (1 - DEPTH * depths)).astype(np.float32)


def with_calls(scores: Floats, index: ProjectIndex, terms: int) -> Floats:
    """Add what examples call, for a question of so many terms; what says nothing of it stays 0."""
    least, each, most = CALLS
    weight = np.float32(min(most, max(least, each * terms)))
    return np.where(scores > 0, scores + weight * index.calls, np.float32(0))
