import functools
import inspect
import warnings


def validate_params(constraints, *, prefer=True):
    def decorator(func):
        setattr(func, "_constraints", constraints)

        @functools.wraps(func)
        def wrapper(*args, **kwargs):
            inspect.signature(func).bind(*args, **kwargs)
            return func(*args, **kwargs)

        return wrapper

    return decorator


def _deprecate_positional_args(func=None, *, version="1.0"):
    def _inner(f):
        sig = inspect.signature(f)
        names = [name for name, p in sig.parameters.items() if p.kind == inspect.Parameter.POSITIONAL_OR_KEYWORD]

        @functools.wraps(f)
        def inner_f(*args, **kwargs):
            extra = len(args) - len(names)
            if extra <= 0:
                return f(*args, **kwargs)
            warnings.warn(f"from {version} on passing these is an error", FutureWarning, stacklevel=2)
            kwargs.update(zip(sig.parameters, args))
            return f(**kwargs)

        return inner_f

    if func is not None:
        return _inner(func)
    return _inner


def _rename_parameter(old_name, new_name, dep_version=None):
    def decorator(fun):
        @functools.wraps(fun)
        def wrapper(*args, **kwargs):
            if old_name in kwargs:
                if dep_version:
                    warnings.warn(f"`{old_name}` is deprecated", DeprecationWarning, stacklevel=2)
                kwargs[new_name] = kwargs.pop(old_name)
            return fun(*args, **kwargs)

        return wrapper

    return decorator


class deprecated:
    def __init__(self, extra=""):
        self.extra = extra

    def __call__(self, obj):
        return self._decorate_fun(obj)

    def _decorate_fun(self, fun):
        @functools.wraps(fun)
        def wrapped(*args, **kwargs):
            warnings.warn(self.extra, category=FutureWarning, stacklevel=2)
            return fun(*args, **kwargs)

        return wrapped


def deprecated_args(date, instructions, *names, **kwargs):
    def deprecated_wrapper(func):
        @functools.wraps(func)
        def new_func(*args, **kwargs):
            return func(*args, **kwargs)

        return new_func

    return deprecated_wrapper


class tf_export:
    def __init__(self, *names, v1=None):
        self.names = names

    def __call__(self, func):
        func._names = self.names
        return func


def doc_controls(func):
    func._do_not_document = True
    return func
