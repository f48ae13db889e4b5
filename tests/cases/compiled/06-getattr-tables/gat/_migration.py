import sys
import warnings
MOVED = {"gat.old:Model": "gat.main:Model"}
REDIRECT = {f"gat.old:{name}": f"gat.v1:{name}" for name in ("helper", "other")}
REMOVED = {"gat.old:Gone"}


def import_string(path):
    from importlib import import_module
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)


def make_getattr(module):
    def wrapper(name):
        path = f"{module}:{name}"
        if path in MOVED.keys():
            warnings.warn(f"`{path}` has been moved to `{MOVED[path]}`.")
            return import_string(MOVED[path])
        if path in REDIRECT:
            return import_string(REDIRECT[path])
        if path in REMOVED:
            raise ImportError(f"`{path}` has been removed.")
        known = sys.modules[module].__dict__
        if name in known:
            return known[name]
        raise AttributeError(name)
    return wrapper
