"""What the witnesses share: rows of truth, findings, exceptions files, tables, indexing what is needed.

A witness knows nothing of how apikb reads; it asks an indexed knowledge base and compares.
What is not right is a **finding**, named by what was asked (`id`) and how it is wrong (`kind`).
An **exceptions file** excuses findings, each with a reason; an exception whose finding does not
come any more is reported, and fails too, so that the list stays true.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from exceptions import Entry, Exceptions
from packaging.version import Version

from apikb.indexers.pipeline import IndexOptions, index_projects
from apikb.indexers.simple_index import SimpleIndex
from apikb.kb.answers import Answer, SpecifierAnswer
from apikb.kb.errors import ApikbError
from apikb.kb.lookup import KnowledgeBase
from apikb.kb.text import one_line

EXCEPTIONS = Path(__file__).parent / "exceptions"
"""The folder of exceptions files."""
SHARED = "APIKB_SHARED"
EXIT_USAGE = 2


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is not as the witness says.  `(id, kind)` is what an exception names."""

    id: str
    kind: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Settled:
    """Findings apart: unexcused, excused, and the exceptions that excuse nothing any more."""

    unexcused: tuple[Finding, ...]
    excused: tuple[tuple[Finding, str], ...]
    stale: tuple[Entry, ...]

    @property
    def exit_code(self) -> int:
        return 1 if self.unexcused or self.stale else 0


class ShareMissing(Exception):
    """The folder of real data is not there."""


def shared_file(name: str) -> Path:
    """A file of the folder that `APIKB_SHARED` names.  Raises `ShareMissing`."""
    folder = os.environ.get(SHARED)
    path = Path(folder or "") / name
    if not folder or not path.is_file():
        raise ShareMissing(f"{name} is not there; {SHARED} must name the folder that holds it")
    return path


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a JSON-lines file."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)


def settle(findings: Iterable[Finding], exceptions: Exceptions, asked: Iterable[str]) -> Settled:
    """Hold findings against exceptions.  `asked` are the ids that this run could ask about at all."""
    unexcused: list[Finding] = []
    excused: list[tuple[Finding, str]] = []
    for finding in findings:
        reason = exceptions.explain({"id": finding.id, "kind": finding.kind, "detail": finding.detail})
        if reason is None:
            unexcused.append(finding)
        else:
            excused.append((finding, reason))
    ids = list(asked)

    def in_scope(entry: Entry) -> bool:
        pattern = entry.patterns.get("id")
        return bool(ids) and (pattern is None or any(pattern.fullmatch(text) for text in ids))

    return Settled(tuple(unexcused), tuple(excused), tuple(exceptions.unused(in_scope)))


# ---- tables


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """Lines of a plain table; the first column to the left, the others to the right."""
    cells = [[str(cell) for cell in row] for row in (head, *rows)]
    widths = [max(len(row[at]) for row in cells) for at in range(len(head))]
    for number, row in enumerate(cells):
        first, *others = (
            text.ljust(width) if at == 0 else text.rjust(width)
            for at, (text, width) in enumerate(zip(row, widths, strict=True))
        )
        yield "  ".join((first, *others)).rstrip()
        if number == 0:
            yield "  ".join("-" * width for width in widths)


def share(part: int, whole: int) -> str:
    """A percentage as people read it, "-" of nothing."""
    return f"{100 * part / whole:.1f} %" if whole else "-"


def print_settled(settled: Settled) -> None:
    """One line for everything that fails, then the count of what is excused."""
    for finding in settled.unexcused:
        print(one_line(f"{finding.id}  {finding.kind}: {finding.detail}"))
    for entry in settled.stale:
        print(one_line(f"an exception that does not fail any more, to be removed: {entry}"))
    print(f"{len(settled.unexcused)} not right, {len(settled.excused)} excused, {len(settled.stale)} stale")


def settled_object(settled: Settled) -> dict[str, Any]:
    """The same for programs."""
    return {
        "unexcused": [[finding.id, finding.kind, finding.detail] for finding in settled.unexcused],
        "excused": [[finding.id, finding.kind, reason] for finding, reason in settled.excused],
        "stale": [str(entry) for entry in settled.stale],
    }


# ---- asking


