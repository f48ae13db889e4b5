"""Which release a task is about: version fields as they are found in the wild, made one real release.

Rows say `==2.0`, `>=1.9`, `==2.x`, `2.x`, `<=0.24`; a look-up needs one release that exists.  The choice
is a rule, and the rule that was used is recorded with it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from ..kb.choosing import canonical
from ..kb.errors import ApikbError
from ..kb.lookup import KnowledgeBase
from ..kb.releases import Release, ReleaseStatus, resolve_version


class Rule(StrEnum):
    """How a release was chosen."""

    EXACT = "exact"
    """The field names one release."""
    SERIES = "series"
    """It names one that does not exist (`==1.4`): the newest of its series (`==1.4.*`), by the next rules."""
    NEWEST_BEFORE = "newest-before"
    """Of the releases that match, the newest that had been uploaded by the time of the row."""
    OLDEST_AFTER = "oldest-after"
    """None had been by then: the oldest that matches."""
    NEWEST = "newest"
    """The row tells no time, or the releases have no dates: the newest that matches."""
    NONE = "none"
    """There is none; `reason` says why."""


@dataclass(frozen=True, slots=True)
class Resolution:
    """A version field, and the release that stands for it."""

    library: str
    """As the row names it."""
    asked: str
    """The version field as the row has it."""
    time: str | None
    project: str | None = None
    """The project that the knowledge base has for the library."""
    chosen: str | None = None
    """The release, None where there is none."""
    rule: Rule = Rule.NONE
    uploaded: str | None = None
    """When it was uploaded, ISO 8601 in UTC."""
    reason: str = ""
    """What is remarkable: why there is none, that it is yanked, a pre-release, younger than the row."""


def project_of(kb: KnowledgeBase, library: str) -> str:
    """The project that a row means by its name or by the name that it is imported by (`sklearn`).

    Raises `ApikbError` where the knowledge base has none, or several.
    """
    name = canonical(library)
    if any(info.project == name for info in kb.projects()):
        return name
    return kb.resolve_project(library.partition(".")[0])


def resolve(kb: KnowledgeBase, library: str, asked: str, time: str | None = None) -> Resolution:
    """The release that a version field means.  Never raises for what a row may hold: `reason` tells.

    `time` is `2019-04-09` or a part of it; a release of that very day, month or year counts as uploaded.
    """
    try:
        project = project_of(kb, library)
    except ApikbError as error:
        return Resolution(library, asked, time, reason=error.message)
    try:
        release, rule, reason = choose(kb.releases(project), asked, time)
    except ValueError as error:
        return Resolution(library, asked, time, project, reason=str(error))
    if release is None:
        return Resolution(library, asked, time, project, reason=reason)
    return Resolution(library, asked, time, project, release.version, rule, release.uploaded_at, reason)


_YOUNG = "younger than the row"

Choice = tuple[Release | None, Rule, str]


def choose(releases: Sequence[Release], asked: str, time: str | None = None) -> Choice:
    """The release that a version field means, how it was found, and what is remarkable about it.

    `releases` are in PEP 440 order.  Raises `ValueError` where the field is no version and no specifier.
    """
    exact = _exact_version(asked)
    if exact is None:
        return _newest(releases, specifier_of(asked), time)
    named = resolve_version(exact, releases)
    if named is None:
        series = re.sub(r"(\.0)*$", "", Version(exact).base_version)
        release, _, reason = _newest(releases, SpecifierSet(f"=={series}.*"), time)
        if release is None or Version(exact).is_prerelease:
            return None, Rule.NONE, f"there is no release {exact}"
        return release, Rule.SERIES, _joined(f"there is no release {exact}", reason)
    if named.status != ReleaseStatus.INDEXED:
        return None, Rule.NONE, f"{named.version} could not be read: {named.reason or named.status}"
    young = time is not None and named.uploaded_at is not None and not _before(named, time)
    return (
        named,
        Rule.EXACT,
        _joined("yanked" if named.yanked else "", "younger than the row" if young else ""),
    )


def _exact_version(asked: str) -> str | None:
    text = asked.strip().removeprefix("===").removeprefix("==").strip()
    try:
        return str(Version(text))
    except InvalidVersion:
        return None


_CLAUSE = re.compile(r"(===|==|~=|!=|<=|>=|<|>|=)?\s*[vV]?\s*([^\s,]+)")
_WILD = re.compile(r"(?:\.[xX*])+$")


def specifier_of(asked: str) -> SpecifierSet:
    """A version field as PEP 440 writes it.  An `x` stands for all of a series, with any operator.

    Raises `ValueError` where it is none.

    >>> [str(specifier_of(text)) for text in ("2.x", "==1.2.x.x", "<=2.x", "=1.5")]
    ['==2.*', '==1.2.*', '<3', '==1.5']
    >>> sorted(str(specifier_of(">2.1.x, < 3")).split(","))
    ['<3', '>=2.2']
    """
    clauses = []
    for part in asked.split(","):
        match = _CLAUSE.fullmatch(part.strip())
        if match is None:
            raise ValueError(f"{asked!r} is not a version")
        operator, version = match[1] or "==", match[2]
        clauses.append(_clause("==" if operator == "=" else operator, version))
    try:
        return SpecifierSet(",".join(clauses))
    except InvalidSpecifier as error:
        raise ValueError(f"{asked!r} is not a version") from error


def _clause(operator: str, version: str) -> str:
    series = _WILD.sub("", version)
    if series == version:
        return operator + version
    if operator in ("==", "===", "~="):
        return f"=={series}.*"
    if operator in ("<=", ">"):  # What ends after the series, or starts behind it.
        head, _, last = series.rpartition(".")
        if not last.isdigit():
            raise ValueError(f"{operator + version!r} is not a version")
        following = f"{head}.{int(last) + 1}".lstrip(".")
        return f"{'<' if operator == '<=' else '>='}{following}"
    return f"{operator}{series}" + (".*" if operator == "!=" else "")


def _newest(releases: Sequence[Release], specifier: SpecifierSet, time: str | None) -> Choice:
    """Final releases that are not yanked; yanked ones, then pre-releases, only where nothing else matches."""
    matching = [
        release
        for release in releases
        if release.status == ReleaseStatus.INDEXED and specifier.contains(release.version, prereleases=True)
    ]
    final = [release for release in matching if not release.is_prerelease]
    for remark, candidates in (
        ("", [release for release in final if not release.yanked]),
        ("yanked, as all that match", final),
        ("a pre-release, as all that match", matching),
    ):
        if candidates:
            release, rule = _by_time(candidates, time)
            young = _YOUNG if rule == Rule.OLDEST_AFTER else ""
            return release, rule, _joined(remark, young)
    return None, Rule.NONE, f"no release that could be read matches {specifier}"


def _by_time(candidates: Sequence[Release], time: str | None) -> tuple[Release, Rule]:
    dated = [release for release in candidates if release.uploaded_at is not None]
    if time is None or not dated:
        return candidates[-1], Rule.NEWEST
    before = [release for release in dated if _before(release, time)]
    return (before[-1], Rule.NEWEST_BEFORE) if before else (dated[0], Rule.OLDEST_AFTER)


def _before(release: Release, time: str) -> bool:
    return release.uploaded_at is not None and release.uploaded_at[: len(time)] <= time


def _joined(*reasons: str) -> str:
    return "; ".join(filter(None, reasons))
