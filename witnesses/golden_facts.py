"""Witness 1: facts about real libraries, read in their artifacts by others, against our answers.

    python witnesses/golden_facts.py --kb golden.duckdb --index     # some 51 projects, over the network
    python witnesses/golden_facts.py --kb golden.duckdb --json

A fact is asked at every release on both sides of its boundaries, and for its spans.  Only what its
`verified_what` names is held against us.  Exit code 1 where something is wrong that the exceptions file
does not excuse, or where an exception excuses nothing any more.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from exceptions import Exceptions
from harness import (
    EXCEPTIONS,
    EXIT_USAGE,
    Finding,
    Settled,
    ShareMissing,
    Store,
    arguments,
    around,
    index_releases,
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
from packaging.version import Version

from apikb.indexers.simple_index import SimpleIndex
from apikb.kb.answers import Answer
from apikb.kb.lookup import canonical

WHOLE = frozenset(
    ("attrs", "click", "flask", "httpx", "itsdangerous", "jinja2", "markupsafe", "requests", "seaborn",
     "starlette", "tweepy", "werkzeug")
)  # fmt: skip
"""Small projects, of which the whole history is indexed."""

CLASSES = ("false no", "false yes", "boundary off", "unknown")
"""How a fact can be wrong, the worst first."""

_VERSION = re.compile(r"\d+(?:\.\w+)*")
_FIELDS = ("added_in", "deprecated_in", "removed_in")


@dataclass(frozen=True, slots=True)
class Fact:
    """What is verified of one symbol; None is not determined.  `statuses`: release -> what it may be."""

    id: str
    project: str
    symbol: str
    kind: str
    added: str | None
    deprecated: str | None
    removed: str | None
    spans: tuple[tuple[str | None, str | None], ...]
    statuses: tuple[tuple[str, frozenset[str]], ...]
    replacement: str | None

    @property
    def named(self) -> set[str]:
        """Every version that the fact names."""
        ends = {end for span in self.spans for end in span if end}
        return {text for text, _ in self.statuses} | ends | {
            text for text in (self.added, self.deprecated, self.removed) if text
        }  # fmt: skip


def read_fact(row: Mapping[str, Any]) -> Fact | None:
    """The verified part of a row; None where nothing is verified."""
    what = str(row["verified_what"] or "")
    if not row["verified"]:
        return None
    after = [item["first_release_after"] for item in row["evidence"] or ()]
    fields = {name: _verified(name, row[name], what, after) for name in _FIELDS}
    statuses = tuple(_statuses(row, fields["added_in"], fields["removed_in"]))
    if not statuses and not any(fields.values()) and not row["spans"]:
        return None
    spans = row["spans"] if "spans" in what or what.startswith("all") else None
    return Fact(
        id=str(row["id"]),
        project=canonical(row["distribution"]),
        symbol=row["symbol"],
        kind=row["kind"],
        added=fields["added_in"],
        deprecated=fields["deprecated_in"],
        removed=fields["removed_in"],
        spans=tuple((_exact(low), _exact(high)) for low, high in spans or ()),
        statuses=statuses,
        replacement=row["renamed_or_moved_to"],
    )


def _exact(text: str | None) -> str | None:
    """A version, None for one that is only bounded (`<68`, `0.8.0 or earlier`)."""
    found = _VERSION.match(text or "")
    return None if found is None or "earlier" in (text or "") else found.group()


def _verified(name: str, value: str | None, what: str, after: Sequence[str]) -> str | None:
    version = _exact(value)
    bare = name.removesuffix("_in")
    if name == "added_in" and what.startswith("first release with"):
        return version
    if name in what or what.startswith("all") or f"{bare} and" in what or f"and {bare}" in what:
        return version
    # "both boundaries", "the boundary of ...": those that were looked at on both sides.
    return version if "boundar" in what and version in after else None


def _statuses(
    row: Mapping[str, Any], added: str | None, removed: str | None
) -> Iterator[tuple[str, frozenset[str]]]:
    """What the symbol may be at each release that the evidence names."""
    gone = _after_removal(row["after_removal"])
    spans = [(_exact(low), _exact(high)) for low, high in row["spans"] or ()]
    seen: set[str] = set()
    for item in row["evidence"] or ():
        for text in (item["last_release_before"], item["first_release_after"]):
            version = Version(text)
            if text in seen or any(
                low and high and Version(high) <= version < Version(low)
                for (_, high), (low, _) in pairwise(spans)
            ):
                continue
            seen.add(text)
            if (
                removed is not None
                and version >= Version(removed)
                and (not spans or spans[-1][1] is not None)
            ):
                yield text, gone(version)
            elif added is not None and version < Version(added):
                yield text, frozenset({"absent"})
            elif not (row["removed_in"] and removed is None):
                yield text, frozenset({"present"})


def _after_removal(text: str | None) -> Any:
    """What a removed symbol may be at a version, from "tombstone until V, absent from W" and its like."""
    said = text or ""
    until = re.search(r"until ([\d.]+\d)", said)
    if said.startswith("tombstone"):
        last = Version(until.group(1)) if until else None
        return lambda version: frozenset({"absent" if last is not None and version > last else "tombstone"})
    if "absent" in said or not said:
        return lambda version: frozenset({"absent"})
    return lambda version: frozenset({"absent", "tombstone", "unknown"})


# ---- asking


def check(fact: Fact, store: Store) -> Iterator[Finding]:
    """Everything about a fact that we say otherwise."""
    for version, allowed in fact.statuses:
        answer = store.ask(fact.project, fact.symbol, version)
        if answer is not None and str(answer.status) not in allowed:
            yield Finding(fact.id, _class_of(allowed, str(answer.status)), _line(fact, answer, allowed))
    newest = store.ask(fact.project, fact.symbol)
    if newest is not None:
        yield from _boundaries(fact, newest, store)


def _class_of(allowed: frozenset[str], status: str) -> str:
    if status == "unknown":
        return "unknown"
    if status == "present":
        return "false yes"
    return "false no" if "present" in allowed else "boundary off"


def _line(fact: Fact, answer: Answer, allowed: frozenset[str]) -> str:
    wanted = " or ".join(sorted(allowed))
    reason = f" ({answer.reason})" if answer.reason else ""
    return f"{fact.symbol} in {fact.project} {answer.version}: {answer.status}, not {wanted}{reason}"


def _boundaries(fact: Fact, answer: Answer, store: Store) -> Iterator[Finding]:
    spans = answer.spans
    told: dict[str, set[str | None]] = {
        "added": {span.added for span in spans},
        "deprecated": {span.deprecated for span in spans},
        "removed": {span.removed for span in spans},
    }
    for name, wanted in (("added", fact.added), ("deprecated", fact.deprecated), ("removed", fact.removed)):
        if wanted is None or any(_same(wanted, text) for text in told[name]):
            continue
        if name != "removed" or not _ends_in_doubt(fact, store):
            yield _off(fact, name, wanted, told[name])
    for low, high in fact.spans:
        if not any((not low or _same(low, span.added)) and _same(high, span.removed) for span in spans):
            said = {f"[{span.added}, {span.removed})" for span in spans}
            yield _off(fact, "span", f"[{low}, {high})", said)


def _ends_in_doubt(fact: Fact, store: Store) -> bool:
    """From its removal on the symbol may be there, as the fact has it ("forwarded to another distribution").

    No release then proves the end: it was last seen before, and is unknown since.
    """
    answer = store.ask(fact.project, fact.symbol, fact.removed)
    if answer is None or fact.removed is None or str(answer.status) != "unknown":
        return False
    allowed = dict(fact.statuses).get(fact.removed, frozenset())
    return "unknown" in allowed and all(
        Version(span.last_seen) < Version(fact.removed) for span in answer.spans
    )


def _off(fact: Fact, name: str, wanted: str, told: set[Any]) -> Finding:
    said = ", ".join(sorted(map(str, told))) or "nothing"
    return Finding(
        fact.id, "boundary off", f"{fact.symbol} of {fact.project}: {name} {wanted}, we say {said}"
    )


def _same(wanted: str | None, told: str | None) -> bool:
    if wanted is None or told is None:
        return wanted is told
    return Version(wanted) == Version(told)


def names_replacement(fact: Fact, store: Store) -> bool:
    """Whether we say what to write now, where the fact has it: the last name of it is enough."""
    words = set(re.findall(r"\w+", fact.replacement or ""))
    asked = [version for version, _ in fact.statuses]
    for version in [*asked, *([fact.removed] if fact.removed else []), None]:
        answer = store.ask(fact.project, fact.symbol, version)
        told = None if answer is None else answer.replacement
        if told and told.rpartition(".")[2] in words:
            return True
    return False


# ---- telling


def by_kind(
    facts: Sequence[Fact], findings: Sequence[Finding], excused: Collection[str] = ()
) -> list[tuple[object, ...]]:
    """Rows of the table: kind, facts, right, excused, the classes; a fact counts once, in its worst class.

    `excused` are facts of which all that was found is excused; the share is that of right and excused ones.
    """
    worst = {fact.id: "right" for fact in facts}
    for finding in sorted(findings, key=lambda finding: -CLASSES.index(finding.kind)):
        worst[finding.id] = "excused" if finding.id in excused else finding.kind
    rows: list[tuple[object, ...]] = []
    for kind in (*sorted({fact.kind for fact in facts}), "all"):
        chosen = [worst[fact.id] for fact in facts if kind in ("all", fact.kind)]
        counts = Counter(chosen)
        good = counts["right"] + counts["excused"]
        rows.append((kind, len(chosen), counts["right"], counts["excused"],
                     *(counts[name] for name in CLASSES), share(good, len(chosen))))  # fmt: skip
    return rows


_HEAD = ("kind", "facts", "right", "excused", *CLASSES, "share")


def _excused(settled: Settled) -> set[str]:
    """The facts of which all that was found is excused."""
    open_ids = {finding.id for finding in settled.unexcused}
    return {finding.id for finding, _ in settled.excused} - open_ids


def report(
    facts: Sequence[Fact], findings: Sequence[Finding], settled: Settled, replaced: tuple[int, int]
) -> None:
    print("\n".join(table(_HEAD, by_kind(facts, findings, _excused(settled)))))
    print(f"replacement named: {replaced[0]} of {replaced[1]} (recalled, not verified)")
    print_settled(settled)


def needed(
    facts: Sequence[Fact], index: SimpleIndex, each_side: int
) -> Iterator[tuple[str, list[str] | None]]:
    """The releases of each project that its facts are about, with some on each side; None for all."""
    for project in dict.fromkeys(fact.project for fact in facts):
        named = {text for fact in facts if fact.project == project for text in fact.named}
        yield project, None if project in WHOLE else around(listed_finals(index, project), named, each_side)


def main(argv: Sequence[str] | None = None) -> int:
    parser = arguments(__doc__ or "", exceptions=EXCEPTIONS / "golden_facts.toml")
    parser.add_argument(
        "--each-side", type=int, default=3, metavar="N", help="releases to index on each side of a boundary"
    )
    options = parser.parse_args(argv)
    try:
        rows = list(read_rows(options.data or shared_file("cases/golden_facts.jsonl")))
    except ShareMissing as error:
        print(f"Error: {error}", file=sys.stderr)
        return EXIT_USAGE
    facts = [fact for fact in map(read_fact, rows) if fact is not None]
    chosen = {canonical(name) for name in options.project}
    facts = [fact for fact in facts if not chosen or fact.project in chosen]
    if options.index:
        with SimpleIndex(options.index_url, find_links=tuple(options.find_links)) as index:
            wanted = dict(needed(facts, index, options.each_side))
        index_releases(wanted, options)
    store = open_store(options.kb)
    asked = [fact for fact in facts if fact.project in store.projects]
    findings = list(dict.fromkeys(finding for fact in asked for finding in check(fact, store)))
    settled = settle(findings, Exceptions.load(options.exceptions), [fact.id for fact in asked])
    with_other = [fact for fact in asked if fact.replacement]
    replaced = sum(names_replacement(fact, store) for fact in with_other), len(with_other)
    if options.as_json:
        rows_by_kind = by_kind(asked, findings, _excused(settled))
        figures = [dict(zip(_HEAD, row, strict=True)) for row in rows_by_kind]
        print(json.dumps({"figures": figures, "replacements": replaced, **settled_object(settled)}, indent=2))
    else:
        print(f"{len(asked)} of {len(rows)} facts are verified and of an indexed project")
        report(asked, findings, settled, replaced)
    return settled.exit_code


if __name__ == "__main__":
    sys.exit(main())
