"""Witness 4: deprecated APIs and what replaced them, as a study of language models lists them.

    python witnesses/deprecation_mappings.py --kb kb.duckdb --index
    python witnesses/deprecation_mappings.py --kb kb.duckdb --project torch

Of each pair two things are asked: is the old name deprecated, or gone, in some indexed release; and does an
answer about it name the replacement.  A replacement is right where it is the same object as the
one listed (both are looked up), or a member or parameter of it.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from exceptions import Exceptions
from harness import (
    EXCEPTIONS,
    EXIT_USAGE,
    Finding,
    ShareMissing,
    Store,
    arguments,
    index_releases,
    last_of_each_series,
    listed_finals,
    open_store,
    print_settled,
    read_rows,
    settle,
    settled_object,
    share,
    shared_file,
    table,
)

from apikb.indexers.simple_index import SimpleIndex
from apikb.kb.lookup import canonical

PROJECTS = {"pytorch": "torch"}
"""What the study calls a library -> its project, where they differ."""
GOALS = (96.0, 85.0)
"""Percent of the pairs that are to be found, and to have the right replacement."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A deprecated path and the path that replaced it."""

    project: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Told:
    """What we say of an old path: how its life ends, and the replacements that are named, newest first."""

    deprecated: str | None
    gone: str | None
    replacements: tuple[str, ...]


def read_pair(row: dict[str, str]) -> Pair:
    name = row["library"].lower()
    return Pair(PROJECTS.get(name, canonical(name)), row["deprecated_api"], row["replacement_api"])


def told(pair: Pair, store: Store) -> Told:
    """Ask for the life of the old path, and for its replacement at every turn of it."""
    newest = store.ask(pair.project, pair.old)
    spans = () if newest is None else newest.spans
    deprecated = next((span.deprecated for span in reversed(spans) if span.deprecated), None)
    gone = spans[-1].removed if spans else None
    if newest is not None and newest.status == "tombstone":
        gone = gone or newest.tombstone_since
    turns = [None, gone, *(span.last_seen for span in reversed(spans)), deprecated]
    named = (store.ask(pair.project, pair.old, version) for version in dict.fromkeys(turns))
    replacements = dict.fromkeys(answer.replacement for answer in named if answer and answer.replacement)
    return Told(deprecated, gone, tuple(replacements))


def is_right(pair: Pair, replacement: str, store: Store) -> bool:
    """Whether a replacement, as we name it, is the object that the study names, or a part of it."""
    wanted = identities(pair.project, pair.new, store)
    for place in places(pair, replacement):
        found = identities(pair.project, place, store)
        if found & wanted or any(place.startswith((f"{name}.", f"{name}(")) for name in wanted):
            return True
    return False


def places(pair: Pair, text: str) -> Iterator[str]:
    """The paths that a name can mean to a reader of the old path's documentation."""
    bare = text.strip("`'\"() .")
    yield bare
    parent = pair.old
    while "." in parent:
        parent = parent.rpartition(".")[0]
        yield f"{parent}.{bare}"
    head, dot, rest = bare.partition(".")
    if dot and head != parent:  # `tf.cast` is tensorflow.cast
        yield f"{parent}.{rest}"


def identities(project: str, path: str, store: Store) -> set[str]:
    """A path and the defining paths that it had, in the releases around which it changed.

    Of what cannot be seen, such as a method of an instance, those of its owner with its name behind.
    """
    found = {path}
    known = store.stores(project, path) or store.stores(project, path.rpartition(".")[0])
    newest = store.ask(project, path) if known else None
    spans = () if newest is None else newest.spans
    for version in {text for span in spans for text in (span.added, span.last_seen)}:
        answer = store.ask(project, path, version)
        if answer is not None and answer.status == "present":
            found |= {other for other in (answer.alias_of, answer.inherited_from) if other}
    owner, _, last = path.rpartition(".")
    if not spans and owner.count(".") > 1:
        found |= {f"{other}.{last}" for other in identities(project, owner, store)}
    return found


def check(pair: Pair, store: Store) -> Iterator[Finding]:
    """Not found, without replacement, or with another one."""
    said = told(pair, store)
    if not said.deprecated and not said.gone:
        yield Finding(pair.old, "not found", f"{pair.old} is neither deprecated nor gone")
    if not said.replacements:
        yield Finding(pair.old, "no replacement", f"{pair.old}: nothing is named, not {pair.new}")
    elif not any(is_right(pair, text, store) for text in said.replacements):
        names = ", ".join(said.replacements)
        yield Finding(pair.old, "other replacement", f"{pair.old}: we name {names}, not {pair.new}")


def figures(pairs: Sequence[Pair], findings: Sequence[Finding]) -> list[tuple[object, ...]]:
    """Rows of the table: project, pairs, found, with the right replacement, and their shares."""
    wrong = Counter((finding.id, finding.kind == "not found") for finding in findings)
    rows: list[tuple[object, ...]] = []
    for name in (*sorted({pair.project for pair in pairs}), "all"):
        chosen = [pair for pair in pairs if name in ("all", pair.project)]
        found = sum((pair.old, True) not in wrong for pair in chosen)
        right = sum((pair.old, False) not in wrong for pair in chosen)
        rows.append((name, len(chosen), found, right, share(found, len(chosen)), share(right, len(chosen))))
    return rows


def main(argv: Sequence[str] | None = None) -> int:
    parser = arguments(__doc__ or "", exceptions=EXCEPTIONS / "deprecation_mappings.toml")
    options = parser.parse_args(argv)
    try:
        rows = list(read_rows(options.data or shared_file("data/deprecated_api_mappings.jsonl")))
    except ShareMissing as error:
        print(f"Error: {error}", file=sys.stderr)
        return EXIT_USAGE
    chosen = {canonical(name) for name in options.project}
    pairs = [pair for pair in map(read_pair, rows) if not chosen or pair.project in chosen]
    if options.index:
        with SimpleIndex(options.index_url, find_links=tuple(options.find_links)) as index:
            wanted = {
                name: last_of_each_series(listed_finals(index, name))
                for name in dict.fromkeys(pair.project for pair in pairs)
            }
        index_releases(wanted, options)
    store = open_store(options.kb)
    asked = [pair for pair in pairs if pair.project in store.projects]
    findings = [finding for pair in asked for finding in check(pair, store)]
    settled = settle(findings, Exceptions.load(options.exceptions), [pair.old for pair in asked])
    head = ("project", "pairs", "found", "right", "% found", "% right")
    if options.as_json:
        told_rows = [dict(zip(head, row, strict=True)) for row in figures(asked, findings)]
        print(json.dumps({"figures": told_rows, **settled_object(settled)}, indent=2))
    else:
        print(f"{len(asked)} of {len(rows)} pairs are of an indexed project")
        print("\n".join(table(head, figures(asked, findings))))
        print(f"goals: {GOALS[0]:.0f} % found, {GOALS[1]:.0f} % with the right replacement")
        print_settled(settled)
    return settled.exit_code


if __name__ == "__main__":
    sys.exit(main())
