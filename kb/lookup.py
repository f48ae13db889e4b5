"""The knowledge base as its users see it: look-ups, histories, differences, SQL."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from . import store
from .answering import answer_at, answer_parameter, deprecated_parameters, parse_symbol, statuses
from .answers import Answer, Change, History, SpecifierAnswer
from .choosing import canonical, newest_release, no_match, unknown_project
from .errors import ApikbError, StoreError
from .reader import ProjectReader
from .releases import Release, ReleaseStatus, looks_like_specifier, matching_releases
from .resident import Residents
from .resolve import prefixes
from .schema import DOCSTRINGS_SINCE
from .symbol_view import SymbolView, exact_ordinal
from .symbols import Status

if TYPE_CHECKING:
    from .audit import Audit
    from .corpus import Corpus


@dataclass(frozen=True, slots=True)
class ProjectInfo:
    """One project of the knowledge base in figures."""

    project: str
    indexed: int
    total: int
    newest: str | None
    """Newest indexed final release."""
    import_names: tuple[str, ...]
    symbols: int
    indexed_at: str


@dataclass(frozen=True, slots=True)
class QueryResult:
    """The answer to an SQL query."""

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]


class _Opened:
    """One state of the file, with what was read of it.  A replaced file gets a new one of these.

    The old one, and with it its connection, goes when the last thread that asks it is done.
    """

    def __init__(self, path: Path) -> None:
        self.stamp = store.file_stamp(path) if path.is_file() else None
        self.connection = store.open_reader(path)
        self.query = store.query_with(self.connection, path)
        self._residents = Residents()
        self._infos: dict[str, tuple[int, ProjectInfo]] | None = None
        self._readers: dict[str, ProjectReader] = {}
        self._has_docstrings: bool | None = None

    def has_docstrings(self) -> bool:
        """False for a file that was written before docstrings were kept."""
        if self._has_docstrings is None:
            version = store.schema_version(store.reading_cursor(self.connection)) or 0
            self._has_docstrings = version >= DOCSTRINGS_SINCE
        return self._has_docstrings

    def infos(self) -> dict[str, tuple[int, ProjectInfo]]:
        """Number and figures of each project, by name."""
        if self._infos is None:
            rows = self.query(
                "SELECT pid, project, top_levels, symbols, indexed_at, newest, indexed, total "
                "FROM internal.projects ORDER BY project"
            )
            self._infos = {
                project: (
                    pid,
                    ProjectInfo(
                        project, indexed, total, newest, tuple(filter(None, tops.split("\n"))), symbols, at
                    ),
                )
                for pid, project, tops, symbols, at, newest, indexed, total in rows
            }
        return self._infos

    def reader(self, project: str) -> ProjectReader:
        """The reader of a project.  Raises `NotIndexed`."""
        found = self._readers.get(project)
        if found is None:
            infos = self.infos()
            if project not in infos:
                raise unknown_project(project, _imports(infos))
            pid, info = infos[project]
            found = ProjectReader(self.query, pid, project, symbols=info.symbols, residents=self._residents)
            found = self._readers.setdefault(project, found)
        return found


class KnowledgeBase:
    """A published file, opened for reading.  It reopens by itself when the file has been replaced.

    Threads may share it.  Projects that are asked for often are taken into memory, see `resident`.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._reopening = threading.Lock()
        self._opened = _Opened(self.path)

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Self:
        """Open read-only.  Raises `StoreError` where that cannot be done."""
        return cls(path)

    def close(self) -> None:
        """Let go of the file."""
        self._opened.connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def refresh(self) -> bool:
        """Reopen if the file has been replaced; True if it was.  Every question does this first."""
        if store.file_stamp(self.path) == self._opened.stamp:
            return False
        with self._reopening:
            if store.file_stamp(self.path) == self._opened.stamp:
                return False
            self._opened = _Opened(self.path)
        return True

    def _current(self) -> _Opened:
        self.refresh()
        return self._opened

    def _infos(self) -> dict[str, tuple[int, ProjectInfo]]:
        return self._current().infos()

    def projects(self) -> list[ProjectInfo]:
        """All projects by name."""
        return [info for _, info in self._infos().values()]

    def info(self, project: str) -> ProjectInfo:
        """One project.  Raises `NotIndexed`."""
        return self._infos()[self._known(project)][1]

    def releases(self, project: str) -> list[Release]:
        """All releases of a project in PEP 440 order, failed and skipped ones too.  Raises `NotIndexed`."""
        return list(self._reader(self._known(project)).releases)

    def _known(self, project: str) -> str:
        name = canonical(project)
        infos = self._infos()
        if name in infos:
            return name
        for known, (_, info) in infos.items():
            if project in info.import_names:
                return known
        raise unknown_project(project, _imports(infos))

    def _reader(self, project: str) -> ProjectReader:
        return self._current().reader(project)

    def resolve_project(self, symbol: str, project: str | None = None) -> str:
        """The project that a symbol belongs to, by the import names that the projects provide.

        Raises `NotIndexed` where none does, `ApikbError` where several do.
        """
        if project is not None:
            return self._known(project)
        path, _ = parse_symbol(symbol)
        top = path.partition(".")[0]
        infos = self._infos()
        found = [name for name, (_, info) in infos.items() if top in info.import_names]
        if len(found) > 1:
            found = self._nearest(path, found)
        if not found:
            raise unknown_project(top, _imports(infos), symbol)
        if len(found) > 1:
            raise ApikbError(
                f"{top} is provided by {', '.join(found)}", hint=f"say which: --project {found[0]}"
            )
        return found[0]

    def _nearest(self, path: str, projects: list[str]) -> list[str]:
        same = [name for name in projects if name == canonical(path.partition(".")[0])]
        if same:
            return same
        depth = {}
        for name in projects:
            stored = self._reader(name).fetch(prefixes(path))
            depth[name] = max(
                (place.count(".") + 1 for place, raw in stored.items() if raw.states), default=0
            )
        best = max(depth.values())
        return [name for name in projects if depth[name] == best]

    def lookup(
        self, symbol: str, *, version: str | None = None, project: str | None = None
    ) -> Answer | SpecifierAnswer:
        """What a symbol is at a release, by default the newest indexed final one.

        `symbol` is a dotted path, `module:attribute`, or `path(parameter)`; `version` a
        version or a specifier.  Raises `NotIndexed` for a project or release that is not there.
        """
        name = self.resolve_project(symbol, project)
        reader = self._reader(name)
        reader.warm()
        if version is not None and looks_like_specifier(version):
            return self._over(reader, symbol, version)
        return self._answer(reader, symbol, self._ordinal(reader, version))

    def _answer(self, reader: ProjectReader, symbol: str, ordinal: int) -> Answer:
        path, parameter = parse_symbol(symbol)
        if parameter is not None:
            return answer_parameter(reader, path, parameter, ordinal)
        return answer_at(reader, path, ordinal)

    def _ordinal(self, reader: ProjectReader, version: str | None) -> int:
        if version is None:
            return newest_release(reader.project, reader.releases)
        return exact_ordinal(reader, version)

    def deprecated_parameters(
        self, symbol: str, *, version: str | None = None, project: str | None = None
    ) -> list[Answer]:
        """The parameters of a symbol that are deprecated at a release, as `lookup` answers for each of them.

        Raises `NotIndexed`.
        """
        reader = self._reader(self.resolve_project(symbol, project))
        reader.warm()
        return deprecated_parameters(reader, parse_symbol(symbol)[0], self._ordinal(reader, version))

    def _over(self, reader: ProjectReader, symbol: str, specifier: str) -> SpecifierAnswer:
        matching = matching_releases(specifier, reader.releases)
        groups: dict[str, list[str]] = {str(status): [] for status in Status}
        newest: Answer | None = None
        for release in matching:
            if release.status != ReleaseStatus.INDEXED:
                groups[Status.UNKNOWN].append(release.version)
        indexed = [release for release in matching if release.status == ReleaseStatus.INDEXED]
        known = dict(statuses(reader, *parse_symbol(symbol)))
        for release in indexed:
            groups[known[release.version]].append(release.version)
        if indexed:
            newest = self._answer(reader, symbol, reader.releases.index(indexed[-1]))
        if newest is None:
            raise no_match(reader.project, specifier, reader.releases)
        order = {version: number for number, version in enumerate(reader.axis.versions)}
        present, absent, tombstone, unknown = (
            tuple(sorted(groups[status], key=order.__getitem__))
            for status in (Status.PRESENT, Status.ABSENT, Status.TOMBSTONE, Status.UNKNOWN)
        )
        return SpecifierAnswer(
            newest.symbol, reader.project, specifier, present, absent, tombstone, unknown, newest
        )

    def docstring(self, symbol: str, *, version: str | None = None, project: str | None = None) -> str | None:
        """The docstring of a symbol at a release, as `inspect.cleandoc` gives it; None where it has none.

        Of a specifier, at the newest matching release; of a parameter, that of its function.
        """
        from .docstrings import docstring_at

        self._require_docstrings()
        reader = self._reader(self.resolve_project(symbol, project))
        path, _ = parse_symbol(symbol)
        if version is not None and looks_like_specifier(version):
            version = self._newest_match(reader, version)
        return docstring_at(reader, path, self._ordinal(reader, version))

    def corpus(self, project: str) -> Corpus:
        """The documents of a project, all of the file as it stands now.  Raises `NotIndexed`."""
        from .corpus import Corpus

        opened = self._current()
        return Corpus(store.reading_cursor(opened.connection), self._known(project))

    def symbol(self, path: str, project: str | None = None) -> SymbolView:
        """A symbol, for several questions about it.

        Raises `NotIndexed` where no project has it, `ApikbError` for what is no dotted path.
        """
        reader = self._reader(self.resolve_project(path, project))
        reader.warm()
        name, parameter = parse_symbol(path)
        if parameter is not None:
            raise ApikbError(f"{path} is a parameter", hint=f"ask for the whole: {name}")
        return SymbolView(reader, name)

    def state(self) -> tuple[int, int, int] | None:
        """Equal for as long as the file is not replaced."""
        return self._current().stamp

    def statuses(self, symbol: str, project: str | None = None) -> dict[str, Status]:
        """Version -> status of a symbol for every release that could be read.  Raises `NotIndexed`."""
        reader = self._reader(self.resolve_project(symbol, project))
        return {version: Status(status) for version, status in statuses(reader, *parse_symbol(symbol))}

    def audit(self, project: str, *, private: bool = False) -> Audit:
        """Compare the version directives of a project's docstrings with what was observed.

        Of public names, with `private` of all.
        """
        from .audit import audit

        self._require_docstrings()
        return audit(self._reader(self._known(project)), private=private)

    def _require_docstrings(self) -> None:
        if not self._current().has_docstrings():
            raise StoreError(
                f"{self.path} was written before docstrings were kept",
                hint="any `apikb index PROJECT` brings it up to date",
            )

    def _newest_match(self, reader: ProjectReader, specifier: str) -> str:
        for release in reversed(matching_releases(specifier, reader.releases)):
            if release.status == ReleaseStatus.INDEXED:
                return release.version
        raise no_match(reader.project, specifier, reader.releases)

    def history(self, symbol: str, project: str | None = None, *, pre: bool = False) -> History:
        """A symbol's whole life.  With `pre`, pre-releases define boundaries as well."""
        from .history import history_of

        return history_of(self._reader(self.resolve_project(symbol, project)), *parse_symbol(symbol), pre=pre)

    def diff(
        self,
        project: str,
        a: str,
        b: str,
        *,
        symbol: str | None = None,
        changes: Sequence[str] | None = None,
        all: bool = False,
    ) -> list[Change]:
        """What differs between two releases: the public surface, or with `all` everything.

        `symbol` keeps what is at or below a path, `changes` the kinds of change named.
        """
        from .diffing import differences

        reader = self._reader(self._known(project))
        found = differences(reader, self._ordinal(reader, a), self._ordinal(reader, b), symbol, all)
        return [change for change in found if changes is None or change.change in changes]

    def sql(self, query: str) -> QueryResult:
        """Run one reading statement in the sandbox.  Raises `ApikbError` with DuckDB's message."""
        columns, rows = store.run_sql(self._current().connection, query)
        return QueryResult(tuple(columns), rows)

    def export(self, directory: str | os.PathLike[str]) -> list[Path]:
        """Write all views as Parquet, one folder a project, one file a view; answers the files."""
        return store.export_views(self.path, directory)


def _imports(infos: dict[str, tuple[int, ProjectInfo]]) -> dict[str, tuple[str, ...]]:
    return {project: info.import_names for project, (_, info) in infos.items()}
