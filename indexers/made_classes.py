"""Classes whose instances a `__new__` makes instead of those of its own class.

    def __new__(cls, *args, **kwargs):
        if kwargs.get("freq") is not None:
            cls = TimeGrouper
        return super().__new__(cls)

Where such a class is a subclass, its `__init__` gets what the call was given.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from .signatures import dotted_name

if TYPE_CHECKING:
    from .scope import Scope


def made_classes(node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope) -> tuple[str, ...]:
    """Absolute paths of the classes that take the place of a `__new__`'s first parameter, in order."""
    first = next((argument.arg for argument in (*node.args.posonlyargs, *node.args.args)), None)
    lines = scope.reader.bodies.lines[node.lineno : node.end_lineno]
    if first is None or node.args.kwarg is None or not any(f"{first} = " in line for line in lines):
        return ()
    body = scope.reader.bodies.body(node)
    imported: dict[str, str] = {}
    names: list[str] = []
    for inner in (inner for statement in body for inner in ast.walk(statement)):
        if isinstance(inner, ast.ImportFrom):
            module = scope.reader.absolute(inner.module, inner.level)
            imported.update((alias.asname or alias.name, f"{module}.{alias.name}") for alias in inner.names)
        elif isinstance(inner, ast.Assign) and dotted_name(inner.targets[0]) == first:
            names.append(dotted_name(inner.value) or "?")
    return tuple(dict.fromkeys(_paths(names, imported, scope)))


def _paths(names: list[str], imported: dict[str, str], scope: Scope) -> Iterator[str]:
    for name in names:
        yield imported.get(name) or scope.origin(name) or f"{scope.reader.module}.{name}"
