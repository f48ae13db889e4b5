"""What the decorators that a package defines make of the functions that they are given.

A decorator's body says which of three it is: it gives the function back, it wraps it under the function's own
signature (`functools.wraps`), or what it returns has a signature of its own.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..kb.parameters import HIDDEN
from .added_parameters import Factory, added_parameters
from .bodies import Bodies
from .decorators import is_parameter_decorator
from .signatures import dotted_name, signature_of

if TYPE_CHECKING:
    from .scope import Scope

Function = ast.FunctionDef | ast.AsyncFunctionDef

GIVES_BACK, WRAPS, REPLACES = "gives back", "wraps", "replaces"
_WRAPPERS = ("wraps", "update_wrapper", "make_decorator", "decorator", "wrapt.decorator")
_SHORTEST = 3
"""Lines below the first of a function that returns one which it holds."""
_LEVELS = 3
"""A factory of decorators, the decorator, the wrapper."""


class WrapperFacts(NamedTuple):
    """What a decorator makes of a function.

    `signature` is a plain pair: the whole signature where it replaces, the parameters that are
    added where it wraps.  `accepts` holds names of keywords that are taken besides, a pair (position,
    name) of the decorator's own parameter that gives the name, and `**` for what cannot be seen.
    """

    way: str
    signature: Any = None
    accepts: tuple[Any, ...] = ()
    depth: int = 1
    """1 where it is given the function, 2 where it is called first, 0 where both may be."""
    made: Any = None
    """The plain signature of the function that it returns; None where that is another function's."""
    restricts: bool = False
    """It writes a signature in which parameters have become keywords."""

    def serves(self, *, called: bool) -> bool:
        """True where this is what happens to a function under `@decorator` or `@decorator(...)`."""
        return self.depth in (0, 2 if called else 1)


def read_wrapper(node: Function, scope: Scope) -> WrapperFacts | None:
    """What a function does when it is used as a decorator, None where it is none or cannot be told."""
    bodies = scope.reader.bodies
    if not may_wrap(node, bodies):
        return None
    factory = Factory.of(node, scope)
    body = bodies.body(node)
    found = _level(body, node, factory, _LEVELS)
    return found._replace(depth=0) if found is not None and _is_optional(node, body) else found


def may_wrap(node: Function, bodies: Bodies) -> bool:
    """False for the most part: a function that cannot be a decorator."""
    return _may_hold_function(node, bodies) or is_parameter_decorator(node.name)


def _may_hold_function(node: Function, bodies: Bodies) -> bool:
    """Plain searching is many times quicker than looking at the lines, and most functions hold none."""
    last = node.end_lineno or node.lineno
    if last - node.lineno < _SHORTEST or node.name.startswith("test_"):
        return False
    return " def " in "\n".join(bodies.lines[node.lineno : last]) and bodies.has_inner_function(node)


def _is_optional(node: Function, body: list[ast.stmt]) -> bool:
    """A decorator that may be called first: without a function it returns itself with the arguments bound."""
    first = [*node.args.posonlyargs, *node.args.args][:1]
    if not first:
        return False
    given = {first[0].arg, *(argument.arg for argument in node.args.args)}
    return any(
        isinstance(statement, ast.If)
        and any(isinstance(inner, ast.Name) and inner.id in given for inner in ast.walk(statement.test))
        and any(isinstance(inner, ast.Return) for inner in statement.body + statement.orelse)
        for statement in body
    )


def _level(body: list[ast.stmt], node: Function, factory: Factory, levels: int) -> WrapperFacts | None:
    """A function that returns a function: the wrapper itself, or a decorator that makes one."""
    inner = {statement.name: statement for statement in _statements(body) if isinstance(statement, Function)}
    results = [
        found
        for statement in _statements(body)
        if isinstance(statement, ast.Return) and statement.value is not None
        and (found := _returned(statement.value, body, node, inner, factory, levels)) is not None
    ]  # fmt: skip
    wrapping = [found for found in results if found.way != GIVES_BACK]
    return wrapping[-1] if wrapping else (results[-1] if results else None)


def _returned(
    value: ast.expr, body: list[ast.stmt], node: Function, inner: dict[str, Function], factory: Factory,
    levels: int,
) -> WrapperFacts | None:  # fmt: skip
    if isinstance(value, ast.Lambda):
        given = [argument.arg for argument in value.args.args]
        same = isinstance(value.body, ast.Name) and given[:1] == [value.body.id]
        return WrapperFacts(GIVES_BACK, depth=2) if same else None
    if isinstance(value, ast.Name) and value.id in inner:
        return _inner(inner[value.id], body, factory, levels)
    if isinstance(value, ast.Name):
        own = [argument.arg for argument in node.args.args]
        return WrapperFacts(GIVES_BACK) if own == [value.id] and not node.args.kwarg else None
    if isinstance(value, ast.Call):
        named = [
            argument.id for argument in value.args if isinstance(argument, ast.Name) and argument.id in inner
        ]
        if named:
            cast = (dotted_name(value.func) or "").rpartition(".")[2] == "cast"
            found = _inner(inner[named[-1]], body, factory, levels)
            if found is None or cast or found.way != REPLACES:
                return found
            return WrapperFacts(WRAPS, None, found.accepts, made=found.made)
    return None


