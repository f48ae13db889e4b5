"""What the store says of a release against what a running Python says.  Pure."""

from __future__ import annotations

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

GROUPS = ("exported", "public", "member", "imported")
"""`__all__` names; other public names; members of classes; what a module imported for its own use."""
_STAND_IN = re.compile(r"<([^<>,()\s]+)(?: \w+)*>")


class Claim(NamedTuple):
    """A row of `symbols_at`."""

    symbol: str
    kind: str
    visibility: str
    signature: str | None
    defined_at: str | None = None
    """What it is another name for, or inherited from."""


class Reply(NamedTuple):
    """What a look-up says of one path."""

    status: str
    claim: Claim
    reason: str = ""
    condition: str | None = None


class Difference(NamedTuple):
    """`sort` is missing (the runtime has it), extra (we have it), kind or signature."""

    sort: str
    group: str
    project: str
    version: str
    symbol: str
    runtime: str
    ours: str

    def fields(self) -> dict[str, str]:
        """What an exceptions file can match."""
        return self._asdict()


@dataclass(slots=True)
class Counts:
    """Figures of one group of names."""

    runtime: int = 0
    present: int = 0
    unknown: int = 0
    ours: int = 0
    extra: int = 0
    instance: int = 0
    """Ours that belong to instances: annotated, or set by a method."""
    conditional: int = 0
    """Ours that are not there, and are said to depend on a condition."""
    foreign: int = 0
    """Ours that are defined by another distribution, which the store cannot know the kind of."""
    kinds: int = 0
    kinds_equal: int = 0
    signatures: int = 0
    signatures_equal: int = 0
    no_signature: int = 0
    """The runtime shows a signature, we have none."""
    unsettled: int = 0
    """Equal, but a default could not be evaluated where it stands."""
    annotations: int = 0
    annotations_equal: int = 0

    def add(self, other: Counts) -> None:
        """Sum up."""
        for name in self.__slots__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


@dataclass(slots=True)
class Comparison:
    """One release: figures by group and every difference."""

    project: str
    version: str
    counts: dict[str, Counts] = field(default_factory=lambda: defaultdict(Counts))
    differences: list[Difference] = field(default_factory=list)
    modules: int = 0
    tops: set[str] = field(default_factory=set)
    """Import packages and modules of the project."""
    not_imported: dict[str, str] = field(default_factory=dict)

    def total(self, groups: Iterable[str] = GROUPS) -> Counts:
        """All groups together."""
        found = Counts()
        for group in groups:
            found.add(self.counts[group])
        return found


def read_parameters(signature: str | None) -> list[list[Any]] | None:
    """[name, kind, default text, annotation text] of each parameter; None where the text cannot be read.

    >>> read_parameters("(a, /, *, b: int = <factory>) -> str")
    [['a', 'positional-only', None, None], ['b', 'keyword-only', '<factory>', 'int']]
    """
    if signature is None:
        return None
    text = _STAND_IN.sub(r"__stand_in__.\1", signature)
    try:
        definition = ast.parse(f"def f{text}: ...").body[0]
    except (SyntaxError, ValueError, RecursionError):
        return None
    assert isinstance(definition, ast.FunctionDef)
    return list(_parameters(definition.args))


def _parameters(given: ast.arguments) -> Iterator[list[Any]]:
    plain = [*given.posonlyargs, *given.args]
    defaults: list[ast.expr | None] = [None] * (len(plain) - len(given.defaults)) + list(given.defaults)
    for at, (item, default) in enumerate(zip(plain, defaults, strict=True)):
        kind = "positional-only" if at < len(given.posonlyargs) else "positional or keyword"
        yield [item.arg, kind, _text(default), _text(item.annotation)]
    if given.vararg is not None:
        yield [given.vararg.arg, "variadic positional", None, _text(given.vararg.annotation)]
    for item, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        yield [item.arg, "keyword-only", _text(default), _text(item.annotation)]
    if given.kwarg is not None:
        yield [given.kwarg.arg, "variadic keyword", None, _text(given.kwarg.annotation)]


def _text(node: ast.expr | None) -> str | None:
    return None if node is None else re.sub(r"__stand_in__\.(\w+)", r"<\1>", ast.unparse(node))


def is_public(path: str) -> bool:
    """No part starts with an underscore."""
    return not path.startswith("_") and "._" not in path


def compare(
    project: str,
    version: str,
    claims: Mapping[str, list[Claim]],
    answer: Iterable[Mapping[str, Any]],
    ask: Callable[[str], Reply],
) -> Comparison:
    """Compare a release's rows with the probe's answer.

    `ask` asks the store about one path that has no row.  Names of modules that
    could not be imported are left out on both sides.
    """
    result = Comparison(project, version, tops={path.partition(".")[0] for path in claims})
    listed: dict[str, Mapping[str, Any]] = {}
    modules: set[str] = set()
    classes: set[str] = set()
    denied: dict[str, str | None] = {}
    for line in answer:
        if line["type"] == "module":
            if line["error"] is None:
                modules.add(line["path"])
            else:
                result.not_imported[line["path"]] = line["error"]
        elif line["type"] in ("name", "member"):
            listed[line["path"]] = line
        elif line["type"] == "class":
            classes.add(line["path"])
        elif line["type"] == "claim":
            denied[line["path"]] = line["how"]
    result.modules = len(modules)
    for path, line in listed.items():
        group = line.get("group", "member")
        _compare_listed(result, path, group, line, claims.get(path, []), ask)
    for path, rows in claims.items():
        owner = path.rpartition(".")[0]
        if is_public(path) and (owner in modules or owner in classes):
            if path not in result.not_imported:
                _compare_claimed(result, path, rows, owner in classes, listed, modules, denied, ask)
    return result


