"""What the main process and its workers tell each other, and the two calls that workers carry out.

The main process never loads what reads source files: that is done once, in the process that the
workers are forked from.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..kb.observations import ModuleRead


class SourceFile(NamedTuple):
    """A file to parse, with its content."""

    key: bytes
    module: str
    is_init: bool
    role: str
    data: bytes
    pxd: bytes | None = None
    included: tuple[tuple[str, bytes], ...] = ()


class PlannedFile(NamedTuple):
    """A file of a release whose facts are, or should be, in the cache; `reason` where they cannot be."""

    module: str
    path: str
    role: str
    is_init: bool
    key: bytes
    reason: str | None = None


class Plan(NamedTuple):
    """What a release is assembled from; plain, so that the cache can keep it."""

    files: tuple[PlannedFile, ...]
    skipped: tuple[tuple[str, str], ...] = ()
    native_packages: tuple[str, ...] = ()


class Assembled(NamedTuple):
    """A release's modules and blocks; a block is None where this worker sent it before."""

    modules: tuple[ModuleRead, ...]
    blocks: list[tuple[bytes, Any]]
    missing: tuple[bytes, ...] = ()
    seconds: float = 0.0
    """CPU time that it took."""


class Parsed(NamedTuple):
    """How many files could be read, and the CPU time that it took."""

    readable: int
    seconds: float


def parse_files(files: Sequence[SourceFile]) -> Parsed:
    """`tasks.parse_files`, for a worker."""
    from . import tasks

    return tasks.parse_files(files)


def assemble(project: str, plan: Plan) -> Assembled:
    """`tasks.assemble`, for a worker."""
    from . import tasks

    return tasks.assemble(project, plan)
