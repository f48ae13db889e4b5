"""Protocols, and classes that only look like them."""

import typing
from typing import Protocol, TypeVar

from .own import Protocol as Lookalike

T = TypeVar("T", covariant=True)


class Reader(Protocol):
    name: str

    def read(self, size=-1): ...


class Source(typing.Protocol[T]):
    def get(self): ...


class Made(Protocol):
    def __init__(self, path): ...


class Near(Lookalike):
    """A near miss: `Protocol` is a class of the package."""
