import functools
import inspect
import os

BACKENDS = {}


class _dispatchable:
    def __new__(cls, func=None, *, graphs="G", returns_graph=False):
        if func is None:
            return functools.partial(_dispatchable, graphs=graphs, returns_graph=returns_graph)
        self = object.__new__(cls)
        functools.update_wrapper(self, func)
        self.orig_func = func
        self.graphs = graphs
        return self

    @property
    def __signature__(self):
        signature = inspect.signature(self.orig_func)
        parameters = list(signature.parameters.values())
        backend = inspect.Parameter("backend", inspect.Parameter.KEYWORD_ONLY, default=None)
        if any(p.kind == inspect.Parameter.VAR_KEYWORD for p in parameters):
            parameters.insert(-1, backend)
        else:
            parameters.append(backend)
            parameters.append(inspect.Parameter("backend_kwargs", inspect.Parameter.VAR_KEYWORD))
        return signature.replace(parameters=parameters)

    def _call_directly(self, /, *args, backend=None, **kwargs):
        return self.orig_func(*args, **kwargs)

    def _call_backend(self, /, *args, backend=None, **kwargs):
        return self.orig_func(*args, **kwargs)

    __call__ = _call_backend if BACKENDS else _call_directly


if os.environ.get("_BUILDING_DOCS_"):
    _original = _dispatchable

    def _dispatchable(func=None, **kwargs):
        if func is None:
            return functools.partial(_dispatchable, **kwargs)
        func.__doc__ = _original(func, **kwargs).__doc__
        return func


class simple_dispatch:
    def __init__(self, func):
        functools.update_wrapper(self, func)
        self.func = func

    def __call__(self, /, *args, backend=None, **kwargs):
        return self.func(*args, **kwargs)


def nodes_or_number(which_args):
    def decorate(func):
        @functools.wraps(func)
        def wrapper(*args, **kwargs):
            return func(*args, **kwargs)

        return wrapper

    return decorate
