"""Dataclasses: fields, what is no field, and the constructor that is generated."""

import dataclasses
import typing as t
from collections import OrderedDict
from dataclasses import KW_ONLY, InitVar, dataclass, field
from typing import ClassVar

from .lookalike import dataclass as not_a_dataclass


@dataclass
class Base:
    name: str
    size: int = 3
    tags: list = field(default_factory=list)
    cache: dict = field(default_factory=dict, init=False)
    seed: InitVar[int] = 0
    LIMIT: ClassVar[int] = 5
    OTHER: "t.ClassVar[int]" = 6
    plain = 7

    def __post_init__(self, seed):
        self.total = seed

    @property
    def label(self):
        return self.name


@dataclass
class Child(Base):
    size: int = 9
    extra: str = "e"


@dataclasses.dataclass(frozen=True, order=True)
class Keywords:
    a: int
    _: KW_ONLY
    b: int
    c: int = field(default=2, kw_only=False)


@dataclass(kw_only=True)
class AllKeywords:
    a: int = 1
    b: int = field(kw_only=False)


@dataclass
class Between(AllKeywords):
    c: int


class Undecorated(Base):
    ignored: float = 1.0


@dataclass
class Decorated(Undecorated):
    more: int = 1


@dataclass(init=False)
class NoInit:
    a: int

    def __init__(self, other):
        self.a = other


@dataclass(init=False)
class Nothing:
    a: int = 1


@dataclass
class OwnInit:
    a: int

    def __init__(self, z):
        self.a = z


@dataclass
class Needs:
    first: InitVar[int]
    second: int


@dataclass
class OfStdlib(OrderedDict):
    loss: float = None
    logits: float = None


Made = dataclasses.make_dataclass("Made", ["x", ("y", int), ("z", int, field(default=3))])


@not_a_dataclass
class Plain:
    """A near miss: a decorator of that name which generates nothing."""

    a: int
    b: int = 2

    def __init__(self, only):
        self.only = only


@dataclass
class Later:
    """Another near miss: what is assigned after the class is an attribute, and no field."""

    a: int = 1


Later.b = 2
