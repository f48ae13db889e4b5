import functools
import warnings


def deprecate_kwarg(old_arg_name=None, new_arg_name=None, mapping=None, stacklevel=2, **options):
    names = old_arg_name if isinstance(old_arg_name, dict) else options.get("kwarg_mapping")
    if names is None:
        names = {old_arg_name: new_arg_name}

    def decorate(func):
        @functools.wraps(func)
        def wrapper(*args, **kwargs):
            for old, new in names.items():
                if old in kwargs:
                    warnings.warn(f"the {old!r} keyword is deprecated", FutureWarning, stacklevel=stacklevel)
                    value = kwargs.pop(old)
                    if new is not None:
                        kwargs[new] = value
            return func(*args, **kwargs)

        return wrapper

    return decorate


class deprecate_multichannel_kwarg:
    def __init__(self, multichannel_position=None):
        self.position = multichannel_position

    def __call__(self, func):
        @functools.wraps(func)
        def fixed_func(*args, **kwargs):
            if "multichannel" in kwargs:
                warnings.warn("`multichannel` is a deprecated argument", FutureWarning, stacklevel=2)
                kwargs["channel_axis"] = -1 if kwargs.pop("multichannel") else None
            return func(*args, **kwargs)

        return fixed_func


def remove_arg(arg_name, *, changed_version):
    def decorate(func):
        @functools.wraps(func)
        def wrapper(*args, **kwargs):
            if arg_name in kwargs:
                warnings.warn(f"{arg_name} is removed in {changed_version}", FutureWarning, stacklevel=2)
            return func(*args, **kwargs)

        return wrapper

    return decorate
