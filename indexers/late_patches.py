"""Names that functions set on other modules: `state.LATE = value`, `setattr(state, "LATE", value)`.

Only modules of the project are meant.  Whether such a function has been called cannot be told, so the names
are unknown.  Text is searched first, since most bodies are pruned.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from .facts import Binding
from .global_names import functions_of
from .patched_members import imported_path

if TYPE_CHECKING:
    from .scope import Scope

_WRITES = re.compile(
    r"^[ \t]+(?:setattr\([ \t]*(?!self\b)([A-Za-z_][\w.]*)[ \t]*,[ \t]*(['\"])(\w+)\2"
    r"|(?!self\.)([A-Za-z_][\w.]*)\.([A-Za-z_]\w*)[ \t]*(?::[^=\n]+)?=(?!=))"
)
_INDENT = (" ", "\t")
_MOST = 500


def note_late_patches(tree: ast.Module, scope: Scope) -> None:
    """Note what functions of a file set on modules that it imports."""
    writes: list[tuple[int, str, str, str]] = []
    for line, match in _writes(scope):
        owner, name = match[1] or match[4], match[3] or match[5]
        path = imported_path(scope, owner) if owner != "cls" else None
        if path is not None and name.isidentifier():
            writes.append((line, owner.partition(".")[0], path, name))
    if not writes or len(writes) > _MOST:
        return
    reason = f"a function of {scope.reader.module} sets it, which may not have been called"
    for node in functions_of(tree):
        last = node.end_lineno or node.lineno
        inside = [write for write in writes if node.lineno < write[0] <= last]
        own = _local_names(node, scope) if inside else set()
        for at, head, path, name in inside:
            if head not in own:
                scope.reader.patches.append((path, Binding(name, "unknown", reason, at, -1, "dynamic")))


def _writes(scope: Scope) -> Iterator[tuple[int, re.Match[str]]]:
    """Lines that may set something on what the file imports from its own project."""
    heads = [name for name in scope.env if imported_path(scope, name) is not None]
    if not heads:
        return
    starts = tuple(f"{name}." for name in heads)
    calls = "setattr(" in scope.reader.bodies.text
    for number, line in enumerate(scope.reader.bodies.lines, 1):
        # A plain look at a line spares the pattern nearly all of them.
        if (
            "=" in line and "." in line and line[:1] in _INDENT and line.lstrip(" \t").startswith(starts)
        ) or (calls and "setattr(" in line):
            match = _WRITES.match(line)
            if match is not None:
                yield number, match


def _local_names(node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope) -> set[str]:
    """Parameters and names that a function assigns: they are not the module's, whatever their name."""
    given = node.args
    found = {item.arg for item in (*given.posonlyargs, *given.args, *given.kwonlyargs)}
    for statement in scope.reader.bodies.body(node):
        for inner in ast.walk(statement):
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                found.add(inner.id)
    return found
