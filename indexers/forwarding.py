"""Packages that lend their name to another one: `import new.part` finds `new_core.part`.

Such a package star-imports the other one and enters its modules into `sys.modules` under names of its own.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .facts import Binding

if TYPE_CHECKING:
    from .namespaces import Release

NOTE = "registers modules"
"""The note of a package's facts that says so."""

_REGISTERS = re.compile(
    r"(?<![\w.])_?sys\.modules(?:\.setdefault\(\s*(?!__name__\b)|\[(?!__name__\b)\w+\]\s*=[^=])"
)


def registers_modules(text: str) -> bool:
    """True where a package enters modules into `sys.modules` under names that are computed."""
    return ".modules" in text and _REGISTERS.search(text) is not None


def forwarded(release: Release) -> dict[str, str]:
    """Top-level packages that forward, to the ones that hold their modules."""
    found: dict[str, str] = {}
    for top in release.tops:
        entry = release.modules.get(top)
        if entry is None or entry.facts is None or NOTE not in entry.facts.notes:
            continue
        for star in entry.facts.stars:
            if star.module in release.tops and star.module != top and release.modules[star.module].is_init:
                found[top] = star.module
    return found


def bind_forwarded(release: Release) -> None:
    """The subpackages that a package has through the other one are names of it, `del` or not: they import."""
    for top, other in release.forwards.items():
        names = release.namespace(top)
        for module in list(release.modules):
            owner, _, name = module.rpartition(".")
            if owner == other and f"{top}.{name}" not in release.modules:
                names.setdefault(name, Binding(name, "import", module, 0, -1, "import"))
