"""Kinds of names that a project takes from the standard library, read from its source files."""

from __future__ import annotations

import builtins
import os
import sys
from functools import lru_cache
from pathlib import Path

from ..kb.symbols import Kind
from .extract import extract
from .facts import ModuleFacts
from .sources import SourceError

_ROOT = Path(os.__file__).parent
_MAX_STEPS = 8
_FORMS = {"def": Kind.FUNCTION, "class": Kind.CLASS, "import": Kind.MODULE}


@lru_cache(maxsize=4096)
def external_kind(path: str) -> Kind | None:
    """The kind of a dotted name of the standard library, None for other names and where it cannot be told."""
    top = path.partition(".")[0]
    if top == "builtins" or "." not in path:
        return _builtin_kind(path.removeprefix("builtins."))
    return _kind(path, _MAX_STEPS) if top in sys.stdlib_module_names else None


def _builtin_kind(name: str) -> Kind | None:
    value = getattr(builtins, name, None) if name.isidentifier() else None
    if isinstance(value, type):
        return Kind.CLASS
    return Kind.FUNCTION if callable(value) else None


def _kind(path: str, steps: int) -> Kind | None:
    if _facts(path) is not None:
        return Kind.MODULE
    module, _, name = path.rpartition(".")
    facts = _facts(module) if module and steps else None
    for binding in facts.bindings if facts is not None else ():
        if binding.name == name:
            if binding.form == "from":
                return _kind(".".join(binding.data), steps - 1)
            return _FORMS.get(binding.form, Kind.ATTRIBUTE)
    return None


@lru_cache(maxsize=256)
def _facts(module: str) -> ModuleFacts | None:
    if not all(part.isidentifier() for part in module.split(".")):
        return None
    folder = _ROOT.joinpath(*module.split("."))
    for file, is_init in ((folder / "__init__.py", True), (folder.with_suffix(".py"), False)):
        try:
            return extract(file.read_bytes(), module, is_init=is_init)
        except (OSError, SourceError):
            continue
    return None
