"""Does a running Python have the names, kinds and signatures that the knowledge base tells of a release?

    python witnesses/runtime_oracle.py --kb kb.duckdb --index
    python witnesses/runtime_oracle.py --kb kb.duckdb click==8.1.7 'flask==2.0.3; werkzeug<2.1'

Each release is installed into a throw-away environment, its public modules are imported *there*, and what
`inspect` shows is compared with `symbols_at(project, version)`.  Differences are explained by
kind in `exceptions/runtime_oracle.toml`; what it does not explain, and an entry that explains nothing
any more, makes the exit code 1.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from exceptions import Entry, Exceptions
from harness import index_releases, table
from oracle_compare import (
    GROUPS,
    Claim,
    Comparison,
    Counts,
    Difference,
    Reply,
    compare,
    is_public,
    read_parameters,
)
from oracle_environment import EnvironmentFailed, make_environment, probe

from apikb.kb.errors import ApikbError
from apikb.kb.lookup import KnowledgeBase
from apikb.kb.symbols import Status

EXCEPTIONS = Path(__file__).parent / "exceptions" / "runtime_oracle.toml"
IMPORT_SECONDS = 60
PROBE_SECONDS = 1800
GOALS = {"present": 99.5, "extra": 0.5, "signatures": 98.0}
TARGETS = (
    "requests==2.25.1", "requests==2.34.2", "click==8.0.4", "click==8.5.1",
    "flask==2.0.3; werkzeug<2.1", "flask==3.1.3", "httpx==0.23.0", "httpx==0.28.1",
    "attrs==21.4.0", "attrs==26.1.0", "networkx==2.8.8; numpy<2", "networkx==3.6.1; numpy",
    "pandas==1.5.3; numpy<2", "pandas==3.1.1", "numpy==1.23.5; setuptools<65", "numpy==2.4.6",
    "pillow==9.5.0", "pillow==13.0.0", "scipy==1.9.3", "scipy==1.17.1",
    "scikit-learn==1.2.2; numpy<2", "scikit-learn==1.9.1", "matplotlib==3.6.3; numpy<2", "matplotlib==3.11.2",
    "pydantic==1.10.26", "pydantic==2.14.4", "sqlalchemy==1.4.54", "sqlalchemy==2.1.9", "torch==2.13.0",
)  # fmt: skip
"""Releases that CPython 3.11 can install, with what their time needs beside them."""


class Release(NamedTuple):
    """A release, and further requirements of its environment."""

    project: str
    version: str
    beside: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str) -> Release:
        """Read `project==version; requirement; requirement`."""
        first, *beside = (part.strip() for part in text.split(";"))
        project, equal, version = first.partition("==")
        if not equal:
            raise SystemExit(f"{text}: write project==version")
        return cls(project, version, tuple(beside))

    def __str__(self) -> str:
        return f"{self.project} {self.version}"


def claims_of(kb: KnowledgeBase, release: Release) -> dict[str, list[Claim]]:
    """The rows of `symbols_at` by symbol."""
    found: dict[str, list[Claim]] = defaultdict(list)
    query = (
        "SELECT symbol, kind, visibility, signature, coalesce(alias_of, inherited_from) "
        f"FROM symbols_at({_quoted(release.project)}, {_quoted(release.version)})"
    )
    for row in kb.sql(query).rows:
        found[row[0]].append(Claim(*row))
    return dict(found)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def request_of(release: Release, claims: dict[str, list[Claim]]) -> dict[str, Any]:
    """What the probe is asked."""
    public = {path: rows for path, rows in claims.items() if is_public(path)}
    signatures = {
        path: parameters
        for path, rows in public.items()
        for row in rows
        if (parameters := read_parameters(row.signature))
    }
    return {
        "project": release.project, "seconds": IMPORT_SECONDS,
        "names": sorted(public), "signatures": signatures,
    }  # fmt: skip


def run_release(kb: KnowledgeBase, release: Release, folder: Path, pip: Sequence[str]) -> Comparison:
    """Install, ask, compare.  Raises `EnvironmentFailed`, and `ApikbError` for what is not indexed."""
    kb.lookup(next(iter(kb.info(release.project).import_names)), version=release.version)
    requirement = f"{release.project}=={release.version}"
    python = make_environment(folder, [requirement, *release.beside], pip)
    claims = claims_of(kb, release)
    answer = probe(python, request_of(release, claims), timeout=PROBE_SECONDS)

    return compare(release.project, release.version, claims, answer, asker(kb, release))


def asker(kb: KnowledgeBase, release: Release) -> Callable[[str], Reply]:
    """Asks the store about single paths; what it resolves on the way is kept, since thousands are asked."""
    reader = kb._reader(kb.resolve_project(release.project, release.project))
    resolver = reader.resolver()
    ordinal = reader.ordinals[release.version]

    def ask(path: str) -> Reply:
        life = resolver.life(path)
        item = life.at(ordinal)
        if item is None:
            reason = life.reason_at(ordinal)
            status = Status.ABSENT if reason is None else Status.UNKNOWN
            return Reply(status, Claim(path, "", "", None), reason or "")
        state = item.state
        signature = None if state.signature is None else str(state.signature)
        claim = Claim(path, state.kind, state.visibility, signature, state.target)
        return Reply(state.status, claim, state.message or "", state.condition)

    return ask


# ---- report


def percent(part: int, whole: int) -> str:
    """A share with two places."""
    return f"{100 * part / whole:.2f}" if whole else "-"


_COLUMNS = ("release", "names", "present %", "unknown", "ours", "extra %", "kind %", "signatures", "equal %",
            "no sig.", "instance", "conditional", "foreign", "annot. %", "unexplained")  # fmt: skip


def row(title: str, counts: Counts, unexplained: object) -> tuple[object, ...]:
    """One line of the table."""
    known = counts.runtime - counts.unknown
    return (
        title, counts.runtime, percent(counts.present, known), counts.unknown, counts.ours,
        percent(counts.extra, counts.ours), percent(counts.kinds_equal, counts.kinds), counts.signatures,
        percent(counts.signatures_equal, counts.signatures), counts.no_signature, counts.instance,
        counts.conditional, counts.foreign,
        percent(counts.annotations_equal, counts.annotations), unexplained,
    )  # fmt: skip


def report(found: list[Comparison], unexplained: list[Difference], show: int) -> None:
    """The table, and some of the differences that nothing explains."""
    open_of = defaultdict(int)
    for difference in unexplained:
        open_of[difference.project, difference.version] += 1
        open_of[difference.group] += 1
    rows = [
        row(f"{one.project} {one.version}", one.total(), open_of[one.project, one.version]) for one in found
    ]
    total = Counts()
    for group in GROUPS:
        part = Counts()
        for one in found:
            part.add(one.counts[group])
        total.add(part)
        rows.append(row(f"all: {group}", part, open_of[group]))
    rows.append(row("all", total, len(unexplained)))
    print("\n".join(table(_COLUMNS, rows)))
    print(f"goals: present >= {GOALS['present']} %, extra <= {GOALS['extra']} %, "
          f"equal signatures >= {GOALS['signatures']} %")  # fmt: skip
    for one in found:
        if one.not_imported:
            print(f"{one.project} {one.version}: {len(one.not_imported)} modules could not be imported")
    for difference in unexplained[:show]:
        print("\t".join(difference))


def as_json(one: Comparison) -> dict[str, Any]:
    """A comparison as plain values."""
    return {
        "project": one.project, "version": one.version, "modules": one.modules,
        "not_imported": one.not_imported,
        "counts": {group: asdict(one.counts[group]) for group in GROUPS},
        "differences": [difference.fields() for difference in one.differences],
    }  # fmt: skip


def stale_entries(exceptions: Exceptions, found: list[Comparison]) -> list[Entry]:
    """Entries that explained nothing, of projects and versions that were run."""
    ran = [(one.project, one.version) for one in found]

    def in_scope(entry: Entry) -> bool:
        named = [entry.patterns.get(name) for name in ("project", "version")]
        if named == [None, None]:
            return len(ran) >= len(TARGETS)  # an entry for all projects: only a whole run can tell
        return any(
            all(
                pattern is None or pattern.fullmatch(value) for pattern, value in zip(named, one, strict=True)
            )
            for one in ran
        )

    return exceptions.unused(in_scope)


# ---- command


def _index(options: argparse.Namespace, releases: Iterable[Release]) -> None:
    """Index just these releases into the first store."""
    wanted: dict[str, list[str]] = defaultdict(list)
    for release in releases:
        wanted[release.project].append(release.version)
    links = [options.find_links] if options.find_links else []
    chosen = {"kb": options.kb[0], "cache": options.cache, "jobs": None, "index_url": None}
    index_releases(wanted, argparse.Namespace(**chosen, find_links=links))


def _run_all(options: argparse.Namespace, releases: list[Release], envs: Path) -> Iterator[Comparison]:
    stores = [KnowledgeBase.open(path) for path in options.kb]
    pip = ["--no-index", "--find-links", str(options.find_links)] if options.find_links else []
    for release in releases:
        started = time.monotonic()
        store = next((kb for kb in stores if _has(kb, release)), None)
        if store is None:
            print(f"{release}: not indexed", file=sys.stderr)
            continue
        try:
            one = run_release(store, release, envs / f"{release.project}-{release.version}", pip)
        except EnvironmentFailed as error:
            print(f"{release}: {error}", file=sys.stderr)
            continue
        print(f"{release}: {one.modules} modules, {time.monotonic() - started:.0f} s", file=sys.stderr)
        yield one


def _has(kb: KnowledgeBase, release: Release) -> bool:
    try:
        known = {found.version: found.status for found in kb.releases(release.project)}
    except ApikbError:
        return False
    return str(known.get(release.version)) == "indexed"


def options_of(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("releases", nargs="*", metavar="PROJECT==VERSION[; REQUIREMENT]",
                        help="by default 15 libraries in 29 releases")  # fmt: skip
    parser.add_argument("--kb", type=Path, action="append", required=True, help="may be repeated")
    parser.add_argument("--index", action="store_true", help="index the releases into the first --kb first")
    parser.add_argument("--cache", type=Path, help="where extracted facts are kept")
    parser.add_argument("--envs", type=Path, help="keep the environments in this folder, and use those there")
    parser.add_argument("--find-links", type=Path, help="install and index from this folder alone")
    parser.add_argument("--exceptions", type=Path, default=EXCEPTIONS)
    parser.add_argument("--json", type=Path, help="write figures and differences to this file")
    parser.add_argument("--show", type=int, default=40, help="unexplained differences to print")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run; answers the exit code."""
    options = options_of(arguments)
    releases = [Release.parse(text) for text in options.releases or TARGETS]
    if options.index:
        _index(options, releases)
    exceptions = Exceptions.load(options.exceptions)
    with tempfile.TemporaryDirectory() as folder:
        found = list(_run_all(options, releases, options.envs or Path(folder)))
    differences = [difference for one in found for difference in one.differences]
    unexplained = [one for one in differences if exceptions.explain(one.fields()) is None]
    report(found, unexplained, options.show)
    stale = stale_entries(exceptions, found)
    for entry in stale:
        print(f"this exception explains nothing any more: {entry}")
    if options.json:
        options.json.write_text(json.dumps([as_json(one) for one in found], indent=1))
    return 1 if unexplained or stale or len(found) < len(releases) else 0


if __name__ == "__main__":
    raise SystemExit(main())
