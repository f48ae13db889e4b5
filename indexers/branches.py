"""Which branch of an `if` a current CPython on Linux takes."""

from __future__ import annotations

import ast
import re
from typing import Any

from .signatures import dotted_name, expression_text

TARGET_VERSION = (3, 13)
"""The Python that branches are decided for.  Fixed, so that facts do not depend on the interpreter."""

_CONSTANTS: dict[str, Any] = {
    "TYPE_CHECKING": False,
    "typing.TYPE_CHECKING": False,
    "t.TYPE_CHECKING": False,
    "MYPY": False,
    "sys.platform": "linux",
    "os.name": "posix",
    "six.PY2": False,
    "six.PY3": True,
    "PY2": False,
    "PY3": True,
    "sys.byteorder": "little",
    "platform.system()": "Linux",
    "sys.implementation.name": "cpython",
    "platform.python_implementation()": "CPython",
}
_SINCE = re.compile(r"_?(?:IS_)?PY_?3_?(\d{1,2})(?:_?(?:PLUS|GTE|OR_LATER))?", re.IGNORECASE)
"""Flags of other modules that are true from a Python 3 on: `compat.PY37`, `PY_3_8_PLUS`."""
_VERSION = (*TARGET_VERSION, 0, "final", 0)


class _Undecided(Exception):
    """The test depends on something that is not known here."""


def is_type_checking(test: ast.expr) -> bool:
    """True where the test is TYPE_CHECKING, under any import name."""
    name = dotted_name(test)
    return name is not None and name.rpartition(".")[2] == "TYPE_CHECKING"


def verdict(test: ast.expr) -> bool | None:
    """True or False where the test is decided by the target Python, else None."""
    if is_type_checking(test):
        return False
    try:
        return bool(_value(test))
    except _Undecided:
        return None
    except Exception:
        return None


def condition_text(test: ast.expr, *, negated: bool = False) -> str:
    """The test as a condition to show."""
    text = expression_text(test) or "..."
    return f"not ({text})" if negated else text


def _value(node: ast.expr) -> Any:
    handler = _HANDLERS.get(type(node))
    if handler is None:
        raise _Undecided
    return handler(node)


def _name(node: ast.expr) -> Any:
    name = dotted_name(node)
    if name is None:
        raise _Undecided
    if name in ("sys.version_info", "version_info"):
        return _VERSION
    if name in ("sys.version_info.major", "sys.version_info.minor"):
        return TARGET_VERSION[0] if name.endswith("major") else TARGET_VERSION[1]
    if name == "sys.hexversion":
        return (TARGET_VERSION[0] << 24) | (TARGET_VERSION[1] << 16) | 0xF0
    if name in _CONSTANTS:
        return _CONSTANTS[name]
    since = _SINCE.fullmatch(name.rpartition(".")[2])
    if since is not None:
        return (3, int(since[1])) <= TARGET_VERSION
    raise _Undecided


def _subscript(node: ast.Subscript) -> Any:
    value = _value(node.value)
    if isinstance(node.slice, ast.Slice):
        lower = _value(node.slice.lower) if node.slice.lower else None
        upper = _value(node.slice.upper) if node.slice.upper else None
        return value[lower:upper]
    return value[_value(node.slice)]


def _compare(node: ast.Compare) -> bool:
    left = _value(node.left)
    for operator, right_node in zip(node.ops, node.comparators, strict=True):
        right = _value(right_node)
        if not _COMPARISONS[type(operator)](left, right):
            return False
        left = right
    return True


def _boolean(node: ast.BoolOp) -> bool:
    """Three-valued: a known operand may decide although another is unknown."""
    decisive = isinstance(node.op, ast.Or)
    unknown = False
    for operand in node.values:
        try:
            if bool(_value(operand)) is decisive:
                return decisive
        except _Undecided:
            unknown = True
    if unknown:
        raise _Undecided
    return not decisive


def _unary(node: ast.UnaryOp) -> Any:
    value = _value(node.operand)
    if isinstance(node.op, ast.Not):
        return not value
    if isinstance(node.op, ast.USub):
        return -value
    raise _Undecided


def _call(node: ast.Call) -> Any:
    name = dotted_name(node.func)
    if name in ("platform.system", "platform.python_implementation") and not node.args:
        return _CONSTANTS[f"{name}()"]
    if name in ("sys.platform.startswith", "sys.platform.lower") and len(node.args) <= 1:
        if name.endswith("lower"):
            return "linux"
        return "linux".startswith(_value(node.args[0]))
    raise _Undecided


_COMPARISONS: dict[type[ast.cmpop], Any] = {
    ast.Eq: lambda a, b: a == b,
    ast.NotEq: lambda a, b: a != b,
    ast.Lt: lambda a, b: a < b,
    ast.LtE: lambda a, b: a <= b,
    ast.Gt: lambda a, b: a > b,
    ast.GtE: lambda a, b: a >= b,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
    ast.Is: lambda a, b: a is b,
    ast.IsNot: lambda a, b: a is not b,
}
_HANDLERS: dict[type[ast.expr], Any] = {
    ast.Constant: lambda node: node.value,
    ast.Tuple: lambda node: tuple(_value(item) for item in node.elts),
    ast.List: lambda node: [_value(item) for item in node.elts],
    ast.Set: lambda node: {_value(item) for item in node.elts},
    ast.Name: _name,
    ast.Attribute: _name,
    ast.Subscript: _subscript,
    ast.Compare: _compare,
    ast.BoolOp: _boolean,
    ast.UnaryOp: _unary,
    ast.Call: _call,
}
