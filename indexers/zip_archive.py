"""Zip archives (wheels, some sdists) read by ranges, wherever their bytes are.

The central directory is the standard library's business; ranges, local headers,
inflating and all limits are ours.
"""

from __future__ import annotations

import base64
import csv
import io
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from .archives import (
    DEFAULT_LIMITS,
    ArchiveError,
    Limits,
    Member,
    Refused,
    find_top_level,
    label,
    member_path,
    parse_top_level,
    size_text,
    top_folder,
)
from .artifacts import ArtifactFile, ArtifactKind
from .ranges import Extent, Source, coalesce

_LOCAL_HEADER = struct.Struct("<4s5H3L2H")
_LARGEST_EXTRA = 0xFFFF
_ENCRYPTED = 0x1 | 0x40 | 0x2000
_PATCHED = 0x20
_UTF8 = 0x800
_NOT_A_ZIP = (
    zipfile.BadZipFile,
    NotImplementedError,
    ValueError,
    OSError,
    struct.error,
    OverflowError,
)


class ZipArchive:
    """An open zip.  Not to be read from two threads at once.

    Raises:
        ArchiveError: it is no zip, malformed, or its entries overlap.
    """

    def __init__(self, file: ArtifactFile, source: Source, limits: Limits = DEFAULT_LIMITS) -> None:
        self._source = source
        self._limits = limits
        self._handed_out = 0
        self.refused: dict[str, str] = {}
        infos, directory = _central_directory(source, limits)
        stops = _checked_stops(infos, directory)
        entries = self._accept(infos)
        prefix = top_folder(entries) if file.kind is ArtifactKind.SDIST else ""
        self._entries = {path.removeprefix(prefix): info for path, info in sorted(entries.items())}
        self.refused = {path.removeprefix(prefix): reason for path, reason in self.refused.items()}
        self._extents = {
            path: Extent(info.header_offset, stops[info.header_offset], path)
            for path, info in self._entries.items()
        }
        claims, self.top_level = self._metadata(file)
        self.members: list[Member] = [
            Member(path, info.file_size, info.CRC, claims.get(path)) for path, info in self._entries.items()
        ]
        self.file = replace(file, sha256=file.sha256 or source.sha256, size=source.size)

    @property
    def fetched(self) -> int:
        """Bytes that came over the network so far."""
        return self._source.fetched

    def close(self) -> None:
        """Give the file or the buffers back."""
        self._source.close()

    def read(self, paths: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """Yield the content of members, as `Archive.read` says."""
        wanted = [extent for path in dict.fromkeys(paths) if (extent := self._wanted(path))]
        groups = coalesce(wanted)
        blobs = self._source.read_many([(group[0].start, group[-1].stop) for group in groups])
        for group, blob in zip(groups, blobs, strict=True):
            for extent in group:
                offset = extent.start - group[0].start
                try:
                    content = self._content(extent, memoryview(blob)[offset:])
                except Refused as error:
                    self.refused[extent.path] = str(error)
                else:
                    yield extent.path, content

    def _accept(self, infos: Sequence[zipfile.ZipInfo]) -> dict[str, zipfile.ZipInfo]:
        entries: dict[str, zipfile.ZipInfo] = {}
        for info in infos:
            if info.orig_filename.endswith("/"):
                continue
            try:
                path = member_path(info.orig_filename, self._limits)
                _check_kind(info)
            except Refused as error:
                self.refused[label(info.orig_filename)] = str(error)
                continue
            before = entries.setdefault(path, info)
            if (before.CRC, before.file_size) != (info.CRC, info.file_size):
                self.refused[path] = "the archive holds it twice, with different content"
        return {path: info for path, info in entries.items() if path not in self.refused}

    def _wanted(self, path: str) -> Extent | None:
        """Return where a member lies; None, and a reason, if it is more than we unpack."""
        if path in self.refused:
            return None
        info = self._entries[path]
        if info.file_size > self._limits.member_bytes:
            self.refused[path] = f"{size_text(info.file_size)} is over the limit for one file"
        elif info.file_size > max(self._limits.ratio_from, self._limits.ratio * info.compress_size):
            self.refused[path] = f"it unpacks to more than {self._limits.ratio} times its size"
        else:
            self._handed_out += info.file_size
            if self._handed_out > self._limits.total_bytes:
                raise ArchiveError(f"its files unpack to more than {size_text(self._limits.total_bytes)}")
            return self._extents[path]
        return None

    def _content(self, extent: Extent, blob: memoryview) -> bytes:
        info = self._entries[extent.path]
        fields = _LOCAL_HEADER.unpack_from(blob)
        name_end = _LOCAL_HEADER.size + fields[9]
        start = name_end + fields[10]
        if fields[0] != b"PK\3\4" or bytes(blob[_LOCAL_HEADER.size : name_end]) != _raw_name(info):
            raise ArchiveError(f"{label(extent.path)}: its header disagrees with the central directory")
        if start + info.compress_size > extent.stop - extent.start:
            raise ArchiveError(f"{label(extent.path)}: it overlaps with the next member")
        return _unpack(info, blob[start : start + info.compress_size])

    def _metadata(self, file: ArtifactFile) -> tuple[dict[str, str], tuple[str, ...] | None]:
        """Read the hashes that RECORD claims and the names of top_level.txt, in one go."""
        wheel = file.kind is ArtifactKind.WHEEL
        record = _record_path(self._entries, file.filename) if wheel else None
        names = find_top_level(self._entries, ".dist-info" if wheel else ".egg-info")
        found = dict(self.read([path for path in (record, names) if path]))
        claims = parse_record(found[record]) if record in found else {}
        return claims, parse_top_level(found[names]) if names in found else None


class _Window(io.RawIOBase):
    """The file that `zipfile` reads the central directory from: it asks the source, and not for too much."""

    def __init__(self, source: Source, limits: Limits) -> None:
        self._source = source
        self._limits = limits
        self._position = 0

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._source.size}[whence]
        if base + offset < 0:
            raise OSError("before the beginning")
        self._position = base + offset
        return self._position

    def read(self, size: int = -1) -> bytes:
        stop = self._source.size if size < 0 else min(self._position + size, self._source.size)
        if stop - self._position > self._limits.directory_bytes:
            raise ArchiveError("its central directory is too large")
        if stop <= self._position:
            return b""
        (data,) = self._source.read_many([(self._position, stop)])
        # Counted before zipfile makes an object of each: the count in the end record may lie.
        if data.count(b"PK\1\2") > self._limits.members:
            raise ArchiveError(f"it holds more than {self._limits.members:,} files")
        self._position = stop
        return data


