"""What a task is like: the strata in which scores are told apart."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from packaging.version import InvalidVersion, Version

from ..kb.answers import Span
from ..kb.code_names import parse, uses
from ..kb.lookup import KnowledgeBase
from ..kb.releases import ReleaseStatus
from .tasks import Task
from .versions import Resolution, resolve


class Lifespan(StrEnum):
    """Where in the life of the answer the task stands."""

    ADDITION = "addition"
    """The first release of a span."""
    DEPRECATION = "deprecation"
    """The last release before the span ends, or one that marks the answer as deprecated."""
    GENERAL = "general"
    """A release in between."""
    UNKNOWN = "unknown"
    """Which symbol is meant, or when it came, cannot be told; `Tags.unknown` says why."""


class Transition(StrEnum):
    """From what kind of release to what kind an edit leads: major ones are `x.0` and `x.0.0`."""

    MAJOR_TO_MAJOR = "major-to-major"
    MAJOR_TO_MINOR = "major-to-minor"
    MINOR_TO_MAJOR = "minor-to-major"
    MINOR_TO_MINOR = "minor-to-minor"


@dataclass(frozen=True, slots=True)
class Tags:
    """The strata of one task, and how its versions were resolved."""

    source: str
    library: str
    """The project, or what the row says where the knowledge base has none."""
    year: int | None
    """When the release was uploaded; where that is not known, the year of the row."""
    lifespan: Lifespan
    symbols: tuple[str, ...]
    """The paths that the answer was taken for."""
    unknown: str
    """Why the lifespan is unknown; else empty."""
    transition: Transition | None
    """Of editing; None for other tasks and where a version is not resolved."""
    visible_in_code: bool
    visible_in_description: bool
    resolution: Resolution
    given_resolution: Resolution | None


def tag_tasks(tasks: Iterable[Task], kb: KnowledgeBase) -> list[Tags]:
    """The tags of tasks, in their order.  Never raises for what the store does not have."""
    tasks = list(tasks)
    resolutions = [resolve(kb, task.library, task.version, task.time) for task in tasks]
    names: defaultdict[str, set[str]] = defaultdict(set)
    for task, resolution in zip(tasks, resolutions, strict=True):
        if resolution.project is not None and resolution.chosen is not None:
            names[resolution.project].add(task.answer)
    spans = {project: _spans_by_name(kb, project, wanted) for project, wanted in names.items()}
    return [
        _tags(kb, task, resolution, spans.get(resolution.project or "", {}))
        for task, resolution in zip(tasks, resolutions, strict=True)
    ]


_ByName = Mapping[str, Sequence[tuple[str, Span]]]
"""Last part of a path -> the public paths that end in it, with their spans."""


def _spans_by_name(kb: KnowledgeBase, project: str, names: set[str]) -> _ByName:
    listed = ", ".join("'" + name.replace("'", "''") + "'" for name in sorted(names) if name.isidentifier())
    found: defaultdict[str, list[tuple[str, Span]]] = defaultdict(list)
    if not listed:
        return found
    rows = kb.sql(
        "SELECT symbol, added, added_exact, added_after, deprecated, removed, removed_exact, last_seen "
        f"FROM spans WHERE project = '{project}' AND visibility <> 'private' AND kind <> 'module' "
        f"AND regexp_extract(symbol, '[^.]+$') IN ({listed}) ORDER BY symbol"
    ).rows
    for symbol, *fields in rows:
        found[symbol.rpartition(".")[2]].append((symbol, Span(*fields)))
    return found


def _tags(kb: KnowledgeBase, task: Task, resolution: Resolution, by_name: _ByName) -> Tags:
    given = None
    if task.given_version is not None:
        given = resolve(kb, task.library, task.given_version, task.given_time)
    lifespan, symbols, unknown = _lifespan(kb, task, resolution, by_name)
    when = resolution.uploaded or task.time
    return Tags(
        task.source,
        resolution.project or task.library,
        int(when[:4]) if when else None,
        lifespan,
        symbols,
        unknown,
        transition(given.chosen, resolution.chosen) if given is not None else None,
        task.visible_in_code,
        task.visible_in_description,
        resolution,
        given,
    )


def transition(given: str | None, wanted: str | None) -> Transition | None:
    """Which kind of transition leads from one release to another, None where one is not known.

    >>> str(transition("1.5.3", "2.0"))
    'minor-to-major'
    """
    if given is None or wanted is None:
        return None
    ends = ("major" if not any(Version(end).release[1:]) else "minor" for end in (given, wanted))
    return Transition("-to-".join(ends))


def _lifespan(
    kb: KnowledgeBase, task: Task, resolution: Resolution, by_name: _ByName
) -> tuple[Lifespan, tuple[str, ...], str]:
    project, version = resolution.project, resolution.chosen
    if project is None or version is None:
        return Lifespan.UNKNOWN, (), resolution.reason
    order = [release.version for release in kb.releases(project) if release.status == ReleaseStatus.INDEXED]
    spans = by_name.get(task.answer, ())
    written = _paths_in_code(kb, task, project)
    spans = [(symbol, span) for symbol, span in spans if symbol in written] or spans
    holding = [(symbol, span) for symbol, span in spans if _holds(span, version, order)]
    if not holding:
        return Lifespan.UNKNOWN, (), f"no public {task.answer} is known in {project} {version}"
    symbols = tuple(dict.fromkeys(symbol for symbol, _ in holding))
    tags = {stage(span, version, order) for _, span in holding}
    if len(tags) > 1:
        return Lifespan.UNKNOWN, symbols, f"several symbols of {project} are called {task.answer}"
    (tag,) = tags
    reason = (
        f"it may have come before {version}: what was before could not be read"
        if tag == Lifespan.UNKNOWN
        else ""
    )
    return tag, symbols, reason


def _paths_in_code(kb: KnowledgeBase, task: Task, project: str) -> set[str]:
    """The dotted names that the code uses."""
    tree = parse(task.code) if task.language == "python" else None
    return set() if tree is None else {use.path for use in uses(tree, kb.info(project).import_names)}


def _place(version: str, order: Sequence[str]) -> int:
    try:
        return order.index(version)
    except ValueError:
        return -1


def _holds(span: Span, version: str, order: Sequence[str]) -> bool:
    place = _place(version, order)
    return place >= 0 and _place(span.added, order) <= place <= _place(span.last_seen, order)


def stage(span: Span, version: str, order: Sequence[str]) -> Lifespan:
    """Where in a span a release of it stands; `order` holds the versions in PEP 440 order.

    A span of one release is an addition.  The first release that was read cannot tell what is new in it.
    """
    if version == span.added:
        return Lifespan.ADDITION if span.added_exact else Lifespan.UNKNOWN
    end = span.deprecated or span.removed
    if end is None:
        return Lifespan.GENERAL
    final = [text for text in order if text in (version, end) or not _is_early(text)]
    following = final[final.index(version) + 1 :]
    ended = _place(end, order) <= _place(version, order)
    return Lifespan.DEPRECATION if ended or following[:1] == [end] else Lifespan.GENERAL


def _is_early(version: str) -> bool:
    try:
        return Version(version).is_prerelease
    except InvalidVersion:
        return False
