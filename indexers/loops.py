"""Loops that make names: `globals()[name] = ...`, `setattr(Class, name, ...)`, copies of other modules.

A loop over literals is followed round by round.  Any other loop leaves its module or
class opaque: the names that it makes are unknown, never absent.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .class_bodies import note_setter_calls
from .facts import AttributeFacts, FunctionFacts, StarImport
from .literals import loop_assignments, string_value
from .numpy_types import read_type_loop
from .patched_members import note_patch
from .signatures import dotted_name, signature_of

if TYPE_CHECKING:
    from .scope import Scope

LOOP_NAMES = "names are made by code that runs at import"
MadeName = tuple[str, str, ast.expr, ast.expr | None]
"""(`globals` | `class`, owner, expression of the name, value) of a name that a loop makes."""


def read_loop(scope: Scope, node: ast.For | ast.AsyncFor) -> None:
    """Follow a loop of a module's or class's body."""
    # A container that is empty here has been filled by code that was not followed.
    rounds = loop_assignments(node.target, node.iter, scope.constants) or None
    note_setter_calls(scope, node, rounds)
    copied, known = _copied_module(scope, node), False
    if copied is not None and scope.kind == "module":
        scope.stars.append(StarImport(copied, scope.reader.next(), None, everything=True))
    elif _makes_names(scope, node) and not _enumeration_loop(scope, node):
        if rounds is not None:
            _unroll(scope, node, rounds)
        elif read_type_loop(scope, node, [key for *_, key, _ in scope_made_names(scope, node)]):
            known = True
        elif not scope.is_class:
            _unreadable_loop(scope, node)
    for name in names_of(node.target):
        scope.constants.pop(name, None)
        scope.bind(name, "attr", AttributeFacts(), node.lineno)
    if not _makes_names(scope, node):
        scope.run(node.body)
    else:
        _leftovers(scope, node, rounds, exported=known)
    scope.run(node.orelse)


def _leftovers(
    scope: Scope, node: ast.For | ast.AsyncFor, rounds: list[dict[str, ast.expr]] | None, *, exported: bool
) -> None:
    """Variables of a loop that makes names, which stay behind as names of their own; and what it exports."""
    pending: list[ast.AST] = list(node.body)
    while pending:
        inner = pending.pop()
        if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            continue
        if not exported and _adds_exports(inner):
            scope.exports.append(("add", _exported(inner, rounds)))
        targets: list[ast.expr] = []
        if isinstance(inner, ast.Assign):
            targets = inner.targets
        elif isinstance(inner, ast.For | ast.AsyncFor):
            targets = [inner.target]
        for target in targets:
            for name in names_of(target):
                if name not in scope.env:
                    scope.bind(name, "attr", AttributeFacts(), target.lineno)
        pending.extend(ast.iter_child_nodes(inner))


def _exported(node: ast.AST, rounds: list[dict[str, ast.expr]] | None) -> tuple[str | None, ...]:
    """The names that `__all__.append(name)` adds in all rounds."""
    if rounds is None or not isinstance(node, ast.Call) or len(node.args) != 1:
        return (None,)
    if not isinstance(node.func, ast.Attribute) or node.func.attr != "append":
        return (None,)
    return tuple(string_value(node.args[0], assignment) for assignment in rounds)


def _adds_exports(node: ast.AST) -> bool:
    """`__all__.append(name)` or `__all__ += [name]`, where the name is made."""
    if isinstance(node, ast.AugAssign):
        return dotted_name(node.target) == "__all__"
    called = node.func if isinstance(node, ast.Call) else None
    return isinstance(called, ast.Attribute) and dotted_name(called.value) == "__all__"


def _enumeration_loop(scope: Scope, node: ast.For | ast.AsyncFor) -> bool:
    """`for enum in (A, B): for item in enum: setattr(module, item.name, item.value)`; True where read."""
    inner = node.body[0] if len(node.body) == 1 else None
    elements = node.iter.elts if isinstance(node.iter, ast.Tuple | ast.List) else [node.iter]
    if isinstance(inner, ast.For) and dotted_name(inner.iter) == dotted_name(node.target):
        item = inner.target
    else:
        item = node.target
    for kind, _, key, _ in scope_made_names(scope, node):
        if kind != "globals" or dotted_name(key) != f"{dotted_name(item)}.name":
            return False
    found = [scope.class_attributes(dotted_name(element) or "") for element in elements]
    for owner, names in zip(elements, found, strict=True):
        for name in names or ():
            scope.bind(name, "ref", f"{dotted_name(owner)}.{name}", node.lineno)
    return None not in found


def scope_made_names(scope: Scope, node: ast.For | ast.AsyncFor) -> list[MadeName]:
    """Names that a loop's body makes; a module may have been given a short name before."""
    return [
        ("globals", "", key, value)
        if kind == "class" and names_this_module(scope, owner)
        else (kind, owner, key, value)
        for kind, owner, key, value in _made_names(scope, node)
    ]


def names_this_module(scope: Scope, name: str) -> bool:
    value = scope.constants.get(name)
    return value is not None and is_this_module(value)


