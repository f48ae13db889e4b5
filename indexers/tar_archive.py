"""Sdists in tar files: listed and read in one pass, never unpacked to disk.

A compressed tar has no directory, so listing it means decompressing it.  The members that
apikb reads are kept during that pass (in memory, beyond 16 MiB in one nameless temporary
file); others are found again by a second pass.
"""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import lzma
import tarfile
import tempfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import IO, NamedTuple, cast

from .archives import (
    DEFAULT_LIMITS,
    MIB,
    ArchiveError,
    Limits,
    Member,
    Refused,
    find_top_level,
    label,
    member_path,
    no_space_is_no_fault_of_the_archive,
    parse_top_level,
    size_text,
    top_folder,
)
from .artifacts import ArtifactFile
from .ranges import FileSource

KEPT_SUFFIXES = (".py", ".pyi", ".pyx", "/top_level.txt")
_KEPT_IN_MEMORY = 16 * MIB
_LARGEST_READ = 64 * MIB
_CHUNK = 1 * MIB
_BROKEN = (tarfile.TarError, EOFError, OSError, zlib.error, lzma.LZMAError, ValueError, RecursionError)


class _Kept(NamedTuple):
    size: int
    crc32: int | None
    offset: int | None
    """Where its content lies among the kept; None if it was not kept."""


