"""What a class holds beyond the statements of its body."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from .definitions import Function, docstring_of
from .facts import AttributeFacts, Binding, FunctionFacts, GivenName
from .literals import literal_strings, string_items, string_value
from .patched_members import imported_path
from .signatures import dotted_name, signature_of
from .string_flow import StringFlow

if TYPE_CHECKING:
    from .scope import Scope

ALIASES = "define_aliases"
"""The class decorator that gives getters and setters other names, and sets nothing else."""


_SETS = re.compile(r"(?:\w+\s*=\s*)?(?:cls|klass|class_)\.\w+\s*=(?!=)")


class Setter(NamedTuple):
    """A classmethod that sets attributes on the class that it is called for."""

    members: tuple[Binding, ...]
    """Those whose names are written in it."""
    given: tuple[GivenName, ...]
    """Parameters whose strings are such names."""
    computed: bool
    """It sets others, too."""


def class_setter(node: Function, scope: Scope) -> Setter | None:
    """What a classmethod sets on its class: `setattr(cls, "sum", sum)`, `cls.sum = sum`; None for nothing."""
    names = [argument.arg for argument in node.args.args]
    if not names or names[0] not in ("cls", "klass", "class_"):
        return None
    bodies, (first, last) = scope.reader.bodies, (node.lineno - 1, node.end_lineno or node.lineno)
    own = f"{names[0]}."
    if not any(
        "setattr(" in line or (own in line and _SETS.match(line.lstrip()))
        for line in bodies.lines[first:last]
    ):
        return None
    body = bodies.body(node)
    inner = {item.name: item for item in body if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef)}
    members: dict[str, Binding] = {}
    given: set[tuple[str, str]] = set()
    computed, flow = False, None
    for key, value, line in _set_attributes(body, names[0]):
        name = key if isinstance(key, str) else string_value(key, {})
        if name is None:
            assert isinstance(key, ast.expr)
            flow = flow or StringFlow(node, body)
            strings = flow.strings(key)
            computed |= strings is None
            given |= strings.given if strings is not None else set()
        for text in [name] if name is not None else sorted(strings.texts if strings is not None else ()):
            members[text] = _set_member(text, value, line, inner, scope)
    parameters = tuple(_given_name(node, *item) for item in sorted(given))
    if not members and not parameters and not computed:
        return None
    told = tuple(item for item in parameters if item is not None)
    return Setter(tuple(members.values()), told, computed or None in parameters)


def _given_name(node: Function, parameter: str, part: str) -> GivenName | None:
    """A parameter of a classmethod; None where its default gives names, or it is the class itself."""
    names = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)]
    if parameter not in names[1:]:
        return None
    at = names.index(parameter)
    defaults = node.args.defaults
    default = defaults[at - len(names)] if len(names) - at <= len(defaults) else None
    if default is not None and not (isinstance(default, ast.Constant) and default.value is None):
        return None
    return GivenName(parameter, at - 1, part, default is not None)


def _set_attributes(body: list[ast.stmt], owner: str) -> Iterator[tuple[str | ast.expr, ast.expr, int]]:
    """(name or its expression, value, line) of what code sets on an object, functions inside left out."""
    pending: list[ast.AST] = list(reversed(body))
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Call) and dotted_name(node.func) == "setattr" and len(node.args) == 3:
            if dotted_name(node.args[0]) == owner:
                yield node.args[1], node.args[2], node.lineno
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Attribute) and dotted_name(target.value) == owner:
                    yield target.attr, node.value, node.lineno
        pending.extend(reversed(list(ast.iter_child_nodes(node))))


def _set_member(name: str, value: ast.expr, line: int, inner: dict[str, Function], scope: Scope) -> Binding:
    """The member that is set: a function where it is defined beside, else a value."""
    function = inner.get(dotted_name(value) or "")
    if function is None:
        calls = dotted_name(value.func) if isinstance(value, ast.Call) else None
        facts = AttributeFacts(None, None, ("instance",), calls)
        return Binding(name, "attr", facts, line, scope.reader.next())
    made = FunctionFacts(
        signature_of(function.args, function.returns),
        doc=scope.reader.docstrings.keep(docstring_of(function.body)),
    )
    return Binding(name, "def", made, function.lineno, scope.reader.next())


def note_setter_calls(scope: Scope, node: ast.AST, rounds: list[dict[str, ast.expr]] | None) -> None:
    """Note `Class._create("ix", ...)`, in a loop or not: the classmethod may set what it is given.

    `rounds` are what the variables of the loop are in each round, None where that cannot be read.
    """
    if scope.kind != "module":
        return
    for call in ast.walk(node):
        called = call.func if isinstance(call, ast.Call) else None
        owner = dotted_name(called.value) if isinstance(called, ast.Attribute) else None
        if owner is None or not _may_be_class(scope, owner):
            continue
        assert isinstance(call, ast.Call)
        assert isinstance(called, ast.Attribute)
        for assignment in [None] if rounds is None else rounds:
            given = tuple(_argument(at, value, assignment, scope) for at, value in _arguments(call))
            scope.reader.setter_calls.append((owner, called.attr, given, call.lineno))


def _may_be_class(scope: Scope, dotted: str) -> bool:
    binding = scope.env.get(dotted.partition(".")[0])
    if binding is None or not dotted.rpartition(".")[2][:1].isupper():
        return False
    return binding.form == "class" or imported_path(scope, dotted) is not None


def _arguments(call: ast.Call) -> Iterator[tuple[int | str, ast.expr]]:
    yield from enumerate(call.args)
    for keyword in call.keywords:
        yield keyword.arg or "**", keyword.value


def _argument(
    place: int | str, value: ast.expr, assignment: dict[str, ast.expr] | None, scope: Scope
) -> tuple[int | str, tuple[str, ...] | None, tuple[str, ...] | None]:
    """(position or keyword, its strings at any depth, those that iterating gives); None for untold ones."""
    if isinstance(value, ast.Name):
        value = (assignment or {}).get(value.id) or scope.constants.get(value.id, value)
    strings = literal_strings(value)
    keys = string_items(value, scope.constants)
    return (
        place if not isinstance(value, ast.Starred) else "**",
        tuple(strings) if strings is not None else None,
        tuple(keys) if keys is not None else None,
    )


def add_aliases(scope: Scope, node: ast.ClassDef) -> bool:
    """`@define_aliases({"color": ["c"]})`: getters and setters have other names; True where all are read."""
    for decorator in node.decorator_list:
        call = decorator if isinstance(decorator, ast.Call) else None
        if call is None or not call.args or (dotted_name(call.func) or "").rpartition(".")[2] != ALIASES:
            continue
        table = scope.constants.get(call.args[0].id) if isinstance(call.args[0], ast.Name) else call.args[0]
        if not isinstance(table, ast.Dict):
            return False
        for key, value in zip(table.keys, table.values, strict=True):
            name, others = string_value(key, {}) if key else None, string_items(value, {})
            if name is None or others is None:
                return False
            _add_aliases(scope, name, others, node.lineno)
        return True
    return False


def _add_aliases(scope: Scope, name: str, others: list[str], line: int) -> None:
    for prefix in ("get_", "set_"):
        known = scope.env.get(prefix + name)
        for other in others if known is not None else ():
            assert known is not None
            scope.env[prefix + other] = known._replace(
                name=prefix + other, line=line, seq=scope.reader.next(), via=f"alias:{prefix}{name}"
            )


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
    """Texts and nested classes: what looks like `self.x = ...` there is none of this class's."""
    for statement in node.body:
        text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        if text or isinstance(statement, ast.ClassDef):
            yield statement
        elif isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef) and docstring_of(statement.body):
            yield statement.body[0]