def _unroll(scope: Scope, node: ast.For | ast.AsyncFor, rounds: list[dict[str, ast.expr]]) -> None:
    """Names that a loop over a literal makes: `globals()[f"{n}"] = ...`, `setattr(Class, n, ...)`."""
    for assignment in rounds:
        for kind, owner, key, value in scope_made_names(scope, node):
            name = string_value(key, assignment)
            if name is None:
                _unreadable_loop(scope, node)
                return
            other = _name_in_namespace(scope, value, assignment) if kind == "globals" else None
            if other is not None and other != name:
                scope.bind(name, "ref", other, node.lineno)
            else:
                _made(scope, kind, owner, name, value, node.lineno)


def _name_in_namespace(scope: Scope, value: ast.expr | None, assignment: dict[str, ast.expr]) -> str | None:
    """The name in `globals()[name]`, in one round."""
    if isinstance(value, ast.Subscript) and is_namespace(scope, value.value):
        return string_value(value.slice, assignment)
    return None


def is_namespace(scope: Scope, node: ast.expr) -> bool:
    """`globals()`, or a name that it has been given."""
    return is_globals(scope.constants.get(node.id, node) if isinstance(node, ast.Name) else node)


def namespace_owner(node: ast.expr) -> str | None:
    """The dotted name of another module in `vars(module)` and `module.__dict__`."""
    if isinstance(node, ast.Call) and dotted_name(node.func) == "vars" and len(node.args) == 1:
        return dotted_name(node.args[0])
    return dotted_name(node.value) if isinstance(node, ast.Attribute) and node.attr == "__dict__" else None


def _unreadable_loop(scope: Scope, node: ast.For | ast.AsyncFor) -> None:
    for kind, owner, _, _ in scope_made_names(scope, node):
        if kind == "globals":
            scope.opaque = LOOP_NAMES
        elif owner in scope.env and scope.env[owner].form == "class":
            scope.patch_class(owner, lambda facts: facts._replace(opaque="attributes are set by a loop"))
        else:
            note_patch(scope, owner, None, None, node.lineno)


def _made(scope: Scope, kind: str, owner: str, name: str, value: ast.expr | None, line: int) -> None:
    if kind == "globals":
        form, data = ("attr", AttributeFacts())
        if value is not None:
            form, data = _loop_value(value)
        scope.bind(name, form, data, line)
    elif owner in scope.env and scope.env[owner].form == "class":
        scope.add_member(owner, name, value, line)
    else:
        note_patch(scope, owner, name, value, line)


def _made_names(scope: Scope, loop: ast.For | ast.AsyncFor) -> list[MadeName]:
    """(`globals` | `class`, owner, expression of the name, value) of names that a loop's body makes."""
    made: list[MadeName] = []
    for node in ast.walk(loop):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
            target = node.targets[0]
            if is_namespace(scope, target.value):
                made.append(("globals", "", target.slice, node.value))
        elif isinstance(node, ast.Call) and dotted_name(node.func) == "setattr" and len(node.args) == 3:
            owner = dotted_name(node.args[0])
            if is_this_module(node.args[0]):
                made.append(("globals", "", node.args[1], node.args[2]))
            elif owner is not None:
                made.append(("class", owner, node.args[1], node.args[2]))
        elif isinstance(node, ast.Call) and dotted_name(node.func) in ("exec", "eval"):
            made.append(("globals", "", node, None))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr == "update" and is_globals(node.func.value):
                made.append(("globals", "", node, None))
    return made


def _makes_names(scope: Scope, loop: ast.For | ast.AsyncFor) -> bool:
    return bool(_made_names(scope, loop))


def _copied_module(scope: Scope, loop: ast.For | ast.AsyncFor) -> str | None:
    """`for name in dir(m): globals()[name] = getattr(m, name)` copies the names of m."""
    iterable = loop.iter
    if not (isinstance(iterable, ast.Call) and dotted_name(iterable.func) == "dir" and iterable.args):
        return None
    source = dotted_name(iterable.args[0])
    return source if source and any(kind == "globals" for kind, *_ in _made_names(scope, loop)) else None


def _loop_value(value: ast.expr) -> tuple[str, Any]:
    """A value made in a loop: a function where it looks like one."""
    inner = value.func if isinstance(value, ast.Call) else value
    if isinstance(value, ast.Lambda):
        return "def", FunctionFacts(signature_of(value.args))
    if isinstance(inner, ast.Lambda):
        return "def", FunctionFacts(None)
    return "attr", AttributeFacts()


def is_globals(node: ast.expr) -> bool:
    if isinstance(node, ast.Call):
        return dotted_name(node.func) in ("globals", "vars", "locals") and not node.args
    return isinstance(node, ast.Attribute) and node.attr == "__dict__" and is_this_module(node.value)


def is_this_module(node: ast.expr) -> bool:
    """`sys.modules[__name__]`."""
    return (
        isinstance(node, ast.Subscript)
        and (dotted_name(node.value) or "").endswith("modules")
        and isinstance(node.slice, ast.Name)
        and node.slice.id == "__name__"
    )


def names_of(target: ast.expr) -> Iterator[str]:
    """The plain names that an assignment target binds."""
    if isinstance(target, ast.Name):
        yield target.id
    elif isinstance(target, ast.Tuple | ast.List):
        for element in target.elts:
            yield from names_of(element)
    elif isinstance(target, ast.Starred):
        yield from names_of(target.value)
