"""Pins: which releases of which projects a question is about."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from ..kb.choosing import Imports, canonical, exact_release, newest_release, no_match, unknown_project
from ..kb.errors import ApikbError, NotIndexed
from ..kb.lookup import KnowledgeBase
from ..kb.releases import Release, ReleaseStatus, allows

_NAMED = 5
"""How many projects a note names."""


@dataclass(frozen=True, slots=True)
class Pin:
    """One project and the releases of it that are wanted."""

    project: str
    """As the index normalises it."""
    specifier: str
    """Empty where none is written."""
    where: str
    """For messages: `--with pandas==1.5.3`, `requirements.txt:3`, `uv.lock`, `the environment`."""
    required: bool
    """Whether it is an error that it is not indexed; else it is left out with a note."""


@dataclass(frozen=True, slots=True)
class PinnedProject:
    """The releases of one project that pins allow."""

    project: str
    ordinals: tuple[int, ...]
    """Of the indexed releases only, pre-releases included, as `kb.corpus.ordinals` counts them; rising,
    never empty."""
    versions: tuple[str, ...]
    """In the same order."""
    unread: tuple[str, ...]
    """Releases that match but could not be read."""


def silent(message: str) -> None:
    """Tell nobody."""


def parse_pin(text: str) -> Pin:
    """Understand what a person asks for: `pandas==1.5.3`, `pandas>=1.5,<2`, `pandas`, `sklearn`.

    Raises ApikbError for anything else.

    >>> parse_pin("Pandas >=1.5").specifier
    '>=1.5'
    """
    try:
        requirement = Requirement(text)
    except InvalidRequirement:
        requirement = None
    if requirement is None or requirement.url is not None or requirement.marker is not None:
        raise ApikbError(
            f"{text!r} is not a project with a version",
            hint="such as pandas==1.5.3, 'pandas>=1.5,<2', or pandas for its newest release",
        )
    return Pin(canonical(requirement.name), str(requirement.specifier), f"--with {text}", required=True)


def resolve_pins(
    kb: KnowledgeBase, pins: Iterable[Pin], note: Callable[[str], None] = silent
) -> tuple[PinnedProject, ...]:
    """Find the releases that pins allow, one entry a project, in the order of their first mention.

    Several pins of a project must all hold.  Without a specifier it is the newest indexed final release.
    Pre-releases count only where a specifier names one.

    A pin that is not required is left out with a note where its project or its releases are not indexed.

    Raises NotIndexed where a required one is not indexed or none is left, ApikbError where nothing is
    pinned or a name may mean several projects.
    """
    imports = {info.project: info.import_names for info in kb.projects()}
    groups: dict[str, list[Pin]] = {}
    missing: dict[str, None] = {}
    for pin in pins:
        project = _project(pin, imports)
        if project is None:
            missing[pin.project] = None
        else:
            groups.setdefault(project, []).append(pin)
    if not groups and not missing:
        raise ApikbError("no project is pinned", hint="name one: --with pandas==1.5.3")
    if missing:
        count = len(groups) + len(missing)
        note(f"left out, not indexed: {len(missing)} of {count} projects ({_some(list(missing))})")
    found = [_noted(kb, project, group, note) for project, group in groups.items()]
    left = tuple(pinned for pinned in found if pinned is not None)
    if not left:
        raise NotIndexed(
            f"nothing that is pinned is in the knowledge base: {_some([*groups, *missing])}",
            hint=f"apikb index {next(iter([*groups, *missing]))}",
        )
    return left


def _some(names: Sequence[str]) -> str:
    rest = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {rest} more" if rest > 0 else "")


def _project(pin: Pin, imports: Imports) -> str | None:
    """The indexed project that a pin means; None where it may be left out.

    People may write an import name.  Files do not: there, `attr` is not `attrs`.
    """
    if pin.project in imports:
        return pin.project
    if not pin.required:
        return None
    found = [
        project for project, names in imports.items() if pin.project in (canonical(name) for name in names)
    ]
    if not found:
        raise unknown_project(pin.project, imports)
    if len(found) > 1:
        raise ApikbError(
            f"{pin.project} is provided by {', '.join(found)}", hint=f"say which: --with {found[0]}"
        )
    return found[0]


def _noted(
    kb: KnowledgeBase, project: str, pins: Sequence[Pin], note: Callable[[str], None]
) -> PinnedProject | None:
    try:
        return _pinned(project, pins, kb.releases(project))
    except NotIndexed as error:
        if any(pin.required for pin in pins):
            raise
        note(f"{_places(pins)}: left out: {error.message}")
        return None


def _places(pins: Sequence[Pin]) -> str:
    return " and ".join(where for where, _ in groupby(pin.where for pin in pins))


def _pinned(project: str, pins: Sequence[Pin], releases: Sequence[Release]) -> PinnedProject:
    specifier = _combined(pins, releases)
    if specifier:
        wanted = [place for place, release in enumerate(releases) if allows(specifier, release)]
    else:
        wanted = [newest_release(project, releases)]
    indexed = [place for place, release in enumerate(releases) if release.status == ReleaseStatus.INDEXED]
    ordinals = {place: ordinal for ordinal, place in enumerate(indexed)}
    read = [place for place in wanted if place in ordinals]
    if not read:
        exact = _exact_version(specifier)
        if exact is not None:
            exact_release(project, releases, exact)
        raise _nothing_matches(project, pins, specifier, [releases[place].version for place in wanted])
    return PinnedProject(
        project=project,
        ordinals=tuple(ordinals[place] for place in read),
        versions=tuple(releases[place].version for place in read),
        unread=tuple(releases[place].version for place in wanted if place not in ordinals),
    )


def _combined(pins: Sequence[Pin], releases: Sequence[Release]) -> SpecifierSet:
    specifier = SpecifierSet()
    for pin in pins:
        specifier &= _of_the_index(SpecifierSet(pin.specifier), releases)
    return specifier


def _of_the_index(specifier: SpecifierSet, releases: Sequence[Release]) -> SpecifierSet:
    """`==2.1.0+cu118` as `==2.1.0`, unless there is such a release.

    A label that a builder adds says how the same sources were compiled; the index does not list it.
    """
    exact = _exact_version(specifier)
    if exact is None or "+" not in exact:
        return specifier
    wanted = Version(exact)
    if any(Version(release.version) == wanted for release in releases):
        return specifier
    return SpecifierSet(f"=={wanted.public}")


def _exact_version(specifier: SpecifierSet) -> str | None:
    """The version of a specifier that is nothing but `==VERSION`."""
    if len(specifier) != 1:
        return None
    only = next(iter(specifier))
    return only.version if only.operator == "==" and not only.version.endswith(".*") else None


def _nothing_matches(
    project: str, pins: Sequence[Pin], specifier: SpecifierSet, unread: Sequence[str]
) -> NotIndexed:
    error = no_match(project, str(specifier))
    message = error.message
    if len(pins) > 1:
        message += f" ({_places(pins)} together)"
    if unread:
        message += f"; could not be read: {_some(unread)}"
    return NotIndexed(message, hint=error.hint)
