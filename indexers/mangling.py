"""Private names of class bodies as Python stores them: `__x` in `class A` is `_A__x`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .facts import Binding


def mangled(name: str, owner: str) -> str:
    """The name that code in the body of a class really binds.

    >>> mangled("__x", "_A"), mangled("__x__", "A"), mangled("__x", "__")
    ('_A__x', '__x__', '__x')
    """
    owner = owner.lstrip("_")
    return f"_{owner}{name}" if owner and name.startswith("__") and not name.endswith("__") else name


def mangled_signature(signature: tuple[Any, str | None], owner: str) -> tuple[Any, str | None]:
    """A method's plain signature, its parameters under their real names."""
    parameters, returns = signature
    if not any(parameter[0].startswith("__") for parameter in parameters):
        return signature
    return tuple((mangled(name, owner), *rest) for name, *rest in parameters), returns


def mangled_members(members: Iterable[Binding], owner: str) -> tuple[Binding, ...]:
    """The members of a class under their real names, and what their aliases lead to."""
    return tuple(
        member if not member.name.startswith("__") and "alias:__" not in member.via else _real(member, owner)
        for member in members
    )


def _real(member: Binding, owner: str) -> Binding:
    alias, _, of = member.via.rpartition(":")
    via = f"{alias}:{mangled(of, owner)}" if alias == "alias" else member.via
    return member._replace(name=mangled(member.name, owner), via=via)
