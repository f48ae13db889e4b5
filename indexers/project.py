"""All releases of one project, read side by side and put together as one observation."""

from __future__ import annotations

import sys
import threading
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from ..kb.observations import Block, ModuleRead, ProjectObservation, ReleaseObservation, Row
from ..kb.progress import Progress
from ..kb.releases import Release, ReleaseStatus
from ..kb.symbols import Deprecation, SymbolState
from .artifacts import ArtifactFile, ListedRelease, candidates
from .cache import Cache
from .facts import EXTRACTOR_VERSION
from .plain_signatures import plain_signature
from .plans import Assembled, Plan, SourceFile, assemble, parse_files
from .reading import Claims, ReleaseReader, ReleaseReading
from .simple_index import SimpleIndex
from .workers import TaskFailed, Workers, result_of

_BATCH_BYTES = 1 << 20
"""Source in one parse task: large enough to be worth sending, small enough to share out."""
_READERS = 4
_AHEAD = 4
"""Releases that are read before the oldest is assembled; bounds the memory that new files take."""


@dataclass(frozen=True, slots=True)
class ReleaseSelection:
    """Which of the listed releases are read."""

    versions: tuple[str, ...] = ()
    since: str | None = None
    pre: bool = False

    def choose(self, listed: list[ListedRelease]) -> list[ListedRelease]:
        """Final releases, pre-releases where asked for; pre-releases alone where there is nothing else."""
        finals = [release for release in listed if not Version(release.version).is_prerelease]
        chosen = listed if self.pre or not finals else finals
        if self.since is not None:
            chosen = [release for release in chosen if Version(release.version) >= Version(self.since)]
        if self.versions:
            specifiers = [SpecifierSet(text) for text in self.versions]
            chosen = [
                release
                for release in chosen
                if any(specifier.contains(release.version, prereleases=True) for specifier in specifiers)
            ]
        return chosen


