"""What a symbol is in one release: its kind, signature, visibility and marks.

Everything here is a plain value.  The records are `NamedTuple`s, not frozen
dataclasses: a large project makes millions of them, they are interned by hash,
and a tuple travels between processes and into the cache as it is.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Status(StrEnum):
    """What is known of a symbol at one release."""

    PRESENT = "present"
    """Bound there."""
    ABSENT = "absent"
    """Proven: every module that could bind it was read, and none does."""
    TOMBSTONE = "tombstone"
    """The name is still there, but using it raises."""
    UNKNOWN = "unknown"
    """It may exist, but it cannot be seen statically."""


class Kind(StrEnum):
    """What a name is bound to."""

    MODULE = "module"
    CLASS = "class"
    FUNCTION = "function"
    METHOD = "method"
    ATTRIBUTE = "attribute"
    """A constant, a variable, a property or an instance attribute; see the labels."""


class Visibility(StrEnum):
    """How public a path is.  Nothing is dropped; this only ranks."""

    EXPORTED = "exported"
    """Listed in `__all__`, or re-exported by a package's `__init__`."""
    PUBLIC = "public"
    """No part of the path starts with an underscore, and it is defined there."""
    PRIVATE = "private"
    """An underscored part, or a name that a module merely imported for its own use."""


class ParameterKind(StrEnum):
    """The kinds of `inspect.Parameter`, by their `description`."""

    POSITIONAL_ONLY = "positional-only"
    POSITIONAL_OR_KEYWORD = "positional or keyword"
    VAR_POSITIONAL = "variadic positional"
    KEYWORD_ONLY = "keyword-only"
    VAR_KEYWORD = "variadic keyword"


class Parameter(NamedTuple):
    """One parameter; `default` and `annotation` are source text, None where there is none."""

    name: str
    kind: str
    default: str | None = None
    annotation: str | None = None


class Signature(NamedTuple):
    """Parameters in order, and the return annotation as source text."""

    parameters: tuple[Parameter, ...] = ()
    returns: str | None = None

    def __str__(self) -> str:
        return render_signature(self)


class Deprecation(NamedTuple):
    """One mark that a symbol, or one of its parameters, should no longer be used."""

    mechanism: str
    """decorator, warning, docstring, getattr (a branch or table of a module), default (`x="deprecated"`)."""
    message: str | None = None
    since: str | None = None
    """The version that the text claims; the store's own `deprecated` is what was observed."""
    removal: str | None = None
    """The announced removal version.  Announced is not actual."""
    replacement: str | None = None
    parameter: str | None = None
    """The parameter that is deprecated, None for the symbol itself."""
    line: int = 0


class SymbolState(NamedTuple):
    """All that one release says of one path.  Equal states are one row in the store.

    For a class, `signature` is that of its constructor (without self) and `mro` holds the qualified
    names of its ancestors in method resolution order, nearest first, itself left
    out; a name that is not defined in the project stands as it is written.
    `opaque` says why a module or class may hold names that cannot be seen: every
    name not found below it is then unknown, never absent.
    """

    status: str = Status.PRESENT
    kind: str = Kind.ATTRIBUTE
    visibility: str = Visibility.PUBLIC
    signature: Signature | None = None
    variants: tuple[str, ...] = ()
    """Other signatures, as text: overloads, and definitions in other branches."""
    labels: tuple[str, ...] = ()
    """Sorted: async, cached, classmethod, deletable, instance, property, settable, staticmethod, ..."""
    target: str | None = None
    """The defining path of the object, where this path is an alias of it."""
    via: str = "definition"
    """definition, import, star-import, getattr, lazy, stub, cython, docstring, inherited, submodule,
    dynamic."""
    condition: str | None = None
    """The condition under which it is bound, where that is not always."""
    deprecations: tuple[Deprecation, ...] = ()
    message: str | None = None
    """What a tombstone says when used, or why the state is unknown."""
    opaque: str | None = None
    mro: tuple[str, ...] = ()
    value: str | None = None
    """Source text of a constant, where it is short."""
    doc: str | None = None
    """Hash of the docstring (of the text that is kept), 16 hexadecimal digits."""
    removed_names: tuple[str, ...] = ()
    """Names that a module or class provably does not bind although it is opaque (`del x`)."""
    accepts: tuple[str, ...] = ()
    """Keywords that it takes and its signature does not show: popped from `**kwargs`, kept alive by a
    decorator.  `**` stands for others that cannot be seen, `!name` for one that it raises for."""


def _parameter_text(parameter: Parameter) -> str:
    stars = {ParameterKind.VAR_POSITIONAL: "*", ParameterKind.VAR_KEYWORD: "**"}
    text = stars.get(ParameterKind(parameter.kind), "") + parameter.name
    if parameter.annotation is not None:
        text += f": {parameter.annotation}"
    if parameter.default is not None:
        text += f" = {parameter.default}" if parameter.annotation is not None else f"={parameter.default}"
    return text


def render_signature(signature: Signature) -> str:
    """Write a signature the way `inspect.signature` prints it.

    >>> render_signature(Signature((Parameter("a", "positional-only"),
    ...                             Parameter("b", "keyword-only", "1", "int")), "str"))
    '(a, /, *, b: int = 1) -> str'
    """
    parts: list[str] = []
    previous: str | None = None
    starred = False
    for parameter in signature.parameters:
        kind = parameter.kind
        if previous == ParameterKind.POSITIONAL_ONLY and kind != previous:
            parts.append("/")
        if kind == ParameterKind.VAR_POSITIONAL:
            starred = True
        elif kind == ParameterKind.KEYWORD_ONLY and not starred:
            parts.append("*")
            starred = True
        parts.append(_parameter_text(parameter))
        previous = kind
    if previous == ParameterKind.POSITIONAL_ONLY:
        parts.append("/")
    returns = f" -> {signature.returns}" if signature.returns is not None else ""
    return f"({', '.join(parts)}){returns}"
