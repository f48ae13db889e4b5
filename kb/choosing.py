"""Which project and which release a person means, and what is said where there is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .errors import ApikbError, NotIndexed
from .releases import Release, ReleaseStatus, releases_in_range, resolve_version

Imports = Mapping[str, tuple[str, ...]]
"""Project -> the import names that it provides."""

_FATE = {
    ReleaseStatus.SKIPPED: "was skipped",
    ReleaseStatus.FAILED: "could not be read",
    ReleaseStatus.INDEXED: "was indexed",
}


def canonical(name: str) -> str:
    """A project's name as the index normalises it (the import is dear, and rarely needed)."""
    from packaging.utils import canonicalize_name

    return canonicalize_name(name)


def newest_release(project: str, releases: Sequence[Release]) -> int:
    """Place of the newest indexed final release, else of the newest indexed one.  Raises `NotIndexed`."""
    indexed = [n for n, release in enumerate(releases) if release.status == ReleaseStatus.INDEXED]
    if not indexed:
        raise NotIndexed(
            f"no release of {project} could be indexed",
            hint=f"see why with: apikb info {project}",
        )
    return next((n for n in reversed(indexed) if not releases[n].is_prerelease), indexed[-1])


def exact_release(project: str, releases: Sequence[Release], version: str) -> int:
    """Place of the release that a version names.

    Raises `NotIndexed`, with the nearest ones, where it is not there or was not read, and `ApikbError`
    where the text is not a version.
    """
    try:
        release = resolve_version(version, releases)
    except ValueError as error:
        raise ApikbError(
            str(error), hint="a version such as 1.3.1, or a specifier such as '>=1.2,<2'"
        ) from error
    if release is None:
        raise NotIndexed(
            f"{project} {version} is not among its releases; nearest: {_near(releases, version)}",
            hint=f"see them with: apikb info {project}",
        )
    if release.status != ReleaseStatus.INDEXED:
        why = f": {release.reason}" if release.reason else ""
        raise NotIndexed(
            f"{project} {release.version} {_FATE[release.status]}{why}; "
            f"nearest indexed: {_near(releases, version)}",
            hint=f"try again: apikb index {project} --versions '=={release.version}' --refresh",
        )
    return releases.index(release)


def no_match(project: str, specifier: str, releases: Sequence[Release] = ()) -> NotIndexed:
    """What is said where a specifier names no indexed release.

    Of `releases`, pre-releases in its range are told apart: they are asked for by name.
    """
    message = f"no indexed release of {project} matches {specifier}"
    early = [release.version for release in releases_in_range(specifier, releases) if release.is_prerelease]
    if not early:
        return NotIndexed(message, hint=f"see them with: apikb info {project}")
    return NotIndexed(
        f"{message}; pre-releases, which no range means, are {', '.join(early[-3:])}",
        hint=f"ask for one by name: --version {early[-1]}",
    )


def unknown_project(name: str, imports: Imports, symbol: str | None = None) -> NotIndexed:
    """What is said where there is no such project; `symbol` is what was asked for by its import name."""
    from difflib import get_close_matches

    names = {other for project, provided in imports.items() for other in (project, *provided)}
    normal = canonical(name)
    if symbol is not None and normal in imports:
        provided = ", ".join(imports[normal])
        return NotIndexed(f"{name} is the name of a project; it is imported as {provided}")
    close = get_close_matches(name, sorted(names), n=3)
    tip = f"; did you mean {' or '.join(close)}?" if close else ""
    return NotIndexed(f"{name} is not in the knowledge base{tip}", hint=f"apikb index {normal}")


def _near(releases: Sequence[Release], version: str) -> str:
    from packaging.version import Version

    wanted = Version(version)
    indexed = [release.version for release in releases if release.status == ReleaseStatus.INDEXED]
    below = [text for text in indexed if Version(text) < wanted][-2:]
    above = [text for text in indexed if Version(text) > wanted][:2]
    return ", ".join((*below, *above)) or "none"
