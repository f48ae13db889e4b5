"""Which strings an expression of a function can hold, where the function puts none together.

A function that takes its names out of literals, of what it is given and of containers of these can make no
others.  Anything that is not known to hand strings on as they are (a call, a sum, a slice, a format) has no
answer, and neither has a container that is handed to code which may change it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from .definitions import Function
from .signatures import dotted_name

_PASSES = frozenset(
    ("dict", "enumerate", "frozenset", "iter", "list", "next", "OrderedDict", "reversed", "set", "sorted",
     "tuple", "zip")
)  # fmt: skip
"""Calls that give what they are given, in another container."""
_READS = frozenset(
    (
        "__new__",
        "getattr",
        "hasattr",
        "isinstance",
        "issubclass",
        "len",
        "max",
        "min",
        "repr",
        "setattr",
        "str",
    )
)
"""Calls that change nothing of what they are given, and give strings that are not followed."""
_READER = re.compile(r"_?(?:check|collect|extract|find|get|has|is|iter|validate)(?:_\w+)?")
"""Names of functions that only look at what they are given."""
_ADDS = frozenset(("add", "append", "appendleft", "extend", "insert", "setdefault"))
_WHOLE = frozenset(("copy", "items", "values"))
_DEEPEST = 40

KEYS = "keys"
ITEMS = "items"
_TEXT = "text"
"""The value itself: no code can change a text."""


class Strings(NamedTuple):
    """Strings by text, and parameters whose strings they are: all in it (`items`), or its `keys` alone."""

    texts: frozenset[str] = frozenset()
    given: frozenset[tuple[str, str]] = frozenset()


_NONE = Strings()


class _Source(NamedTuple):
    """Where a name gets strings from: it is the value (`is`), a part of it (`of`), or one of its `keys`."""

    way: str
    value: ast.expr


def _untold(call: ast.Call) -> Strings | None:
    return None


class StringFlow:
    """The names of one function, wherever in it they are bound.  Functions inside it count as part of it."""

    def __init__(
        self,
        function: Function,
        body: Sequence[ast.stmt],
        calls: Callable[[ast.Call], Strings | None] = _untold,
    ) -> None:
        self._told = calls
        """What other calls give, for a reader that knows more."""
        arguments = function.args
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        self.parameters = {argument.arg for argument in every}
        self.first = every[0].arg if every else ""
        self._sources: dict[str, list[_Source]] = {}
        self._attributes: dict[str, list[tuple[int, ast.expr]]] = {}
        self._opaque: set[str] = {item.arg for item in (arguments.vararg, arguments.kwarg) if item}
        self._changed: set[str] = set()
        """Names of containers that are handed to code which may change them."""
        self._inner: dict[str, Function] = {}
        nodes = [node for statement in body for node in ast.walk(statement)]
        for node in nodes:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                self._inner[node.name] = node
                self._opaque.update(item.arg for item in (node.args.vararg, node.args.kwarg) if item)
        for node in nodes:
            self._read(node)
        for statement in body:
            if isinstance(statement, ast.Assign):
                for target in statement.targets:
                    if isinstance(target, ast.Attribute) and dotted_name(target.value) == self.first:
                        self._attributes.setdefault(target.attr, []).append((target.lineno, statement.value))

    def strings(self, node: ast.expr) -> Strings | None:
        """The strings that a value can be that is used as one text; None where that cannot be told.

        Where a part of a container is meant, all strings in it are.
        """
        if isinstance(node, ast.Name):
            return self._named(node.id, _TEXT, frozenset(), 0)
        return self._strings(node, frozenset(), 0)

    def keys(self, node: ast.expr) -> Strings | None:
        """The strings that iterating over the value can give, as parts of the elements too."""
        return self._keys(node, frozenset(), 0)

    # ---- what binds names

    def _read(self, node: ast.AST) -> None:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self._bind(target, _Source("is", node.value))
        elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and node.value is not None:
            self._bind(node.target, _Source("is", node.value))
        elif isinstance(node, ast.AugAssign):
            self._grow(node.target, [_Source("is", node.value)])
            if not isinstance(node.op, ast.Add | ast.BitOr) or _may_be_text(node.value):
                self._hide(node.target)
        elif isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
            self._bind_rounds(node.target, node.iter)
        elif isinstance(node, ast.Call):
            self._read_call(node)
        elif isinstance(node, ast.With | ast.AsyncWith):
            for item in node.items:
                self._hide(item.optional_vars)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            self._opaque.update((alias.asname or alias.name).partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            self._opaque.update(node.names)
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar | ast.ClassDef):
            self._opaque.update([node.name] if node.name else [])

    def _bind(self, target: ast.expr, source: _Source) -> None:
        if isinstance(target, ast.Name):
            self._sources.setdefault(target.id, []).append(source)
        elif isinstance(target, ast.Tuple | ast.List | ast.Starred):
            for part in target.elts if not isinstance(target, ast.Starred) else [target.value]:
                self._bind(part, _Source("of", source.value))
        elif isinstance(target, ast.Subscript):
            key = [] if isinstance(target.slice, ast.Slice) else [_Source("key", target.slice)]
            self._grow(target.value, [*key, _Source("value", source.value)])

    def _bind_rounds(self, target: ast.expr, iterable: ast.expr) -> None:
        """`for key, value in table.items()` tells the two apart; all else is a part of what is iterated."""
        if isinstance(target, ast.Tuple) and len(target.elts) == 2 and _method(iterable) == "items":
            assert isinstance(iterable, ast.Call) and isinstance(iterable.func, ast.Attribute)
            self._bind(target.elts[0], _Source("keys", iterable.func.value))
            self._bind(target.elts[1], _Source("of", iterable.func.value))
        elif isinstance(target, ast.Name):
            self._bind(target, _Source("keys", iterable))
        else:
            self._bind(target, _Source("of", iterable))

    def _read_call(self, call: ast.Call) -> None:
        """Arguments of functions inside this one, and what a call may do to the containers it is given."""
        name = dotted_name(call.func) or ""
        if isinstance(call.func, ast.Attribute):
            arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
            if call.func.attr == "update":
                self._grow(call.func.value, [_Source("is", argument) for argument in arguments])
                words = [ast.Constant(keyword.arg) for keyword in call.keywords if keyword.arg]
                self._grow(call.func.value, [_Source("key", word) for word in words])
                return
            if call.func.attr in _ADDS:
                self._grow(call.func.value, [_Source("of", argument) for argument in arguments])
                return
        inner = self._inner.get(name)
        last = call.func.attr if isinstance(call.func, ast.Attribute) else name
        if inner is not None:
            self._bind_arguments(inner, call)
        elif name not in _PASSES and last not in _READS and not _READER.fullmatch(last):
            for argument in (*call.args, *(keyword.value for keyword in call.keywords)):
                whole = argument.value if isinstance(argument, ast.Starred) else argument
                self._changed.update(_names_in(whole))

    def _bind_arguments(self, inner: Function, call: ast.Call) -> None:
        names = [argument.arg for argument in (*inner.args.posonlyargs, *inner.args.args)]
        every = {*names, *(argument.arg for argument in inner.args.kwonlyargs)}
        known = dict(zip(names, call.args, strict=False))
        for keyword in call.keywords:
            if keyword.arg in every:
                known[keyword.arg or ""] = keyword.value
        if any(isinstance(argument, ast.Starred) for argument in call.args) or any(
            keyword.arg is None for keyword in call.keywords
        ):
            self._opaque.update(every)
        for name, value in known.items():
            self._sources.setdefault(name, []).append(_Source("is", value))

    def _grow(self, container: ast.expr, added: Iterable[_Source]) -> None:
        if isinstance(container, ast.Name):
            self._sources.setdefault(container.id, []).extend(added)

    def _hide(self, node: ast.expr | None) -> None:
        self._opaque.update(_names_in(node))

    # ---- what they hold

    def _strings(self, node: ast.expr, seen: frozenset[str], depth: int) -> Strings | None:
        if depth > _DEEPEST:
            return None
        if isinstance(node, ast.Constant):
            return Strings(frozenset([node.value])) if isinstance(node.value, str) else _NONE
        if isinstance(node, ast.Name):
            return self._named(node.id, ITEMS, seen, depth)
        if isinstance(node, ast.Call):
            return self._called(node, seen, depth)
        if isinstance(node, ast.Attribute):
            return self._attribute(node, seen, depth)
        parts = _parts(node)
        return None if parts is None else self._all(parts, seen, depth)

    def _keys(self, node: ast.expr, seen: frozenset[str], depth: int) -> Strings | None:
        if depth > _DEEPEST:
            return None
        if isinstance(node, ast.Dict):
            found = [self._strings(key, seen, depth + 1) for key in node.keys if key is not None]
            spread = [value for key, value in zip(node.keys, node.values, strict=True) if key is None]
            return _union([*found, *(self._keys(value, seen, depth + 1) for value in spread)])
        if isinstance(node, ast.DictComp):
            return self._strings(node.key, seen, depth + 1)
        if isinstance(node, ast.Name):
            return self._named(node.id, KEYS, seen, depth)
        if isinstance(node, ast.Call):
            name = dotted_name(node.func)
            if isinstance(node.func, ast.Attribute) and node.func.attr in ("keys", "copy"):
                return self._keys(node.func.value, seen, depth + 1)
            if name in _PASSES - {"dict", "OrderedDict"}:
                return _union([self._keys(argument, seen, depth + 1) for argument in node.args])
        return self._strings(node, seen, depth)

    def _all(self, nodes: Iterable[ast.expr], seen: frozenset[str], depth: int) -> Strings | None:
        return _union([self._strings(node, seen, depth + 1) for node in nodes])

    def _named(self, name: str, part: str, seen: frozenset[str], depth: int) -> Strings | None:
        if name in seen:
            return _NONE  # what it holds besides is gathered already
        if name in self._opaque or (name in self._changed and part != _TEXT):
            return None
        sources = self._sources.get(name, ())
        if name not in self.parameters and not sources:
            return None
        inside = seen | {name}
        found: list[Strings | None] = [self._of(source, part, inside, depth + 1) for source in sources]
        if name in self.parameters:
            found.append(Strings(frozenset(), frozenset([(name, ITEMS if part == _TEXT else part)])))
        return _union(found)

    def _of(self, source: _Source, part: str, seen: frozenset[str], depth: int) -> Strings | None:
        if source.way == "is" and part == _TEXT and isinstance(source.value, ast.Name):
            return self._named(source.value.id, _TEXT, seen, depth)
        if source.way == "value":
            return _NONE if part == KEYS else self._strings(source.value, seen, depth)
        if source.way == "keys" or (source.way == "is" and part == KEYS):
            return self._keys(source.value, seen, depth)
        return self._strings(source.value, seen, depth)

    def _called(self, node: ast.Call, seen: frozenset[str], depth: int) -> Strings | None:
        name = dotted_name(node.func)
        if name in _PASSES:
            words = Strings(frozenset(keyword.arg for keyword in node.keywords if keyword.arg))
            values = [keyword.value for keyword in node.keywords]
            inner = self._all([*node.args, *values], seen, depth)
            return _union([inner, words if name in ("dict", "OrderedDict") else _NONE])
        if name in ("range", "len"):
            return _NONE
        if isinstance(node.func, ast.Attribute) and not node.keywords:
            if node.func.attr == "keys":
                return self._keys(node.func.value, seen, depth + 1)
            if node.func.attr in _WHOLE and not node.args:
                return self._strings(node.func.value, seen, depth + 1)
        return self._told(node)

    def _attribute(self, node: ast.Attribute, seen: frozenset[str], depth: int) -> Strings | None:
        """`cls.NAMES`, where the function has set it before."""
        assigned = self._attributes.get(node.attr, ())
        mark = f".{node.attr}"
        if dotted_name(node.value) != self.first or not assigned or assigned[0][0] >= node.lineno:
            return None
        return _NONE if mark in seen else self._all((value for _, value in assigned), seen | {mark}, depth)


def _parts(node: ast.expr) -> list[ast.expr] | None:
    """The expressions whose strings are those of this one; None where it may make others."""
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return list(node.elts)
    if isinstance(node, ast.Dict):
        return [*(key for key in node.keys if key is not None), *node.values]
    if isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp):
        return [node.elt]
    if isinstance(node, ast.DictComp):
        return [node.key, node.value]
    if isinstance(node, ast.Starred):
        return [node.value]
    if isinstance(node, ast.IfExp):
        return [node.body, node.orelse]
    if isinstance(node, ast.BoolOp):
        return node.values
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr | ast.Sub):
        return [node.left, node.right]  # texts have neither
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        listed = isinstance(node.left, ast.List | ast.Tuple) or isinstance(node.right, ast.List | ast.Tuple)
        return [node.left, node.right] if listed else None
    return [] if isinstance(node, ast.Lambda | ast.Compare) else None


def _names_in(node: ast.expr | None) -> list[str]:
    parts = ast.walk(node) if isinstance(node, ast.Tuple | ast.List) else [node]
    return [part.id for part in parts if isinstance(part, ast.Name)]


def _may_be_text(node: ast.expr) -> bool:
    return not isinstance(node, ast.List | ast.Tuple | ast.Set | ast.Dict)


def _method(node: ast.expr) -> str | None:
    called = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    return node.func.attr if called and not node.args else None  # type: ignore[attr-defined]


def _union(parts: Iterable[Strings | None]) -> Strings | None:
    texts: set[str] = set()
    given: set[tuple[str, str]] = set()
    for part in parts:
        if part is None:
            return None
        texts |= part.texts
        given |= part.given
    return Strings(frozenset(texts), frozenset(given))
