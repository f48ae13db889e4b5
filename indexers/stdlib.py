"""Kinds of names that a project takes from the standard library, read from its source files."""

from __future__ import annotations

import builtins
import importlib
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
_LIVE = {"types", "hashlib", "random"}
"""Modules whose source takes its names from live objects (`FunctionType = type(f)`)."""
_FORMS = {"def": Kind.FUNCTION, "class": Kind.CLASS, "import": Kind.MODULE}


@lru_cache(maxsize=4096)
def external_kind(path: str) -> Kind | None:
    """The kind of a dotted name of the standard library, None for other names and where it cannot be told."""
    top = path.partition(".")[0]
    if top == "builtins" or "." not in path:
        return _builtin_kind(path.removeprefix("builtins."))
    return _kind(path, _MAX_STEPS) if top in sys.stdlib_module_names else None


def in_stdlib(path: str) -> bool:
    """Does a current CPython have a dotted name?"""
    return path in sys.stdlib_module_names or ("." in path and external_kind(path) is not None)


def _builtin_kind(name: str) -> Kind | None:
    value = getattr(builtins, name, None) if name.isidentifier() else None
    if isinstance(value, type):
        return Kind.CLASS
    return Kind.FUNCTION if callable(value) else None


def _kind(path: str, steps: int) -> Kind | None:
    if _facts(path) is not None:
        return Kind.MODULE
    module, _, name = path.rpartition(".")
    if not module or not steps:
        return None
    facts = _facts(module)
    if facts is None or module in _LIVE:
        return _compiled_kind(module, name)
    for binding in facts.bindings:
        if binding.name == name:
            if binding.form == "from":
                return _kind(".".join(binding.data), steps - 1)
            if binding.form == "ref":
                found = _kind(f"{module}.{binding.data}", steps - 1)
                if found is None and "." in binding.data:
                    found = _kind(binding.data, steps - 1)
                return found or Kind.ATTRIBUTE
            return _FORMS.get(binding.form, Kind.ATTRIBUTE)
    starred = (_kind(f"{star.module}.{name}", steps - 1) for star in facts.stars)
    return next((kind for kind in starred if kind is not None), None)


def _compiled_kind(module: str, name: str) -> Kind | None:
    """The kind of a name of a module that is part of the interpreter and has no source: that one is asked."""
    try:
        value = getattr(importlib.import_module(module), name, None)
    except ImportError:
        return None
    if isinstance(value, type):
        return Kind.CLASS
    return None if value is None else Kind.FUNCTION if callable(value) else Kind.ATTRIBUTE


@lru_cache(maxsize=256)
def _facts(module: str) -> ModuleFacts | None:
    if not all(part.isidentifier() for part in module.split(".")):
        return None
    folder = _ROOT.joinpath(*module.split("."))
    for file, is_init in ((folder / "__init__.py", True), (folder.with_suffix(".py"), False)):
        try:
            return extract(file.read_bytes(), module, is_init=is_init, outline=True)._replace(texts=())
        except (OSError, SourceError):
            continue
    return None
