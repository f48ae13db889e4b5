"""Enumerations as classes: what their bodies list are members, unless Python says otherwise."""

import enum
from enum import Enum, Flag, IntEnum, auto, member, nonmember
from enum import StrEnum as TextEnum

from .lookalike import Enum as NotEnum


class Color(Enum):
    _ignore_ = ["helper", "i"]
    helper = {}
    for i in range(2):
        helper[i] = i
    RED = 1
    GREEN = auto()
    CRIMSON = RED
    LIMIT = nonmember(10)

    @member
    def PAINT():
        return 1

    def mix(self, other):
        return self

    @classmethod
    def parse(cls, text):
        return cls.RED

    @property
    def hex(self):
        return ""


class Access(Flag):
    READ = auto()
    WRITE = auto()
    BOTH = READ | WRITE


class Level(IntEnum):
    LOW = 0
    HIGH = 1


class Word(TextEnum):
    _ignore_ = "scratch"
    scratch = "x"
    YES = auto()


class Base(enum.Enum):
    def describe(self):
        return self.name


class Planet(Base):
    EARTH = (1.0, 2.0)

    def __init__(self, mass, radius):
        self.mass = mass
        self.radius = radius


class Plain(NotEnum):
    """A near miss: its base is only called Enum, so nothing is ignored here."""

    _ignore_ = ["helper"]
    helper = 1
    RED = 1
