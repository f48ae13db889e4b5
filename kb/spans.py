"""Folding presence into spans.  Pure: masks of ordinals in, spans of ordinals out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .answers import Span
from .masks import bits, first, span_mask
from .releases import Release, ReleaseStatus


class OrdinalSpan(NamedTuple):
    """A span whose ends are ordinals; see `answers.Span` for what the fields mean."""

    added: int
    added_exact: bool
    added_after: int | None
    removed: int | None
    removed_exact: bool
    last_seen: int
    unknown_inside: int
    mask: int
    """The releases of the span in which the symbol was seen."""


class Axis:
    """The releases of a project in PEP 440 order, and which of them may define a boundary.

    Final releases define.  Where no final release was read, or with `pre`, pre-releases define as well.
    """

    def __init__(self, releases: Sequence[Release], *, pre: bool = False) -> None:
        self.releases = tuple(releases)
        self.versions = tuple(release.version for release in releases)
        self.all = (1 << len(self.releases)) - 1
        self.read = _mask(release.status == ReleaseStatus.INDEXED for release in releases)
        finals = _mask(not release.is_prerelease for release in releases)
        self.defining = finals if finals & self.read and not pre else self.all
        self._memo: dict[tuple[int, int], tuple[OrdinalSpan, ...]] = {}

    def spans(self, present: int, unknown: int) -> tuple[OrdinalSpan, ...]:
        """Fold one lifeline: where it was seen, and where that cannot be told."""
        key = (present & self.defining, (unknown | ~self.read) & self.defining & ~present)
        found = self._memo.get(key)
        if found is None:
            found = self._memo[key] = _fold(*key, self.defining)
        return found

    def span(self, ordinal: OrdinalSpan, deprecated: int = 0) -> Span:
        """Write a span with version strings; `deprecated` is the mask of marked releases."""
        names = self.versions
        marked = ordinal.mask & deprecated
        return Span(
            added=names[ordinal.added],
            added_exact=ordinal.added_exact,
            added_after=None if ordinal.added_after is None else names[ordinal.added_after],
            deprecated=names[first(marked)] if marked else None,
            removed=None if ordinal.removed is None else names[ordinal.removed],
            removed_exact=ordinal.removed_exact,
            last_seen=names[ordinal.last_seen],
            unknown_inside=ordinal.unknown_inside,
        )


def _mask(flags: Iterable[bool]) -> int:
    mask = 0
    for ordinal, flag in enumerate(flags):
        if flag:
            mask |= 1 << ordinal
    return mask


def _fold(present: int, unknown: int, defining: int) -> tuple[OrdinalSpan, ...]:
    absent = defining & ~present & ~unknown
    found: list[OrdinalSpan] = []
    rest = present
    while rest:
        low = first(rest)
        after = absent >> low
        removed = low + first(after) if after else None
        part = rest if removed is None else rest & span_mask(low, removed)
        rest ^= part
        high = part.bit_length() - 1
        before = absent & ((1 << low) - 1)
        added_after = before.bit_length() - 1 if before else None
        start = 0 if added_after is None else added_after + 1
        found.append(
            OrdinalSpan(
                added=low,
                added_exact=added_after is not None and not unknown & span_mask(start, low),
                added_after=added_after,
                removed=removed,
                removed_exact=removed is None or not unknown & span_mask(high, removed),
                last_seen=high,
                unknown_inside=(unknown & span_mask(low, high)).bit_count(),
                mask=part,
            )
        )
    return tuple(found)


def expand(spans: Sequence[OrdinalSpan]) -> set[int]:
    """The ordinals that spans say a symbol was seen in."""
    return {ordinal for span in spans for ordinal in bits(span.mask)}
