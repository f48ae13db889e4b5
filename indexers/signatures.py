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

from griffe import Module, get_expression

from ..kb.symbols import ParameterKind

_PARENT = Module("_")
_POSITIONAL_ONLY = ParameterKind.POSITIONAL_ONLY.value
_POSITIONAL = ParameterKind.POSITIONAL_OR_KEYWORD.value
_VAR_POSITIONAL = ParameterKind.VAR_POSITIONAL.value
_KEYWORD_ONLY = ParameterKind.KEYWORD_ONLY.value
_VAR_KEYWORD = ParameterKind.VAR_KEYWORD.value
_RAW_UNICODE = re.compile(r"[uU][rR]['\"]")
_MAX_DEPTH = 100
_PLAIN_DEPTH = 10
_PLAIN_ITEMS = 100
_LARGE = 1 << 64
_OPERANDS = (ast.Name, ast.Attribute, ast.Subscript, ast.Constant)
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
    elif (plain := plain_text(node)) is not None:
        text = plain
    elif too_deep(node):
        return "..."
    else:
        text = _compound_text(node)
    return text if len(text) <= _MAX_TEXT else text[: _MAX_TEXT - 3] + "..."


def plain_text(node: ast.expr, depth: int = _PLAIN_DEPTH) -> str | None:
    """What `_compound_text` gives for names, constants, subscripts, unions, lists and tuples of such.

    None for anything else.  Nearly all annotations and defaults are of this kind, and to build
    griffe's expression first takes ten times as long.
    """
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return dotted_name(node)
    if isinstance(node, ast.Constant):
        value = node.value
        return "..." if value is ... else None if type(value) is int and value >= _LARGE else repr(value)
    if not depth:
        return None
    if isinstance(node, ast.Subscript):
        owner = plain_text(node.value, 0)
        inside = _plain_items(node.slice, depth) if owner is not None else None
        return f"{owner}[{inside}]" if inside is not None and type(node.value) is not ast.Constant else None
    if isinstance(node, ast.List):
        items = _plain_list(node.elts, depth)
        return f"[{', '.join(items)}]" if items is not None else None
    if isinstance(node, ast.Tuple):
        inside = _plain_items(node, depth)
        return inside if inside is None or not node.elts else f"({inside})"
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        if type(node.right) not in _OPERANDS or type(node.left) not in (*_OPERANDS, ast.BinOp):
            return None
        left, right = plain_text(node.left, depth - 1), plain_text(node.right, depth - 1)
        return f"{left} | {right}" if left is not None and right is not None else None
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and type(node.operand) is ast.Constant:
        text = plain_text(node.operand, 0)
        return f"-{text}" if text is not None else None
    return None


def _plain_items(node: ast.expr, depth: int) -> str | None:
    """What stands inside the brackets of a subscript, or of a tuple."""
    if not isinstance(node, ast.Tuple):
        return plain_text(node, depth - 1)
    if not node.elts:
        return "()"
    items = _plain_list(node.elts, depth)
    if items is None:
        return None
    return f"{items[0]}," if len(items) == 1 else ", ".join(items)


def _plain_list(nodes: list[ast.expr], depth: int) -> list[str] | None:
    if len(nodes) > _PLAIN_ITEMS:
        return None
    items = []
    for node in nodes:
        text = plain_text(node, depth - 1)
        if text is None:
            return None
        items.append(text)
    return items


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
    positional = [(argument, _POSITIONAL_ONLY) for argument in arguments.posonlyargs]
    positional += [(argument, _POSITIONAL) for argument in arguments.args]
    # Defaults belong to the last of them.
    defaults: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults))
    defaults += arguments.defaults
    parameters = [
        (argument.arg, kind, expression_text(default), expression_text(argument.annotation))
        for (argument, kind), default in zip(positional, defaults, strict=True)
    ]
    if (star := arguments.vararg) is not None:
        parameters.append((star.arg, _VAR_POSITIONAL, None, expression_text(star.annotation)))
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        parameters.append(
            (argument.arg, _KEYWORD_ONLY, expression_text(default), expression_text(argument.annotation))
        )
    if (star := arguments.kwarg) is not None:
        parameters.append((star.arg, _VAR_KEYWORD, None, expression_text(star.annotation)))
    return tuple(parameters), expression_text(returns)


def base_name(node: ast.expr) -> str | None:
    """The dotted name of a base class; `Generic[T]` gives `Generic`; None where it cannot be named."""
    if isinstance(node, ast.Subscript):
        node = node.value
    return dotted_name(node)
