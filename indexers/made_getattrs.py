"""Modules whose `__getattr__` a function of another file made: their share of its tables."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from .module_getattr import DYNAMIC

if TYPE_CHECKING:
    from .namespaces import ModuleEntry, Release


def add_made_getattrs(release: Release) -> None:
    """Bind what the makers serve; where they refuse all else, the module is closed."""
    for module, entry in release.modules.items():
        facts = entry.facts
        if facts is None or facts.getattr_factory is None:
            continue
        target = release.resolve_dotted(module, facts.getattr_factory)
        maker = release.modules.get(target.module) if target.form == "object" else None
        if maker is not None and maker.facts is not None and target.binding is not None:
            for name, closed, pairs in maker.facts.factories:
                if name == target.binding.name:
                    _share(release, entry, maker, closed, pairs)


def _share(
    release: Release, entry: ModuleEntry, maker: ModuleEntry, closed: bool, pairs: tuple[Any, ...]
) -> None:
    names = release.namespace(entry.module)
    for module, binding in pairs:
        if module == entry.module:
            names.setdefault(binding.name, binding)
    if closed and entry.facts is not None and entry.facts.opaque == DYNAMIC:
        release.closed.add(entry.module)
    entry.key = hashlib.blake2b(entry.key + maker.key, digest_size=16).digest()
