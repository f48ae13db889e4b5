"""How sure a mean is: bootstrap intervals over tasks, paired differences, the sign test."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[np.float64]

RESAMPLED = 10_000
_AT_ONCE = 1 << 22
"""Values that are drawn at once, so that many tasks do not take all memory."""


def interval(values: Values, seed: int = 0) -> tuple[float, float]:
    """The 95 % interval of a mean, by percentiles of 10,000 bootstrap resamples (Efron 1979).

    >>> interval(np.array([0.0, 1.0] * 50))
    (0.4, 0.6)
    """
    count = len(values)
    if not count:
        return 0.0, 0.0
    generator = np.random.default_rng(seed)
    means = np.empty(RESAMPLED)
    step = max(1, _AT_ONCE // count)
    for start in range(0, RESAMPLED, step):
        stop = min(start + step, RESAMPLED)
        drawn = generator.integers(0, count, (stop - start, count), dtype=np.int32)
        means[start:stop] = values[drawn].mean(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return round(float(low), 4), round(float(high), 4)


@dataclass(frozen=True, slots=True)
class Paired:
    """How two conditions differ over the same tasks; `second - first`."""

    difference: float
    low: float
    high: float
    better: int
    """Tasks where the second scores more."""
    worse: int
    p: float
    """Of the two-sided sign test: how often as lopsided a count comes about where there is no difference."""


def paired(first: Values, second: Values, seed: int = 0) -> Paired:
    """Compare two arrays (tasks,) of scores of the same tasks.  Raises ValueError where they are not.

    >>> paired(np.array([0.0, 0.0, 1.0]), np.array([1.0, 1.0, 1.0])).better
    2
    """
    if first.shape != second.shape:
        raise ValueError(f"scores of {len(first)} tasks are compared with those of {len(second)}")
    differences = second - first
    better, worse = int((differences > 0).sum()), int((differences < 0).sum())
    mean = float(differences.mean()) if len(differences) else 0.0
    return Paired(round(mean, 4), *interval(differences, seed), better, worse, sign_test(better, worse))


def sign_test(better: int, worse: int) -> float:
    """The two-sided p of the sign test; ties are left out.

    >>> sign_test(5, 0), sign_test(3, 3), sign_test(0, 0)
    (0.0625, 1.0, 1.0)
    """
    count, least = better + worse, min(better, worse)
    if not count:
        return 1.0
    tail = sum(math.comb(count, number) for number in range(least + 1))
    return min(1.0, tail / (1 << (count - 1)))
