"""A kind of module takes the place of this one, and serves names from the table that it is given."""
from types import ModuleType


class _Wrapper(ModuleType):
    def __init__(self, name, available, removed_in):
        import sys

        super().__init__(name)
        self._real = sys.modules[name]
        sys.modules[name] = self
        self._origin = {item: module for module, items in available.items() for item in items}

    def __getattr__(self, item):
        if item.startswith("_") and item in ("_real", "_origin"):
            raise AttributeError(item)
        if item in self._origin:
            from importlib import import_module

            origin = self._origin[item]
            if origin == ".":
                return import_module("." + item, "rpl")
            from warnings import warn

            warn("The import '{}' is deprecated.".format(item), DeprecationWarning, stacklevel=2)
            return getattr(import_module(origin, "rpl"), item)
        return getattr(self._real, item)


_Wrapper(__name__, {".": ["parts"], ".parts": ["Old", "old_function"]}, "2.0")

LEVELS = {"parts": ["low", "high"]}
VERSION = "1"
