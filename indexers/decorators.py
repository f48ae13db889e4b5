"""Decorators by name that rename, remove or restrict parameters, and what they do at a place of use.

An old name of a parameter stays accepted while such a decorator stands, so it is there, deprecated.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any, NamedTuple

from ..kb.symbols import Parameter, ParameterKind, Signature
from .deprecations import make_mark
from .signatures import dotted_name


class Use(NamedTuple):
    """One decorator of a function: the name as written, and what of its arguments is literal.

    An argument is (keyword or None, value); a value is a string, a number, a truth value, None, a
    tuple of (key, value) pairs for a dictionary or a list, or `...` where it cannot be read.
    """

    name: str
    called: bool
    arguments: tuple[tuple[str | None, Any], ...] = ()
    line: int = 0

    @property
    def last(self) -> str:
        """The last part of the name."""
        return self.name.rpartition(".")[2]

    def argument(self, position: int | None, *names: str) -> Any:
        """The literal value of an argument that is given by place or by one of its names, else None."""
        return next(iter(self.given(position, *names)), None)

    def given(self, position: int | None, *names: str) -> tuple[Any, ...]:
        """The same alone in a tuple, which is empty where the argument is not given."""
        for keyword, value in self.arguments:
            if keyword in names:
                return (value,)
        placed = [value for keyword, value in self.arguments if keyword is None]
        return (placed[position],) if position is not None and position < len(placed) else ()


class _Shape(NamedTuple):
    """Where a decorator names the old parameter, the new one and the release."""

    old: int | None = None
    new: int | None = None
    since: int | None = None
    fixed: tuple[str, str | None] | None = None
    """(old, new) where the decorator itself knows them."""
    only: int | None = None
    """The parameter from which on all are keywords."""
    allowed: int | None = None
    """The list of parameters that may be given by place, without which those with a default may not."""


_SHAPES = {
    "deprecate_kwarg": _Shape(0, 1),
    "deprecated_argument": _Shape(0, 1),
    "deprecate_parameter": _Shape(0, 1),
    "deprecated_renamed_argument": _Shape(0, 1, 2),
    "rename_parameter": _Shape(1, 2, 0),
    "_rename_parameter": _Shape(0, 1),
    "delete_parameter": _Shape(1, None, 0),
    "remove_arg": _Shape(0),
    "deprecated_args": _Shape(),
    "make_keyword_only": _Shape(None, None, 0, only=1),
    "deprecate_multichannel_kwarg": _Shape(fixed=("multichannel", "channel_axis")),
    "deprecate_kwargs": _Shape(),
    "deprecate_nonkeyword_arguments": _Shape(allowed=1),
    "deprecate_positional_args": _Shape(),
    "_deprecate_positional_args": _Shape(),
    "_deprecate_positional_arguments": _Shape(),
}
_OLD = (
    "old_arg_name",
    "old_name",
    "old",
    "name",
    "deprecated_name",
    "kwarg_name",
    "arg_name",
    "kwarg_mapping",
)
_NEW = ("new_arg_name", "new_name", "new", "alternative")
_NOT_PARAMETERS = ("date", "instructions", "warn_once")
_SINCE = ("since", "version", "deprecated_version", "changed_version", "dep_version")
_REMOVAL = ("removed_version", "removal", "removal_version")


def is_parameter_decorator(name: str) -> bool:
    """True for a decorator that says something about parameters, and nothing about the function itself."""
    return name.rpartition(".")[2] in _SHAPES


def read_use(node: ast.expr) -> Use | None:
    """A decorator as facts, None where it has no name."""
    call = node if isinstance(node, ast.Call) else None
    name = dotted_name(call.func if call is not None else node)
    if name is None:
        return None
    if call is None:
        return Use(name, False, (), node.lineno)
    arguments: list[tuple[str | None, Any]] = [(None, _literal(argument)) for argument in call.args]
    arguments += [(keyword.arg, _literal(keyword.value)) for keyword in call.keywords if keyword.arg]
    return Use(name, True, tuple(arguments), node.lineno)


def _literal(node: ast.expr) -> Any:
    if isinstance(node, ast.Constant):
        return node.value if node.value is None or isinstance(node.value, str | int | float) else ...
    if isinstance(node, ast.Dict):
        pairs = [
            (_literal(key), _literal(value)) for key, value in zip(node.keys, node.values, strict=True) if key
        ]
        return tuple((key, value) for key, value in pairs if isinstance(key, str))
    if isinstance(node, ast.List | ast.Tuple):
        return tuple((text, None) for text in map(_literal, node.elts) if isinstance(text, str))
    return ...


def parameter_marks(use: Use) -> Iterator[tuple[Any, ...]]:
    """Marks on the parameters that a decorator deprecates."""
    shape = _SHAPES.get(use.last)
    if shape is None:
        return
    since = use.argument(shape.since, *_SINCE)
    known = {"since": _text(since), "removal": _text(use.argument(None, *_REMOVAL)), "line": use.line}
    for old, new in _renamed(use, shape):
        message = f"parameter {old} is deprecated" + (f", use {new} instead" if new else "")
        yield make_mark("decorator", message, replacement=new, parameter=old, **known)


def _renamed(use: Use, shape: _Shape) -> Iterator[tuple[str, str | None]]:
    if shape.fixed is not None:
        yield shape.fixed
    elif use.last == "deprecated_args":
        # (date, instructions, name or (name, value), ..., name=value)
        placed = [value for keyword, value in use.arguments if keyword is None][2:]
        names = [value[0][0] if isinstance(value, tuple) and value else value for value in placed]
        names += [keyword for keyword, _ in use.arguments if keyword not in (*_NOT_PARAMETERS, None)]
        yield from ((name, None) for name in names if isinstance(name, str))
    elif shape.old is not None:
        old, new = use.argument(shape.old, *_OLD), use.argument(shape.new, *_NEW)
        if isinstance(old, tuple):
            yield from ((key, _text(value)) for key, value in old)
        elif isinstance(old, str):
            yield old, _text(new)


def says_all(use: Use) -> bool:
    """True where the name of a decorator and its literal arguments tell every parameter that it accepts."""
    shape = _SHAPES.get(use.last)
    return shape is not None and (shape.old is None or any(True for _ in _renamed(use, shape)))


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def restricted(use: Use, signature: Signature, *, shows: bool) -> Signature:
    """The signature under a decorator that turns parameters into keywords.

    `shows` is True where the decorator's own code writes such a signature: some only warn.
    """
    shape = _SHAPES.get(use.last)
    if shape is not None and shape.allowed is not None and shows:
        return _but_for(use.given(shape.allowed, "allowed_args"), signature)
    first = use.argument(shape.only, "name") if shape is not None and shape.only is not None else None
    names = [parameter.name for parameter in signature.parameters]
    if first not in names:
        return signature
    at = names.index(first)
    only = ParameterKind.KEYWORD_ONLY.value
    behind = [
        parameter._replace(kind=only) if parameter.kind == ParameterKind.POSITIONAL_OR_KEYWORD else parameter
        for parameter in signature.parameters[at:]
    ]
    return signature._replace(parameters=(*signature.parameters[:at], *behind))


def _but_for(allowed: tuple[Any, ...], signature: Signature) -> Signature:
    """All parameters but those allowed are keywords, and stand where keywords do."""
    named = {name for name, _ in allowed[0]} if allowed and isinstance(allowed[0], tuple) else None
    if allowed and allowed[0] is not None and named is None:
        return signature
    only = ParameterKind.KEYWORD_ONLY.value
    parameters = [
        parameter._replace(kind=only)
        if parameter.kind in _PLACED
        and (parameter.name not in named if named is not None else parameter.default is not None)
        else parameter
        for parameter in signature.parameters
    ]
    return signature._replace(parameters=tuple(sorted(parameters, key=_kind_order)))


_PLACED = (ParameterKind.POSITIONAL_ONLY, ParameterKind.POSITIONAL_OR_KEYWORD)
_ORDER = [kind.value for kind in ParameterKind]


def _kind_order(parameter: Parameter) -> int:
    return _ORDER.index(parameter.kind)
