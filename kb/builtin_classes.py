"""What is known of base classes that no project defines."""

from __future__ import annotations

import builtins

from .symbols import Kind, SymbolState

_NO_API = frozenset(
    {
        "object",
        "abc.ABC",
        "typing.Generic",
        "typing.Protocol",
        "typing_extensions.Generic",
        "typing_extensions.Protocol",
        "Generic",
        "Protocol",
        "ABC",
    }
)
"""Bases that add no name that a caller would use."""

_ENUM = ("name", "value")
_KNOWN: dict[str, tuple[str, ...]] = {
    "enum.Enum": _ENUM,
    "enum.Flag": _ENUM,
    "enum.IntEnum": (*_ENUM, *dir(int)),
    "enum.IntFlag": (*_ENUM, *dir(int)),
    "enum.StrEnum": (*_ENUM, *dir(str)),
    "typing.NamedTuple": (*dir(tuple), "_asdict", "_fields", "_make", "_replace", "_field_defaults"),
    "NamedTuple": (*dir(tuple), "_asdict", "_fields", "_make", "_replace", "_field_defaults"),
    "typing.TypedDict": tuple(dir(dict)),
    "typing_extensions.TypedDict": tuple(dir(dict)),
}


def plain_base(name: str) -> str:
    """The name of a base class as written, without subscript and `builtins.`.

    >>> plain_base("builtins.dict[str, int]")
    'dict'
    """
    return name.partition("[")[0].removeprefix("builtins.").strip()


def base_names(name: str) -> frozenset[str] | None:
    """The names that a foreign base class gives its heirs; None where they cannot be known.

    `object`'s own names are in every class, so they are in none of these answers.

    >>> "keys" in base_names("dict"), base_names("object"), base_names("queue.Queue")
    (True, frozenset(), None)
    """
    plain = plain_base(name)
    if plain in _NO_API:
        return frozenset()
    if plain in _KNOWN:
        return frozenset(_KNOWN[plain]) - _OBJECT
    found = getattr(builtins, plain, None) if "." not in plain else None
    return frozenset(dir(found)) - _OBJECT if isinstance(found, type) else None


_OBJECT = frozenset(dir(object))


def inherits_builtin(base: str, name: str) -> bool:
    """Does a foreign base class, or `object`, give its heirs a name?"""
    if plain_base(base) == "object":
        return name in _OBJECT
    names = base_names(base)
    return names is not None and name in names


def builtin_member(base: str, name: str, visibility: str) -> SymbolState:
    """The state of a member that comes from a class of Python itself."""
    target = (
        f"builtins.{plain_base(base)}.{name}" if "." not in plain_base(base) else f"{plain_base(base)}.{name}"
    )
    return SymbolState(kind=Kind.METHOD, visibility=visibility, target=target, via="inherited")
