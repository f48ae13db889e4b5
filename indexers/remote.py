"""Artifacts on a server, read by byte ranges where the server has them."""

from __future__ import annotations

import contextlib
import hashlib
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError, Future

from .archives import ArchiveError, FetchError
from .artifacts import ArtifactFile
from .connections import CONNECTIONS
from .ranges import FileSource
from .transfer import NoRanges, Transfer, check_hash

TAIL = 256 * 1024
"""Holds the central directory of every wheel measured, and RECORD of most."""


class RemoteSource:
    """The bytes of an artifact on a server: by ranges, or whole where the server has none."""

    def __init__(self, transfer: Transfer, file: ArtifactFile) -> None:
        self._transfer = transfer
        self._file = file
        self._lock = threading.Lock()
        self._whole: FileSource | None = None
        self.fetched = 0
        self.sha256: str | None = None
        self._tail, self._tail_start = b"", 0
        try:
            # A size that the index states allows the plainer form, which more servers know.
            start, stop = (-TAIL, None) if file.size is None else (max(0, file.size - TAIL), file.size)
            self._tail, self.size = transfer.range(file.url, start, stop, self._counted)
        except NoRanges:
            self.size = self._download().size
        if file.size not in (None, self.size):
            raise ArchiveError(f"{file.filename}: {self.size:,} bytes, where the index says {file.size:,}")
        self._tail_start = self.size - len(self._tail)
        if self._tail_start == 0 and self._tail:
            self.sha256 = hashlib.sha256(self._tail).hexdigest()
            check_hash(file, self.sha256)

    def read_many(self, ranges: Sequence[tuple[int, int]]) -> Iterator[bytes]:
        """Yield the bytes of half-open ranges, in order; up to 8 are on their way at a time."""
        waiting: deque[Future[bytes]] = deque()
        try:
            for start, stop in ranges:
                if len(waiting) >= CONNECTIONS:
                    yield waiting.popleft().result()
                waiting.append(self._begin(start, stop))
            while waiting:
                yield waiting.popleft().result()
        except CancelledError as error:
            raise FetchError(f"{self._file.filename}: the index was closed while it was read") from error
        finally:
            for future in waiting:
                future.cancel()

    def close(self) -> None:
        """Give the buffers back."""
        self._tail = b""
        if self._whole:
            self._whole.close()

    def _begin(self, start: int, stop: int) -> Future[bytes]:
        if start < self._tail_start:
            return self._transfer.submit(self._fetch, start, stop)
        known: Future[bytes] = Future()
        known.set_result(self._tail[start - self._tail_start : stop - self._tail_start])
        return known

    def _fetch(self, start: int, stop: int) -> bytes:
        end = min(stop, self._tail_start)
        if self._whole is None:
            with contextlib.suppress(NoRanges):
                data, size = self._transfer.range(self._file.url, start, end, self._counted)
                if size != self.size:
                    raise FetchError(f"{self._file.filename} changed on the server while it was read")
                return data + self._tail[: stop - end]
        (data,) = self._download().read_many([(start, stop)])
        return data

    def _download(self) -> FileSource:
        with self._lock:
            if self._whole is None:
                self._whole = self._transfer.download(self._file)
                self.fetched += self._whole.fetched
                self.sha256 = self._whole.sha256
            return self._whole

    def _counted(self, size: int) -> None:
        with self._lock:
            self.fetched += size
