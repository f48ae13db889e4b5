"""Releases of a project and their order.  PEP 440 is `packaging`'s business, never ours."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version


class ReleaseStatus(StrEnum):
    """What became of a release when it was read."""

    INDEXED = "indexed"
    SKIPPED = "skipped"
    """There is nothing to read: no artifact, or none that holds Python source."""
    FAILED = "failed"
    """It could not be had or read.  Says nothing about what it holds."""


@dataclass(frozen=True, slots=True)
class Release:
    """One release as the index lists it and as it was read.

    `version` is normalised; sizes are bytes; `uploaded_at` is ISO 8601 in UTC.
    """

    version: str
    status: ReleaseStatus = ReleaseStatus.INDEXED
    reason: str | None = None
    yanked: bool = False
    yanked_reason: str | None = None
    uploaded_at: str | None = None
    requires_python: str | None = None
    artifact: str | None = None
    sha256: str | None = None
    size: int | None = None
    fetched: int = 0
    reader: int | None = None
    """Version of the extractor that read it; another one would read it again."""

    @property
    def is_prerelease(self) -> bool:
        """True for alpha, beta, candidate and development releases."""
        return Version(self.version).is_prerelease


def order_releases(releases: Iterable[Release]) -> list[Release]:
    """Sort by PEP 440, which is not the order of upload (Flask 2.2.5 came after 2.3.0)."""
    return sorted(releases, key=lambda release: Version(release.version))


def resolve_version(text: str, releases: Iterable[Release]) -> Release | None:
    """Find the release that `text` names: `v1.0` and `2.3` = `2.3.0` as `packaging` compares them.

    Raises `ValueError` where `text` is not a version.

    >>> resolve_version("v2.3", [Release("2.2"), Release("2.3.0")]).version
    '2.3.0'
    """
    try:
        wanted = Version(text)
    except InvalidVersion as error:
        raise ValueError(f"{text!r} is not a version") from error
    found = [release for release in releases if Version(release.version) == wanted]
    return found[0] if found else None


def looks_like_specifier(text: str) -> bool:
    """True for `>=1.2,<2` and its like, False for a version."""
    return any(mark in text for mark in "<>=!~,") and _specifier(text) is not None


def _specifier(text: str) -> SpecifierSet | None:
    try:
        return SpecifierSet(text)
    except InvalidSpecifier:
        return None


def allows(specifier: SpecifierSet, release: Release) -> bool:
    """Whether a specifier names a release; a pre-release only where the specifier names one itself.

    `packaging` by itself falls back to pre-releases where nothing else matches, but finals define and
    pre-releases stand apart: what they hold may never come.

    >>> [allows(SpecifierSet(text), Release("2.0rc1")) for text in (">1.0", ">=2.0rc1", "==2.0rc1")]
    [False, True, True]
    """
    return specifier.contains(release.version, prereleases=bool(specifier.prereleases))


def matching_releases(specifier: str, releases: Iterable[Release]) -> list[Release]:
    """The releases that a specifier allows, in PEP 440 order."""
    wanted = SpecifierSet(specifier)
    return [release for release in order_releases(releases) if allows(wanted, release)]


def releases_in_range(specifier: str, releases: Iterable[Release]) -> list[Release]:
    """The indexed releases in a specifier's range, pre-releases too, in PEP 440 order."""
    wanted = SpecifierSet(specifier, prereleases=True)
    indexed = (release for release in releases if release.status == ReleaseStatus.INDEXED)
    return [release for release in order_releases(indexed) if wanted.contains(release.version)]
