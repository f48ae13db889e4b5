"""A symbol's whole life, told from what the resolver finds."""

from __future__ import annotations

from collections.abc import Iterator

from .answering import parameter_life, statuses
from .answers import Event, History, Span
from .compare import describe_signatures
from .marks import combined
from .masks import bits, first
from .reader import ProjectReader
from .resolve import Item, Life
from .spans import Axis, OrdinalSpan
from .symbols import Status


def history_of(reader: ProjectReader, path: str, parameter: str | None, *, pre: bool = False) -> History:
    """Spans, events and statuses of a path or a parameter."""
    axis = Axis(reader.releases, pre=pre)
    life = reader.resolver().life(path)
    tombstone = life.mask_of(Status.TOMBSTONE)
    if parameter is None:
        symbol, marked = path, life.deprecated()
        present, unknown = life.mask_of(Status.PRESENT), life.unknown_mask
    else:
        masks = parameter_life(life, parameter)
        symbol, marked = f"{path}({parameter})", masks.marked
        present, unknown = masks.present, life.unknown_mask | masks.hidden
    folded = axis.spans(present, unknown)
    spans = tuple(axis.span(span, marked) for span in folded)
    events = list(_boundaries(axis, folded, tombstone))
    events += _marks(axis, folded, marked, life, parameter)
    if parameter is None:
        events += _alterations(axis, folded, life)
        events += _tombstones(axis, life, tombstone)
        events += [
            (axis.versions.index(version), "moved", f"to {to}") for _, to, version, _ in reader.moves([path])
        ]
    order = {kind: number for number, kind in enumerate(("removed", "tombstone", "moved", "added"))}
    events.sort(key=lambda event: (event[0], order.get(event[1], 9)))
    told = tuple(Event(axis.versions[ordinal], kind, detail) for ordinal, kind, detail in events)
    return History(
        symbol, reader.project, spans, told, tuple(_statuses(reader, axis, path, parameter, marked))
    )


_Event = tuple[int, str, str]


def _statuses(
    reader: ProjectReader, axis: Axis, path: str, parameter: str | None, marked: int
) -> Iterator[tuple[str, str]]:
    """One status for each release that may set a boundary: pre-releases only where they were asked for."""
    known = dict(statuses(reader, path, parameter))
    for ordinal, version in enumerate(axis.versions):
        status = known.get(version)
        if status is not None and axis.defining >> ordinal & 1:
            yield version, "deprecated" if status == Status.PRESENT and marked >> ordinal & 1 else status


def _boundaries(axis: Axis, spans: tuple[OrdinalSpan, ...], tombstone: int) -> Iterator[_Event]:
    for number, span in enumerate(spans):
        yield span.added, "added", _added_detail(axis, axis.span(span), first_span=number == 0)
        if span.removed is not None and not tombstone >> span.removed & 1:
            between = (
                "" if span.removed_exact else f"last seen in {axis.versions[span.last_seen]}, unknown between"
            )
            yield span.removed, "removed", between


def _added_detail(axis: Axis, span: Span, *, first_span: bool) -> str:
    if span.added_exact:
        return "" if first_span else "again"
    if span.added_after is None:
        return f"at or before {span.added}"
    return f"after {span.added_after}, unknown between"


def _marks(
    axis: Axis, spans: tuple[OrdinalSpan, ...], marked: int, life: Life, parameter: str | None
) -> Iterator[_Event]:
    for span in spans:
        was = False
        for ordinal in bits(span.mask):
            now = bool(marked >> ordinal & 1)
            if now != was:
                yield (
                    ordinal,
                    "deprecated" if now else "undeprecated",
                    _mark_text(life, ordinal, parameter) if now else "",
                )
            was = now


def _mark_text(life: Life, ordinal: int, parameter: str | None) -> str:
    item = life.at(ordinal)
    mark = None if item is None else combined(item.state.deprecations, parameter)
    return "" if mark is None else mark.message or mark.mechanism


def _steps(life: Life, span: OrdinalSpan) -> Iterator[tuple[int, Item]]:
    rest = span.mask
    while rest:
        low = first(rest)
        item = life.at(low)
        assert item is not None
        yield low, item
        others = rest & ~item.mask
        rest = rest >> first(others) << first(others) if others else 0


def _alterations(axis: Axis, spans: tuple[OrdinalSpan, ...], life: Life) -> Iterator[_Event]:
    for span in spans:
        previous: Item | None = None
        for ordinal, item in _steps(life, span):
            if previous is not None:
                yield from _altered(ordinal, previous, item)
            previous = item


def _altered(ordinal: int, before: Item, after: Item) -> Iterator[_Event]:
    if before.state.kind != after.state.kind:
        yield ordinal, "kind", f"{before.state.kind} -> {after.state.kind}"
    for text in describe_signatures(before.state, after.state):
        yield ordinal, _kind_of(text), text
    old = {mark.parameter for mark in before.state.deprecations}
    for mark in after.state.deprecations:
        if mark.parameter is not None and mark.parameter not in old:
            yield ordinal, "deprecated", f"parameter {mark.parameter}: {mark.message or mark.mechanism}"


def _kind_of(text: str) -> str:
    if not text.startswith("parameter "):
        return "signature"
    if text.endswith(": removed"):
        return "parameter-removed"
    return "parameter-added" if ": added" in text else "parameter-changed"


def _tombstones(axis: Axis, life: Life, tombstone: int) -> Iterator[_Event]:
    for span in axis.spans(tombstone, life.unknown_mask):
        item = life.at(span.added)
        yield span.added, "tombstone", (item.state.message or "") if item is not None else ""
