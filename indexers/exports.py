"""What a module says of its own `__all__`."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Any

from .bodies import Bodies
from .literals import string_items, string_value
from .signatures import dotted_name

if TYPE_CHECKING:
    from .scope import Scope

_ADDS = re.compile(r"\b__all__\s*(?:\+=|\.append\(|\.extend\(|\.insert\()")
_TAKES = re.compile(r"getattr\(\s*\w+\s*,\s*['\"]__all__['\"]|\b\w+\.__all__\b")


def added_exports(node: ast.FunctionDef | ast.AsyncFunctionDef, bodies: Bodies) -> bool | None:
    """For a function that adds to `__all__`: does it take that of an argument?  None for others."""
    text = "\n".join(bodies.lines[node.lineno : node.end_lineno])
    if "__all__" not in text or not _ADDS.search(text):
        return None
    return bool(_TAKES.search(text))


def export_items(scope: Scope, node: ast.expr) -> tuple[Any, ...]:
    """Items of an expression for `__all__`: names, references to other lists, None where unreadable."""
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        items: list[Any] = []
        for element in node.elts:
            if isinstance(element, ast.Starred):
                items.extend(export_items(scope, element.value))
            else:
                items.append(string_value(element, {}) or _name_of(scope, element))
        return tuple(items)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.BitOr):
        return export_items(scope, node.left) + export_items(scope, node.right)
    dotted = dotted_name(node)
    if dotted == "__all__":
        return (("self",),)
    if dotted is not None and dotted.endswith(".__all__"):
        return (("ref", dotted.removesuffix(".__all__")),)
    if (
        isinstance(node, ast.Call)
        and dotted_name(node.func) in ("list", "tuple", "sorted", "set")
        and node.args
    ):
        return export_items(scope, node.args[0])
    names = string_items(node, scope.constants)
    return tuple(names) if names is not None else _export_name(scope, node)


def _export_name(scope: Scope, node: ast.expr) -> tuple[Any, ...]:
    """A name bound to another module's `__all__`: `from .core import __all__ as core_all`."""
    known = scope.env.get(node.id) if isinstance(node, ast.Name) else None
    if known is not None and known.form == "from" and known.data[1] == "__all__":
        return (("module", known.data[0]),)
    return (None,)


def _name_of(scope: Scope, element: ast.expr) -> str | None:
    """`f.__name__` in a list of exports."""
    if isinstance(element, ast.Attribute) and element.attr == "__name__":
        return dotted_name(element.value)
    if isinstance(element, ast.Name):
        value = scope.constants.get(element.id)
        return string_value(value, {}) if value is not None else None
    return None


def export_call(scope: Scope, method: str, argument: ast.expr) -> None:
    if method == "append":
        scope.exports.append(("add", (string_value(argument, {}) or _name_of(scope, argument),)))
    elif method == "remove":
        scope.exports.append(("remove", (string_value(argument, {}),)))
    elif method in ("extend", "update"):
        scope.exports.append(("add", export_items(scope, argument)))
    elif method not in ("sort",):
        scope.exports.append(("add", (None,)))
