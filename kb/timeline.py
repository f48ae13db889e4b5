"""A symbol's history: a bar over the releases, then what happened.  Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from .answers import Event, History
from .reports import LABEL, span_lines
from .text import UNICODE, Glyphs, Paint, one_line, plain, visible, width, wrap

_SIGNATURE_EVENTS = {"signature", "parameter-added", "parameter-removed", "parameter-changed"}

_MEANING = {
    "present": "present",
    "deprecated": "deprecated",
    "absent": "absent",
    "tombstone": "raises when used",
    "unknown": "unknown",
}


def history_lines(
    history: History, *, columns: int = 80, glyphs: Glyphs = UNICODE, paint: Paint = plain
) -> Iterator[str]:
    """A timeline, then every event in the order of the releases."""
    count = len(history.statuses)
    releases = f"{count} release{'s' * (count != 1)} of {visible(history.project)}"
    yield f"{paint(visible(history.symbol), 'head')} in {releases}"
    if history.statuses:
        yield ""
        yield from timeline(history.statuses, _marks(history), columns=columns, glyphs=glyphs, paint=paint)
        yield ""
        meaning = legend((status for _, status in history.statuses), glyphs)
        if any(event.kind in _SIGNATURE_EVENTS for event in history.events):
            meaning += f"   {glyphs.mark} signature changes"
        yield paint(meaning, "dim")
    if history.spans:
        yield ""
        yield from span_lines(history.spans, columns)
    if history.events:
        yield ""
        yield from _event_lines(history.events, columns, paint)


_HUNG = {"added", "removed", "deprecated", "undeprecated", "tombstone", "unknown", "kind"}
"""Events that are named at the bar; the others only follow in the list."""


def _marks(history: History) -> Iterator[Mark]:
    exact = {span.added: span.added_exact for span in history.spans}
    for version, group in groupby(history.events, key=lambda event: event.version):
        kinds = list(dict.fromkeys(event.kind for event in group))
        if _SIGNATURE_EVENTS.intersection(kinds):
            yield Mark(version)
        hung = [visible(kind) for kind in kinds if kind in _HUNG]
        if hung:
            before = "or before: " if "added" in kinds and not exact.get(version, True) else ""
            yield Mark(version, before + ", ".join(hung))


def _event_lines(events: Iterable[Event], columns: int, paint: Paint) -> Iterator[str]:
    for version, group in groupby(events, key=lambda event: event.version):
        label = visible(version)
        for event in _condensed(list(group)):
            yield from _event(label, event, columns, paint)
            label = ""


def _condensed(events: Sequence[Event], most: int = 3) -> Iterator[Event]:
    """Tell events on parameters without repeating the word; many alike only by their names."""
    alike = Counter(event.kind for event in events)
    told: set[str] = set()
    for event in events:
        if not event.kind.startswith("parameter-"):
            yield event
        elif alike[event.kind] <= most:
            yield Event(event.version, event.kind, event.detail.removeprefix("parameter "))
        elif event.kind not in told:
            told.add(event.kind)
            names = [
                other.detail.removeprefix("parameter ").partition(":")[0]
                for other in events
                if other.kind == event.kind
            ]
            yield Event(event.version, event.kind, ", ".join(names))


def _event(label: str, event: Event, columns: int, paint: Paint) -> Iterator[str]:
    role = {"added": "good", "removed": "bad", "tombstone": "bad", "deprecated": "warn"}.get(
        event.kind, "dim"
    )
    kind = visible(event.kind.replace("-", " "))
    indent = " " * (LABEL + 19)
    first, *rest = wrap(one_line(event.detail), columns - len(indent), "")
    yield f"{label:<{LABEL}}{paint(kind, role)}{' ' * max(1, 19 - len(kind))}{first}".rstrip()
    for line in rest:
        yield indent + line


class Mark(NamedTuple):
    """Something that happens at a release: a label to hang below the bar, or a mark above it."""

    version: str
    label: str | None = None


def timeline(
    statuses: Sequence[tuple[str, str]],
    marks: Iterable[Mark],
    *,
    columns: int = 80,
    glyphs: Glyphs = UNICODE,
    paint: Paint = plain,
) -> Iterator[str]:
    """Draw one bar over the releases, in their order, with what happens when.

    A column that stands for several releases shows the one whose run of equal
    statuses is the shortest, so that a short gap is not lost.

    >>> from apikb.kb.text import ASCII
    >>> for line in timeline([("1", "absent"), ("2", "present"), ("3", "deprecated"), ("4", "absent")],
    ...                      [Mark("2", "added"), Mark("3", "deprecated"), Mark("3"), Mark("4", "removed")],
    ...                      columns=34, glyphs=ASCII):
    ...     print(line)
    1              4
            v
    ....####====....
        |   |   + 4 removed
        |   + 3 deprecated
        + 2 added
    """
    marks = list(marks)
    hung = [mark for mark in marks if mark.label is not None]
    labels = [f"{visible(mark.version)} {mark.label}" for mark in hung]
    room = max(20, columns - max(map(width, labels), default=0) - 3)
    bar, place = _bar(statuses, room)
    first, last = visible(statuses[0][0]), visible(statuses[-1][0])
    yield first + " " * max(1, len(bar) - len(first) - len(last)) + last if len(statuses) > 1 else first
    above = sorted({place[mark.version] for mark in marks if mark.label is None and mark.version in place})
    if above:
        yield "".join(glyphs.mark if i in above else " " for i in range(above[-1] + 1))
    yield paint_runs(bar, glyphs, paint)
    hooks = [
        (place[mark.version], text) for mark, text in zip(hung, labels, strict=True) if mark.version in place
    ]
    while hooks:
        at, text = hooks.pop()
        stems = {column for column, _ in hooks}
        corner = glyphs.branch if at in stems else glyphs.corner
        yield "".join(glyphs.stem if i in stems else " " for i in range(at)) + f"{corner} {text}"


def legend(statuses: Iterable[str], glyphs: Glyphs = UNICODE) -> str:
    """Explain the glyphs of the statuses that occur.

    >>> from apikb.kb.text import ASCII
    >>> legend(["absent", "present", "absent"], ASCII)
    '# present   . absent'
    """
    there = set(statuses)
    return "   ".join(
        f"{glyphs.status(status)} {text}" for status, text in _MEANING.items() if status in there
    )


def _bar(statuses: Sequence[tuple[str, str]], room: int) -> tuple[list[str], dict[str, int]]:
    count = len(statuses)
    place: dict[str, int] = {}
    if count <= room:
        each = max(1, min(4, room // count))
        for number, (version, _) in enumerate(statuses):
            place[version] = number * each
        return [status for _, status in statuses for _ in range(each)], place
    runs: list[int] = []
    for _, run in groupby(statuses, key=itemgetter(1)):
        length = sum(1 for _ in run)
        runs += [length] * length
    bar = []
    for cell in range(room):
        part = range(cell * count // room, (cell + 1) * count // room)
        place.update((statuses[number][0], cell) for number in part)
        bar.append(statuses[min(part, key=runs.__getitem__)][1])
    return bar, place


_ROLES = {"present": "good", "deprecated": "warn", "absent": "dim", "tombstone": "bad", "unknown": "warn"}


def paint_runs(bar: Sequence[str], glyphs: Glyphs, paint: Paint) -> str:
    """Write a bar, each run of one status painted once."""
    parts: list[str] = []
    start = 0
    for i in range(1, len(bar) + 1):
        if i == len(bar) or bar[i] != bar[start]:
            parts.append(paint(glyphs.status(bar[start]) * (i - start), _ROLES[bar[start]]))
            start = i
    return "".join(parts)
