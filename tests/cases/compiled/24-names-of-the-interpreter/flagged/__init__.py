from importlib import import_module

_MOVED = {
    "tools": (__spec__.parent, "__module__"),
    "shape": (__spec__.parent, ".tools"),
}


def __getattr__(name):
    found = _MOVED.get(name)
    if found is None:
        raise AttributeError(name)
    package, module_name = found
    if module_name == "__module__":
        result = import_module(f".{name}", package=package)
        globals()[name] = result
        return result
    else:
        module = import_module(module_name, package=package)
        result = getattr(module, name)
        return result
