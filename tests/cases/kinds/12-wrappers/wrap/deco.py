import functools
from functools import wraps


def kept(func):
    @wraps(func)
    def wrapper(*args, **kwargs):
        return func(*args, **kwargs)

    return wrapper


def fixed(func):
    def wrapper(first, second=None):
        return func(first)

    return wrapper


def fixed_factory(name):
    def decorate(func):
        def wrapper(value, *, flag=False):
            return func(value)

        wrapper.__name__ = name
        return wrapper

    return decorate


def generic(func):
    def wrapper(*args, **kwargs):
        return func(*args, **kwargs)

    return wrapper


def adds_keyword(func):
    def wrapper(*args, verbose=False, **kwargs):
        return func(*args, **kwargs)

    return wrapper


def configurable(level=0):
    def decorate(func):
        @functools.wraps(func)
        def wrapper(*args, **kwargs):
            return func(*args, **kwargs)

        return wrapper

    return decorate


def registers(key):
    def decorate(func):
        TABLE[key] = func
        return func

    return decorate


def pops(func):
    @wraps(func)
    def wrapper(*args, **kwargs):
        kwargs.pop("legacy", None)
        return func(*args, **kwargs)

    return wrapper


def renames(old, new):
    def decorate(func):
        @wraps(func)
        def wrapper(*args, **kwargs):
            if old in kwargs:
                kwargs[new] = kwargs.pop(old)
            return func(*args, **kwargs)

        return wrapper

    return decorate


def with_session(func):
    @wraps(func)
    def wrapper(*args, **kwargs):
        return func(None, *args, **kwargs)

    return wrapper


TABLE = {}


def command(name):
    """Near misses: what is made is neither the function nor a wrapper that is written here."""

    def decorate(func):
        made = Command(name, func)
        return made

    return decorate


class Command:
    def __init__(self, name, func):
        self.func = func

    def __call__(self, *args, **kwargs):
        return self.func(*args, **kwargs)


def optional(func=None, *, level=0):
    def decorate(func):
        def wrapper(only, *, loud=False):
            return func(only)

        return wrapper

    if func is not None:
        return decorate(func)
    return decorate
