import functools
import inspect
import warnings


def deprecate_nonkeyword_arguments(version, allowed_args=None, name=None):
    def decorate(func):
        old_sig = inspect.signature(func)
        if allowed_args is not None:
            allow_args = allowed_args
        else:
            allow_args = [
                p.name
                for p in old_sig.parameters.values()
                if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and p.default is p.empty
            ]
        new_params = [
            p.replace(kind=p.KEYWORD_ONLY)
            if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and p.name not in allow_args
            else p
            for p in old_sig.parameters.values()
        ]
        new_params.sort(key=lambda p: p.kind)

        @functools.wraps(func)
        def wrapper(*args, **kwargs):
            if len(args) > len(allow_args):
                warnings.warn("they will be keyword-only", FutureWarning, stacklevel=2)
            return func(*args, **kwargs)

        wrapper.__signature__ = old_sig.replace(parameters=new_params)
        return wrapper

    return decorate


def add_data(func=None, *, replace_names=None):
    if func is None:
        return functools.partial(add_data, replace_names=replace_names)
    signature = inspect.signature(func)
    parameters = list(signature.parameters.values())
    data = inspect.Parameter("data", inspect.Parameter.KEYWORD_ONLY, default=None)
    parameters.insert(len(parameters) - 1, data)

    @functools.wraps(func)
    def inner(ax, *args, data=None, **kwargs):
        return func(ax, *args, **kwargs)

    inner.__signature__ = signature.replace(parameters=parameters)
    return inner
