"""What an archive is to the indexers, and the limits that none may pass.

Two things can go wrong, and they cost differently.  An archive whose structure lies
(`ArchiveError`) loses the release.  One odd member in a good archive is **refused**:
it is left out, with its reason in `Archive.refused`, and the rest is read.
"""

from __future__ import annotations

import contextlib
import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from ..kb.errors import IndexingError
from .artifacts import ArtifactFile

MIB = 1 << 20
_NOT_PRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_DRIVE = re.compile(r"[A-Za-z]:")
_LONGEST_LABEL = 200


class ArchiveError(IndexingError):
    """This artifact cannot be read: no archive, malformed, hostile, or not what the index promised."""


class FetchError(ArchiveError):
    """This artifact could not be transferred.  Says nothing about it: another run may succeed."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that one artifact may ask of us.  Sizes are bytes.

    Far above what real libraries need (torch 2.15.0: 12,000 members, 59 MB of Python,
    its largest file 1.3 MB), far below what hurts.
    """

    members: int = 200_000
    name_length: int = 1_000
    depth: int = 60
    member_bytes: int = 32 * MIB
    total_bytes: int = 1024 * MIB
    """Unpacked bytes handed out by one archive."""
    directory_bytes: int = 32 * MIB
    """The central directory of a zip."""
    download_bytes: int = 1024 * MIB
    """An artifact that has to be downloaded whole."""
    unpacked_bytes: int = 4096 * MIB
    """The stream of a tar, which has to be decompressed to be listed."""
    ratio: int = 300
    """Unpacked to packed, for what is larger than `ratio_from`."""
    ratio_from: int = 4 * MIB
    page_bytes: int = 64 * MIB
    """A page of the index."""


DEFAULT_LIMITS = Limits()


class Member(NamedTuple):
    """A regular file of an archive.

    `path` is relative and posix; the one top folder of an sdist is taken off.  `size` is
    unpacked.  `sha256` is what the wheel's RECORD claims: a claim, until the content was hashed.
    """

    path: str
    size: int
    crc32: int | None = None
    sha256: str | None = None


class Archive(Protocol):
    """An artifact that was opened: its members, and the content of those asked for."""

    @property
    def file(self) -> ArtifactFile:
        """The artifact.  Its sha256 is filled in where the whole of it was read."""

    @property
    def members(self) -> Sequence[Member]:
        """Every regular file, compiled ones and data too, in the order of their paths."""

    @property
    def refused(self) -> dict[str, str]:
        """Why a member was left out, by its path; grows while reading."""

    @property
    def fetched(self) -> int:
        """Bytes that came over the network so far."""

    @property
    def top_level(self) -> tuple[str, ...] | None:
        """The import names that top_level.txt lists, None if there is none."""

    def read(self, paths: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """Yield the content of members, in the archive's order.

        A member that turns out bad (too large, wrong checksum) yields nothing and is in `refused`.

        Raises:
            KeyError: a path that is no member.
            ArchiveError: the archive contradicts itself or passes a limit.
            FetchError: the transfer failed.
        """

    def close(self) -> None: ...


@contextlib.contextmanager
def no_space_is_no_fault_of_the_archive() -> Iterator[None]:
    """Turn a full disk into an error of the run: every further release would fail the same way."""
    try:
        yield
    except OSError as error:
        raise IndexingError(
            f"cannot write to the temporary folder {tempfile.gettempdir()} ({error.strerror or error})",
            hint="free some space there, or set TMPDIR to a folder that has some",
        ) from error


class Refused(ValueError):
    """One member is left out, for this reason."""


def member_path(name: str, limits: Limits = DEFAULT_LIMITS) -> str:
    """Return the relative posix path that a name in an archive means.

    Raises:
        Refused: the name leaves the archive, or could mean another thing on another system.

    >>> member_path("./pkg//mod.py")
    'pkg/mod.py'
    """
    if len(name) > limits.name_length:
        raise Refused(f"its name is longer than {limits.name_length} characters")
    if _NOT_PRINTABLE.search(name):
        raise Refused("its name holds control characters")
    if "\\" in name:
        raise Refused("its name holds a backslash")
    if name.startswith("/") or _DRIVE.match(name):
        raise Refused("its name is an absolute path")
    parts = [part for part in name.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise Refused("its name leaves the archive")
    if not parts:
        raise Refused("it has no name")
    if len(parts) > limits.depth:
        raise Refused(f"it lies more than {limits.depth} folders deep")
    return "/".join(parts)


def label(name: str) -> str:
    """Return a name as it may be printed: control characters escaped, cut to 200 characters."""
    shown = _NOT_PRINTABLE.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), name)
    return shown if len(shown) <= _LONGEST_LABEL else shown[: _LONGEST_LABEL - 1] + "…"


def top_folder(paths: Iterable[str]) -> str:
    """Return the prefix (with its slash) that an sdist wraps its files in, "" if there is none.

    The folder of PKG-INFO decides, so that a stray `pax_global_header` or `._name` of a
    Mac beside it does not matter; without one, a folder that holds everything.

    >>> top_folder(["._x", "x-1.0/PKG-INFO", "x-1.0/x.py"])
    'x-1.0/'
    """
    folders: set[str] = set()
    described: set[str] = set()
    for path in paths:
        folder, slash, rest = path.partition("/")
        folders.add(folder + slash)
        if rest == "PKG-INFO":
            described.add(folder + slash)
    for found in (described, folders):
        if len(found) == 1 and (only := next(iter(found))).endswith("/"):
            return only
    return ""


def find_top_level(paths: Iterable[str], suffix: str) -> str | None:
    """Return the outermost `*<suffix>/top_level.txt` (suffix ".dist-info" or ".egg-info")."""
    found = [path for path in paths if path.endswith(f"{suffix}/top_level.txt")]
    return min(found, key=lambda path: (path.count("/"), path), default=None)


def parse_top_level(text: bytes) -> tuple[str, ...]:
    """Return the names of a top_level.txt.

    >>> parse_top_level(b"attr\\nattrs\\n")
    ('attr', 'attrs')
    """
    return tuple(line.strip() for line in text.decode("utf-8", "replace").splitlines() if line.strip())


def size_text(size: int) -> str:
    """Return a size for people.

    >>> size_text(734_600_000)
    '701 MiB'
    """
    for unit, name in ((MIB, "MiB"), (1024, "KiB")):
        if size >= unit:
            return f"{size / unit:.0f} {name}"
    return f"{size} bytes"
