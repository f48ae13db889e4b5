import importlib
import sys
from types import ModuleType


class Lazy(ModuleType):
    def __getattr__(self, name):
        if name in self._names:
            return getattr(importlib.import_module(self._names[name]), name)
        if name in self._direct:
            return importlib.import_module(self._direct[name])
        raise AttributeError(name)


def recreate(name, by_module, direct, labels):
    old = sys.modules[name]
    new = Lazy(name)
    new.__path__ = old.__path__
    new._names = {item: module for module, items in by_module.items() for item in items}
    new._direct = direct
    sys.modules[name] = new
    return old, new


class LazyLoader(ModuleType):
    def __init__(self, local_name, namespace, name):
        super().__init__(name)
        self._local_name, self._namespace = local_name, namespace

    def __getattr__(self, item):
        module = importlib.import_module(self.__name__)
        self._namespace[self._local_name] = module
        return getattr(module, item)


def fill(prefix, namespace):
    for number in range(3):
        namespace[f"{prefix}_{number}"] = number
