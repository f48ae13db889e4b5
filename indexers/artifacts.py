"""Releases and their artifacts as an index lists them, and the rule that picks the one to read.

The rule looks at names only, never at sizes, so that the same release always gives the
same answer.  Why it prefers what it prefers:

- **A pure wheel** is what users install, on every platform.  Python 3 before 2.
- **manylinux x86-64** next: nearly every compiled library ships it; Windows wheels may have
  CRLF line ends, which change every hash.  Of several, the oldest glibc.
- **The oldest CPython 3** of a platform.  Builds drop what a new Python dropped, and never the
  other way round: numpy 1.26 has `numpy.distutils` in cp39 to cp311, not in cp312.  The stable
  ABI (`abi3`) counts as the Python it starts with, free-threaded builds come after the others.
- An **sdist** last: it is a tree to build from, and what a build would generate is not in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from packaging.tags import Tag, parse_tag
from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename
from packaging.version import InvalidVersion, Version

SDIST_SUFFIXES = (".tar.gz", ".tgz", ".tar.bz2", ".tbz", ".tar.xz", ".txz", ".zip", ".tar")
"""In order of preference."""


class ArtifactKind(StrEnum):
    """The artifacts that are read; eggs and installers are not."""

    WHEEL = "wheel"
    SDIST = "sdist"


@dataclass(frozen=True, slots=True)
class ArtifactFile:
    """One file of a release.  `url` is http(s) or file; `size` is bytes; `uploaded_at` ISO 8601 in UTC."""

    filename: str
    url: str
    kind: ArtifactKind
    sha256: str | None = None
    size: int | None = None
    yanked: bool = False
    yanked_reason: str | None = None
    requires_python: str | None = None
    uploaded_at: str | None = None


@dataclass(frozen=True, slots=True)
class ListedRelease:
    """A release: its version, normalised, and its wheels and sdists (maybe none: then `reason` says why)."""

    version: str
    files: tuple[ArtifactFile, ...] = ()
    yanked: bool = False
    yanked_reason: str | None = None
    uploaded_at: str | None = None
    requires_python: str | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class SkippedFile:
    """A file of the index page that belongs to no release that can be ordered."""

    filename: str
    reason: str


@dataclass(frozen=True, slots=True)
class ProjectListing:
    """A project as its index lists it: releases in PEP 440 order, and what had to be left out."""

    project: str
    releases: tuple[ListedRelease, ...]
    skipped: tuple[SkippedFile, ...] = ()
    fetched: int = 0


@dataclass(frozen=True, slots=True)
class ListedFile:
    """A file before it has a release: the version as written, `artifact` None if its kind is not read."""

    filename: str
    version: str | None
    artifact: ArtifactFile | None
    reason: str | None = None


def kind_of(filename: str) -> ArtifactKind | None:
    """Return the kind of an artifact by its name, None for what is not read (eggs, installers).

    >>> kind_of("click-8.1.0.tar.gz").value, kind_of("click-0.1.egg")
    ('sdist', None)
    """
    lowered = filename.lower()
    if lowered.endswith(".whl"):
        return ArtifactKind.WHEEL
    return ArtifactKind.SDIST if lowered.endswith(SDIST_SUFFIXES) else None


def group_releases(
    project: str, files: Iterable[ListedFile], versions: Iterable[str] = ()
) -> tuple[list[ListedRelease], list[SkippedFile]]:
    """Gather files into releases, in PEP 440 order.

    `versions` is the index's own list: not normalised, and it names releases without files,
    which then are releases with a `reason`.
    """
    found: dict[Version, list[ListedFile]] = {}
    skipped: list[SkippedFile] = []
    unordered: set[str] = set()
    for file in files:
        try:
            version = Version(file.version or "")
        except InvalidVersion:
            untold = file.reason or "its name tells no version"
            said = f"{file.version} is no PEP 440 version" if file.version else untold
            skipped.append(SkippedFile(file.filename, said))
            unordered.add(file.version or "")
        else:
            found.setdefault(version, []).append(file)
    for text in versions:
        try:
            found.setdefault(Version(text), [])
        except InvalidVersion:
            if text in unordered:
                continue
            skipped.append(SkippedFile(f"{project} {text}", f"{text} is no PEP 440 version"))
    return [_release(version, found[version]) for version in sorted(found)], skipped


def _release(version: Version, listed: Sequence[ListedFile]) -> ListedRelease:
    files = tuple(candidates(file.artifact for file in listed if file.artifact))
    if not files:
        other = sorted({file.reason or "unknown kind" for file in listed})
        reason = f"no wheel and no sdist ({', '.join(other)})" if other else "the index lists no file of it"
        return ListedRelease(str(version), reason=reason)
    yanked = all(file.yanked for file in files)
    return ListedRelease(
        version=str(version),
        files=files,
        yanked=yanked,
        yanked_reason=next((f.yanked_reason for f in files if f.yanked_reason), None) if yanked else None,
        uploaded_at=min((f.uploaded_at for f in files if f.uploaded_at), default=None),
        requires_python=next((f.requires_python for f in files if f.requires_python), None),
    )


def candidates(files: Iterable[ArtifactFile]) -> list[ArtifactFile]:
    """Return the artifacts of a release in the order in which to try them.

    A later one is for when the earlier holds no Python source, not for when it failed to
    download: answers must not depend on the network.  Yanked files come last.
    """
    return sorted(files, key=_rank)


def is_pure(filename: str) -> bool:
    """Return whether a file is a wheel for every platform.

    >>> is_pure("click-8.1.0-py3-none-any.whl")
    True
    """
    return filename.lower().endswith("-none-any.whl")


_Rank = tuple[bool, int, tuple[int, ...], tuple[int, ...], str]


def _rank(file: ArtifactFile) -> _Rank:
    if file.kind is ArtifactKind.SDIST:
        suffix = next((i for i, s in enumerate(SDIST_SUFFIXES) if file.filename.lower().endswith(s)), 99)
        return (file.yanked, 9, (suffix,), (), file.filename)
    tags = wheel_tags(file.filename)
    if not tags:
        return (file.yanked, 8, (), (), file.filename)
    python = min(_python_rank(tag) for tag in tags)
    if all(tag.abi == "none" and tag.platform == "any" for tag in tags):
        also_two = any(_python_rank(tag)[0] for tag in tags)
        return (file.yanked, 0, (python[0], also_two, *python[1:]), (), file.filename)
    tier, detail = min(_platform_rank(tag.platform) for tag in tags)
    return (file.yanked, tier, python, detail, file.filename)


def wheel_tags(filename: str) -> frozenset[Tag]:
    """Return the tags of a wheel's name, none if it is no such name (old names break the rules of builds)."""
    try:
        return parse_wheel_filename(filename)[3]
    except InvalidWheelFilename:
        parts = filename.removesuffix(".whl").split("-")
    try:
        return frozenset(parse_tag("-".join(parts[-3:]))) if len(parts) >= 5 else frozenset()
    except ValueError:  # `py36+-none-any`
        return frozenset()


