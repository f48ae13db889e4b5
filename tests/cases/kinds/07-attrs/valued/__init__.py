"""attrs in its old and new spelling."""

import attr
import attrs
from attr import Factory, attrib
from attrs import define, field, frozen, mutable

from .lookalike import define as not_attrs


@attr.s
class Old:
    x = attr.ib()
    _hidden = attr.ib(default=1)
    tags = attr.ib(factory=list)
    more = attrib(default=Factory(dict))
    skipped = attr.ib(init=False, default=5)
    not_a_field = 3
    annotated_only: int = 4

    @x.validator
    def _check(self, attribute, value):
        pass


@attr.attrs(auto_attribs=True)
class Auto:
    x: int
    y: int = 2
    z: list = attr.Factory(list)


@define
class New:
    a: int
    _b: str = "b"
    c: list = field(factory=list)
    d: int = field(alias="dee", default=4)
    e: int = field(init=False, default=5)
    f: int = field(kw_only=True)

    def method(self, q):
        return q


@frozen(kw_only=True)
class Keywords:
    a: int
    b: int = 2


@mutable
class Explicit:
    """One field without annotation: annotations alone make no fields any more."""

    a = field()
    b: int = 3
    c: int = field(default=4)


@attr.s
class Child(Old):
    y = attr.ib(default=None)
    _hidden = attr.ib(default=2)


@define
class Grown(New):
    g: int = 7


@attr.s(these={"p": attr.ib(), "q": attr.ib(default=2)})
class These:
    pass


@attr.dataclass
class Data:
    a: int
    b: int = 2


@define
class OwnInit:
    a: int

    def __init__(self, whole):
        self.a = whole


@attrs.define(init=False)
class NoInit:
    a: int = 1


@define
class WithDefault:
    a: int = field()

    @a.default
    def _make_a(self):
        return 3


Made = attr.make_class("Made", ["m", "n"])


@not_attrs
class Plain:
    """A near miss."""

    a: int
    b: int = 2

    def __init__(self, only):
        self.only = only
