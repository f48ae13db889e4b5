"""Bytes by half-open ranges, and which ranges to ask for."""

from __future__ import annotations

import io
import threading
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

from .archives import MIB, ArchiveError

GAP = 32 * 1024
"""Two members no further apart are fetched together: larger gaps fetch what we already have (measured)."""
LARGEST_RANGE = 4 * MIB
"""Past it a range is cut at a member, so that ranges go in parallel and memory stays bounded."""


class Source(Protocol):
    """The bytes of an artifact."""

    @property
    def size(self) -> int: ...

    @property
    def fetched(self) -> int: ...

    @property
    def sha256(self) -> str | None:
        """The digest that we computed, None if not all of it was read."""

    def read_many(self, ranges: Sequence[tuple[int, int]]) -> Iterator[bytes]:
        """Yield the bytes of half-open ranges, in order and in full."""

    def close(self) -> None: ...


class FileSource:
    """The bytes of an open file (seekable, binary).  Safe to share between threads."""

    def __init__(self, stream: io.BufferedIOBase, *, fetched: int = 0, sha256: str | None = None) -> None:
        self._stream = stream
        self._lock = threading.Lock()
        self.size = stream.seek(0, io.SEEK_END)
        self.fetched = fetched
        self.sha256 = sha256

    @property
    def stream(self) -> io.BufferedIOBase:
        """The file, for those who read it from the beginning."""
        return self._stream

    def read_many(self, ranges: Sequence[tuple[int, int]]) -> Iterator[bytes]:
        for start, stop in ranges:
            with self._lock:
                self._stream.seek(start)
                data = self._stream.read(stop - start)
            if len(data) != stop - start:
                raise ArchiveError("the file ends too early")
            yield data

    def close(self) -> None:
        self._stream.close()


class Extent(NamedTuple):
    """Where a member lies, half-open."""

    start: int
    stop: int
    path: str


def coalesce(
    extents: Iterable[Extent], *, gap: int = GAP, largest: int = LARGEST_RANGE
) -> list[list[Extent]]:
    """Group extents that one range should fetch: no gap is larger than `gap`, no group than `largest`.

    A single extent larger than `largest` is a group of its own.
    """
    groups: list[list[Extent]] = []
    for extent in sorted(extents):
        if groups:
            group = groups[-1]
            near = extent.start - group[-1].stop <= gap
            if near and extent.stop - group[0].start <= largest:
                group.append(extent)
                continue
        groups.append([extent])
    return groups
