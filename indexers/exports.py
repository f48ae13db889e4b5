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

OWN = "own"
"""Kind of an item: names that the module has bound so far.  With it come the number of the statement, and
(method, text) pairs of tests by which names are left out."""

_ADDS = re.compile(r"\b__all__\s*(?:\+=|\.append\(|\.extend\(|\.insert\()")
_TAKES = re.compile(r"getattr\(\s*\w+\s*,\s*['\"]__all__['\"]|\b\w+\.__all__\b")


def added_exports(node: ast.FunctionDef | ast.AsyncFunctionDef, bodies: Bodies) -> bool | None:
    """For a function that adds to `__all__`: does it take that of an argument?  None for others."""
    if not bodies.lists_names(node):
        return None
    text = "\n".join(bodies.lines[node.lineno : node.end_lineno])
    if not _ADDS.search(text):
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
    rest = _own_names(node)
    if rest is not None:
        return ((OWN, scope.reader.next(), rest),)
    names = string_items(node, scope.constants)
    return tuple(names) if names is not None else _export_name(scope, node)


def _own_names(node: ast.expr) -> tuple[tuple[str, str], ...] | None:
    """The tests of `[s for s in dir() if not s.startswith("_")]`; None for anything else."""
    if not isinstance(node, ast.ListComp) or len(node.generators) != 1:
        return None
    loop = node.generators[0]
    name = loop.target.id if isinstance(loop.target, ast.Name) else ""
    if not isinstance(loop.iter, ast.Call) or loop.iter.args or dotted_name(node.elt) != name:
        return None
    if dotted_name(loop.iter.func) not in ("dir", "globals"):
        return None
    tests: list[tuple[str, str]] = []
    for condition in loop.ifs:
        if not isinstance(condition, ast.UnaryOp) or not isinstance(condition.op, ast.Not):
            return None
        found = _tests(condition.operand, name)
        if found is None:
            return None
        tests += found
    return tuple(tests)


def _tests(node: ast.expr, name: str) -> list[tuple[str, str]] | None:
    """`s.startswith("_")`, `s.endswith(("a", "b"))`, or several of them joined by `or`."""
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
        parts = [_tests(value, name) for value in node.values]
        return None if None in parts else [test for part in parts for test in part or ()]
    if not isinstance(node, ast.Call) or len(node.args) != 1 or not isinstance(node.func, ast.Attribute):
        return None
    if dotted_name(node.func.value) != name or node.func.attr not in ("startswith", "endswith"):
        return None
    texts = string_items(node.args[0], {})
    if texts is None:
        text = string_value(node.args[0], {})
        texts = [text] if text is not None else None
    return [(node.func.attr, text) for text in texts] if texts is not None else None


def left_out(name: str, tests: tuple[tuple[str, str], ...]) -> bool:
    """True where one of the tests is met."""
    return any(
        name.startswith(text) if method == "startswith" else name.endswith(text) for method, text in tests
    )


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
