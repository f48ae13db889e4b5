"""From n samples of a task to a score at k: what k of them, drawn without replacement, would give."""

from __future__ import annotations

import math
from collections.abc import Iterable


def pass_at_k(n: int, c: int, k: int) -> float:
    """The chance that one of k samples passes, where c of n do: 1 - C(n-c, k) / C(n, k).

    Raises `ValueError` unless 0 <= c <= n and 1 <= k <= n: the published script answers 1 for n < k,
    whatever has passed.

    >>> pass_at_k(6, 1, 1), pass_at_k(6, 1, 3), pass_at_k(6, 5, 3)
    (0.16666666666666663, 0.5, 1.0)
    """
    if not 0 <= c <= n or not 1 <= k <= n:
        raise ValueError(f"no pass@{k} of {c} among {n}")
    if n - c < k:
        return 1.0
    return 1 - math.comb(n - c, k) / math.comb(n, k)


def best_of_k(scores: Iterable[float], k: int) -> float:
    """The expected best of k scores: sum of C(n-i, k-1) s_i over s sorted falling, divided by C(n, k).

    Raises `ValueError` unless 1 <= k <= n: the published script divides by zero.

    >>> best_of_k([0, 1, 0.5, 0.25, 0, 0], 1), best_of_k([0, 1, 0.5, 0.25, 0, 0], 6)
    (0.2916666666666667, 1.0)
    """
    ordered = sorted(scores, reverse=True)
    n = len(ordered)
    if not 1 <= k <= n:
        raise ValueError(f"no best of {k} among {n}")
    weighted = sum(math.comb(n - i, k - 1) * score for i, score in enumerate(ordered[: n - k + 1], 1))
    return weighted / math.comb(n, k)
