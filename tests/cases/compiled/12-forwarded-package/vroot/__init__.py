"""Lends its name to vroot_core, whose modules import each other by it."""
import importlib as _importlib
import sys as _sys
import types as _types


class _Loader(_types.ModuleType):
    def __getattr__(self, item):
        return getattr(_importlib.import_module(self.__name__), item)


def _forward(old_name):
    parts = old_name.split(".")
    parts[0] += "_core"
    return _sys.modules.setdefault(old_name, _Loader(".".join(parts)))


_modules = ["vroot.ops"]
_modules.append("vroot.elsewhere")
for _name in _modules:
    _forward(_name)

from vroot_core import *
