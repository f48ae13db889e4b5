"""What is known of base classes that no project defines."""

from __future__ import annotations

import builtins

from .symbols import Kind, Parameter, ParameterKind, Signature, SymbolState

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

_ENUM = (
    "name", "value", "_name_", "_value_", "_missing_", "_generate_next_value_", "_sort_order_",
    "_member_type_", "_member_map_", "_member_names_", "_value2member_map_", "_value_repr_",
    "__members__", "__iter__", "__len__", "__contains__", "__getitem__", "__reversed__",
)  # fmt: skip
"""What every enumeration has; `__members__` and the names after it are its metaclass's."""

_TUPLE = (*dir(tuple), "_asdict", "_fields", "_make", "_replace", "_field_defaults", "__match_args__")
_TYPED_DICT = (*dir(dict), "__required_keys__", "__optional_keys__", "__total__", "__annotations__")
_KNOWN: dict[str, tuple[str, ...]] = {
    "enum.Enum": _ENUM,
    "enum.Flag": _ENUM,
    "enum.IntEnum": (*_ENUM, *dir(int)),
    "enum.IntFlag": (*_ENUM, *dir(int)),
    "enum.StrEnum": (*_ENUM, *dir(str)),
    "typing.NamedTuple": _TUPLE,
    "typing_extensions.NamedTuple": _TUPLE,
    "NamedTuple": _TUPLE,
    "typing.TypedDict": _TYPED_DICT,
    "typing_extensions.TypedDict": _TYPED_DICT,
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
    kind = Kind.ATTRIBUTE if _is_value(base, name) else Kind.METHOD
    return SymbolState(
        kind=kind, visibility=visibility, signature=_SIGNATURES.get(name), target=target, via="inherited"
    )


_SELF = Parameter("self", ParameterKind.POSITIONAL_ONLY)
_SIGNATURES = {
    "_make": Signature((Parameter("iterable", ParameterKind.POSITIONAL_OR_KEYWORD),)),
    "_asdict": Signature((Parameter("self", ParameterKind.POSITIONAL_OR_KEYWORD),)),
    "_replace": Signature((_SELF, Parameter("kwds", ParameterKind.VAR_KEYWORD))),
}
_VALUES = frozenset(_ENUM[:4]) | {
    "_fields", "_field_defaults", "__match_args__", "_member_map_", "_member_names_", "_value2member_map_",
    "__members__", "__required_keys__", "__optional_keys__", "__total__", "__annotations__", "_sort_order_",
    "_member_type_",
}  # fmt: skip


def _is_value(base: str, name: str) -> bool:
    """True for what is no method: the names of Python's own classes tell it themselves."""
    found = getattr(builtins, plain_base(base), None)
    return name in _VALUES or not callable(getattr(found if isinstance(found, type) else object, name, len))
