"""Artifacts on this machine: folders of wheels and sdists, and source trees."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from ..kb.errors import IndexingError
from .archives import DEFAULT_LIMITS, Archive, ArchiveError, Limits, Member, Refused, member_path, size_text
from .artifacts import ArtifactFile, ArtifactKind, kind_of
from .ranges import FileSource
from .tar_archive import TarArchive
from .zip_archive import ZipArchive


def url_path(url: str) -> Path | None:
    """Return the path of a file URL, None if it is none.

    >>> url_path("file:///srv/wheels").as_posix()
    '/srv/wheels'
    """
    parts = urlsplit(url)
    return Path(url2pathname(parts.path)) if parts.scheme == "file" else None


def local_artifacts(folder: Path) -> list[ArtifactFile]:
    """List the wheels and sdists of a folder, not of the folders in it.

    Raises:
        IndexingError: there is no such folder.
    """
    try:
        found = sorted(entry for entry in folder.iterdir() if entry.is_file())
    except OSError as error:
        raise IndexingError(
            f"the folder {folder} cannot be read ({error.strerror})",
            hint="give --find-links a folder that holds wheels or sdists",
        ) from error
    return [
        ArtifactFile(path.name, path.absolute().as_uri(), kind, size=path.stat().st_size)
        for path in found
        if (kind := kind_of(path.name))
    ]


def open_artifact(file: ArtifactFile, source: FileSource, limits: Limits = DEFAULT_LIMITS) -> Archive:
    """Open an artifact whose bytes are at hand, by what they are and not by its name."""
    (magic,) = source.read_many([(0, min(4, source.size))])
    try:
        if file.kind is ArtifactKind.WHEEL or magic.startswith(b"PK"):
            return ZipArchive(file, source, limits)
        return TarArchive(file, source, limits)
    except BaseException:
        source.close()
        raise


def open_local(file: ArtifactFile, path: Path, limits: Limits = DEFAULT_LIMITS) -> Archive:
    """Open an artifact on this machine, its hash checked.

    Raises:
        ArchiveError: it is not there, not readable, or not what the index promised.
    """
    try:
        stream = path.open("rb")
        with path.open("rb") as hashed:
            found = hashlib.file_digest(hashed, "sha256").hexdigest()
    except OSError as error:
        raise ArchiveError(f"{path} cannot be read ({error.strerror})") from error
    if file.sha256 and file.sha256 != found:
        stream.close()
        raise ArchiveError(f"{path}: its sha256 is {found[:12]}…, the index says {file.sha256[:12]}…")
    return open_artifact(file, FileSource(stream, sha256=found), limits)


class FolderArchive:
    """A source tree as an archive, for packages that are not packed (test cases, a checkout).

    Links are refused, whether they leave the tree or not; `.git` and `__pycache__` are left out.
    """

    fetched = 0

    def __init__(self, root: Path, file: ArtifactFile | None = None, limits: Limits = DEFAULT_LIMITS) -> None:
        self._root = root
        self._limits = limits
        self.file = file or ArtifactFile(root.name, root.absolute().as_uri(), ArtifactKind.SDIST)
        self.refused: dict[str, str] = {}
        self.members: list[Member] = sorted(self._list())
        self._paths = {member.path: member for member in self.members}
        self.top_level: tuple[str, ...] | None = None

    def read(self, paths: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """Yield the content of members, as `Archive.read` says."""
        for path in sorted(set(paths)):
            if path in self.refused:
                continue
            member = self._paths[path]
            if member.size > self._limits.member_bytes:
                self.refused[path] = f"{size_text(member.size)} is over the limit for one file"
                continue
            try:
                yield path, (self._root / path).read_bytes()
            except OSError as error:
                self.refused[path] = str(error.strerror)

    def close(self) -> None:
        """Nothing is open."""

    def _list(self) -> Iterator[Member]:
        count = 0
        for folder, folders, names in os.walk(self._root):
            folders[:] = sorted(set(folders) - {".git", "__pycache__"})
            for name in names:
                path = Path(folder, name)
                relative = path.relative_to(self._root).as_posix()
                count += 1
                if count > self._limits.members:
                    raise ArchiveError(f"it holds more than {self._limits.members:,} files")
                try:
                    member_path(relative, self._limits)
                    found = path.lstat()
                    if not stat.S_ISREG(found.st_mode):
                        raise Refused("a link" if stat.S_ISLNK(found.st_mode) else "not a regular file")
                except (Refused, OSError) as error:
                    self.refused[relative] = str(error)
                else:
                    yield Member(relative, found.st_size)
