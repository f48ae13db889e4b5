import functools
import warnings


def deprecate_nonkeyword_arguments(version, allowed_args=None, name=None):
    def decorate(func):
        @functools.wraps(func)
        def wrapper(*args, **kwargs):
            if len(args) > len(allowed_args):
                warnings.warn("they will be keyword-only", FutureWarning, stacklevel=2)
            return func(*args, **kwargs)

        return wrapper

    return decorate
