"""What a metaclass adds to the classes that it makes.

    class Meta(type):
        def __new__(mcs, name, bases, namespace):
            body = {"fields": {}, **{key: value for key, value in namespace.items()}}
            return super().__new__(mcs, name, bases, body)

Where all keys of the body are spelled, or are those of the class's own body, its classes have no others.
What the new class is handed to, and its methods that are called, could set more on it: the methods are looked
at here, the release knows the functions.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from .bodies import Bodies
from .definitions import Function
from .signatures import dotted_name
from .string_flow import KEYS, StringFlow

HANDED = "its classes are handed to "
"""Begins a label of a metaclass; the dotted name of the function follows."""
_BODY = 3
"""Position of the class's body among the arguments of `__new__`."""
_DEEPEST = 4
"""How many methods deep a new class is followed."""
_LOOKS = frozenset(("getattr", "hasattr", "id", "isinstance", "issubclass", "repr", "super", "type"))
"""Functions that set nothing on a class that they are given."""

Methods = Callable[[str], list[tuple[Function, list[ast.stmt]]]]
"""All methods of a name that the classes of a file have, each with its body."""


class Added(NamedTuple):
    """What a metaclass adds: names, and whatever the functions do that the new class is handed to."""

    names: frozenset[str]
    handed: frozenset[str]


def read_metaclass(node: ast.ClassDef, bodies: Bodies, methods: Methods) -> Added | None:
    """What a class adds to others where it is their metaclass; None where that may be anything."""
    found = Added(frozenset(), frozenset())
    for statement in node.body:
        if not isinstance(statement, ast.FunctionDef) or len(statement.args.args) <= _BODY:
            continue
        if statement.name == "__prepare__":
            return None
        if statement.name == "__new__":
            bases = statement.args.args[_BODY - 1].arg
            added = added_members(statement, bodies.body(statement), methods) if "base" in bases else None
            if added is None:
                return None
            found = added
    return found


def added_members(node: Function, body: Sequence[ast.stmt], methods: Methods) -> Added | None:
    """What a metaclass's `__new__` may add; None where that may be anything.

    >>> made = ast.parse('''def __new__(m, n, b, d):
    ...     d["table"] = 1
    ...     cls = type.__new__(m, n, b, d)
    ...     cls.made = True
    ...     register(cls)
    ...     return cls''').body[0]
    >>> added = added_members(made, made.body, lambda name: [])
    >>> sorted(added.names), sorted(added.handed)
    (['made', 'table'], ['register'])
    """
    given = [*node.args.posonlyargs, *node.args.args]
    nodes = [inner for statement in body for inner in ast.walk(statement)]
    makers = [inner for inner in nodes if isinstance(inner, ast.Call) and _makes_class(inner)]
    if len(given) <= _BODY or not makers:
        return None
    flow = StringFlow(node, body)
    own = (given[_BODY].arg, KEYS)
    names: set[str] = set()
    for maker in makers:
        keys = flow.keys(maker.args[_BODY]) if len(maker.args) > _BODY else None
        if keys is None or keys.given - {own}:
            return None
        names |= keys.texts
    classes = {name for inner in nodes for name in _made_names(inner, makers)}
    after = _Uses(methods).of(nodes, classes, flow)
    return None if after is None else Added(frozenset(names | after.names), after.handed)


def _makes_class(call: ast.Call) -> bool:
    """`super().__new__(mcs, name, bases, body)`; the same of `type` or another metaclass."""
    return isinstance(call.func, ast.Attribute) and call.func.attr == "__new__"


def _made_names(node: ast.AST, makers: Sequence[ast.AST]) -> list[str]:
    """The variables that are given a class just made."""
    if isinstance(node, ast.Assign) and node.value in makers:
        return [target.id for target in node.targets if isinstance(target, ast.Name)]
    return []


class _Uses:
    """What code does with a class that variables of it hold."""

    def __init__(self, methods: Methods) -> None:
        self.methods = methods
        self._seen: set[str] = set()

    def of(
        self, nodes: Iterable[ast.AST], classes: set[str], flow: StringFlow, depth: int = 0
    ) -> Added | None:
        names: set[str] = set()
        handed: set[str] = set()
        nodes = list(nodes)
        protocol = {name for node in nodes for name in _protocol(node)}
        for node in nodes:
            if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                names.update(_attributes(targets, classes))
                if _is_one(node.value, classes) and any(isinstance(target, ast.Name) for target in targets):
                    return None
            if not isinstance(node, ast.Call):
                continue
            found = self._call(node, classes, protocol, flow, depth)
            if found is None:
                return None
            names |= found.names
            handed |= found.handed
        return Added(frozenset(names), frozenset(handed))

    def _call(
        self, call: ast.Call, classes: set[str], protocol: set[str], flow: StringFlow, depth: int
    ) -> Added | None:
        nothing = Added(frozenset(), frozenset())
        if isinstance(call.func, ast.Attribute) and _is_one(call.func.value, classes):
            return self._method(call.func.attr, depth)
        arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
        if not any(_is_one(argument, classes) for argument in arguments):
            return nothing
        name = dotted_name(call.func)
        if name == "setattr" and len(call.args) == 3:
            key = flow.strings(call.args[1])
            return None if key is None or key.given else Added(key.texts, frozenset())
        if name in _LOOKS or name in protocol:
            return nothing
        return None if name is None else Added(frozenset(), frozenset([name]))

    def _method(self, name: str, depth: int) -> Added | None:
        """What a method does to the class for which it is called: any of that name may be meant."""
        if name in self._seen:
            return Added(frozenset(), frozenset())
        self._seen.add(name)
        found = self.methods(name) if depth < _DEEPEST else []
        names: set[str] = set()
        handed: set[str] = set()
        for function, body in found:
            flow = StringFlow(function, body)
            nodes = [inner for statement in body for inner in ast.walk(statement)]
            inner = self.of(nodes, {flow.first}, flow, depth + 1)
            if inner is None:
                return None
            names |= inner.names
            handed |= inner.handed
        return Added(frozenset(names), frozenset(handed)) if found else None


def _attributes(targets: Iterable[ast.expr], classes: set[str]) -> Iterator[str]:
    for target in targets:
        if isinstance(target, ast.Attribute) and _is_one(target.value, classes):
            yield target.attr


def _is_one(node: ast.expr | None, names: set[str]) -> bool:
    return isinstance(node, ast.Name) and node.id in names


def _protocol(node: ast.AST) -> list[str]:
    """`f = getattr(value, "__set_name__", None)`: what Python itself calls for each name of a class."""
    value = node.value if isinstance(node, ast.Assign) else None
    if isinstance(value, ast.Call) and dotted_name(value.func) == "getattr" and len(value.args) > 1:
        named = value.args[1]
        if isinstance(named, ast.Constant) and named.value == "__set_name__":
            assert isinstance(node, ast.Assign)
            return [target.id for target in node.targets if isinstance(target, ast.Name)]
    return []
