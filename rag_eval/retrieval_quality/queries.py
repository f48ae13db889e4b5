"""Queries with known answers, made of real tasks: the description asks, the name that was masked answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

import numpy as np

from ...kb.lookup import KnowledgeBase
from ...retrieval.indexes import Indexes, Opened
from ...retrieval.pins import PinnedProject, parse_pin, resolve_pins, silent
from ...retrieval.project_index import KINDS
from ..tasks import Task
from ..versions import resolve

_CALLABLE = np.isin(KINDS, ("class", "function", "method"))


@dataclass(frozen=True, slots=True)
class Query:
    """One question about one release, and the names that answer it."""

    id: str
    project: str
    version: str
    text: str
    code: str
    """The code of the task without the mask; empty where there is none."""
    answers: tuple[str, ...]
    """Last parts of callables that the release has."""
    source: str
    pins: tuple[PinnedProject, ...]
    """The one release."""


@dataclass(frozen=True, slots=True)
class Queries:
    """The queries of some tasks, and of those that are none, how many for which reason."""

    queries: tuple[Query, ...]
    left_out: Counter[str]


def queries_of(
    kb: KnowledgeBase,
    tasks: Iterable[Task],
    *,
    projects: Collection[str] = (),
    note: Callable[[str], None] = silent,
) -> Queries:
    """The tasks whose release is in the knowledge base and has a callable of the name that answers.

    `projects` keeps those of some projects.  Two tasks of one question, release and answer are one query.
    """
    callables = _Callables(Indexes(kb, note))
    found: dict[tuple[str, str, str, tuple[str, ...]], Query] = {}
    left_out: Counter[str] = Counter()
    for task in tasks:
        resolved = resolve(kb, task.library, task.version, task.time)
        if resolved.project is None or resolved.chosen is None:
            left_out["the library or release is not indexed"] += 1
            continue
        if projects and resolved.project not in projects:
            continue
        named = callables.of(resolved.project, resolved.chosen)
        answers = tuple(name for name in task.answers or (task.answer,) if name in named)
        if not answers or not task.description.strip():
            left_out["the answer is no callable of the release"] += 1
            continue
        key = resolved.project, resolved.chosen, task.description, answers
        if key in found:
            left_out["asked twice"] += 1
            continue
        code = task.given.replace(task.mask, "") if task.mask else task.given
        found[key] = Query(
            id=task.id,
            project=resolved.project,
            version=resolved.chosen,
            text=task.description,
            code=code,
            answers=answers,
            source=task.source,
            pins=tuple(resolve_pins(kb, [parse_pin(f"{resolved.project}=={resolved.chosen}")])),
        )
    return Queries(tuple(found.values()), left_out)


class _Callables:
    """Last names of the callables of a release, by the search index."""

    def __init__(self, indexes: Indexes) -> None:
        self._indexes = indexes
        self._opened: dict[str, Opened] = {}
        self._known: dict[tuple[str, str], frozenset[str]] = {}

    def of(self, project: str, version: str) -> frozenset[str]:
        key = project, version
        if key not in self._known:
            opened = self._opened.setdefault(project, self._indexes.of(project))
            index = opened.index
            if version not in opened.versions:
                return self._known.setdefault(key, frozenset())
            allowed = index.spans.allowed([opened.versions.index(version)], len(index), every=True)
            kept = allowed.rows[_CALLABLE[index.kinds[index.spans.documents[allowed.rows]]]]
            self._known[key] = frozenset(
                index.names[name].rpartition(".")[2] for name in index.spans.names[kept].tolist()
            )
        return self._known[key]
