"""Flags that later branches test: `HAS_X = True` beside an import, `WINDOWS = os.name == "nt"`."""

from __future__ import annotations

import ast
import copy

from .branches import verdict

Flags = dict[str, bool | str | ast.expr]
"""A flag's value, the condition under which it is true, or what it is of `sys.version_info` and its like."""


def note_flag(flags: Flags, name: str, value: ast.expr, conditions: list[str]) -> None:
    """Follow an assignment.  Whatever is no truth value that can be told makes the name no flag."""
    known = _truth(value, flags)
    if known is None:
        flags.pop(name, None)
        if not conditions and (fact := _of_interpreter(value, flags)) is not None:
            flags[name] = fact
    elif not conditions:
        flags[name] = known
    elif known:
        flags[name] = " and ".join(conditions)
    elif flags.get(name) is True:
        # True at first, and False where something fails.
        flags[name] = _negated(" and ".join(conditions))
    else:
        flags.setdefault(name, False)


def _truth(value: ast.expr, flags: Flags) -> bool | None:
    if isinstance(value, ast.Constant):
        return value.value if isinstance(value.value, bool) else None
    if isinstance(value, ast.Compare | ast.BoolOp | ast.UnaryOp):
        return verdict(with_flags(value, flags))
    return None


def _of_interpreter(value: ast.expr, flags: Flags) -> ast.expr | None:
    """The expression for what is known of the interpreter: `_ver = sys.version_info`, `major = _ver[0]`."""
    if not isinstance(value, ast.Attribute | ast.Subscript):
        return None
    written = with_flags(value, flags)
    return written if verdict(written) is not None else None


def with_flags(test: ast.expr, flags: Flags) -> ast.expr:
    """A test with its flags replaced by their values, or by what they stand for."""
    if not flags or not any(isinstance(node, ast.Name) and node.id in flags for node in ast.walk(test)):
        return test
    replaced: ast.expr = _Replace(flags).visit(copy.deepcopy(test))
    return replaced


class _Replace(ast.NodeTransformer):
    def __init__(self, flags: Flags) -> None:
        self.flags = flags

    def visit_Name(self, node: ast.Name) -> ast.expr:
        value = self.flags.get(node.id)
        if value is None:
            return node
        if isinstance(value, ast.expr):
            return value
        # A condition in words is shown as it is; no branch can be decided by it.
        new = ast.Name(value, ast.Load()) if isinstance(value, str) else ast.Constant(value)
        return ast.copy_location(new, node)


def _negated(condition: str) -> str:
    inner = condition.removeprefix("not (")
    return inner[:-1] if inner != condition and inner.endswith(")") else f"not ({condition})"


def injected_flag(node: ast.Try) -> list[ast.stmt] | None:
    """`try: __SETUP__` / `except NameError: __SETUP__ = False`: a build script puts it into builtins.

    The statements for everybody else, None for any other `try`.
    """
    only = node.body[0] if len(node.body) == 1 else None
    if not isinstance(only, ast.Expr) or not isinstance(only.value, ast.Name) or len(node.handlers) != 1:
        return None
    kind = node.handlers[0].type
    return node.handlers[0].body if isinstance(kind, ast.Name) and kind.id == "NameError" else None
