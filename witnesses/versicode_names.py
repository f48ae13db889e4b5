"""Witness 5: names that real code used at a release, as the benchmark VersiCode collected them.

    python witnesses/versicode_names.py --kb kb.duckdb --library click --index
    python witnesses/versicode_names.py --kb kb.duckdb

Two sources: names of torch that were renamed, with the releases that have each; and examples from the
documentation of library releases, of which every called name of that library that can be resolved without
running the code is looked up at the release.
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from exceptions import Exceptions
from harness import (
    EXCEPTIONS,
    EXIT_USAGE,
    Finding,
    ShareMissing,
    Store,
    arguments,
    index_releases,
    open_store,
    print_settled,
    read_rows,
    settle,
    settled_object,
    share,
    shared_file,
    table,
)

from apikb.kb.code_names import called_names
from apikb.kb.lookup import canonical


@dataclass(slots=True)
class Library:
    """What one library's examples gave: called names with their releases, by what we say of them."""

    examples: int = 0
    unparsed: int = 0
    releases: set[str] = field(default_factory=set)
    not_indexed: set[str] = field(default_factory=set)
    statuses: Counter[str] = field(default_factory=Counter)


# ---- examples of library releases


def check_examples(
    rows: Iterable[Mapping[str, str]], store: Store
) -> tuple[dict[str, Library], list[Finding], set[str]]:
    """What the examples gave by library, the names that are not present, and all that was asked."""
    libraries: defaultdict[str, Library] = defaultdict(Library)
    called: dict[tuple[str, str, str], None] = {}
    for row in rows:
        project, version = canonical(row["dependency"]), row["version"].removeprefix("==")
        library = libraries[project]
        library.examples += 1
        library.releases.add(version)
        if project not in store.projects or not store.has(project, version):
            library.not_indexed.add(version)
            continue
        names = called_names(row["code"], store.tops(project))
        if names is None:
            library.unparsed += 1
            continue
        called |= dict.fromkeys((project, version, name) for name in sorted(names))
    findings = []
    for project, version, name in called:
        answer = store.ask(project, name, version)
        status = "not asked" if answer is None else str(answer.status)
        libraries[project].statuses[status] += 1
        if answer is not None and status != "present":
            detail = f"{project} {version}: {answer.reason or ''}"
            findings.append(Finding(f"{project}:{name}", status, detail))
    return dict(libraries), findings, {f"{project}:{name}" for project, _, name in called}


def library_rows(libraries: Mapping[str, Library]) -> Iterator[tuple[object, ...]]:
    """Rows of the table, libraries with most names first, then the sum."""
    total = Library()
    ordered = sorted(libraries.items(), key=lambda item: (-sum(item[1].statuses.values()), item[0]))
    for name, library in ordered:
        total.examples += library.examples
        total.unparsed += library.unparsed
        total.releases |= {f"{name} {version}" for version in library.releases}
        total.not_indexed |= {f"{name} {version}" for version in library.not_indexed}
        total.statuses += library.statuses
    for name, library in (*ordered, ("all", total)):
        names = sum(library.statuses.values())
        present = library.statuses["present"]
        yield (
            name, library.examples, library.unparsed, len(library.releases), len(library.not_indexed), names,
            *(library.statuses[status] for status in ("present", "absent", "tombstone", "unknown")),
            share(present, names),
        )  # fmt: skip


# ---- renamed names of torch


def check_torch(path: Path, store: Store) -> tuple[int, list[Finding], set[str]]:
    """Is each old and new name, in the releases that are said to have it, found in some module?"""
    if "torch" not in store.projects:
        return 0, [], set()
    listed = json.loads(path.read_text(encoding="utf-8"))["version_contains"]
    asked = [(version, name) for version, name in listed if store.has("torch", version)]
    findings = [
        Finding(f"torch:{name}", "absent", f"no module or class of torch {version} binds it")
        for version, name in asked
        if not store.binds("torch", version, name)
    ]
    return len(asked), findings, {f"torch:{name}" for _, name in asked}


def main(argv: Sequence[str] | None = None) -> int:
    parser = arguments(__doc__ or "", exceptions=EXCEPTIONS / "versicode_names.toml")
    parser.add_argument("--library", action="append", default=[], dest="project", help="same as --project")
    parser.add_argument("--names", type=Path, metavar="FILE", help="the renamed names of torch")
    options = parser.parse_args(argv)
    try:
        data = options.data or shared_file("data/versicode_library_source_metadata.jsonl")
        names = options.names or (
            None if options.data else shared_file("data/versicode_torch_editing_names.json")
        )
        rows = list(read_rows(data))
    except ShareMissing as error:
        print(f"Error: {error}", file=sys.stderr)
        return EXIT_USAGE
    chosen = {canonical(name) for name in options.project}
    rows = [row for row in rows if not chosen or canonical(row["dependency"]) in chosen]
    if options.index:
        wanted: defaultdict[str, set[str]] = defaultdict(set)
        for row in rows:
            wanted[canonical(row["dependency"])].add(row["version"].removeprefix("=="))
        index_releases({name: sorted(versions) for name, versions in wanted.items()}, options)
    store = open_store(options.kb)
    libraries, findings, asked = check_examples(rows, store)
    renamed, missing, ids = (
        check_torch(names, store) if names and (not chosen or "torch" in chosen) else (0, [], set())
    )
    settled = settle([*missing, *findings], Exceptions.load(options.exceptions), asked | ids)
    head = ("library", "examples", "unparsed", "releases", "not indexed", "names", "present", "absent",
            "tombstone", "unknown", "share")  # fmt: skip
    if options.as_json:
        figures = [dict(zip(head, row, strict=True)) for row in library_rows(libraries)]
        told = {"torch": [renamed - len(missing), renamed], "figures": figures, **settled_object(settled)}
        print(json.dumps(told, indent=2))
    else:
        print(f"renamed names of torch: {renamed - len(missing)} of {renamed} found at their release")
        print("\n".join(table(head, library_rows(libraries))))
        print_settled(settled)
    return settled.exit_code


if __name__ == "__main__":
    sys.exit(main())