def _init_assignments(node: ast.ClassDef) -> Iterator[tuple[str, int]]:
    """`self.x = ...` in `__init__`, whose body is never pruned."""
    for statement in node.body:
        if isinstance(statement, ast.FunctionDef) and statement.name == "__init__" and statement.args.args:
            itself = statement.args.args[0].arg
            for target in _targets(statement.body):
                if isinstance(target, ast.Name):
                    continue
                # Below `self.x` nothing is stored.
                plain = isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name)
                for inner in (target,) if plain else ast.walk(target):
                    if isinstance(inner, ast.Attribute) and isinstance(inner.ctx, ast.Store):
                        if isinstance(inner.value, ast.Name) and inner.value.id == itself:
                            yield inner.attr, inner.lineno


def _targets(body: list[ast.stmt]) -> Iterator[ast.expr]:
    """What statements assign to, those inside other statements too; walking all expressions is dear."""
    waiting: list[ast.AST] = list(reversed(body))
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Assign):
            yield from node.targets
            continue
        target = getattr(node, "target", None)
        if isinstance(target, ast.expr):
            yield target
        for item in getattr(node, "items", ()):
            if item.optional_vars is not None:
                yield item.optional_vars
        for part in ("finalbody", "orelse", "handlers", "cases", "body"):
            below = getattr(node, part, None)
            if isinstance(below, list):
                waiting.extend(reversed(below))
