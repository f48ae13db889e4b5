"""Linking what was removed with what took its place.  Pure, and linear in the number of symbols."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from .deprecation_text import replacement_in
from .fold import Folded, state_at
from .marks import combined
from .replacements import meant
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
        self.renamed: defaultdict[tuple[int, str, str, str], list[str]] = defaultdict(list)
        """The same by parent, under whatever name: a rename in place."""
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
            self.renamed[_in_place(line.symbol, key)].append(line.symbol)

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
            or self._by_tombstone(line, ordinal)
            or self._by_alias(line.symbol, ordinal, state)
            or self._by_body(line, ordinal, state)
            or self._by_words(line, ordinal, state)
        )

    def _by_message(self, line: Lifeline, ordinal: int, state: SymbolState) -> tuple[str, str, float] | None:
        mark = combined(state.deprecations)
        if mark is None or not mark.replacement:
            return None
        inside = self._present(line.symbol, mark.replacement, ordinal)
        return (inside or mark.replacement, "the deprecation names it as the replacement", 0.95)

    def _by_words(self, line: Lifeline, ordinal: int, state: SymbolState) -> tuple[str, str, float] | None:
        """A name in a text that does not say in so many words that it is the replacement."""
        after = state_at(line.items, ordinal)
        texts = [mark.message for mark in state.deprecations if mark.parameter is None]
        if after is not None and self.folded.states[after].status == Status.TOMBSTONE:
            texts.insert(0, self.folded.states[after].message)
        for text in texts:
            for word in _DOTTED.findall(text or "") + _WORD.findall(text or ""):
                inside = self._present(line.symbol, word, ordinal)
                if inside is not None:
                    return (inside, "the message names it", 0.5)
        return None

    def _by_tombstone(self, line: Lifeline, ordinal: int) -> tuple[str, str, float] | None:
        """What a name that now raises tells to use."""
        after = state_at(line.items, ordinal)
        state = None if after is None else self.folded.states[after]
        if state is None or state.status != Status.TOMBSTONE:
            return None
        named = replacement_in(state.message, line.symbol)
        if named is None:
            return None
        inside = self._present(line.symbol, named, ordinal)
        return (inside or named, "the message that it raises names it", 0.95)

    def _present(self, symbol: str, word: str, ordinal: int) -> str | None:
        return meant(symbol, word, lambda place: self._is_present(place, ordinal))

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
        if key is not None and not found:
            # Under another name only where there is no choice: texts such as "See above." are shared.
            others = [
                place for place in self.renamed.get(_in_place(line.symbol, key), ()) if place != line.symbol
            ]
            if len(others) == 1 and self._is_present(others[0], ordinal):
                return (others[0], "same place, docstring and signature", 0.6)
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


def _in_place(symbol: str, key: tuple[int, str, str, str]) -> tuple[int, str, str, str]:
    """The key of a body with its parent in place of its name."""
    ordinal, _, doc, signature = key
    return (ordinal, symbol.rpartition(".")[0], doc, signature)
