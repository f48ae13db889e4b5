"""Linking what was removed with what took its place.  Pure, and linear in the number of symbols."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from .fold import Folded, state_at
from .spans import OrdinalSpan
from .summary import Lifeline, Record
from .symbols import Status, SymbolState

_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.\w+)+")
_WORD = re.compile(r"[`'\"](\w+)(?:\(\))?[`'\"]")
_RANK = {"exported": 0, "public": 1, "private": 2}


class Moves:
    """Collects the lifelines of a project, then finds the moves."""

    def __init__(self, folded: Folded) -> None:
        self.folded = folded
        self.removed: list[tuple[Lifeline, OrdinalSpan]] = []
        self.added: defaultdict[tuple[int, str, str, str], list[str]] = defaultdict(list)
        self.aliases: defaultdict[str, list[str]] = defaultdict(list)
        self.tops = {path.partition(".")[0] for path in folded.paths()}

    def collect(self, line: Lifeline, parent: Lifeline | None) -> None:
        """Note one lifeline; members that go with their parent are its parent's move."""
        for number, _ in line.items:
            state = self.folded.states[number]
            if number in self.folded.sources:
                return
            if state.target is not None:
                self.aliases[state.target].append(line.symbol)
        for span in line.spans:
            if span.added_after is not None:
                self._collect_added(line, span)
            gone = span.removed is not None and (
                parent is None or all(other.removed != span.removed for other in parent.spans)
            )
            if gone:
                self.removed.append((line, span))

    def _collect_added(self, line: Lifeline, span: OrdinalSpan) -> None:
        number = state_at(line.items, span.added)
        if number is None:
            return
        key = self._body(span.added, line.symbol, self.folded.states[number])
        if key is not None:
            self.added[key].append(line.symbol)

    def _body(self, ordinal: int, symbol: str, state: SymbolState) -> tuple[int, str, str, str] | None:
        if state.doc is None:
            return None
        return (ordinal, symbol.rpartition(".")[2], state.doc, str(state.signature))

    def records(self) -> Iterator[Record]:
        """Rows of `moves`, the best guess for each removed span."""
        for line, span in self.removed:
            assert span.removed is not None
            number = state_at(line.items, span.last_seen)
            assert number is not None
            found = self._find(line, span.removed, self.folded.states[number])
            if found is not None:
                moved_to, evidence, confidence = found
                version = self.folded.axis.versions[span.removed]
                yield (line.symbol, moved_to, version, evidence, confidence)

    def _find(self, line: Lifeline, ordinal: int, state: SymbolState) -> tuple[str, str, float] | None:
        return (
            self._by_message(line, ordinal, state)
            or self._by_alias(line.symbol, ordinal, state)
            or self._by_body(line, ordinal, state)
        )

    def _by_message(self, line: Lifeline, ordinal: int, state: SymbolState) -> tuple[str, str, float] | None:
        symbol = line.symbol
        after = state_at(line.items, ordinal)
        texts = [mark.message for mark in state.deprecations if mark.parameter is None]
        if after is not None and self.folded.states[after].status == Status.TOMBSTONE:
            texts.append(self.folded.states[after].message)
        for mark in state.deprecations:
            if mark.parameter is None and mark.replacement:
                inside = self._present(self._candidates(symbol, mark.replacement), symbol, ordinal)
                return (inside or mark.replacement, "the deprecation names it as the replacement", 0.95)
        for text in texts:
            for word in _DOTTED.findall(text or "") + _WORD.findall(text or ""):
                inside = self._present(self._candidates(symbol, word), symbol, ordinal)
                if inside is not None:
                    return (inside, "the message names it", 0.9)
        return None

    def _candidates(self, symbol: str, word: str) -> list[str]:
        word = word.strip("`'\"() ")
        parent = symbol.rpartition(".")[0]
        places = [word]
        while parent:
            places.append(f"{parent}.{word}")
            parent = parent.rpartition(".")[0]
        return places

    def _present(self, places: list[str], symbol: str, ordinal: int) -> str | None:
        for place in places:
            if place != symbol and self._is_present(place, ordinal):
                return place
        return None

    def _is_present(self, path: str, ordinal: int) -> bool:
        number = state_at(self.folded.items(path), ordinal)
        return number is not None and self.folded.states[number].status == Status.PRESENT

    def _by_alias(self, symbol: str, ordinal: int, state: SymbolState) -> tuple[str, str, float] | None:
        target = state.target or symbol
        if state.target is not None and target.partition(".")[0] not in self.tops:
            return (target, "it was another name of this, from outside the project", 0.9)
        places = [*self.aliases.get(target, ()), *([state.target] if state.target else [])]
        found = [place for place in places if place != symbol and self._is_present(place, ordinal)]
        if not found:
            return None
        return (self._best(found, ordinal), "both paths were the same object", 0.9)

    def _by_body(self, line: Lifeline, ordinal: int, state: SymbolState) -> tuple[str, str, float] | None:
        key = self._body(ordinal, line.symbol, state)
        found = [] if key is None else [place for place in self.added.get(key, ()) if place != line.symbol]
        if not found:
            return None
        confidence = 0.8 if len(found) == 1 else 0.6
        return (self._best(found, ordinal), "same name, docstring and signature", confidence)

    def _best(self, paths: list[str], ordinal: int) -> str:
        def rank(path: str) -> tuple[int, int, int, str]:
            number = state_at(self.folded.items(path), ordinal)
            visibility = "private" if number is None else self.folded.states[number].visibility
            return (_RANK.get(visibility, 3), path.count("."), len(path), path)

        return min(paths, key=rank)