def _python_rank(tag: Tag) -> tuple[int, int, int, int]:
    """(Python 2, not CPython, minor version, odd ABI): the smallest is tried first."""
    match = re.fullmatch(r"([a-z]+)(\d)_?(\d*)", tag.interpreter)
    if match is None:
        return (2, 9, 0, 0)
    implementation, major, minor = match[1], match[2], int(match[3] or 0)
    # cp27mu is the Unicode build that Linux distributions shipped; cp313t is free-threaded.
    odd = int(tag.abi.endswith("t") or tag.abi == "cp27m")
    return (int(major != "3"), int(implementation not in ("cp", "py")), minor, odd)


def _platform_rank(platform: str) -> tuple[int, tuple[int, ...]]:
    if platform.startswith("manylinux") and platform.endswith("x86_64"):
        glibc = {"1": (2, 5), "2010": (2, 12), "2014": (2, 17)}
        name = platform.removeprefix("manylinux").removesuffix("x86_64").strip("_")
        return (1, glibc.get(name) or tuple(int(n) for n in re.findall(r"\d+", name)))
    if "linux" in platform:
        return (2 if platform.endswith("x86_64") else 3, (int("musl" in platform),))
    if platform.startswith("macosx"):
        return (4, (int(not platform.endswith(("x86_64", "intel", "universal2"))),))
    return (6 if platform.startswith("win") else 5, (int(platform != "win_amd64"),))


def same_project(name: str, project: str) -> bool:
    """Return whether two spellings name one project (PEP 503).

    >>> same_project("Scikit_Learn", "scikit-learn")
    True
    """
    return canonicalize_name(name) == canonicalize_name(project)
