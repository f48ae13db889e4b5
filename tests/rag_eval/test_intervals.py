"""Intervals, paired differences, the sign test."""

from __future__ import annotations

import math

import numpy as np
import pytest

from apikb.rag_eval import intervals
from apikb.rag_eval.intervals import interval, paired, sign_test


def test_the_interval_holds_the_mean_and_grows_narrow() -> None:
    generator = np.random.default_rng(1)
    few, many = generator.random(20), generator.random(2000)
    (low, high), (lower, higher) = interval(few), interval(many)
    assert low < few.mean() < high
    assert lower < many.mean() < higher
    assert higher - lower < (high - low) / 5
    assert interval(np.zeros(0)) == (0.0, 0.0)


def test_many_tasks_are_drawn_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(0).random(50)
    whole = interval(values)
    monkeypatch.setattr(intervals, "_AT_ONCE", 1000)
    assert interval(values) == whole


def test_the_interval_covers_the_true_mean_about_as_often_as_it_says() -> None:
    generator = np.random.default_rng(5)
    covered = 0
    for _ in range(60):
        low, high = interval(generator.random(40))
        covered += low <= 0.5 <= high
    assert 50 <= covered <= 60


def test_a_difference_of_pairs_is_surer_than_that_of_means() -> None:
    generator = np.random.default_rng(2)
    first = generator.random(100)
    found = paired(first, first + 0.05)
    assert (found.difference, found.low, found.high) == (0.05, 0.05, 0.05)
    assert (found.better, found.worse) == (100, 0)
    assert found.p < 1e-20
    nothing = paired(first, first)
    assert (nothing.difference, nothing.better, nothing.worse, nothing.p) == (0, 0, 0, 1)
    with pytest.raises(ValueError, match="100 tasks"):
        paired(first, first[:5])


@pytest.mark.parametrize(("better", "worse"), [(1, 0), (7, 2), (2, 7), (10, 10)])
def test_the_sign_test_is_that_of_the_binomial(better: int, worse: int) -> None:
    count = better + worse
    extreme = [k for k in range(count + 1) if abs(k - count / 2) >= abs(better - count / 2)]
    assert sign_test(better, worse) == pytest.approx(sum(math.comb(count, k) for k in extreme) / 2**count)
