"""Releases of a project and their order.  PEP 440 is `packaging`'s business, never ours."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from packaging.version import Version


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

    @property
    def is_prerelease(self) -> bool:
        """True for alpha, beta, candidate and development releases."""
        return Version(self.version).is_prerelease


def order_releases(releases: Iterable[Release]) -> list[Release]:
    """Sort by PEP 440, which is not the order of upload (Flask 2.2.5 came after 2.3.0)."""
    return sorted(releases, key=lambda release: Version(release.version))