def _central_directory(source: Source, limits: Limits) -> tuple[list[zipfile.ZipInfo], int]:
    """Return the entries and where the directory begins."""
    try:
        with zipfile.ZipFile(_Window(source, limits)) as directory:
            return directory.infolist(), directory.start_dir
    except _NOT_A_ZIP as error:
        raise ArchiveError(f"not a readable zip file ({error})") from error


def _checked_stops(infos: Sequence[zipfile.ZipInfo], directory: int) -> dict[int, int]:
    """Return by header offset where each entry ends at the latest.

    An entry ends where the next one begins.  Entries that share bytes are how a small
    file unpacks to petabytes, and no honest tool writes them.
    """
    ordered = sorted(infos, key=lambda info: info.header_offset)
    stops: dict[int, int] = {}
    following = directory
    for info in reversed(ordered):
        least = info.header_offset + _LOCAL_HEADER.size + len(_raw_name(info)) + info.compress_size
        if info.header_offset < 0 or least > following:
            raise ArchiveError(f"{label(info.orig_filename)}: it overlaps with the next member")
        stops[info.header_offset] = min(following, least + _LARGEST_EXTRA)
        following = info.header_offset
    return stops


def _raw_name(info: zipfile.ZipInfo) -> bytes:
    return info.orig_filename.encode("utf-8" if info.flag_bits & _UTF8 else "cp437")


def _check_kind(info: zipfile.ZipInfo) -> None:
    made_on_unix = info.create_system == 3
    kind = stat.S_IFMT(info.external_attr >> 16) if made_on_unix else 0
    if kind not in (0, stat.S_IFREG):
        raise Refused("a symbolic link" if stat.S_ISLNK(kind) else "not a regular file")
    if info.flag_bits & _ENCRYPTED:
        raise Refused("encrypted")
    if info.flag_bits & _PATCHED or info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise Refused(f"compressed by method {info.compress_type}")


def _unpack(info: zipfile.ZipInfo, packed: memoryview) -> bytes:
    if info.compress_type == zipfile.ZIP_STORED:
        content = bytes(packed)
    else:
        # One byte more than declared is enough to see a lie, and bounds the memory.
        try:
            content = zlib.decompressobj(-15).decompress(packed, info.file_size + 1)
        except zlib.error as error:
            raise Refused(f"damaged ({error})") from error
    if len(content) != info.file_size:
        raise Refused("it unpacks to another size than declared")
    if zlib.crc32(content) != info.CRC:
        raise Refused("wrong checksum (CRC-32)")
    return content


def _record_path(paths: Iterable[str], filename: str) -> str | None:
    found = sorted(path for path in paths if path.count("/") == 1 and path.endswith(".dist-info/RECORD"))
    own = "-".join(filename.split("-")[:2]).lower() + ".dist-info/record"
    return next((path for path in found if path.lower() == own), found[0] if found else None)


def parse_record(text: bytes) -> dict[str, str]:
    """Return the sha256 (hex) that a wheel's RECORD claims by path; lines that claim none are left out.

    >>> parse_record(b"a.py,sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU,0")["a.py"][:8]
    'e3b0c442'
    """
    claims: dict[str, str] = {}
    decode: Callable[[str], bytes] = base64.urlsafe_b64decode
    try:
        for row in csv.reader(io.StringIO(text.decode("utf-8", "replace"), newline="")):
            if len(row) < 2 or not row[1].startswith("sha256="):
                continue
            try:
                digest = decode(row[1][7:].rstrip("=") + "=")
            except ValueError:
                continue
            if len(digest) == 32:
                claims[row[0].removeprefix("./")] = digest.hex()
    except csv.Error:
        return {}  # a claim less costs a download, nothing else
    return claims
