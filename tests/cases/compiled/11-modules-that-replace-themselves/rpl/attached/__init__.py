"""A copy of `lazy_loader.attach` under a name of its own; type checkers see what it serves."""
from typing import TYPE_CHECKING

_NAMES = {"inner": ["served", "Served"]}


def _attach(package_name, submodules=None, submod_attrs=None):
    modules = {name: module for module, names in (submod_attrs or {}).items() for name in names}

    def __getattr__(name):
        import importlib

        if name in modules:
            return getattr(importlib.import_module(f"{package_name}.{modules[name]}"), name)
        raise AttributeError(name)

    return __getattr__, lambda: list(modules), list(modules)


__getattr__, __dir__, __all__ = _attach(__name__, submodules=[], submod_attrs=_NAMES)

if TYPE_CHECKING:
    from .inner import Served, checked_only, served