@dataclass(slots=True)
class Store:
    """A knowledge base that says None of what is not indexed."""

    kb: KnowledgeBase
    projects: frozenset[str] = field(init=False)
    _versions: dict[str, frozenset[Version]] = field(default_factory=dict)
    _names: dict[tuple[str, str], frozenset[str]] = field(default_factory=dict)
    _symbols: dict[str, frozenset[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.projects = frozenset(info.project for info in self.kb.projects())

    def ask(self, project: str, symbol: str, version: str | None = None) -> Answer | None:
        """The answer at a release, by default the newest; None where that release is not indexed."""
        try:
            answer = self.kb.lookup(symbol, version=version, project=project)
        except ApikbError:
            return None
        return None if isinstance(answer, SpecifierAnswer) else answer

    def has(self, project: str, version: str) -> bool:
        """Whether a release is indexed."""
        if project not in self._versions:
            self._versions[project] = frozenset(
                Version(release.version)
                for release in self.kb.releases(project)
                if release.status == "indexed"
            )
        return Version(version) in self._versions[project]

    def stores(self, project: str, symbol: str) -> bool:
        """Whether a path is a row of the project; asking for one that is none searches for similar names."""
        if project not in self._symbols:
            rows = self.kb.sql(f"SELECT DISTINCT symbol FROM spans WHERE project = '{project}'").rows
            self._symbols[project] = frozenset(str(row[0]) for row in rows)
        return symbol in self._symbols[project]

    def tops(self, project: str) -> tuple[str, ...]:
        """The import names that a project provides."""
        return self.kb.info(project).import_names

    def binds(self, project: str, version: str, name: str) -> bool:
        """Whether any module or class of a release binds a name."""
        if (project, version) not in self._names:
            rows = self.kb.sql(f"SELECT symbol FROM symbols_at('{project}', '{version}')").rows
            self._names[project, version] = frozenset(str(row[0]).rpartition(".")[2] for row in rows)
        return name in self._names[project, version]


# ---- command line


def arguments(doc: str, **extra: Any) -> argparse.ArgumentParser:
    """The options that every witness has."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kb", type=Path, required=True, metavar="FILE", help="the knowledge base to ask")
    parser.add_argument("--data", type=Path, metavar="FILE", help=f"the truth, if not that of {SHARED}")
    parser.add_argument("--exceptions", type=Path, metavar="FILE", default=extra.get("exceptions"))
    parser.add_argument("--json", action="store_true", dest="as_json", help="print JSON")
    parser.add_argument("--index", action="store_true", help="first index what is needed into it")
    parser.add_argument("--cache", type=Path, metavar="DIR", help="where extracted facts are kept")
    parser.add_argument("--find-links", type=Path, action="append", default=[], metavar="DIR")
    parser.add_argument("--index-url", metavar="URL")
    parser.add_argument("--jobs", type=int, metavar="N")
    parser.add_argument(
        "--project", action="append", default=[], metavar="NAME", help="only this one; may be repeated"
    )
    return parser


def open_store(path: Path) -> Store:
    """The store of `--kb`.  Ends the program where there is none."""
    try:
        return Store(KnowledgeBase.open(path))
    except ApikbError as error:
        print(f"Error: {error.message}", file=sys.stderr)
        raise SystemExit(EXIT_USAGE) from error


# ---- indexing what is needed


def around(versions: Sequence[str], named: Iterable[str], each_side: int = 3) -> list[str]:
    """Of releases in order the nearest to each version that is named, on both sides, and the newest.

    >>> around(["1.0", "1.1", "1.2", "1.3", "1.4"], ["1.1"], 1)
    ['1.0', '1.1', '1.4']
    """
    ordered = sorted({Version(text): text for text in versions}.items())
    chosen = {ordered[-1][0]} if ordered else set()
    for text in named:
        at = Version(text)
        below = [version for version, _ in ordered if version < at]
        from_on = [version for version, _ in ordered if version >= at]
        chosen.update(below[-each_side:] + from_on[:each_side])
    return [text for version, text in ordered if version in chosen]


def last_of_each_series(versions: Iterable[str]) -> list[str]:
    """The newest release of each `major.minor`.

    >>> last_of_each_series(["1.0", "1.0.1", "1.2", "2.0"])
    ['1.0.1', '1.2', '2.0']
    """
    series: dict[tuple[int, int], str] = {}
    for text in sorted(versions, key=Version):
        series[Version(text).major, Version(text).minor] = text
    return list(series.values())


def listed_finals(index: SimpleIndex, project: str) -> list[str]:
    """The final releases that an index lists."""
    listed = [release.version for release in index.releases(project).releases]
    return [text for text in listed if not Version(text).is_prerelease]


def index_releases(wanted: Mapping[str, Iterable[str] | None], options: argparse.Namespace) -> None:
    """Index the releases that are needed: named, or of a project (None) all."""
    for project, versions in wanted.items():
        specifiers = () if versions is None else tuple(f"=={text}" for text in versions)
        if versions is not None and not specifiers:
            continue
        chosen = IndexOptions(
            kb=options.kb,
            versions=specifiers,
            jobs=options.jobs,
            index_url=options.index_url,
            find_links=tuple(options.find_links),
            cache=options.cache,
        )
        for summary in index_projects([project], chosen).projects:
            said = summary.error.message if summary.error else f"{summary.indexed} releases"
            print(one_line(f"{project}: {said}, {summary.seconds:.0f} s"), file=sys.stderr, flush=True)