def _inner(wrapper: Function, body: list[ast.stmt], factory: Factory, levels: int) -> WrapperFacts | None:
    deeper = _level(wrapper.body, wrapper, factory, levels - 1) if levels > 1 else None
    if deeper is not None:
        return deeper._replace(depth=deeper.depth + 1)
    nodes = [inner for statement in body for inner in ast.walk(statement)]
    added, hidden = added_parameters(nodes, factory)
    restricts = _writes_keywords(nodes)
    accepts = [*_taken(wrapper, factory.positions), *([HIDDEN] if hidden else [])]
    stars = wrapper.args.vararg is not None or wrapper.args.kwarg is not None
    only = [argument.arg for argument in wrapper.args.kwonlyargs]
    parameters, returns = signature_of(wrapper.args, wrapper.returns)
    if _keeps_signature(wrapper, body):
        made = None if _takes_over(wrapper) else (parameters, returns)
        shown = {parameter[0] for parameter in added}
        accepts = [*(name for name in only if name not in shown), *accepts]
        extra = (tuple(added), None) if added else None
        return WrapperFacts(WRAPS, extra, tuple(dict.fromkeys(accepts)), made=made, restricts=restricts)
    if not stars:
        return WrapperFacts(REPLACES, (parameters, returns), made=(parameters, returns))
    named = tuple(parameter for parameter in parameters if parameter[0] in only)
    extra = (named, None) if named else None
    return WrapperFacts(WRAPS, extra, tuple(dict.fromkeys(accepts)), made=(parameters, returns))


def _takes_over(wrapper: Function) -> bool:
    """True where the wrapper shows another function's signature: `wraps`, or nothing that is a decorator."""
    names = [
        dotted_name(node.func if isinstance(node, ast.Call) else node) for node in wrapper.decorator_list
    ]
    return not names or any("wraps" in (name or "wraps") for name in names)


def _keeps_signature(wrapper: Function, body: list[ast.stmt]) -> bool:
    """True where the wrapper takes over the function's signature by `wraps` or one of its kind."""
    if wrapper.decorator_list:
        return True
    for statement in _statements(body):
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Attribute):
            target = statement.targets[0]
            if target.attr in ("__signature__", "__wrapped__") and dotted_name(target.value) == wrapper.name:
                return True
        if isinstance(statement, ast.Expr | ast.Assign) and isinstance(statement.value, ast.Call):
            called = (dotted_name(statement.value.func) or "").rpartition(".")[2]
            if called in _WRAPPERS and any(
                dotted_name(item) == wrapper.name for item in statement.value.args
            ):
                return True
    return False


def _taken(wrapper: Function, known: dict[str, int]) -> Iterator[Any]:
    """Keywords that a wrapper takes out of what it is given, by literal or by name."""
    if wrapper.args.kwarg is None:
        return
    kwargs = wrapper.args.kwarg.arg
    for node in (inner for statement in wrapper.body for inner in ast.walk(statement)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            if node.func.attr in ("pop", "get") and dotted_name(node.func.value) == kwargs:
                yield from _key(node.args[0], known, strict=node.func.attr == "pop")


def _key(node: ast.expr, known: dict[str, int], *, strict: bool) -> Iterator[Any]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.Name) and node.id in known:
        yield (known[node.id], node.id)
    elif strict:
        yield HIDDEN


def _writes_keywords(nodes: Sequence[ast.AST]) -> bool:
    """Does code call `parameter.replace(kind=parameter.KEYWORD_ONLY)`, and set a `__signature__`?"""
    return any(isinstance(node, ast.Attribute) and node.attr == "__signature__" for node in nodes) and any(
        keyword.arg == "kind" and (dotted_name(keyword.value) or "").endswith("KEYWORD_ONLY")
        for node in nodes
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "replace"
        for keyword in node.keywords
    )


def added_by_property(node: Function, scope: Scope) -> Any:
    """Parameters that a class's `__signature__` adds to those of the function that it holds."""
    body = scope.reader.bodies.body(node)
    nodes = [inner for statement in body for inner in ast.walk(statement)]
    added, hidden = added_parameters(nodes, Factory.of(node, scope))
    return WrapperFacts(WRAPS, (tuple(added), None) if added else None, (HIDDEN,) if hidden else ())


def call_wrapper(node: Function, scope: Scope) -> WrapperFacts | None:
    """What a class's `__call__` makes: a decorator's work, or the call of what the class has wrapped."""
    found = read_wrapper(node, scope)
    if found is not None:
        return found
    arguments = node.args
    own = [*arguments.posonlyargs, *arguments.args]
    if len(own) != 1 or arguments.kwarg is None:
        return None  # `(self, function)`: another use of classes
    parameters, _ = signature_of(arguments)
    only = {argument.arg for argument in arguments.kwonlyargs}
    extra = tuple(parameter for parameter in parameters if parameter[0] in only)
    return WrapperFacts(WRAPS, (extra, None) if extra else None)


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a body and of its branches; what functions and classes in it hold is theirs."""
    for statement in body:
        yield statement
        if isinstance(statement, Function | ast.ClassDef):
            continue
        for part in ("body", "orelse", "finalbody"):
            yield from _statements(getattr(statement, part, []))
        for handler in getattr(statement, "handlers", []):
            yield from _statements(handler.body)
