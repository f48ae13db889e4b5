"""From lifelines to what analysts read: spans, signatures, parameters, deprecations, changes.  Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from .compare import describe_signatures
from .fold import Folded, state_at
from .hidden import precedence
from .marks import combined, seen_at
from .masks import first
from .opacity import Opacity
from .parameters import accepted, refused, swallows
from .spans import OrdinalSpan
from .symbols import Deprecation, Parameter, Status

Record = tuple[object, ...]
"""One row of a table, in the order of its columns in `schema`."""

Items = list[tuple[int, int]]


class Lifeline(NamedTuple):
    """One path with all its states: present, tombstone, unknown and deprecated as masks."""

    symbol: str
    items: Items
    present: int
    tombstone: int
    unknown: int
    deprecated: int
    spans: tuple[OrdinalSpan, ...]


class StateFacts(NamedTuple):
    """What summaries ask of a state again and again; states of equal parameters share the `number`."""

    number: int
    signature: str | None
    parameters: dict[str, Parameter]
    swallows: bool
    refused: frozenset[str]
    marks: tuple[Deprecation, ...]
    deprecated: bool


Facts = list[tuple[StateFacts, int]]
"""States and where they hold."""


class Summary:
    """Writes the records of one folded project."""

    def __init__(self, folded: Folded, opacity: Opacity, files: dict[tuple[str, object], str]) -> None:
        self.folded = folded
        self.opacity = opacity
        self.files = files
        self.axis = folded.axis
        self.versions = folded.axis.versions
        self._facts: dict[int, StateFacts] = {}
        self._same: dict[tuple[object, ...], int] = {}
        self._sets: dict[tuple[int, tuple[tuple[int, int], ...]], int] = {}
        self._documented: dict[tuple[int, tuple[tuple[str, int], ...]], int] = {}

    def lifelines(self, path: str) -> Iterator[Lifeline]:
        """The lifeline of a path; where it is a member and a module at once, a second one for the module."""
        members = self.folded.members.get(path)
        modules = self.folded.modules.get(path)
        if modules is None or members is None:
            yield self._lifeline(path, list((members or modules or {}).items()))
            return
        items = [*members.items(), *modules.items()]
        items.sort(key=lambda item: precedence(self.folded.states[item[0]]))
        taken = shared = 0
        first: Items = []
        for number, mask in items:
            shared |= mask & taken
            if mask & ~taken:
                first.append((number, mask & ~taken))
            taken |= mask
        yield self._lifeline(path, first)
        if shared:
            yield self._lifeline(path, list(modules.items()))

    def _lifeline(self, path: str, items: Items) -> Lifeline:
        present = tombstone = deprecated = 0
        for number, mask in items:
            status = self.folded.states[number].status
            if status == Status.PRESENT:
                present |= mask
                if self.facts(number).deprecated:
                    deprecated |= mask
            elif status == Status.TOMBSTONE:
                tombstone |= mask
        unknown = self.opacity.unknown(path) & ~present & ~tombstone
        spans = self.axis.spans(present, unknown)
        return Lifeline(path, items, present, tombstone, unknown, deprecated, spans)

    def facts(self, number: int) -> StateFacts:
        """The facts of a state, worked out once."""
        found = self._facts.get(number)
        if found is None:
            state = self.folded.states[number]
            signature = None if state.signature is None else str(state.signature)
            marks = state.deprecations
            key = (state.signature, state.variants, state.accepts, marks)
            found = self._facts[number] = StateFacts(
                self._same.setdefault(key, len(self._same)),
                signature,
                accepted(state) if signature is not None or state.variants or state.accepts or marks else {},
                swallows(state),
                refused(state),
                marks,
                any(mark.parameter is None for mark in marks),
            )
        return found

    def spans(self, line: Lifeline) -> Iterator[Record]:
        """Rows of `spans`."""
        for span in line.spans:
            number = state_at(line.items, span.last_seen)
            assert number is not None
            state = self.folded.states[number]
            inherited = state.via == "inherited"
            yield (
                line.symbol,
                state.kind,
                state.visibility,
                *self._dates(span, line.deprecated),
                None if span.added_after is None else self.versions[span.added_after],
                span.removed_exact,
                span.unknown_inside,
                None if inherited else state.target,
                state.target if inherited else None,
                state.via,
            )

    def _dates(self, span: OrdinalSpan, deprecated: int) -> tuple[object, ...]:
        names = self.versions
        marked = span.mask & deprecated
        return (
            names[span.added],
            span.added_exact,
            names[first(marked)] if marked else None,
            None if span.removed is None else names[span.removed],
            names[span.last_seen],
        )

    def callable_set(self, line: Lifeline) -> tuple[int | None, list[Record], list[Record]]:
        """The number of the rows of `signatures` and `parameters` that tell of a lifeline, and the new rows.

        An object has the same rows under all its paths, and most heirs have those of their ancestor.
        """
        facts = [(self.facts(number), mask & line.present) for number, mask in line.items]
        facts = [(fact, mask) for fact, mask in facts if mask]
        if all(not fact.parameters and fact.signature is None for fact, _ in facts):
            return None, [], []
        key = (line.unknown, tuple(sorted((fact.number, mask) for fact, mask in facts)))
        known = self._sets.get(key)
        if known is not None:
            return known, [], []
        number = self._sets[key] = len(self._sets)
        signatures = [(number, *record) for record in self._signatures(line, facts)]
        return number, signatures, [(number, *record) for record in self._parameters(line, facts)]

    def _signatures(self, line: Lifeline, facts: Facts) -> Iterator[Record]:
        groups: dict[str, int] = {}
        for fact, mask in facts:
            if fact.signature is not None:
                groups[fact.signature] = groups.get(fact.signature, 0) | mask
        for text, mask in groups.items():
            for span in self.axis.spans(mask, line.unknown):
                dates = self._dates(span, 0)
                yield (text, dates[0], dates[3], dates[4])

    def _parameters(self, line: Lifeline, facts: Facts) -> Iterator[Record]:
        names = dict.fromkeys(name for fact, _ in facts for name in fact.parameters)
        for name in names:
            present, hidden, marked = parameter_masks(name, facts)
            for span in self.axis.spans(present, hidden | line.unknown):
                seen = next(
                    fact for fact, mask in facts if mask >> span.last_seen & 1 and name in fact.parameters
                )
                parameter = seen.parameters[name]
                position = list(seen.parameters).index(name)
                yield (
                    name,
                    parameter.kind,
                    parameter.default,
                    parameter.annotation,
                    position,
                    *self._dates(span, marked),
                )

    def docstring_set(self, line: Lifeline) -> tuple[int | None, list[Record]]:
        """The number of the rows of `docstring_runs` that tell of a lifeline, and the new rows.

        Shared like those of `callable_set`: by all paths of an object, and by most heirs.
        """
        groups: dict[str, int] = {}
        for number, mask in line.items:
            doc = self.folded.states[number].doc
            if doc is not None and mask & line.present:
                groups[doc] = groups.get(doc, 0) | mask & line.present
        if not groups:
            return None, []
        # A release without the text ends its run, whether it has another text or the symbol is not there.
        key = (line.unknown, tuple(sorted(groups.items())))
        known = self._documented.get(key)
        if known is not None:
            return known, []
        number = self._documented[key] = len(self._documented)
        return number, [(number, *record) for record in self._docstrings(line, groups)]

    def _docstrings(self, line: Lifeline, groups: dict[str, int]) -> Iterator[Record]:
        for doc, mask in groups.items():
            for span in self.axis.spans(mask, line.unknown):
                dates = self._dates(span, 0)
                yield (doc, dates[0], dates[3], dates[4])

    def deprecations(self, line: Lifeline) -> Iterator[Record]:
        """Rows of `deprecations`: maximal runs of a mark on the symbol or on one parameter."""
        groups: dict[str | None, list[tuple[int, int]]] = {}
        for number, mask in line.items:
            for mark in self.facts(number).marks:
                groups.setdefault(mark.parameter, []).append((mask, number))
        for parameter, marks in groups.items():
            total = 0
            for mask, _ in marks:
                total |= mask
            for span in self.axis.spans(total, line.unknown):
                number = next(n for mask, n in marks if mask >> span.last_seen & 1)
                yield self._deprecation(line.symbol, parameter, span, number)

    def _deprecation(self, symbol: str, parameter: str | None, span: OrdinalSpan, number: int) -> Record:
        mark = combined(self.facts(number).marks, parameter)
        assert mark is not None
        mark = seen_at(mark, self.versions[span.last_seen])
        origin = self.folded.sources.get(number, symbol)
        file = self.files.get((origin, self.facts(number).marks))
        until = None if span.removed is None else self.versions[span.removed]
        return (
            symbol,
            parameter,
            self.versions[span.added],
            until,
            mark.mechanism,
            mark.message,
            mark.since,
            mark.removal,
            mark.replacement,
            file,
            mark.line or None,
        )

    def tombstones(self, line: Lifeline) -> Iterator[Record]:
        """Rows of `tombstones`: maximal runs in which using the name raises."""
        for span in self.axis.spans(line.tombstone, line.unknown):
            number = state_at(line.items, span.last_seen)
            assert number is not None
            message = self.folded.states[number].message
            yield (line.symbol, self.versions[span.added], self.versions[span.last_seen], message)

    def changes(self, line: Lifeline, parent: Lifeline | None) -> Iterator[Record]:
        """Rows of `changes`; members that come and go with their inheriting class are left out."""
        for span in line.spans:
            if span.added_after is not None and not self._follows(line, parent, span, "added"):
                detail = self._about(line, span.added) + self._doubt(span.added_exact, span.added_after)
                yield self._change(span.added, line.symbol, "added", detail)
            if span.removed is not None and not self._follows(line, parent, span, "removed"):
                gone = "tombstone" if line.tombstone >> span.removed & 1 else "removed"
                detail = self._about(line, span.last_seen) + self._doubt(span.removed_exact, span.last_seen)
                yield self._change(span.removed, line.symbol, gone, detail)
            yield from self._alterations(line, span)

    def _doubt(self, exact: bool, after: int) -> str:
        return (
            "" if exact else f" (here or earlier, after {self.versions[after]}: releases between are unknown)"
        )

    def _follows(self, line: Lifeline, parent: Lifeline | None, span: OrdinalSpan, event: str) -> bool:
        if parent is None:
            return False
        state = state_at(line.items, span.added if event == "added" else span.last_seen)
        if state not in self.folded.sources:
            return False
        if event == "added":
            return any(other.added == span.added for other in parent.spans)
        return any(other.removed == span.removed for other in parent.spans)

    def _about(self, line: Lifeline, ordinal: int) -> str:
        number = state_at(line.items, ordinal)
        if number is None:
            return ""
        state = self.folded.states[number]
        signature = self.facts(number).signature
        return f"{state.kind} {signature}" if signature is not None else str(state.kind)

    def _change(self, ordinal: int, symbol: str, change: str, detail: str) -> Record:
        return (self.versions[ordinal], symbol, change, detail)

    def _alterations(self, line: Lifeline, span: OrdinalSpan) -> Iterator[Record]:
        if len(line.items) == 1:
            marked = span.mask & line.deprecated
            if marked and first(marked) != span.added:
                yield self._change(first(marked), line.symbol, "deprecated", self._mark(line.items[0][0]))
            elif marked and span.added_after is not None:
                yield self._change(span.added, line.symbol, "deprecated", self._mark(line.items[0][0]))
            return
        previous: int | None = None
        for ordinal, number in self._steps(line.items, span):
            yield from self._step(line.symbol, ordinal, previous, number, span)
            previous = number

    def _steps(self, items: Items, span: OrdinalSpan) -> list[tuple[int, int]]:
        """Where a span's state begins to be another one, among releases that define."""
        found: list[tuple[int, int]] = []
        rest = span.mask
        while rest:
            low = first(rest)
            number, mask = next((n, m) for n, m in items if m >> low & 1)
            found.append((low, number))
            others = rest & ~mask
            rest = rest >> first(others) << first(others) if others else 0
        return found

    def _step(
        self, symbol: str, ordinal: int, previous: int | None, number: int, span: OrdinalSpan
    ) -> Iterator[Record]:
        new = self.facts(number)
        if previous is None:
            if new.deprecated and span.added_after is not None:
                yield self._change(ordinal, symbol, "deprecated", self._mark(number))
            return
        old = self.facts(previous)
        before, after = self.folded.states[previous], self.folded.states[number]
        if old.deprecated != new.deprecated:
            mark = self._mark(number if new.deprecated else previous)
            yield self._change(ordinal, symbol, "deprecated" if new.deprecated else "undeprecated", mark)
        if before.kind != after.kind:
            yield self._change(ordinal, symbol, "kind", f"{before.kind} -> {after.kind}")
        if old.signature != new.signature and old.signature is not None and new.signature is not None:
            yield self._change(ordinal, symbol, "signature", "; ".join(describe_signatures(before, after)))
        yield from self._parameter_marks(symbol, ordinal, old, new)

    def _parameter_marks(
        self, symbol: str, ordinal: int, old: StateFacts, new: StateFacts
    ) -> Iterator[Record]:
        before = {mark.parameter for mark in old.marks if mark.parameter is not None}
        for mark in new.marks:
            if mark.parameter is not None and mark.parameter not in before:
                detail = f"parameter {mark.parameter}: {mark.message or mark.mechanism}"
                yield self._change(ordinal, symbol, "deprecated", detail)

    def _mark(self, number: int) -> str:
        mark = combined(self.facts(number).marks)
        assert mark is not None
        return mark.message or mark.mechanism


def parameter_masks(name: str, facts: Iterable[tuple[StateFacts, int]]) -> tuple[int, int, int]:
    """Where a parameter is accepted, where that cannot be told, and where it is deprecated."""
    present = hidden = marked = 0
    for fact, mask in facts:
        if name in fact.parameters:
            present |= mask
            if any(mark.parameter == name for mark in fact.marks):
                marked |= mask
        elif fact.swallows and name not in fact.refused:
            hidden |= mask
    return present, hidden, marked
