"""What a class holds beyond the statements of its body."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from .bodies import Bodies
from .definitions import Function, docstring_of
from .facts import AttributeFacts, Binding
from .literals import string_value
from .signatures import dotted_name

if TYPE_CHECKING:
    from .scope import Scope


def sets_class_attributes(node: Function, bodies: Bodies) -> bool:
    """A classmethod that calls `setattr(cls, name, ...)` with a name that it is given."""
    if not node.args.args or node.args.args[0].arg not in ("cls", "klass", "class_"):
        return False
    first, last = node.lineno - 1, node.end_lineno or node.lineno
    if not any("setattr(" in line for line in bodies.lines[first:last]):
        return False
    for inner in [inner for statement in bodies.body(node) for inner in ast.walk(statement)]:
        if not isinstance(inner, ast.Call) or dotted_name(inner.func) != "setattr" or len(inner.args) != 3:
            continue
        if dotted_name(inner.args[0]) == node.args.args[0].arg and string_value(inner.args[1], {}) is None:
            return True
    return False


def adds_members(node: ast.ClassDef) -> bool:
    """A metaclass whose `__new__` writes into the namespace that it is given."""
    for statement in node.body:
        known = isinstance(statement, ast.FunctionDef) and statement.name in ("__new__", "__prepare__")
        if known and isinstance(statement, ast.FunctionDef) and len(statement.args.args) >= 4:
            return True
    return False


def instance_attributes(scope: Scope, node: ast.ClassDef) -> None:
    """Attributes that methods set on self; the text is searched, since most bodies are pruned."""
    first, last = node.lineno, node.end_lineno or node.lineno
    strings = [range(at.lineno, (at.end_lineno or at.lineno) + 1) for at in _not_code(node)]
    found = [*_init_assignments(node), *scope.reader.bodies.self_assignments(first, last)]
    for name, line in found:
        if name not in scope.env and not any(line in lines for lines in strings):
            scope.env[name] = Binding(
                name, "attr", AttributeFacts(None, None, ("instance",)), line, scope.reader.next(),
                "stub" if scope.reader.is_stub else "definition",
            )  # fmt: skip


def _not_code(node: ast.ClassDef) -> Iterator[ast.stmt]:
    """Docstrings and nested classes: what looks like `self.x = ...` there is none of this class's."""
    for statement in node.body:
        if isinstance(statement, ast.ClassDef):
            yield statement
        elif isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef) and docstring_of(statement.body):
            yield statement.body[0]
    if docstring_of(node.body):
        yield node.body[0]


def _init_assignments(node: ast.ClassDef) -> Iterator[tuple[str, int]]:
    """`self.x = ...` in `__init__`, whose body is never pruned."""
    for statement in node.body:
        if isinstance(statement, ast.FunctionDef) and statement.name == "__init__" and statement.args.args:
            itself = statement.args.args[0].arg
            for inner in ast.walk(statement):
                if isinstance(inner, ast.Attribute) and isinstance(inner.ctx, ast.Store):
                    if isinstance(inner.value, ast.Name) and inner.value.id == itself:
                        yield inner.attr, inner.lineno
