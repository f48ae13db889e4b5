"""`partial`, `partialmethod`, and methods that are assigned."""

import functools
from functools import cached_property, partial, partialmethod, singledispatchmethod

from .lookalike import partial as not_partial
from .steps import Maker, build, run


def base(a, b, c=3, *, d=4, **rest):
    return a


def posonly(a, b, /, c):
    return a


first = partial(base, 1)
keyword = partial(base, b=2)
both = functools.partial(base, 1, c=5, d=6)
elsewhere = partial(run, 1, verbose=True)
module_path = partial(build, size=3)
of_class = partial(Maker, 2)
positional = partial(posonly, 1)
spread = partial(base, *[1, 2])
of_lambda = partial(lambda x, y: x, 1)


def _get_width(self):
    return 1


def helper(x, y=1):
    return x


class Cell:
    def set_state(self, state, loud=False):
        return state

    set_alive = partialmethod(set_state, True)
    set_loud = partialmethod(set_state, loud=True)
    width = property(_get_width)
    read_only = property(lambda self: 1)

    def _get_depth(self):
        return 1

    def _set_depth(self, value):
        self._depth = value

    depth = property(_get_depth, _set_depth)

    @cached_property
    def area(self):
        return 1

    def eval_(self, x, y=2):
        return x

    evaluate = eval_
    outside = helper
    static = staticmethod(helper)
    unbound = classmethod(helper)

    def make(cls, size):
        return cls

    make = classmethod(make)

    def count(items):
        return 1

    count = staticmethod(count)


Cell.height = property(_get_width)
Cell.patched = helper

# A near miss: something else that is called partial.
other = not_partial(base, 1)
