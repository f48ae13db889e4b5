"""What a project's look-ups need, kept in memory: a point query costs more than all the rest of an answer.

Kept as the text that the database hands over, one text a bucket, and searched as text: that is quick to
load and a fraction of the size of the rows as Python values.  0.5 to 1.3 KB a symbol: 1 MB for attrs
(695 symbols), 67 MB for pandas (90,000), 149 MB for torch (311,000).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count
from typing import Any

from .keys import bucket_of

Query = Callable[[str, Sequence[object]], list[tuple[Any, ...]]]
Row = tuple[Any, ...]
Move = tuple[str, str, str, float]

BUDGET = 256 << 20
"""Bytes that the projects in memory may take together; beyond it the one not asked for longest is dropped."""
BYTES_A_SYMBOL = 500
"""An estimate, for a project that is not loaded yet; `Resident.size` is near the truth."""
SYMBOLS_A_QUERY = 2000
"""A project is loaded once it was asked a point query for so many of its symbols: after 2 queries for
attrs, 45 for pandas, 156 for torch.  Loading so many takes as long as about ten queries; this is early, but
who has asked so often goes on."""
MOST_RELEASES = 1 << 15
"""Ordinals are packed in 15 bits."""

_PACKED = "string_agg((((state & 4294967295) << 30) | (first << 15) | last)::VARCHAR, ' ')"
_LINES = "SELECT bucket, chr(10) || string_agg(line, chr(10)) || chr(10) FROM ({}) GROUP BY bucket"
_NAMES = _LINES.format(
    f"SELECT bucket, symbol || chr(9) || {_PACKED} AS line FROM internal.runs WHERE pid = ? AND role = 0 "
    "AND NOT contains(symbol, chr(9)) AND NOT contains(symbol, chr(10)) GROUP BY bucket, symbol"
)
# A name of a file with a tab or a line break in it is told with spaces: it would break the lines.
_PLACES = _LINES.format(
    "SELECT bucket, symbol || chr(9) || replace(replace(text, chr(9), ' '), chr(10), ' ') || chr(9) || "
    f"{_PACKED} AS line FROM internal.runs WHERE pid = ? AND role = 3 "
    "AND NOT contains(symbol, chr(9)) AND NOT contains(symbol, chr(10)) GROUP BY bucket, symbol, text"
)
_STATES = "SELECT state & 4294967295, data FROM internal.states WHERE pid = ?"
_OTHERS = (
    "SELECT symbol, role, state, first, last, text FROM internal.runs "
    "WHERE pid = ? AND role IN (1, 2) ORDER BY rowid"
)
_MOVES = (
    "SELECT symbol, moved_to, version, confidence FROM internal.moves WHERE pid = ? ORDER BY confidence DESC"
)
_OVERHEAD = 150
"""Of a text in a dictionary, in bytes."""


class Resident:
    """One project in memory: names and states first, and where they were read if that is asked for often."""

    def __init__(self, query: Query, pid: int) -> None:
        self._names: dict[int, str] = dict(query(_NAMES, [pid]))
        self._states: dict[int, str] = dict(query(_STATES, [pid]))
        self._places: dict[int, str] | None = None
        self._others: dict[str, list[Row]] = {}
        texts: dict[str, str] = {}
        for *row, text in query(_OTHERS, [pid]):
            shared = None if text is None else texts.setdefault(text, text)
            self._others.setdefault(row[0], []).append((*row, shared))
        self._moves: dict[str, list[Move]] = {}
        self._former: dict[str, list[tuple[str, str]]] = {}
        for symbol, moved_to, version, confidence in query(_MOVES, [pid]):
            self._moves.setdefault(symbol, []).append((symbol, moved_to, version, confidence))
            self._former.setdefault(moved_to, []).append((symbol, version))
        self._first = pid << 32
        self.used = 0
        rows = sum(map(len, self._others.values())) + 2 * sum(map(len, self._moves.values()))
        self.size = 2 * _OVERHEAD * rows + sum(
            map(_weight, (self._names.values(), self._states.values(), texts, self._others))
        )

    @property
    def has_places(self) -> bool:
        """Whether it knows where paths were read."""
        return self._places is not None

    def load_places(self, query: Query, pid: int) -> None:
        """Take in where paths were read."""
        places: dict[int, str] = dict(query(_PLACES, [pid]))
        self.size += _weight(places.values())
        self._places = places

    @staticmethod
    def can_tell(path: str) -> bool:
        """False for what is no name: such paths are not kept here."""
        return "\t" not in path and "\n" not in path

    def rows(self, path: str) -> list[Row]:
        """What `internal.runs` says of a path, lines apart: (symbol, role, state, first, last, text)."""
        found: list[Row] = [
            (path, 0, self._first | state, low, high, self._states[state])
            for numbers in _lines(self._names, path)
            for state, low, high in _unpacked(numbers)
        ]
        return found + self._others.get(path, [])

    def places(self, path: str) -> list[tuple[int, int, str, int]] | None:
        """Where a path was read: (first, last, file, line); None if that is not known here."""
        if self._places is None or not self.can_tell(path):
            return None
        found = []
        for text in _lines(self._places, path):
            file, _, numbers = text.partition("\t")
            found += [(low, high, file, line) for line, low, high in _unpacked(numbers)]
        return found

    def siblings(self, parent: str) -> set[str]:
        """The names that are bound below a path in any release."""
        text = self._names.get(bucket_of(parent), "")
        paths = (line.partition("\t")[0].rpartition(".") for line in text.split("\n"))
        return {name for above, _, name in paths if above == parent and name}

    def moves(self, symbols: Iterable[str]) -> list[Move]:
        """Moves of symbols, the surest first."""
        found = [move for symbol in dict.fromkeys(symbols) for move in self._moves.get(symbol, ())]
        return sorted(found, key=lambda move: -move[3])

    def moved_from(self, symbol: str) -> list[tuple[str, str]]:
        """Former names of a symbol as (symbol, version of the move), the surest first."""
        return self._former.get(symbol, [])


def _weight(texts: Iterable[str]) -> int:
    return sum(len(text) + _OVERHEAD for text in texts)


def _lines(buckets: dict[int, str], path: str) -> Iterator[str]:
    """What stands behind a path."""
    text = buckets.get(bucket_of(path.rpartition(".")[0]), "")
    wanted = f"\n{path}\t"
    at = text.find(wanted)
    while at >= 0:
        end = text.index("\n", at + 1)
        yield text[at + len(wanted) : end]
        at = text.find(wanted, end)


def _unpacked(numbers: str) -> list[tuple[int, int, int]]:
    packed = sorted(map(int, numbers.split(" ")))
    return [(number >> 30, number >> 15 & 32767, number & 32767) for number in packed]


class Residents:
    """The projects of one open file that are in memory, within a budget.  Threads may share it."""

    def __init__(self, budget: int = BUDGET) -> None:
        self.budget = budget
        self._loaded: dict[int, Resident] = {}
        self._loading = threading.Lock()
        self._clock = count(1)

    @property
    def size(self) -> int:
        """Bytes in use, about."""
        return sum(resident.size for resident in list(self._loaded.values()))

    def get(self, pid: int) -> Resident | None:
        """A project, if it is in memory."""
        found = self._loaded.get(pid)
        if found is not None:
            found.used = next(self._clock)
        return found

    def load(self, query: Query, pid: int, symbols: int) -> bool:
        """Take in more of a project, unless it is too large, or something is being loaded just now."""
        if symbols * BYTES_A_SYMBOL > self.budget or not self._loading.acquire(blocking=False):
            return False
        try:
            found = self._loaded.get(pid)
            if found is None:
                found = Resident(query, pid)
            elif not found.has_places:
                found.load_places(query, pid)
            found.used = next(self._clock)
            self._loaded[pid] = found
            self._drop_others(pid)
        finally:
            self._loading.release()
        return True

    def _drop_others(self, pid: int) -> None:
        while self.size > self.budget and len(self._loaded) > 1:
            oldest = min((used.used, key) for key, used in self._loaded.items() if key != pid)
            del self._loaded[oldest[1]]
