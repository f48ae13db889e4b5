"""`typing.NamedTuple`: the class form and the functional form."""

import typing as t
from typing import ClassVar, NamedTuple

from .lookalike import NamedTuple as Fake


class Employee(NamedTuple):
    name: str
    id: int = 3

    def greet(self, loud=False):
        return self.name


class Boss(Employee):
    """What it annotates is no field: only the class that names NamedTuple has fields."""

    extra: int = 0


Pair = NamedTuple("Pair", [("first", int), ("second", str)])
Triple = t.NamedTuple("Triple", (("a", int), ("b", int), ("c", int)))
Computed = NamedTuple("Computed", [(name, int) for name in sorted({"a", "b"})])


class OnTop(NamedTuple("_OnTop", [("lo", int), ("hi", int)])):
    def width(self):
        return self.hi - self.lo


class Plain(Fake):
    """A near miss: annotations of a class of another base are no parameters."""

    name: str
    id: int = 3