class TarArchive:
    """An open tar, compressed or not.  Not to be read from two threads at once.

    Raises:
        ArchiveError: it is no tar, malformed, truncated, or passes a limit.
    """

    def __init__(self, file: ArtifactFile, source: FileSource, limits: Limits = DEFAULT_LIMITS) -> None:
        self._source = source
        self._limits = limits
        self._handed_out = 0
        self._spool = cast("IO[bytes]", tempfile.SpooledTemporaryFile(_KEPT_IN_MEMORY))  # noqa: SIM115
        self.refused: dict[str, str] = {}
        found = self._list()
        prefix = top_folder(found)
        self._prefix = prefix
        self._entries = {path.removeprefix(prefix): found[path] for path in sorted(found)}
        self.refused = {path.removeprefix(prefix): reason for path, reason in self.refused.items()}
        self.members: list[Member] = [
            Member(path, kept.size, kept.crc32) for path, kept in self._entries.items()
        ]
        names = find_top_level(self._entries, ".egg-info")
        text = dict(self.read([names])) if names else {}
        self.top_level = parse_top_level(text[names]) if names in text else None
        self.file = replace(file, sha256=file.sha256 or source.sha256, size=source.size)

    @property
    def fetched(self) -> int:
        """Bytes that came over the network so far."""
        return self._source.fetched

    def close(self) -> None:
        """Give the files back."""
        self._spool.close()
        self._source.close()

    def read(self, paths: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """Yield the content of members, as `Archive.read` says: the kept ones first."""
        unkept: set[str] = set()
        for path in sorted(set(paths)):
            if path in self.refused:
                continue
            kept = self._entries[path]
            if kept.size > self._limits.member_bytes:
                self.refused[path] = f"{size_text(kept.size)} is over the limit for one file"
                continue
            self._handed_out += kept.size
            if self._handed_out > self._limits.total_bytes:
                raise ArchiveError(f"its files unpack to more than {size_text(self._limits.total_bytes)}")
            if kept.offset is None:
                unkept.add(path)
                continue
            self._spool.seek(kept.offset)
            yield path, self._spool.read(kept.size)
        if unkept:
            yield from self._read_again(unkept)

    def _read_again(self, wanted: set[str]) -> Iterator[tuple[str, bytes]]:
        latest: dict[str, bytes] = {}
        for tar, info, path in self._walk():
            short = path.removeprefix(self._prefix)
            if short in wanted:
                latest[short] = _content(tar, info)
        yield from sorted(latest.items())

    def _list(self) -> dict[str, _Kept]:
        found: dict[str, _Kept] = {}
        for tar, info, path in self._walk(note_refused=True):
            kept = self._keep(tar, info, path)
            before = found.setdefault(path, kept)
            if (before.size, before.crc32) != (kept.size, kept.crc32):
                self.refused[path] = "the archive holds it twice, with different content"
        return {path: kept for path, kept in found.items() if path not in self.refused}

    def _keep(self, tar: tarfile.TarFile, info: tarfile.TarInfo, path: str) -> _Kept:
        if not path.endswith(KEPT_SUFFIXES) or info.size > self._limits.member_bytes:
            return _Kept(info.size, None, None)
        content = _content(tar, info)
        offset = self._spool.tell()
        if offset + len(content) > self._limits.total_bytes:
            raise ArchiveError(f"its files unpack to more than {size_text(self._limits.total_bytes)}")
        with no_space_is_no_fault_of_the_archive():
            self._spool.write(content)
        return _Kept(len(content), zlib.crc32(content), offset)

    def _walk(self, *, note_refused: bool = False) -> Iterator[tuple[tarfile.TarFile, tarfile.TarInfo, str]]:
        """Yield the regular members and their whole paths, errors translated, limits held."""
        limits = self._limits
        most = min(limits.unpacked_bytes, max(64 * MIB, limits.ratio * self._source.size))
        with _translated():
            stream = _Forward(_decompressed(self._source.stream), most)
            with tarfile.open(fileobj=cast("IO[bytes]", stream), mode="r:") as tar:
                for count, info in enumerate(tar):
                    if count >= limits.members:
                        raise ArchiveError(f"it holds more than {limits.members:,} files")
                    if info.isdir():
                        continue
                    try:
                        path = member_path(info.name, limits)
                        _check_kind(info)
                    except Refused as error:
                        if note_refused:
                            self.refused[label(info.name)] = str(error)
                        continue
                    yield tar, info, path


@contextlib.contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except _BROKEN as error:
        raise ArchiveError(f"not a readable tar file ({str(error) or type(error).__name__})") from error


def _check_kind(info: tarfile.TarInfo) -> None:
    if info.issym() or info.islnk():
        raise Refused("a link")
    if not info.isreg() or info.issparse():
        raise Refused("not a regular file")
    if info.size < 0:
        raise Refused("its size is negative")


def _content(tar: tarfile.TarFile, info: tarfile.TarInfo) -> bytes:
    with _translated():
        stream = tar.extractfile(info)
        content = stream.read() if stream else b""
    if len(content) != info.size:
        raise ArchiveError(f"{label(info.name)}: the archive ends too early")
    return content


def _decompressed(stream: io.BufferedIOBase) -> IO[bytes]:
    """Open by content, not by name: old indexes hold plain tars named .tar.gz."""
    stream.seek(0)
    magic = stream.read(6)
    stream.seek(0)
    raw = cast("IO[bytes]", stream)
    if magic.startswith(b"\x1f\x8b"):
        return cast("IO[bytes]", gzip.GzipFile(fileobj=raw, mode="rb"))
    if magic.startswith(b"BZh"):
        return cast("IO[bytes]", bz2.BZ2File(raw))
    if magic.startswith(b"\xfd7zXZ"):
        return cast("IO[bytes]", lzma.LZMAFile(raw))
    return raw


class _Forward:
    """A file that only goes forward, up to a limit.

    `tarfile` reads the headers that describe other headers (long names, pax records) whole,
    whatever size they declare, and older ones follow a negative size backwards for ever.
    """

    def __init__(self, stream: IO[bytes], most: int) -> None:
        self._stream = stream
        self._most = most
        self._position = 0
        self._last = b""
        self._behind = False

    def tell(self) -> int:
        return self._position

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        if offset == self._position - 1 and self._last and not self._behind:
            # tarfile looks at the byte before the next header.
            self._behind = True
            self._position = offset
        if whence != io.SEEK_SET or offset < self._position:
            raise ArchiveError("its headers point backwards")
        while self._position < offset and self.read(min(_CHUNK, offset - self._position)):
            pass
        return self._position

    def read(self, size: int = -1) -> bytes:
        if not 0 <= size <= _LARGEST_READ:
            raise ArchiveError("one of its headers is too large")
        if not size:
            return b""
        if self._behind:
            self._behind = False
            data = self._last + self._stream.read(size - 1)
        else:
            data = self._stream.read(size)
        self._position += len(data)
        if self._position > self._most:
            raise ArchiveError(f"it unpacks to more than {size_text(self._most)}")
        self._last = data[-1:] or self._last
        return data
