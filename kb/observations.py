"""What was read: the values that the indexers hand over and the store keeps.

A release is a set of **blocks**.  A block is what one source file contributes, with
its imports resolved; it is named by a digest, and the same block serves every
release in which file and resolved imports are the same.  Folding works on blocks,
so its cost follows what changed, not what was released.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from .releases import Release
from .symbols import SymbolState


class ModuleStatus(StrEnum):
    """Whether a module of an artifact could be read."""

    OK = "ok"
    SKIPPED = "skipped"
    """Left out by rule (a test suite)."""
    COMPILED = "compiled"
    """An extension module without stub or Cython source."""
    FAILED = "failed"
    """It is there and no parser could read it, or a limit stopped the reading."""


class ModuleRead(NamedTuple):
    """How one module of one release was read."""

    module: str
    file: str
    status: str = ModuleStatus.OK
    parser: str | None = None
    detail: str | None = None


class Row(NamedTuple):
    """One path of a block: qualified name, state and line of its definition (1-based, 0 unknown)."""

    symbol: str
    state: SymbolState
    line: int = 0


class Block(NamedTuple):
    """What one file contributes to a release."""

    file: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class ReleaseObservation:
    """One release: its modules and the digests of its blocks (none where it was not read)."""

    release: Release
    modules: tuple[ModuleRead, ...] = ()
    blocks: tuple[bytes, ...] = ()


Texts = Callable[[Sequence[str]], dict[str, str]]
"""Finds docstrings by hash; those that are not known are left out of the answer."""


def no_texts(names: Sequence[str]) -> dict[str, str]:
    """Knows no docstring."""
    return {}


@dataclass(slots=True)
class ProjectObservation:
    """A project: its releases in any order, and every block that they name.

    States name docstrings by hash; `docstrings` has the texts.  They are asked for a few at a time, since
    those of a large project would fill the memory.
    """

    project: str
    releases: list[ReleaseObservation] = field(default_factory=list)
    blocks: dict[bytes, Block] = field(default_factory=dict)
    docstrings: Texts = field(default=no_texts, compare=False, repr=False)