class ProjectRun:
    """One project, once."""

    def __init__(
        self,
        project: str,
        index: SimpleIndex,
        workers: Workers,
        cache: Cache,
        progress: Progress,
        *,
        refresh: bool = False,
    ) -> None:
        self.project = project
        self.index = index
        self.workers = workers
        self.progress = progress
        self.refresh = refresh
        self.claims = Claims()
        self._interner = _Interner()
        self.reader = ReleaseReader(project, index, cache, self.claims, refresh=refresh)
        self.files_parsed = 0
        self.files_reused = 0
        self.artifact_bytes = 0
        self.worker_seconds = 0.0
        self.changed = False
        self.read: set[str] = set()
        """The releases that this run read, or tried to."""
        self.notes: list[str] = []

    def run(self, selection: ReleaseSelection, known: ProjectObservation | None) -> ProjectObservation:
        """Read what is new; releases that `known` holds from the same artifact are kept as they are."""
        listing = self.index.releases(self.project)
        self.notes.extend(f"{file.filename}: {file.reason}" for file in listing.skipped)
        chosen = selection.choose(list(listing.releases))
        kept = {item.release.version: item for item in known.releases} if known is not None else {}
        blocks = dict(known.blocks) if known is not None else {}
        fresh = [
            listed
            for listed in chosen
            if self.refresh or not self._is_current(kept.get(listed.version), listed)
        ]
        self.read = {listed.version for listed in fresh}
        self.progress.project_started(self.project, len(chosen))
        for listed in chosen:
            if listed not in fresh:
                item = kept[listed.version]
                self.progress.release_done(
                    self.project, listed.version, item.release.status, item.release.reason
                )
        observation = ProjectObservation(self.project, blocks=blocks)
        observed = dict(kept)
        by_version = {listed.version: listed for listed in fresh}
        for read in self._read_all(fresh, observation.blocks):
            before = kept.get(read.release.version)
            item = self._not_lost(read, before, by_version[read.release.version])
            if before is not None and _is_same(item, before):
                item = before
            else:
                self.changed = True
            observed[item.release.version] = item
            self.progress.release_done(
                self.project, item.release.version, item.release.status, item.release.reason
            )
        observation.releases = list(observed.values())
        used = {digest for item in observation.releases for digest in item.blocks}
        observation.blocks = {digest: block for digest, block in blocks.items() if digest in used}
        return observation

    def _is_current(self, item: ReleaseObservation | None, listed: ListedRelease) -> bool:
        """True where a release was read, by this reader, from the artifact that would be chosen now.

        Also where there was nothing to read, and still is not.
        """
        if item is None or item.release.status is ReleaseStatus.FAILED:
            return False
        release = item.release
        if release.yanked != listed.yanked or release.yanked_reason != listed.yanked_reason:
            return False
        if release.status is ReleaseStatus.INDEXED and release.reader != EXTRACTOR_VERSION:
            return False
        for file in candidates(listed.files):
            if _is_artifact(file, release):
                return True
            if not self.reader.is_known_to_be_empty(file):
                return False
        return release.status is ReleaseStatus.SKIPPED

    def _not_lost(
        self, item: ReleaseObservation, before: ReleaseObservation | None, listed: ListedRelease
    ) -> ReleaseObservation:
        """What was read of an artifact before stays true when reading the same one again fails."""
        if before is None or before.release.status is not ReleaseStatus.INDEXED:
            return item
        status = item.release.status
        still_listed = any(_is_artifact(file, before.release) for file in listed.files)
        # Failing says nothing of an artifact that took the old one's place; having none left to read does.
        lost = status is ReleaseStatus.FAILED and still_listed
        if not lost and not (status is ReleaseStatus.SKIPPED and not listed.files):
            return item
        self.notes.append(f"{listed.version} could not be read again and is kept: {item.release.reason}")
        release = replace(before.release, yanked=listed.yanked, yanked_reason=listed.yanked_reason)
        return replace(before, release=release)

    # ---- reading side by side

    def _read_all(
        self, listed: list[ListedRelease], blocks: dict[bytes, Block]
    ) -> Iterator[ReleaseObservation]:
        """Fetch in threads, parse and assemble in worker processes; yield in version order."""
        assembling: deque[tuple[ReleaseReading, Future[Any] | None]] = deque()
        with ThreadPoolExecutor(_READERS, thread_name_prefix="fetch") as fetchers:
            pending = deque(listed)
            reading: deque[Future[Any]] = deque()
            try:
                while pending or reading or assembling:
                    while pending and len(reading) < _AHEAD:
                        reading.append(fetchers.submit(self._read, pending.popleft()))
                    if reading:
                        assembling.append(self._start_assembly(reading.popleft().result()))
                    while assembling and (not reading or len(assembling) > _AHEAD):
                        yield self._finish(*assembling.popleft(), blocks)
            except BaseException:
                fetchers.shutdown(wait=False, cancel_futures=True)
                raise

    def _read(self, listed: ListedRelease, refetch: frozenset[bytes] = frozenset()) -> ReleaseReading:
        """Read one release and have its new files parsed; called in a thread."""
        reading, done = self.reader.read(listed, refetch=refetch)
        if done.done():
            return reading
        try:
            tasks = [(batch, self.workers.submit(parse_files, batch)) for batch in _batches(reading.new)]
        except BaseException:
            done.set_result(None)
            raise
        _complete_when_all(done, [task for _, task in tasks])
        reading.waits_for.append(done)
        reading.tasks = tasks
        return reading

    def _start_assembly(self, reading: ReleaseReading) -> tuple[ReleaseReading, Future[Any] | None]:
        if reading.plan is None:
            return reading, None
        self._settle(reading)
        return reading, self.workers.submit(assemble, self.project, reading.plan)

    def _settle(self, reading: ReleaseReading) -> None:
        """Wait until all facts of a release are made; a file that kills its worker is left out, alone."""
        for future in reading.waits_for:
            future.result()
        for batch, task in reading.tasks:
            try:
                self.worker_seconds += result_of(task).seconds
            except TaskFailed:
                self._parse_singly(reading, batch)
        self.files_parsed += len(reading.new)
        self.files_reused += reading.reused
        self.progress.files(parsed=len(reading.new), reused=reading.reused)
        reading.new, reading.tasks = [], []

    def _parse_singly(self, reading: ReleaseReading, batch: list[SourceFile]) -> None:
        reasons: dict[bytes, str] = {}
        for file in batch:
            try:
                result_of(self.workers.submit(parse_files, [file]))
            except TaskFailed as error:
                reasons[file.key] = f"the parser failed: {error}"
        assert reading.plan is not None
        files = tuple(
            file._replace(reason=reasons[file.key]) if file.key in reasons else file
            for file in reading.plan.files
        )
        reading.plan = reading.plan._replace(files=files)
        reading.manifest_key = None

    def _finish(
        self, reading: ReleaseReading, task: Future[Any] | None, blocks: dict[bytes, Block]
    ) -> ReleaseObservation:
        if reading.artifact is not None and reading.plan is not None:
            self.artifact_bytes += reading.artifact.size or 0
        if task is None:
            return ReleaseObservation(_release(reading))
        try:
            assembled: Assembled = result_of(task)
            self.worker_seconds += assembled.seconds
            broken = frozenset(assembled.missing) | self.reader.broken_promises(reading)
            if broken:
                reading, assembled = self._again(reading, broken)
            self.reader.keep(reading)
            return ReleaseObservation(_release(reading), *self._take(assembled, reading.plan, blocks))
        except TaskFailed as error:
            if not self.reader.broken_promises(reading):
                self.reader.keep(reading)
            reading.failed, reading.reason, reading.plan = True, f"{error}", None
            return ReleaseObservation(_release(reading))

    def _again(self, reading: ReleaseReading, broken: frozenset[bytes]) -> tuple[ReleaseReading, Assembled]:
        """Read a release once more, content and all, because facts are missing or a RECORD lied."""
        self.claims.forget(broken)
        again = self._read(reading.listed, broken)
        if again.plan is None:
            raise TaskFailed(again.reason or "it could not be read again")
        self._settle(again)
        assembled: Assembled = result_of(self.workers.submit(assemble, self.project, again.plan))
        if assembled.missing or self.reader.broken_promises(again):
            raise TaskFailed("its files do not have the content that its RECORD promises")
        return again, assembled

    def _take(
        self, assembled: Assembled, plan: Plan | None, blocks: dict[bytes, Block]
    ) -> tuple[tuple[ModuleRead, ...], tuple[bytes, ...]]:
        """Add a release's new blocks; a block that its worker sent before a crash of ours is made again."""
        absent = [digest for digest, block in assembled.blocks if block is None and digest not in blocks]
        for digest, block in assembled.blocks:
            if block is not None and digest not in blocks:
                file, rows = block
                blocks[digest] = self._interner.block(file, rows)
        if absent and plan is not None:
            complete: Assembled = result_of(self.workers.submit(assemble, f"{self.project}#again", plan))
            return self._take(complete, None, blocks)
        self._interner.next_release()
        modules = tuple(self._interner.module(module) for module in assembled.modules)
        return modules, tuple(digest for digest, _ in assembled.blocks)


