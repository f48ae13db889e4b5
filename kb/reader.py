"""Point queries for look-ups.  Small, few, and without any import that a cold start would feel."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

from .codec import decode_state
from .hidden import precedence
from .keys import bucket_of
from .loading import read_releases
from .masks import span_mask
from .releases import Release
from .resolve import Raw, Resolver, Source
from .spans import Axis
from .symbols import SymbolState

Query = Callable[[str, Sequence[object]], list[tuple[Any, ...]]]
_STATE, _OPAQUE, _COMPLETE, _PLACE = 0, 1, 2, 3
_KEPT = 20_000
"""How many states and scopes a reader remembers."""


class ProjectReader(Source):
    """Reads one project; `releases` and states are kept, the file does not change under a reader."""

    def __init__(self, query: Query, pid: int, project: str) -> None:
        self.query = query
        self.pid = pid
        self.project = project
        self.releases: list[Release] = read_releases(query, pid)
        self.axis = Axis(self.releases)
        self.ordinals = {release.version: number for number, release in enumerate(self.releases)}
        self._states: dict[int, SymbolState] = {}
        self._scopes: dict[str, Raw] = {}

    def resolver(self) -> Resolver:
        """A fresh resolver on this project."""
        return Resolver(self.axis, self)

    def fetch(self, paths: Sequence[str], enough: int | None = None) -> dict[str, Raw]:
        """What is stored of paths; what others lie in is remembered, since look-ups come back to it."""
        for kept in (self._scopes, self._states):
            if len(kept) > _KEPT:
                kept.clear()
        found = {path: self._scopes[path] for path in paths if path in self._scopes}
        wanted = [path for path in paths if path not in found]
        rows: list[tuple[Any, ...]] = []
        if enough is not None and wanted[:1] == [paths[0]]:
            rows = self._select(wanted[:1])
            filled = wanted[1:] and not enough & ~self._held(rows)
            rows += self._select([] if filled else wanted[1:])
            wanted = wanted[:1] if filled else wanted
        else:
            rows = self._select(wanted)
        grouped: defaultdict[str, list[tuple[Any, ...]]] = defaultdict(list)
        for row in rows:
            grouped[row[0]].append(row)
        found.update((path, self._raw(grouped[path])) for path in wanted)
        scopes = {path.rpartition(".")[0] for path in paths}
        self._scopes.update((path, found[path]) for path in wanted if path in scopes)
        return found

    def _held(self, rows: list[tuple[Any, ...]]) -> int:
        held = 0
        for row in rows:
            if row[1] == _STATE:
                held |= span_mask(row[3], row[4])
        return held

    def _select(self, symbols: Sequence[str]) -> list[tuple[Any, ...]]:
        """One query for each parent: only an equality lets DuckDB skip row groups."""
        parents: defaultdict[str, list[str]] = defaultdict(list)
        for symbol in symbols:
            parents[symbol.rpartition(".")[0]].append(symbol)
        found: list[tuple[Any, ...]] = []
        for parent, names in parents.items():
            found += self.query(
                "SELECT symbol, role, state, first, last, text FROM internal.runs "
                f"WHERE bucket = ? AND pid = ? AND {_among('symbol', len(names))}",
                [bucket_of(parent), self.pid, *names],
            )
        return found

    def _raw(self, rows: list[tuple[Any, ...]]) -> Raw:
        masks: dict[int, int] = {}
        hidden: list[tuple[int, str]] = []
        places: list[tuple[int, str, int]] = []
        complete = 0
        read = self.axis.read
        for _, role, number, low, high, text in rows:
            mask = span_mask(low, high) & read
            if role == _STATE:
                masks[number] = masks.get(number, 0) | mask
                if number not in self._states:
                    self._states[number] = decode_state(text)
            elif role == _OPAQUE:
                hidden.append((mask, text))
            elif role == _PLACE:
                places.append((mask, text, number))
            else:
                complete |= mask
        states = [(self._states[number], mask) for number, mask in masks.items()]
        states.sort(key=lambda item: precedence(item[0]))
        return Raw(tuple(states), tuple(hidden), complete, tuple(places))

    def module_files(self, modules: Sequence[str], ordinal: int) -> dict[str, tuple[str, str]]:
        """File and read status of modules at a release."""
        rows = self.query(
            "SELECT module, file, status FROM internal.modules WHERE pid = ? "
            f"AND {_among('module', len(modules))} AND first <= ? AND last >= ? ORDER BY status DESC, file",
            [self.pid, *modules, ordinal, ordinal],
        )
        return {module: (file, status) for module, file, status in rows}

    def moves(self, symbols: Sequence[str]) -> list[tuple[str, str, str, float]]:
        """Moves of symbols as (symbol, moved_to, version, confidence)."""
        return [
            (row[0], row[1], row[2], row[3])
            for row in self.query(
                f"SELECT symbol, moved_to, version, confidence FROM internal.moves WHERE pid = ? "
                f"AND {_among('symbol', len(symbols))} ORDER BY confidence DESC",
                [self.pid, *symbols],
            )
        ]

    def moved_from(self, symbol: str) -> list[tuple[str, str]]:
        """Former names of a symbol as (symbol, version of the move)."""
        rows = self.query(
            "SELECT symbol, version FROM internal.moves WHERE pid = ? AND moved_to = ? "
            "ORDER BY confidence DESC",
            [self.pid, symbol],
        )
        return [(row[0], row[1]) for row in rows]

    def tombstone_since(self, symbol: str, ordinal: int) -> str | None:
        """First release of the run of tombstones that holds a release."""
        order = {version: number for number, version in enumerate(self.axis.versions)}
        for since, last in self.query(
            "SELECT since, last_seen FROM internal.tombstones WHERE pid = ? AND symbol = ?",
            [self.pid, symbol],
        ):
            if order[since] <= ordinal <= order[last]:
                return str(since)
        return None

    def _neighbours(self, symbol: str, limit: int) -> list[str]:
        """Names beside a wrong one; a hundred times quicker than a search through all names."""
        from difflib import get_close_matches

        parent, _, name = symbol.rpartition(".")
        rows = self.query(
            "SELECT DISTINCT symbol FROM internal.runs WHERE bucket = ? AND pid = ? AND role = 0",
            [bucket_of(parent), self.pid],
        )
        names = {row[0].rpartition(".")[2] for row in rows if row[0].rpartition(".")[0] == parent}
        lowered = {found.lower(): found for found in sorted(names)}
        close = get_close_matches(name.lower(), lowered, n=limit, cutoff=0.8)
        return [f"{parent}.{lowered[found]}" for found in close]

    def similar(self, symbol: str, limit: int = 5) -> list[str]:
        """Names spelt nearly like a wrong one: its neighbours, else any of the project, public first."""
        neighbours = self._neighbours(symbol, limit)
        if neighbours:
            return neighbours
        name = symbol.rpartition(".")[2].lower()
        rows = self.query(
            "SELECT symbol FROM (SELECT symbol, min((visibility = 'private')::INTEGER) AS hidden, "
            "damerau_levenshtein(lower(split_part(symbol, '.', -1)), ?) AS far FROM internal.spans "
            "WHERE pid = ? AND abs(length(split_part(symbol, '.', -1)) - ?) <= ? AND far <= ? GROUP BY ALL) "
            "ORDER BY hidden, far * 4 + levenshtein(lower(symbol), ?), length(symbol), symbol LIMIT ?",
            [name, self.pid, len(name), _slack(name), _slack(name), symbol.lower(), limit],
        )
        return [row[0] for row in rows]


def _slack(name: str) -> int:
    return max(1, min(3, len(name) // 3))


def _among(column: str, count: int) -> str:
    if count == 1:
        return f"{column} = ?"
    return f"{column} IN ({', '.join('?' * count)})"
