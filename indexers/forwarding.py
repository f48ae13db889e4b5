"""Packages that lend their name to another one: `import new.part` finds `new_core.part`.

Such a package star-imports the other one and enters its modules into `sys.modules` under names of its own.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from .facts import Binding

if TYPE_CHECKING:
    from .namespaces import Release

NOTE = "registers modules"
"""The note of a package's facts that says so."""

_LISTED = "registers: "
"""Begins the notes that name, one each, the modules that a package lists."""
_UNSEEN = "its package enters it into sys.modules, and nothing shows what it is"
_DISCOVERS = re.compile(
    r"iter_modules|walk_packages|listdir|scandir|glob\b|__path__|\bfor\b[^\n]*\bin\b[^\n]*sys\.modules"
)
"""A package that looks for the modules, rather than list them, has them all."""
_REGISTERS = re.compile(
    r"(?<![\w.])_?sys\.modules(?:\.setdefault\(\s*(?!__name__\b)|\[(?!__name__\b)\w+\]\s*=[^=])"
)


def registers_modules(text: str) -> bool:
    """True where a package enters modules into `sys.modules` under names that are computed."""
    return ".modules" in text and _REGISTERS.search(text) is not None


def listed_modules(tree: ast.Module, text: str, package: str) -> Iterator[str]:
    """A note for each part of a package that its tables of modules name; none where it looks for them.

    >>> source = 'for m in ["new.a", "new.b.c"]:\\n    forward(m)\\nprint("new.d")'
    >>> sorted(listed_modules(ast.parse(source), source, "new"))
    ['registers: a', 'registers: b']
    """
    if _DISCOVERS.search(text):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.List | ast.Tuple | ast.Set):
            texts = list(node.elts)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            texts = node.args if node.func.attr in ("append", "extend", "add") else []
        else:
            continue
        for item in texts:
            if isinstance(item, ast.Constant) and isinstance(item.value, str):
                head, dot, rest = item.value.partition(".")
                if head == package and dot and rest:
                    yield _LISTED + rest.partition(".")[0]


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
    """The subpackages that a package has through the other one are names of it, `del` or not: they import.

    Where it lists them, those are all: a folder that an old release left behind is not among them.
    """
    for top, other in release.forwards.items():
        listed = _listed(release, top)
        names = release.namespace(top)
        for module in list(release.modules):
            owner, _, name = module.rpartition(".")
            passed_over = f"{top}.{name}" in release.modules or (listed and name not in listed)
            if owner == other and not passed_over:
                names.setdefault(name, Binding(name, "import", module, 0, -1, "import"))


def bind_unseen(release: Release) -> None:
    """What a package lists and nothing else binds may come from anywhere; to be called last."""
    for top in release.forwards:
        names = release.namespace(top)
        for name in sorted(_listed(release, top)):
            if f"{top}.{name}" not in release.modules:
                names.setdefault(name, Binding(name, "unknown", _UNSEEN, 0, -1))


def _listed(release: Release, top: str) -> set[str]:
    facts = release.modules[top].facts
    notes = facts.notes if facts is not None else ()
    return {note.removeprefix(_LISTED) for note in notes if note.startswith(_LISTED)}
