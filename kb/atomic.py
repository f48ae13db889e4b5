"""Copying a file beside itself and putting the copy in its place."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
from pathlib import Path

_FICLONE = 0x40049409


def copy_file(source: Path, target: Path) -> None:
    """Copy, as a reflink where the file system has them."""
    with source.open("rb") as read, target.open("wb") as write:
        try:
            fcntl.ioctl(write.fileno(), _FICLONE, read.fileno())
        except OSError:
            shutil.copyfileobj(read, write, 1 << 20)


def temporary_path(path: Path) -> Path:
    """Where a writer builds the file that will replace `path`."""
    return path.with_name(f".{path.name}.{os.getpid()}.tmp")


def remove_leftovers(path: Path, *, keep: Path | None = None) -> None:
    """Remove what writers left behind, killed ones too, all but `keep`.  Under the writer lock only."""
    for leftover in path.parent.glob(f".{path.name}.*.tmp*"):
        if leftover == keep:
            continue
        with contextlib.suppress(OSError):
            if leftover.is_dir():
                shutil.rmtree(leftover)
            else:
                leftover.unlink()


def replace_file(temporary: Path, path: Path) -> None:
    """Put a finished file in the place of another, so that it survives a loss of power."""
    _sync(temporary)
    temporary.replace(path)
    _sync(path.parent)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
