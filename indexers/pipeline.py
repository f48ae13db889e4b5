"""From project names to a published knowledge base."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from ..kb.errors import ApikbError
from ..kb.observations import ProjectObservation
from ..kb.progress import NullProgress, Progress
from ..kb.store import load_observation, publish
from .cache import Cache
from .project import ProjectRun, ReleaseSelection
from .simple_index import SimpleIndex
from .workers import Workers

_GATHER_SECONDS = 30.0
"""A publish gathers what has been finished in this time."""
_PUBLISH_SHARE = 10.0
"""A publish comes no more often than this many times what the last one cost."""


@dataclass(frozen=True, slots=True)
class IndexOptions:
    """What `apikb index` may be told."""

    kb: Path
    versions: str | None = None
    since: str | None = None
    pre: bool = False
    jobs: int | None = None
    index_url: str | None = None
    find_links: tuple[Path, ...] = ()
    refresh: bool = False
    cache: Path | None = None


@dataclass(slots=True)
class ProjectSummary:
    """What became of one project.  Sizes are bytes; `artifact_bytes` are those of the artifacts chosen."""

    project: str
    releases_total: int = 0
    indexed: int = 0
    skipped: list[tuple[str, str]] = field(default_factory=list)
    failed: list[tuple[str, str]] = field(default_factory=list)
    fetched_bytes: int = 0
    artifact_bytes: int = 0
    files_parsed: int = 0
    files_reused: int = 0
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    """CPU time of reading and assembling, all processes; publishing is not in it."""
    error: ApikbError | None = None
    unchanged: bool = False
    notes: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Summary:
    """What became of a run."""

    projects: list[ProjectSummary] = field(default_factory=list)


def default_cache() -> Path:
    """The folder of extracted facts, safe to delete."""
    from platformdirs import user_cache_path

    return user_cache_path("apikb")


def index_projects(
    projects: Sequence[str], options: IndexOptions, progress: Progress | None = None
) -> Summary:
    """Read the releases of projects into the knowledge base at `options.kb`.

    A project that cannot be indexed is reported in its summary, and the next one is
    read.  Raises `ApikbError` where no project could be: no index, no cache, no store.
    """
    progress = progress or NullProgress()
    summary = Summary()
    cache_path = (options.cache or default_cache()) / "facts.sqlite"
    names = list(dict.fromkeys(canonicalize_name(Requirement(text).name) for text in projects))
    publisher = _Publisher(options.kb, progress)
    with (
        _without_collector(),
        SimpleIndex(options.index_url, find_links=options.find_links, progress=progress) as index,
        Workers(options.jobs or os.cpu_count() or 1, cache_path) as workers,
    ):
        cache = Cache(cache_path)
        try:
            for name in names:
                summary.projects.append(_index_one(name, options, progress, index, workers, cache, publisher))
        finally:
            try:
                publisher.flush()
            finally:
                cache.close()
    return summary


def _index_one(
    project: str,
    options: IndexOptions,
    progress: Progress,
    index: SimpleIndex,
    workers: Workers,
    cache: Cache,
    publisher: _Publisher,
) -> ProjectSummary:
    started, fetched, cpu = time.monotonic(), index.fetched, time.process_time()
    summary = ProjectSummary(project)
    try:
        selection = ReleaseSelection(options.versions, options.since, options.pre)
        known = None if options.refresh or not options.kb.exists() else load_observation(options.kb, project)
        run = ProjectRun(project, index, workers, cache, progress, refresh=options.refresh)
        observation = run.run(selection, known)
        _count(summary, run, observation)
        summary.cpu_seconds = run.worker_seconds + time.process_time() - cpu
        if not summary.unchanged:
            publisher.add(observation)
    except ApikbError as error:
        summary.error = error
    summary.fetched_bytes = index.fetched - fetched
    summary.seconds = time.monotonic() - started
    return summary


def _count(summary: ProjectSummary, run: ProjectRun, observation: ProjectObservation) -> None:
    summary.releases_total = len(observation.releases)
    for item in observation.releases:
        release = item.release
        if release.status == "indexed":
            summary.indexed += 1
        else:
            target = summary.skipped if release.status == "skipped" else summary.failed
            target.append((release.version, release.reason or ""))
    summary.artifact_bytes = run.artifact_bytes
    summary.files_parsed, summary.files_reused = run.files_parsed, run.files_reused
    summary.unchanged = not run.changed
    summary.notes.extend(run.notes)


@contextmanager
def _without_collector() -> Iterator[None]:
    """Millions of records and no cycles: the collector would only walk them again and again."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


class _Publisher:
    """Gathers finished projects and publishes them together, not too often."""

    def __init__(self, path: Path, progress: Progress) -> None:
        self.path = path
        self.progress = progress
        self._waiting: list[ProjectObservation] = []
        self._next = time.monotonic() + _GATHER_SECONDS

    def add(self, observation: ProjectObservation) -> None:
        self._waiting.append(observation)
        if time.monotonic() >= self._next:
            self.flush()

    def flush(self) -> None:
        if not self._waiting:
            return
        started = time.monotonic()
        publish(self.path, self._waiting, on_wait=lambda holder: self.progress.note(f"waiting for {holder}"))
        cost = time.monotonic() - started
        self._waiting = []
        self._next = time.monotonic() + max(_GATHER_SECONDS, _PUBLISH_SHARE * cost)
