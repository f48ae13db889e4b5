import warnings
_msg = "`gat.{n}` was an alias for `{an}`."
_old = [("float", "builtins.float"), ("int", "builtins.int")]
__former__ = {n: _msg.format(n=n, an=an) for n, an in _old}
_msg = "`gat.{n}` is a deprecated alias for `gat.{an}`."
__deprecated__ = {}
def new_sum(): ...
def new_product(x): ...
__deprecated__.update({n: (alias, _msg.format(n=n, an=an)) for n, alias, an in
                       [("cumsum", new_sum, "new_sum"), ("cumprod", new_product, "new_product")]})
_dynamic = {"Model": (__package__, ".main"), "main": (__package__, "__module__")}


def __getattr__(name):
    if name in __former__:
        raise AttributeError(__former__[name])
    try:
        value, message = __deprecated__[name]
    except KeyError:
        pass
    else:
        warnings.warn(message, DeprecationWarning, stacklevel=2)
        return value
    found = _dynamic.get(name)
    if found is None:
        raise AttributeError(name)
    package, module = found
    from importlib import import_module
    if module == "__module__":
        return import_module(f".{name}", package=package)
    else:
        return getattr(import_module(module, package=package), name)
