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
from .resident import MOST_RELEASES, SYMBOLS_A_QUERY, Resident, Residents
from .resolve import Place, Raw, Resolver, Source
from .spans import Axis
from .symbols import SymbolState

Query = Callable[[str, Sequence[object]], list[tuple[Any, ...]]]
_STATE, _OPAQUE, _COMPLETE, _PLACE = 0, 1, 2, 3
_KEPT = 5_000
"""How many states, and how many paths, a reader remembers."""


class ProjectReader(Source):
    """Reads one project; `releases` and states are kept, the file does not change under a reader.

    Threads may share it.  At first each question costs a few point queries; once enough were asked,
    `warm` takes the project into memory.
    """

    def __init__(
        self, query: Query, pid: int, project: str, *, symbols: int = 0, residents: Residents | None = None
    ) -> None:
        self._run = query
        self.pid = pid
        self.project = project
        self.releases: list[Release] = read_releases(query, pid)
        self.axis = Axis(self.releases)
        self.ordinals = {release.version: number for number, release in enumerate(self.releases)}
        self._symbols = symbols
        self._residents = Residents() if residents is None else residents
        self._asked = 0
        self._warmed = False
        self._states: dict[int, SymbolState] = {}
        self._raws: dict[str, Raw] = {}

    def query(self, text: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
        """Rows of a query of our own."""
        self._asked += 1
        return self._run(text, values)

    def warm(self) -> None:
        """Before a question that is not the first: take the project into memory, if that begins to pay."""
        if not self._warmed:
            self._warmed = True
        elif self._asked * SYMBOLS_A_QUERY > self._symbols and len(self.releases) <= MOST_RELEASES:
            resident = self._resident()
            complete = resident is not None and resident.has_places
            if not complete and self._residents.load(self._run, self.pid, self._symbols):
                self._asked = 0

    def _resident(self) -> Resident | None:
        return self._residents.get(self.pid)

    def resolver(self) -> Resolver:
        """A fresh resolver on this project."""
        return Resolver(self.axis, self)

    def fetch(self, paths: Sequence[str], enough: int | None = None) -> dict[str, Raw]:
        """What is stored of paths; it is remembered, since look-ups come back to what others lie in."""
        for kept in (self._raws, self._states):
            if len(kept) > _KEPT:
                kept.clear()
        remembered = {path: self._raws.get(path) for path in paths}
        found = {path: raw for path, raw in remembered.items() if raw is not None}
        wanted = [path for path in paths if path not in found]
        resident = self._resident()
        if resident is not None:
            here = [path for path in wanted if resident.can_tell(path)]
            new = {path: self._raw(resident.rows(path), None) for path in here}
            wanted = [path for path in wanted if path not in new]
        else:
            new = {}
        if wanted:
            new.update(self._point(wanted, enough if wanted[0] == paths[0] else None))
        self._raws.update(new)
        found.update(new)
        return found

    def _point(self, wanted: list[str], enough: int | None) -> dict[str, Raw]:
        if enough is None:
            rows = self._select(wanted)
        else:
            rows = self._select(wanted[:1])
            if enough & ~self._held(rows):
                rows += self._select(wanted[1:])
            else:
                wanted = wanted[:1]
        grouped: defaultdict[str, list[tuple[Any, ...]]] = defaultdict(list)
        for row in rows:
            grouped[row[0]].append(row)
        return {path: self._raw(grouped[path], ()) for path in wanted}

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

    def _raw(self, rows: list[tuple[Any, ...]], places: tuple[Place, ...] | None) -> Raw:
        masks: dict[int, int] = {}
        texts: dict[int, str] = {}
        hidden: list[tuple[int, str]] = []
        seen: list[Place] = []
        complete = 0
        read = self.axis.read
        for _, role, number, low, high, text in rows:
            mask = span_mask(low, high) & read
            if role == _STATE:
                masks[number] = masks.get(number, 0) | mask
                texts[number] = text
            elif role == _OPAQUE:
                hidden.append((mask, text))
            elif role == _PLACE:
                seen.append((mask, text, number))
            else:
                complete |= mask
        states = [(self._state(number, texts[number]), mask) for number, mask in masks.items()]
        states.sort(key=lambda item: precedence(item[0]))
        return Raw(tuple(states), tuple(hidden), complete, None if places is None else tuple(seen))

    def _state(self, number: int, text: str) -> SymbolState:
        found = self._states.get(number)
        if found is None:
            found = self._states[number] = decode_state(text)
        return found

    def places(self, path: str, raw: Raw) -> tuple[Place, ...]:
        """Where a path was read, as (mask of releases, file, line)."""
        if raw.places is not None:
            return raw.places
        resident = self._resident()
        rows = None if resident is None else resident.places(path)
        if rows is None:
            rows = self._place_rows(path)
        read = self.axis.read
        found = tuple((span_mask(low, high) & read, file, line) for low, high, file, line in rows)
        self._raws[path] = raw._replace(places=found)
        return found

    def _place_rows(self, path: str) -> list[tuple[Any, ...]]:
        return self.query(
            "SELECT first, last, text, state FROM internal.runs "
            f"WHERE bucket = ? AND pid = ? AND symbol = ? AND role = {_PLACE}",
            [bucket_of(path.rpartition(".")[0]), self.pid, path],
        )

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
        resident = self._resident()
        if resident is not None:
            return resident.moves(symbols)
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
        resident = self._resident()
        if resident is not None:
            return resident.moved_from(symbol)
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
        resident = self._resident()
        if resident is not None:
            names = resident.siblings(parent)
        else:
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
