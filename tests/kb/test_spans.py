"""Folding.  Each property quotes the sentence of docs and design that it checks."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from apikb.kb.masks import bits, runs
from apikb.kb.releases import Release, ReleaseStatus
from apikb.kb.spans import Axis, OrdinalSpan, expand

SYMBOLS = st.sampled_from("PAU")
"""Present, absent, unknown."""
LINES = st.lists(SYMBOLS, min_size=1, max_size=24).map("".join)


def axis_of(line: str, failed: frozenset[int] = frozenset()) -> Axis:
    return Axis(
        [
            Release(f"1.{n}", ReleaseStatus.FAILED if n in failed else ReleaseStatus.INDEXED)
            for n in range(len(line))
        ]
    )


def masks(line: str) -> tuple[int, int]:
    present = sum(1 << n for n, letter in enumerate(line) if letter == "P")
    unknown = sum(1 << n for n, letter in enumerate(line) if letter == "U")
    return present, unknown


def fold(line: str) -> tuple[OrdinalSpan, ...]:
    return axis_of(line).spans(*masks(line))


@given(LINES)
def test_spans_are_disjoint_sorted_and_maximal(line: str) -> None:
    """A span is a maximal run of consecutive indexed releases in which the symbol is present."""
    spans = fold(line)
    for before, after in itertools.pairwise(spans):
        assert before.removed is not None
        assert before.last_seen < before.removed <= after.added
        assert "A" in line[before.last_seen : after.added], "nothing proves that these are two spans"
    for span in spans:
        assert "A" not in line[span.added : span.last_seen + 1]


@given(LINES)
def test_expanding_gives_the_observations_back(line: str) -> None:
    assert expand(fold(line)) == {n for n, letter in enumerate(line) if letter == "P"}


@given(LINES)
def test_unknown_neither_opens_nor_closes_a_span(line: str) -> None:
    """Unknown neither opens nor closes; a boundary next to unknown releases is a range, and says so."""
    for span in fold(line):
        assert line[span.added] == line[span.last_seen] == "P"
        assert span.unknown_inside == line[span.added : span.last_seen].count("U")
        if span.removed is not None:
            assert line[span.removed] == "A"
            assert span.removed_exact == ("U" not in line[span.last_seen : span.removed])
        else:
            assert "A" not in line[span.last_seen :]
        if span.added_after is not None:
            assert line[span.added_after] == "A"
            assert span.added_exact == ("U" not in line[span.added_after : span.added])
        else:
            assert not span.added_exact


@given(LINES, st.data())
def test_a_failed_release_never_closes_anything(line: str, data: st.DataObject) -> None:
    failed = data.draw(st.frozensets(st.integers(0, len(line) - 1)))
    axis = axis_of(line, failed)
    present, unknown = masks(line)
    spans = axis.spans(present & axis.read, unknown)
    for span in spans:
        assert span.removed not in failed
        assert span.added not in failed
    whole = axis_of(line).spans(present, unknown | ~axis.read & axis.all & ~present)
    assert len(spans) <= len(whole) + 0


def test_the_cases_that_the_design_names() -> None:
    one = fold("PUP")
    assert [(s.added, s.removed, s.unknown_inside) for s in one] == [(0, None, 1)]
    (late,) = fold("AUP")
    assert (late.added, late.added_exact, late.added_after) == (2, False, 0)
    (gone,) = fold("PUA")
    assert (gone.removed, gone.removed_exact, gone.last_seen) == (2, False, 0)
    (open_end,) = fold("PU")
    assert open_end.removed is None
    flapping = fold("PAPAP")
    assert [(s.added, s.removed) for s in flapping] == [(0, 1), (2, 3), (4, None)]
    assert fold("AAU") == ()


def test_prereleases_define_only_when_nothing_else_does() -> None:
    """Pre-releases are kept apart and never define a boundary unless asked for."""
    releases = [Release("1.0"), Release("2.0rc1"), Release("2.0")]
    (span,) = Axis(releases).spans(0b110, 0)
    assert (span.added, span.added_after) == (2, 0)
    (span,) = Axis(releases, pre=True).spans(0b110, 0)
    assert span.added == 1
    only = Axis([Release("1.0a1"), Release("1.0b1"), Release("1.0", ReleaseStatus.SKIPPED, "no files")])
    (span,) = only.spans(0b010, 0)
    assert (span.added, span.added_after) == (1, 0)


@given(st.integers(0, 2**20 - 1), st.integers(0, 2**20 - 1))
def test_runs_hold_the_mask_and_nothing_that_was_read(mask: int, read: int) -> None:
    mask &= read
    held = {ordinal for low, high in runs(mask, read) for ordinal in range(low, high + 1)}
    assert held & set(bits(read)) == set(bits(mask))
