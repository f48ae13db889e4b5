"""Decorators of the package itself: those that keep a signature, replace it, or add to it."""

import contextlib
import functools

from .deco import (
    adds_keyword, command, configurable, fixed, fixed_factory, generic, kept, optional, pops, registers, renames, with_session,
)


@kept
def a(x, y=1):
    return x


@fixed
def b(x, y=1):
    """What is called is the wrapper, which has parameters of its own."""
    return x


@fixed_factory("name")
def c(x, y=1):
    return x


@generic
def d(x, y=1):
    """The wrapper takes anything and hands it on."""
    return x


@adds_keyword
def e(x):
    return x


@configurable(level=3)
def f(x, y=1):
    return x


@registers("key")
def g(x, y=1):
    return x


@contextlib.contextmanager
def h(x, y=1):
    yield x


@functools.singledispatch
def i(x, y=1):
    return x


@pops
def j(x):
    return x


@renames("colour", "color")
def k(color=None):
    return color


@command("l")
def l(x, y=1):
    return x


@optional
def m(x):
    return x


@optional(level=2)
def n(x):
    return x


def o(x, y=1):
    return x


o = fixed_factory("o")(kept(o))


def p(x, y=1):
    """A near miss: it is wrapped, and stays what it is."""
    return x


p = configurable(level=1)(p)


class Tool:
    @kept
    def one(self, x):
        return x

    @fixed
    def two(self, x, z):
        return x

    @classmethod
    @kept
    def three(cls, x):
        return x

    @staticmethod
    @registers("other")
    def four(x):
        return x
