"""Named tuples made by calls: fields, what every named tuple has, and the constructor."""

import collections
from collections import namedtuple

from .factory import namedtuple as ours

FIELDS = ("left", "right")

Spaced = namedtuple("Spaced", "x y")
Commas = collections.namedtuple("Commas", "x, y")
Listed = namedtuple("Listed", ["x", "y"], defaults=[0])
Constant = namedtuple("Constant", FIELDS, defaults=(None,) * 2)
Renamed = namedtuple("Renamed", ["x", "class", "x", "_y"], rename=True)
Grown = namedtuple("Grown", FIELDS + ("middle",))
Computed = namedtuple("Computed", sorted(set("ab")))


class Point(namedtuple("Point", "x y")):
    """A class on top of one."""

    __slots__ = ()

    def norm(self):
        return self.x + self.y


class Padded(namedtuple("_Padded", ["value", "width"])):
    def __new__(cls, value, width=2):
        return super().__new__(cls, value, width)


class Holder:
    Inner = namedtuple("Inner", "a b")


# A near miss: another callable of that name, that gives no class.
Other = ours("Other", "x y")