def _compare_listed(
    result: Comparison,
    path: str,
    group: str,
    line: Mapping[str, Any],
    rows: list[Claim],
    ask: Callable[[str], Reply],
) -> None:
    counts = result.counts[group]
    counts.runtime += 1
    if rows:
        counts.present += 1
        _compare_kind(result, path, group, line, rows)
        _compare_signature(result, path, group, line, rows)
        return
    reply = ask(path)
    if reply.status in ("present", "tombstone"):
        counts.present += 1
        if reply.status == "present":
            _compare_kind(result, path, group, line, [reply.claim])
            _compare_signature(result, path, group, line, [reply.claim])
    elif reply.status == "unknown":
        counts.unknown += 1
    else:
        result.differences.append(
            Difference("missing", group, result.project, result.version, path, line["kind"], reply.reason)
        )


def _compare_kind(
    result: Comparison, path: str, group: str, line: Mapping[str, Any], rows: list[Claim]
) -> None:
    counts = result.counts[group]
    kinds = {row.kind for row in rows}
    if all(_is_foreign(row, result.tops) for row in rows):
        counts.foreign += 1
        return
    counts.kinds += 1
    wanted = {
        "callable": {"function", "method", "attribute", "class"},
        "held class": {"class", "attribute"},
        "held module": {"module", "attribute"},
    }.get(line["kind"], {line["kind"]})
    if kinds & wanted:
        counts.kinds_equal += 1
    else:
        result.differences.append(
            Difference(
                "kind", group, result.project, result.version, path, line["kind"], "/".join(sorted(kinds))
            )
        )


def _is_foreign(row: Claim, tops: set[str]) -> bool:
    """Another name for something that neither its own project nor the standard library defines?"""
    top = (row.defined_at or row.symbol).partition(".")[0]
    return top not in tops and top not in sys.stdlib_module_names


def _compare_signature(
    result: Comparison, path: str, group: str, line: Mapping[str, Any], rows: list[Claim]
) -> None:
    shown = line.get("parameters")
    signature = next((row.signature for row in rows if row.kind in ("class", "function", "method")), None)
    if shown is None or line["kind"] in ("attribute", "module", "held module"):
        return
    counts = result.counts[group]
    claimed = read_parameters(signature)
    if claimed is None:
        counts.no_signature += 1
        return
    counts.signatures += 1
    if _same_parameters(shown, claimed):
        counts.signatures_equal += 1
        counts.unsettled += any(item["default_same"] is None for item in shown)
        counts.annotations += len(shown)
        counts.annotations_equal += sum(item["annotation_same"] is not False for item in shown)
    else:
        result.differences.append(
            Difference(
                "signature", group, result.project, result.version, path, render(shown), signature or ""
            )
        )


def _same_parameters(shown: list[dict[str, Any]], claimed: list[list[Any]]) -> bool:
    if [(item["name"], item["kind"]) for item in shown] != [(item[0], item[1]) for item in claimed]:
        return False
    return all(
        (item["default"] is None) == (claim[2] is None) and item["default_same"] is not False
        for item, claim in zip(shown, claimed, strict=True)
    )


def render(shown: list[dict[str, Any]]) -> str:
    """The runtime's parameters in one line; `!` marks a default that differs from ours."""
    marks = {"positional-only": "/", "variadic positional": "*", "variadic keyword": "**"}
    parts = []
    previous = ""
    starred = False
    for item in shown:
        if item["kind"] == "keyword-only" and not starred:
            parts.append("*")
        starred |= item["kind"] in ("variadic positional", "keyword-only")
        if previous == "positional-only" and item["kind"] != previous:
            parts.append("/")
        previous = item["kind"]
        text = (marks.get(item["kind"], "") if item["kind"].startswith("variadic") else "") + item["name"]
        if item["default"] is not None:
            text += f"={'!' if item['default_same'] is False else ''}{item['default'][:60]}"
        parts.append(text)
    if previous == "positional-only":
        parts.append("/")
    return f"({', '.join(parts)})"


def _compare_claimed(
    result: Comparison,
    path: str,
    rows: list[Claim],
    of_class: bool,
    listed: Mapping[str, Mapping[str, Any]],
    modules: set[str],
    denied: Mapping[str, str | None],
    ask: Callable[[str], Reply],
) -> None:
    visibility = {row.visibility for row in rows}
    known = listed.get(path)
    group = (known.get("group", "member") if known else None) or (
        "member" if of_class else "exported" if "exported" in visibility
        else "public" if "public" in visibility else "imported"
    )  # fmt: skip
    counts = result.counts[group]
    how = denied.get(path, "listed")
    if known is None and path not in modules and how in ("annotation", "assigned", "field"):
        counts.instance += 1
        return
    absent = known is None and path not in modules and how is None
    if absent and ask(path).condition is not None:
        counts.conditional += 1
        return
    counts.ours += 1
    if absent:
        counts.extra += 1
        row = rows[0]
        result.differences.append(
            Difference("extra", group, result.project, result.version, path, "", f"{row.kind}")
        )
