"""From project names to a published knowledge base."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from ..kb.errors import ApikbError, StoreError
from ..kb.observations import ProjectObservation
from ..kb.progress import NullProgress, Progress
from ..kb.releases import ReleaseStatus
from ..kb.store import file_stamp, load_observation, open_reader, publish
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
    versions: tuple[str, ...] = ()
    """Specifiers; a release is read that matches any.  None: all."""
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
    _check_store(options.kb)
    publisher = _Publisher(options.kb, progress)
    with (
        _without_collector(),
        SimpleIndex(
            options.index_url,
            find_links=options.find_links,
            # Instead of the index, never beside it: there, anybody may own the name of a local project.
            use_index=not options.find_links,
            progress=progress,
        ) as index,
        # Closed after the workers are gone: the last to close tidies the folder up.
        closing(Cache(cache_path)) as cache,
        Workers(options.jobs or os.cpu_count() or 1, cache_path) as workers,
    ):
        publisher.before = workers.rest
        try:
            for name in names:
                summary.projects.append(_index_one(name, options, progress, index, workers, cache, publisher))
        finally:
            publisher.flush()
    return summary


def _check_store(path: Path) -> None:
    """Raise `StoreError` now for what a publish would stumble over when all the work is done."""
    if path.exists():
        open_reader(path).close()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"the folder of {path} cannot be made: {error.strerror}") from error
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise StoreError(
            f"the folder of {path} cannot be written to: permission denied",
            hint="name another file with --kb",
        )


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
        stamp = _stamp(options.kb)
        known = load_observation(options.kb, project) if stamp else None
        run = ProjectRun(project, index, workers, cache, progress, refresh=options.refresh)
        observation = run.run(selection, known)
        _count(summary, run, observation)
        summary.cpu_seconds = run.worker_seconds + time.process_time() - cpu
        if not summary.unchanged:
            observation.docstrings = cache.docstrings
            publisher.add(_Waiting(observation, known, frozenset(run.read), stamp))
    except StoreError:
        raise  # no other project could be published either
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


_Stamp = tuple[int, int, int] | None


def _stamp(path: Path) -> _Stamp:
    return file_stamp(path) if path.exists() else None


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A finished project: what is known of it now, what was known before, and which releases were read."""

    observation: ProjectObservation
    known: ProjectObservation | None
    read: frozenset[str]
    stamp: _Stamp
    """The file's, when `known` was read from it."""


class _Publisher:
    """Gathers finished projects and publishes them together, not too often."""

    def __init__(self, path: Path, progress: Progress) -> None:
        self.path = path
        self.progress = progress
        self._waiting: list[_Waiting] = []
        self._next = time.monotonic() + _GATHER_SECONDS
        self.before: Callable[[], None] = lambda: None
        """Called before each publish, which takes more memory than anything else."""

    def add(self, finished: _Waiting) -> None:
        self._waiting.append(finished)
        if time.monotonic() >= self._next:
            self.flush()

    def flush(self) -> None:
        if not self._waiting:
            return
        started = time.monotonic()
        self.before()
        publish(
            self.path,
            # Made one by one while the lock is held, so that nobody else can publish in between.
            (self._joined(finished) for finished in self._waiting),
            on_wait=lambda holder: self.progress.note(f"waiting for {holder}"),
            consume=True,
        )
        cost = time.monotonic() - started
        self._waiting = []
        self._next = time.monotonic() + max(_GATHER_SECONDS, _PUBLISH_SHARE * cost)

    def _joined(self, finished: _Waiting) -> ProjectObservation:
        """A project with the releases that another run has published of it in the meantime."""
        observation = finished.observation
        if _stamp(self.path) == finished.stamp:
            return observation
        other = load_observation(self.path, observation.project)
        if other is None or (finished.known is not None and other.releases == finished.known.releases):
            return observation
        joined = {item.release.version: item for item in other.releases}
        for item in observation.releases:
            version, status = item.release.version, item.release.status
            there = joined.get(version)
            lost = status is ReleaseStatus.FAILED and there is not None and there.release.reader is not None
            if there is None or (version in finished.read and not lost):
                joined[version] = item
        blocks = {**other.blocks, **observation.blocks}
        used = {digest for item in joined.values() for digest in item.blocks}
        return ProjectObservation(
            observation.project,
            list(joined.values()),
            {digest: block for digest, block in blocks.items() if digest in used},
            observation.docstrings,
        )