class _Interner:
    """One object for equal values: most states and names come again with every change of a file."""

    def __init__(self) -> None:
        self._states: dict[tuple[Any, ...], SymbolState] = {}
        self._modules: dict[ModuleRead, ModuleRead] = {}
        self._seen: dict[int, tuple[tuple[Any, ...], SymbolState]] = {}

    def block(self, file: str, rows: list[tuple[str, tuple[Any, ...], int]]) -> Block:
        return Block(
            sys.intern(file),
            tuple(Row(sys.intern(symbol), self._state(state), line) for symbol, state, line in rows),
        )

    def module(self, read: ModuleRead) -> ModuleRead:
        """A module's record; most are the same in every release."""
        return self._modules.setdefault(read, ModuleRead._make(read))

    def next_release(self) -> None:
        """Forget which objects were seen: those of one message are equal only if they are the same."""
        self._seen.clear()

    def _state(self, plain: tuple[Any, ...]) -> SymbolState:
        seen = self._seen.get(id(plain))
        if seen is not None:
            return seen[1]
        known = self._states.get(plain)
        if known is None:
            known = _state(plain)
            self._states[known] = known
        # The plain tuple is kept, so that its id is not given to another.
        self._seen[id(plain)] = plain, known
        return known


def _state(plain: tuple[Any, ...]) -> SymbolState:
    state = SymbolState._make(plain)
    marks = tuple(Deprecation._make(mark) for mark in state.deprecations)
    return state._replace(signature=plain_signature(state.signature), deprecations=marks)


def _is_artifact(file: ArtifactFile, release: Release) -> bool:
    """True where a listed file is the one that a release was read from, as far as the index tells."""
    if file.filename != release.artifact:
        return False
    return file.size in (None, release.size) if file.sha256 is None else file.sha256 == release.sha256


def _is_same(item: ReleaseObservation, before: ReleaseObservation) -> bool:
    """True where reading again gave the same; what it cost, and the order of its parts, do not count."""
    return (
        replace(item.release, fetched=before.release.fetched) == before.release
        and sorted(item.blocks) == sorted(before.blocks)
        and sorted(map(repr, item.modules)) == sorted(map(repr, before.modules))
    )


def _release(reading: ReleaseReading) -> Release:
    listed, artifact = reading.listed, reading.artifact
    if reading.plan is not None:
        status = ReleaseStatus.INDEXED
    else:
        status = ReleaseStatus.FAILED if reading.failed else ReleaseStatus.SKIPPED
    return Release(
        version=listed.version,
        status=status,
        reason=None if status is ReleaseStatus.INDEXED else reading.reason,
        yanked=listed.yanked,
        yanked_reason=listed.yanked_reason,
        uploaded_at=listed.uploaded_at,
        requires_python=listed.requires_python,
        artifact=artifact.filename if artifact is not None and status is ReleaseStatus.INDEXED else None,
        sha256=artifact.sha256 if artifact is not None and status is ReleaseStatus.INDEXED else None,
        size=artifact.size if artifact is not None and status is ReleaseStatus.INDEXED else None,
        fetched=reading.fetched,
        reader=EXTRACTOR_VERSION if status is ReleaseStatus.INDEXED else None,
    )


def _batches(files: list[SourceFile]) -> Iterator[list[SourceFile]]:
    batch: list[SourceFile] = []
    size = 0
    for file in files:
        batch.append(file)
        size += len(file.data)
        if size >= _BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _complete_when_all(done: Future[Any], tasks: list[Future[Any]]) -> None:
    """Complete one future when all others are, whatever becomes of them."""
    left = set(range(len(tasks)))
    lock = threading.Lock()
    if not tasks:
        done.set_result(None)

    def one_done(_: Future[Any]) -> None:
        with lock:
            left.pop()
            last = not left
        if last:
            done.set_result(None)

    for task in tasks:
        task.add_done_callback(one_done)
