"""Signatures and expressions as text, by griffe: the only module that imports it.

griffe's visitor itself is not used, because a finished tree no longer tells the order
in which names were bound, which branch bound them, or what was deleted.  Its functions for the nodes are the
base: they are public, exact (equal to `ast.unparse` on 22,800 expressions of pandas)
and quick.
"""

from __future__ import annotations

import ast
import re
from typing import Any

from griffe import Module, get_expression, get_parameters

from ..kb.symbols import ParameterKind

_PARENT = Module("_")
_NO_DEFAULT = {ParameterKind.VAR_POSITIONAL, ParameterKind.VAR_KEYWORD}
_RAW_UNICODE = re.compile(r"[uU][rR]['\"]")
_MAX_DEPTH = 100
_MAX_TEXT = 400


def too_deep(node: ast.AST, limit: int = _MAX_DEPTH) -> bool:
    """True for an expression nested deeper than any renderer should follow (hostile or generated code)."""
    start, end = getattr(node, "col_offset", 0), getattr(node, "end_col_offset", None)
    if (
        end is not None
        and end - start < limit
        and getattr(node, "lineno", 0) == getattr(node, "end_lineno", 1)
    ):
        return False  # too short to be that deep
    level = [node]
    for _ in range(limit):
        level = [child for parent in level for child in ast.iter_child_nodes(parent)]
        if not level:
            return False
    return True


def expression_text(node: ast.expr | None) -> str | None:
    """Source text of an expression, None for none; `...` stands for what is too deep or too long."""
    if node is None:
        return None
    if isinstance(node, ast.Name):
        # A Python 2 literal that stands as text is shown as `repr` shows the others.
        return node.id.replace("\\", "\\\\") if _RAW_UNICODE.match(node.id) else node.id
    if isinstance(node, ast.Constant):
        text = repr(node.value) if node.value is not ... else "..."
    elif too_deep(node):
        return "..."
    else:
        text = _compound_text(node)
    return text if len(text) <= _MAX_TEXT else text[: _MAX_TEXT - 3] + "..."


def _compound_text(node: ast.expr) -> str:
    try:
        return str(get_expression(node, _PARENT, parse_strings=False))
    except Exception:
        # griffe has no builder for every node (await, new syntax): the standard library has.
        return ast.unparse(node)


def dotted_name(node: ast.AST | None) -> str | None:
    """`a.b.c` of a name or attribute chain, None for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    parts.append(node.id)
    return ".".join(reversed(parts))


def signature_of(arguments: ast.arguments, returns: ast.expr | None = None) -> tuple[Any, str | None]:
    """A plain (parameters, returns) pair; the parameters are plain `kb.symbols.Parameter` tuples."""
    parameters = []
    for name, annotation, kind, default in get_parameters(arguments):
        described = ParameterKind(kind.value)
        text = None
        if described not in _NO_DEFAULT and default is not None:
            text = default if isinstance(default, str) else expression_text(default)  # type: ignore[arg-type]
        parameters.append((name, described.value, text, expression_text(annotation)))  # type: ignore[arg-type]
    return tuple(parameters), expression_text(returns)


def base_name(node: ast.expr) -> str | None:
    """The dotted name of a base class; `Generic[T]` gives `Generic`; None where it cannot be named."""
    if isinstance(node, ast.Subscript):
        node = node.value
    return dotted_name(node)
