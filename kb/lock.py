"""One writer at a time, and whoever waits is told who writes."""

from __future__ import annotations

import fcntl
import os
import socket
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from .errors import StoreError

_PAUSE = 0.05


class WriterLock:
    """The lock file beside a knowledge base.  The kernel lets go of it when its holder dies."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(f"{os.fspath(path)}.lock")
        self._descriptor: int | None = None

    def acquire(self, timeout: float | None = None, on_wait: Callable[[str], None] | None = None) -> Self:
        """Wait for the lock, at most `timeout` seconds; `on_wait` is called once, with the holder's name.

        Raises `StoreError` when the time is over or the lock file cannot be made.
        """
        descriptor = self._open()
        until = None if timeout is None else time.monotonic() + timeout
        told = False
        while not _try(descriptor):
            if on_wait is not None and not told:
                on_wait(self.holder())
                told = True
            if until is not None and time.monotonic() >= until:
                os.close(descriptor)
                raise StoreError(
                    f"{self.path} is held by {self.holder()}",
                    hint="wait for that process to finish, or use another file with --kb",
                )
            time.sleep(_PAUSE)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"process {os.getpid()} on {socket.gethostname()}\n".encode(), 0)
        self._descriptor = descriptor
        return self

    def _open(self) -> int:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            return os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except OSError as error:
            raise StoreError(f"cannot write beside {self.path}: {error.strerror}") from error

    def holder(self) -> str:
        """Who holds the lock, as it wrote itself down."""
        try:
            return self.path.read_text(errors="replace").strip() or "another process"
        except OSError:
            return "another process"

    def release(self) -> None:
        """Let go.  The lock file stays: removing it would let two writers hold two files."""
        if self._descriptor is not None:
            os.ftruncate(self._descriptor, 0)
            os.close(self._descriptor)
            self._descriptor = None

    def __enter__(self) -> Self:
        return self if self._descriptor is not None else self.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


def _try(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
