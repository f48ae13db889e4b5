"""`__getattr__` functions that another function makes: `__getattr__ = getattr_migration(__name__)`.

The maker is read where it is defined: for each "module:name" that its tables and branches name,
what the function that it returns does.  The modules that call it get their share when the release
is put together.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import NamedTuple

from .bodies import Bodies
from .facts import Binding
from .literals import Constants, string_items, string_value
from .signatures import dotted_name

_KEY = re.compile(r"[fF]['\"]\{(\w+)\}([:.])\{(\w+)\}['\"]")
_DEPRECATED = re.compile(r"deprec", re.IGNORECASE)

Follow = Callable[[list[ast.stmt], str], tuple[dict[str, Binding], str | None]]
"""Reads a body for the names that it compares a variable with: (bindings by name, why there may be more)."""


class Factory(NamedTuple):
    """A function that makes `__getattr__`s."""

    name: str
    closed: bool
    """All other names raise."""
    bindings: tuple[tuple[str, Binding], ...]
    """(module, binding) pairs."""


def may_make_getattr(text: str) -> bool:
    """True where a file may define such a maker."""
    return ("}:{" in text or "}.{" in text) and _KEY.search(text) is not None


def factory_of(node: ast.FunctionDef, bodies: Bodies, follow: Follow) -> Factory | None:
    """A function that returns an inner one which looks `f"{module}:{name}"` up; None for all others."""
    if not node.args.args:
        return None
    module = node.args.args[0].arg
    for inner in bodies.body(node):
        if not isinstance(inner, ast.FunctionDef) or len(inner.args.args) != 1:
            continue
        for statement in inner.body:
            variable, separator = _key_variable(statement, module, inner.args.args[0].arg)
            if variable is not None:
                found, opaque = follow(inner.body, variable)
                pairs = [
                    (key.rpartition(separator)[0], binding._replace(name=key.rpartition(separator)[2]))
                    for key, binding in found.items()
                ]
                return Factory(node.name, opaque is None, tuple(pairs))
    return None


def _key_variable(statement: ast.stmt, module: str, name: str) -> tuple[str | None, str]:
    """(variable, separator) of `variable = f"{module}:{name}"`."""
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
        match = (
            _KEY.fullmatch(ast.unparse(statement.value))
            if isinstance(statement.value, ast.JoinedStr)
            else None
        )
        if match is not None and match[1] == module and match[3] == name:
            return statement.targets[0].id, match[2]
    return None, ""


class Delegate(NamedTuple):
    """What a call that makes a `__getattr__` says by its arguments."""

    factory: str | None
    """Dotted name of the function, where it is only given the module's name."""
    tables: dict[str, str]
    """Module by name, from literal tables."""
    deprecated: bool
    closed: bool


def read_delegate(call: ast.Call, constants: Constants) -> Delegate | None:
    """`create_importer(__package__, deprecated_lookups=TABLE)` or `getattr_migration(__name__)`."""
    callee = dotted_name(call.func)
    if callee is None:
        return None
    tables: dict[str, str] = {}
    deprecated, closed = False, True
    arguments = [(None, argument) for argument in call.args] + [
        (word.arg, word.value) for word in call.keywords
    ]
    for word, value in arguments:
        if dotted_name(value) in ("__name__", "__package__") or _is_none(value):
            continue
        table = _module_table(value, constants)
        if table is None:
            closed = False
            continue
        tables.update(table)
        deprecated |= bool(_DEPRECATED.search(f"{word} {dotted_name(value)}"))
    if tables:
        return Delegate(None, tables, deprecated, closed)
    alone = len(arguments) == 1 and dotted_name(arguments[0][1]) == "__name__"
    return Delegate(callee, {}, False, False) if alone else None


def _module_table(node: ast.expr, constants: Constants) -> dict[str, str] | None:
    """A literal table from names to dotted modules."""
    if isinstance(node, ast.Name):
        known = constants.get(node.id)
        return None if known is None or isinstance(known, ast.Name) else _module_table(known, constants)
    if not isinstance(node, ast.Dict) or string_items(node, constants) is None:
        return None
    table: dict[str, str] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        name = string_value(key, {}) if key is not None else None
        module = string_value(value, constants)
        if name is None or module is None or not re.fullmatch(r"[A-Za-z_][\w.]*", module):
            return None
        table[name] = module
    return table


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
