import functools
import inspect


def rename_parameter(since, old, new, func=None):
    if func is None:
        return functools.partial(rename_parameter, since, old, new)

    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        if old in kwargs:
            kwargs[new] = kwargs.pop(old)
        return func(*args, **kwargs)

    return wrapper


def delete_parameter(since, name, func=None, **kwargs):
    if func is None:
        return functools.partial(delete_parameter, since, name, **kwargs)

    @functools.wraps(func)
    def wrapper(*inner_args, **inner_kwargs):
        return func(*inner_args, **inner_kwargs)

    return wrapper


def make_keyword_only(since, name, func=None):
    if func is None:
        return functools.partial(make_keyword_only, since, name)

    signature = inspect.signature(func)
    names = [*signature.parameters]
    kwonly = names[names.index(name) :]

    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        return func(*args, **kwargs)

    wrapper.__signature__ = signature.replace(
        parameters=[
            param.replace(kind=inspect.Parameter.KEYWORD_ONLY) if param.name in kwonly else param
            for param in signature.parameters.values()
        ]
    )
    return wrapper


def adds_data(func=None):
    if func is None:
        return functools.partial(adds_data)

    signature = inspect.signature(func)
    added = inspect.Parameter("data", inspect.Parameter.KEYWORD_ONLY, default=None)

    @functools.wraps(func)
    def inner(*args, data=None, **kwargs):
        return func(*args, **kwargs)

    inner.__signature__ = signature.replace(parameters=[*signature.parameters.values(), added])
    return inner


def define_aliases(alias_d, cls=None):
    if cls is None:
        return functools.partial(define_aliases, alias_d)

    def make_alias(name):
        @functools.wraps(getattr(cls, name))
        def method(self, *args, **kwargs):
            return getattr(self, name)(*args, **kwargs)

        return method

    for prop, aliases in alias_d.items():
        for prefix in ["get_", "set_"]:
            if prefix + prop in vars(cls):
                for alias in aliases:
                    method = make_alias(prefix + prop)
                    method.__name__ = prefix + alias
                    setattr(cls, prefix + alias, method)
    return cls
