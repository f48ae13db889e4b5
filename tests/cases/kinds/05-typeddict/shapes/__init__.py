"""TypedDicts: their keys are no attributes."""

import typing
from typing import TypedDict

from .lookalike import TypedDict as Fake


class Movie(TypedDict):
    title: str
    year: int


class Sequel(Movie, total=False):
    part: int


Options = TypedDict("Options", {"width": int, "in": str})
More = typing.TypedDict("More", {"depth": int}, total=False)


class Holder:
    movie: Movie = {}


class Plain(Fake):
    """A near miss: annotations of an ordinary class are what its instances have."""

    title: str = ""
    year: int = 0
