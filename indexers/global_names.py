"""Names of a module that only functions bind, by `global name`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from .bodies import Bodies
from .facts import AttributeFacts, Binding

_NAME = r"[A-Za-z_]\w*"
_GLOBAL = re.compile(
    rf"^[ \t]+global[ \t]+({_NAME}(?:[ \t]*,[ \t]*{_NAME})*)[ \t]*(?:[#;].*)?$", re.MULTILINE
)
REASON = "a function binds it (global), which may not have been called"
_MOST = 500


def global_names(tree: ast.Module, text: str, bodies: Bodies, bound: set[str]) -> Iterator[Binding]:
    """Bindings of names that nothing else binds: there if the module calls the function, else unknown."""
    wanted: dict[str, int] = {}
    line, position = 1, 0
    for match in _GLOBAL.finditer(text):
        line += text.count("\n", position, match.start())
        position = match.start()
        wanted.update((name.strip(), line) for name in match[1].split(",") if name.strip() not in bound)
    if not wanted or len(wanted) > _MOST:
        return
    called = called_at_top(tree)
    found: set[str] = set()
    # Those that the module calls come first.
    for node in sorted(functions_of(tree), key=lambda node: node.name not in called):
        last = node.end_lineno or node.lineno
        if not any(node.lineno <= at <= last for at in wanted.values()):
            continue
        for name in _declared(bodies.body(node)) & wanted.keys() - found:
            found.add(name)
            if node.name in called:
                yield Binding(name, "attr", AttributeFacts(), wanted[name], via="dynamic")
            else:
                yield Binding(name, "unknown", REASON, wanted[name])


def called_at_top(tree: ast.Module) -> set[str]:
    """The functions that a module calls as it is imported, by name."""
    return {name for statement in _top_level(tree.body) if (name := _called(statement))}


def functions_of(tree: ast.Module) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    """The functions of a module and the methods of its classes."""
    found: list[ast.FunctionDef | ast.AsyncFunctionDef] = []
    for statement in _top_level(tree.body):
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            found.append(statement)
        elif isinstance(statement, ast.ClassDef):
            found += [
                part for part in statement.body if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef)
            ]
    return found


def _top_level(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in body:
        yield statement
        if isinstance(statement, ast.If | ast.Try | ast.With):
            for part in ("body", "orelse", "finalbody"):
                yield from _top_level(getattr(statement, part, []))


def _called(statement: ast.stmt) -> str | None:
    value = statement.value if isinstance(statement, ast.Expr | ast.Assign) else None
    return value.func.id if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) else None


def _declared(body: list[ast.stmt]) -> set[str]:
    nodes = (node for statement in body for node in ast.walk(statement))
    return {name for node in nodes if isinstance(node, ast.Global) for name in node.names}
