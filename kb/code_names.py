"""The API that a piece of code uses, resolved through its imports without running it."""

from __future__ import annotations

import ast
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

SHORT = {
    "jnp": "jax.numpy", "nn": "flax.linen", "np": "numpy", "pa": "pyarrow", "pd": "pandas",
    "pl": "pytorch_lightning", "st": "streamlit", "tf": "tensorflow", "tfds": "tensorflow_datasets",
}  # fmt: skip
"""Abbreviations that examples use without an import -> what everybody means by them."""


@dataclass(frozen=True, slots=True)
class Call:
    """How something is called."""

    positional: int
    """Arguments without a name, starred ones counted as one."""
    keywords: tuple[str, ...]
    starred: bool
    """Whether `*` or `**` hands on arguments that cannot be counted."""


@dataclass(frozen=True, slots=True)
class Use:
    """One place where code uses a dotted name."""

    path: str
    """As imports say it: `pandas.DataFrame` for `pd.DataFrame`."""
    line: int
    """1-based."""
    call: Call | None = None
    """None where it is not called there."""
    of_instance: bool = False
    """Whether it is a member of what calling the rest of the path gives: right where that is a class."""


def parse(code: str) -> ast.Module | None:
    """The tree of a program; None for what is not Python."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(code)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def uses(tree: ast.AST, tops: Iterable[str]) -> list[Use]:
    """The dotted names below the import names `tops` that code uses, in the order of its lines.

    A name is resolved through imports, `tops` themselves and the usual abbreviations also without one,
    unless something else is bound to it.  Members of what a call gives are told with `of_instance`, where
    the variable that holds it is bound only once.

    >>> code = "import pandas as pd\\ndf = pd.DataFrame(a, index=b)\\ndf.append(c)"
    >>> [(use.path, use.line, use.of_instance) for use in uses(ast.parse(code), {"pandas"})]
    [('pandas.DataFrame', 2, False), ('pandas.DataFrame.append', 3, True)]
    """
    tops = set(tops)
    nodes = list(ast.walk(tree))
    names = _names(nodes, tops)
    instances = _instances(nodes, names)
    calls = {id(node.func): node for node in nodes if isinstance(node, ast.Call)}
    inner = {id(node.value) for node in nodes if isinstance(node, ast.Attribute)}
    found = []
    for node in nodes:
        if not isinstance(node, ast.Attribute | ast.Name) or id(node) in inner:
            continue
        if not isinstance(node.ctx, ast.Load):
            continue
        call = calls.get(id(node))
        for path, of_instance in _resolved(node, names, instances):
            if "." in path and path.partition(".")[0] in tops:
                found.append(Use(path, node.lineno, call_of(call) if call else None, of_instance))
    found += [use for use in _imports(nodes) if use.path.partition(".")[0] in tops]
    return sorted(found, key=lambda use: use.line)


def called_names(code: str, tops: Iterable[str]) -> set[str] | None:
    """Dotted names below `tops` that code calls; None for what is not Python.

    >>> sorted(called_names("from click import style as s\\ns('x'); click.echo(y.z()); s.k", {"click"}))
    ['click.echo', 'click.style']
    """
    tree = parse(code)
    if tree is None:
        return None
    return {use.path for use in uses(tree, tops) if use.call is not None and not use.of_instance}


def _names(nodes: Sequence[ast.AST], tops: set[str]) -> dict[str, str]:
    """Name -> the dotted name that it stands for."""
    names = {top: top for top in tops}
    names |= {short: full for short, full in SHORT.items() if full.partition(".")[0] in names}
    names |= _imported(nodes)
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.pop(node.id, None)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.pop(node.name, None)
        elif isinstance(node, ast.arg):
            names.pop(node.arg, None)
    return names


def _imported(nodes: Iterable[ast.AST]) -> dict[str, str]:
    found: dict[str, str] = {}
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.partition(".")[0]
                found[alias.asname or top] = alias.name if alias.asname else top
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    return found


def _imports(nodes: Iterable[ast.AST]) -> Iterator[Use]:
    """What `from` imports ask for by name."""
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                if alias.name != "*":
                    yield Use(f"{node.module}.{alias.name}", node.lineno)


def _instances(nodes: Sequence[ast.AST], names: Mapping[str, str]) -> dict[str, str]:
    """Variable that is bound once, to what a call gives -> the dotted name that is called."""
    bound = Counter(
        node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    )
    bound.update(node.arg for node in nodes if isinstance(node, ast.arg))
    found = {}
    for node in nodes:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.value, ast.Call):
            target, path = node.targets[0], _path(node.value.func, names)
            if isinstance(target, ast.Name) and path is not None and bound[target.id] == 1:
                found[target.id] = path
    return found


def _resolved(
    node: ast.expr, names: Mapping[str, str], instances: Mapping[str, str]
) -> Iterator[tuple[str, bool]]:
    path = _path(node, names)
    if path is not None:
        yield path, False
    elif isinstance(node, ast.Attribute):
        if isinstance(node.value, ast.Name) and node.value.id in instances:
            yield f"{instances[node.value.id]}.{node.attr}", True
        elif isinstance(node.value, ast.Call) and (path := _path(node.value.func, names)) is not None:
            yield f"{path}.{node.attr}", True


def _path(node: ast.expr, names: Mapping[str, str]) -> str | None:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id not in names:
        return None
    return ".".join([names[node.id], *reversed(parts)])


def call_of(node: ast.Call) -> Call:
    """The arguments of a call."""
    return Call(
        len(node.args),
        tuple(keyword.arg for keyword in node.keywords if keyword.arg is not None),
        any(isinstance(argument, ast.Starred) for argument in node.args)
        or any(keyword.arg is None for keyword in node.keywords),
    )
