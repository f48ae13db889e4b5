"""Enumerations made by calls."""

import enum
from enum import Enum, IntFlag

from .lookalike import Enum as Maker

NAMES = ["ONE", "TWO"]

Spaced = Enum("Spaced", "RED GREEN")
Commas = Enum("Commas", "RED, GREEN", module=__name__)
Listed = enum.IntEnum("Listed", ["LOW", "HIGH"], start=0)
Pairs = Enum("Pairs", [("A", 1), ("B", "two")])
Table = Enum("Table", {"X": 1, "Y": 2})
Named = Enum("Named", names=("NORTH", "SOUTH"))
Constant = IntFlag("Constant", NAMES)
Computed = Enum("Computed", [name.upper() for name in dir(enum) if name == "auto"])


class Holder:
    Inner = Enum("Inner", "UP DOWN")


# Near misses: a call of something else that is called Enum, and a look-up by value.
Other = Maker("Other", "RED GREEN")
member = Spaced(1)
