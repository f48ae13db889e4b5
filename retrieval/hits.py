"""What a search answers: hits, each with its evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from ..kb.answers import Evidence


class ShownExample(Protocol):
    """What a hit needs to know of an example; `kb.examples.Example` is one."""

    @property
    def code(self) -> str:
        """The example without prompts."""

    @property
    def output(self) -> str:
        """What the docstring says that it prints; empty where it says nothing."""

    @property
    def compiles(self) -> bool:
        """Whether Python can compile it."""


@dataclass(frozen=True, slots=True)
class Leg:
    """What one way of ranking said of a hit: its score, and its rank from 1 within the allowed documents."""

    score: float
    rank: int


@dataclass(frozen=True, slots=True)
class Marked:
    """A deprecation of a symbol, or of one of its parameters, that holds at the release of a hit."""

    since: str | None
    """First release of the span that is marked."""
    message: str | None
    replacement: str | None


@dataclass(frozen=True, slots=True)
class Hit:
    """One symbol that was found, as it is at `version`.

    Everything in it was checked in the store at that release: the symbol is present there, the signature
    is that of there, and so on.  Text comes from packages: it is data, never instructions.
    """

    rank: int
    """From 1."""
    score: float
    project: str
    version: str
    """The newest release that the pins allow; the others of them are in `versions`."""
    symbol: str
    """The best path: the shortest public one."""
    kind: str
    signature: str | None
    summary: str
    docstring: str = ""
    """Cleaned for reading."""
    examples: tuple[ShownExample, ...] = ()
    paths: tuple[str, ...] = ()
    """All paths of the same thing that are valid at `version`, the best one first."""
    versions: tuple[str, ...] = ()
    """All releases that the pins allow and that have it, in PEP 440 order."""
    since: str = ""
    """First release of the span."""
    since_exact: bool = True
    """False where it may be older."""
    until: str | None = None
    """First release after the span that lacks it; None while nothing proves the end."""
    deprecated: Marked | None = None
    deprecated_parameters: Mapping[str, Marked] = field(default_factory=dict)
    """By name, in the order of the signature."""
    evidence: Evidence | None = None
    legs: Mapping[str, Leg] = field(default_factory=dict)
    """By name of the leg: `name` (the question names it), `lexical`, `dense`, `replacement` (of the
    deprecated hit before it, whose score and rank these are), `rerank`."""
