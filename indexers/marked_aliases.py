"""Deprecations of names that are only other names: `old = deprecated("...")(new)`, imported once more.

Whoever takes such a name on takes its mark along; the object that it leads to has none.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from .facts import Binding

if TYPE_CHECKING:
    from .namespaces import Release

NOTE = "marked aliases"
"""The note of a module's facts that has some."""

_MAX_STEPS = 20
_SERVED = ("getattr", "lazy")


def has_marked_aliases(bindings: Iterable[Binding]) -> bool:
    """True where a name is marked that this file does not define."""
    return any(
        binding.deprecations and binding.form in ("from", "ref") and binding.via not in _SERVED
        for binding in bindings
    )


def marks_on_way(release: Release, module: str, binding: Binding) -> tuple[tuple[Any, ...], ...]:
    """The marks of the names through which a binding leads to what it means, its own left out."""
    if not release.marking:
        return ()
    found: list[tuple[Any, ...]] = []
    for _ in range(_MAX_STEPS):
        if binding.form == "from":
            module, name = release.locate(module, binding.data[0]), binding.data[1]
        elif binding.form == "ref" and "." not in binding.data and binding.data != binding.name:
            name = binding.data
        else:
            break
        following = release.namespace(module).get(name) if module in release.modules else None
        if following is None or following.form not in ("from", "ref") or following is binding:
            break
        binding = following
        if module in release.marking and binding.via not in _SERVED:
            found += binding.deprecations
    return tuple(found)
