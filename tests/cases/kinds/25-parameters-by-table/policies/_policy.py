import functools
import inspect

_name = "axis"


def _get_axis(default_axis=0, _name=_name):
    return "about it", inspect.Parameter(_name, inspect.Parameter.KEYWORD_ONLY, default=default_axis)


_name = "nan_policy"
_nan_policy = inspect.Parameter(_name, inspect.Parameter.KEYWORD_ONLY, default="propagate")


def axis_policy(tuple_to_result, default_axis=0):
    def decorator(func):
        @functools.wraps(func)
        def wrapper(*args, _no_deco=False, **kwds):
            return func(*args, **kwds)

        _doc, _axis = _get_axis(default_axis)
        signature = inspect.signature(wrapper)
        parameters = signature.parameters
        listed = list(parameters.values())
        if "axis" not in parameters:
            listed.append(_axis)
        if "nan_policy" not in parameters:
            listed.append(_nan_policy)
        wrapper.__signature__ = signature.replace(parameters=listed)
        return wrapper

    return decorator


def renamed(old_name, *, position_num=None):
    def decorator(func):
        @functools.wraps(func)
        def wrapper(*args, **kwargs):
            if old_name in kwargs:
                kwargs["rng"] = kwargs.pop(old_name)
            return func(*args, **kwargs)

        signature = inspect.signature(func)
        wrapper.__signature__ = signature.replace(
            parameters=[
                *signature.parameters.values(),
                inspect.Parameter(old_name, inspect.Parameter.KEYWORD_ONLY, default=None),
            ]
        )
        return wrapper

    return decorator


def no_policy(tuple_to_result):
    def decorator(func):
        @functools.wraps(func)
        def wrapper(*args, **kwds):
            return func(*args, **kwds)

        return wrapper

    return decorator
