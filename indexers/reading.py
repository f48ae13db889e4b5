"""One release from the index to a plan: which artifact, which files, which of them are new."""

from __future__ import annotations

import hashlib
import threading
import zlib
from collections.abc import Iterable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from .archives import Archive, ArchiveError, FetchError, Member
from .artifacts import ArtifactFile, ArtifactKind, ListedRelease, candidates
from .cache import Cache, facts_key
from .cython_includes import read_includes
from .layout import Layout, ModuleFile, Role, lay_out
from .plans import Plan, PlannedFile, SourceFile
from .simple_index import SimpleIndex

_ROLES = [Role.SOURCE, Role.CYTHON, Role.STUB, Role.DECLARED, Role.COMPILED]


@dataclass(slots=True)
class ReleaseReading:
    """A release as it was read: its plan and its new files, or the reason why there is none.

    `failed` tells a release that could not be had from one in which there is nothing to read.
    """

    listed: ListedRelease
    artifact: ArtifactFile | None = None
    plan: Plan | None = None
    new: list[SourceFile] = field(default_factory=list)
    waits_for: list[Future[Any]] = field(default_factory=list)
    tasks: list[tuple[list[SourceFile], Future[Any]]] = field(default_factory=list)
    checks: list[tuple[bytes, Member]] = field(default_factory=list)
    """Keys that rest on a RECORD alone until the release that fetches the content has hashed it."""
    reused: int = 0
    fetched: int = 0
    manifest_key: str | None = None
    reason: str | None = None
    failed: bool = False


class Claims:
    """Which release parses which file: each is parsed once, although several releases are read at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._futures: dict[bytes, Future[Any]] = {}

    def claim(self, keys: Iterable[bytes], mine: Future[Any]) -> tuple[set[bytes], list[Future[Any]]]:
        """(keys that are now the caller's, what to wait for); `mine` is what the caller completes."""
        taken: set[bytes] = set()
        others: dict[int, Future[Any]] = {}
        with self._lock:
            for key in keys:
                known = self._futures.setdefault(key, mine)
                if known is mine:
                    taken.add(key)
                else:
                    others[id(known)] = known
        return taken, list(others.values())

    def forget(self, keys: Iterable[bytes]) -> None:
        """Give up keys whose files could not be had."""
        with self._lock:
            for key in keys:
                self._futures.pop(key, None)


class ReleaseReader:
    """Reads releases of one project.  Thread-safe.

    With `refresh` every artifact is opened again, even one whose layout is remembered;
    facts are kept by the hash of the content that they were read from, and stay true.
    """

    def __init__(
        self, project: str, index: SimpleIndex, cache: Cache, claims: Claims, *, refresh: bool = False
    ) -> None:
        self.project = project
        self.refresh = refresh
        self.index = index
        self.cache = cache
        self.claims = claims
        self._lock = threading.Lock()

    def read(
        self, listed: ListedRelease, *, refetch: frozenset[bytes] = frozenset()
    ) -> tuple[ReleaseReading, Future[Any]]:
        """Read a release by the first of its artifacts that holds Python source.

        The future is completed by whoever has parsed the new files.  `refetch` names
        facts to read again although they are claimed.
        """
        reading = ReleaseReading(listed)
        reasons: list[str] = []
        for artifact in candidates(listed.files):
            reading.artifact = artifact
            try:
                done = self._read_artifact(reading, artifact, refetch)
            except FetchError as error:
                # Another artifact would give another answer, depending on the weather of the network.
                reading.failed, reading.reason = True, f"{artifact.filename}: {error.message}"
                return reading, _done()
            except ArchiveError as error:
                reasons.append(f"{artifact.filename}: {error.message}")
                reading.failed = True
                continue
            if done is not None:
                reading.failed = False
                return reading, done
            reasons.append(f"{artifact.filename} holds no Python source")
        if not reasons:
            reasons.append(listed.reason or "no wheel and no source distribution")
        reading.plan, reading.reason = None, "; ".join(reasons)
        return reading, _done()

    def _read_artifact(
        self, reading: ReleaseReading, artifact: ArtifactFile, refetch: frozenset[bytes]
    ) -> Future[Any] | None:
        """None where the artifact holds no Python source."""
        key = artifact.sha256  # without one, nothing says that it is the artifact of the last run
        known = None if refetch or self.refresh or key is None else self._known_plan(key)
        if known is not None:
            if not known.files:
                return None
            reading.plan = known
            reading.reused = sum(file.role != Role.COMPILED for file in known.files)
            return _done()
        archive = self.index.open(artifact)
        try:
            return self._read_archive(reading, archive, key, refetch)
        finally:
            reading.artifact = archive.file
            reading.fetched += archive.fetched
            archive.close()

    def is_known_to_be_empty(self, artifact: ArtifactFile) -> bool:
        """True where an artifact was opened before and holds no Python source."""
        plan = self._known_plan(artifact.sha256) if artifact.sha256 is not None else None
        return plan is not None and not plan.files

    def _known_plan(self, key: str) -> Plan | None:
        """A plan from an earlier run, if the facts of all its files are still there."""
        with self._lock:
            data = self.cache.manifest(key)
            if data is None:
                return None
            files = tuple(PlannedFile(*file) for file in data[0])
            if self.cache.missing(file.key for file in files if file.reason is None):
                return None
        return Plan(files, tuple(data[1]), tuple(data[2]))

    def _read_archive(
        self,
        reading: ReleaseReading,
        archive: Archive,
        key_of_artifact: str | None,
        refetch: frozenset[bytes],
    ) -> Future[Any] | None:
        members = {member.path: member for member in archive.members}
        kind = "sdist" if archive.file.kind is ArtifactKind.SDIST else "wheel"
        layout = lay_out([*members, *archive.refused], kind, self.project, archive.top_level)
        if not any(file.role is not Role.COMPILED for file in layout.files):
            if key_of_artifact is not None:
                with self._lock:
                    self.cache.add_manifest(key_of_artifact, _plain(Plan(())))
            return None
        promised, verified = self._promised_keys(layout, members)
        wanted = [file for file in layout.files if file.role is not Role.COMPILED and file.path in members]
        mine: Future[Any] = Future()
        taken, reading.waits_for = self.claims.claim(set(promised.values()) - refetch, mine)
        taken |= refetch
        try:
            with self._lock:
                missing = self.cache.missing(promised.values()) | refetch
            fetch = [
                file
                for file in wanted
                if file.path not in promised
                or (
                    promised[file.path] in taken
                    and (file.path not in verified or promised[file.path] in missing)
                )
            ]
            keys = self._fetch(reading, archive, fetch, taken, mine)
        except BaseException:
            self.claims.forget(taken)
            mine.set_result(None)
            raise
        for path, key in promised.items():
            if path not in keys and path not in archive.refused:
                keys[path] = key
                if path not in verified:
                    reading.checks.append((key, members[path]))
        reading.reused = len(wanted) - len(reading.new)
        reading.plan = _plan(layout, keys, archive.refused)
        reading.manifest_key = key_of_artifact
        return mine

    def keep(self, reading: ReleaseReading) -> None:
        """Remember a plan whose facts are all there, for the next run."""
        if reading.manifest_key and reading.plan is not None:
            with self._lock:
                self.cache.add_manifest(reading.manifest_key, _plain(reading.plan))

    def broken_promises(self, reading: ReleaseReading) -> set[bytes]:
        """Keys taken from a RECORD that the content, hashed in the meantime, does not bear out."""
        with self._lock:
            hashed = self.cache.contents(member.sha256 or "" for _, member in reading.checks)
        return {
            key
            for key, member in reading.checks
            if hashed.get(member.sha256 or "") != (member.size, member.crc32)
        }

    def _promised_keys(self, layout: Layout, members: dict[str, Member]) -> tuple[dict[str, bytes], set[str]]:
        """(keys by path as RECORD promises them, paths whose content was hashed here before).

        A content counts as known only where RECORD's sha256, size and CRC32 all agree.
        """
        claimed = {
            file.path: members[file.path]
            for file in layout.files
            if file.role is not Role.COMPILED and _stands_alone(file) and file.path in members
        }
        with self._lock:
            hashed = self.cache.contents(member.sha256 for member in claimed.values() if member.sha256)
        keys: dict[str, bytes] = {}
        verified: set[str] = set()
        for file in layout.files:
            member = claimed.get(file.path)
            if member is None or member.sha256 is None:
                continue
            known = hashed.get(member.sha256)
            if known is not None and known != (member.size, member.crc32):
                continue
            keys[file.path] = _key(file, member.sha256, None)
            if known is not None:
                verified.add(file.path)
        return keys, verified

    def _fetch(
        self,
        reading: ReleaseReading,
        archive: Archive,
        files: list[ModuleFile],
        taken: set[bytes],
        mine: Future[Any],
    ) -> dict[str, bytes]:
        """Read files, hash them, keep those whose facts nobody has or makes; their keys by path."""
        paths = [file.path for file in files]
        contents = dict(archive.read([*paths, *(file.pxd for file in files if file.pxd is not None)]))
        hashes = {path: hashlib.sha256(data).hexdigest() for path, data in contents.items()}
        read = [file for file in files if file.path in contents]
        includes = _includes(read, contents, archive)
        keys = {
            file.path: _key(
                file, hashes[file.path], _beside(hashes.get(file.pxd or ""), includes.get(file.path))
            )
            for file in read
        }
        more, others = self.claims.claim(set(keys.values()) - taken, mine)
        taken |= more
        reading.waits_for.extend(others)
        with self._lock:
            self.cache.add_contents(
                (hashes[path], len(data), zlib.crc32(data)) for path, data in contents.items()
            )
            missing = self.cache.missing(keys.values())
        for file in read:
            key = keys[file.path]
            if key in missing and key in taken:
                missing.discard(key)
                pxd = contents.get(file.pxd or "")
                included = tuple(includes.get(file.path, {}).items())
                reading.new.append(
                    SourceFile(
                        key, file.module, file.is_init, file.role.value, contents[file.path], pxd, included
                    )
                )
        return keys


def _stands_alone(file: ModuleFile) -> bool:
    """False where the facts of a file rest on other files, too."""
    return file.pxd is None and not file.includable


def _includes(
    files: list[ModuleFile], contents: dict[str, bytes], archive: Archive
) -> dict[str, dict[str, bytes]]:
    """What Cython sources include, by the path of the source and the name that it gives the file."""
    sources = {file.path: contents[file.path] for file in files if file.includable}
    includable = next((file.includable for file in files if file.includable), ())
    return read_includes(sources, includable, archive.read) if sources else {}


def _beside(pxd: str | None, included: dict[str, bytes] | None) -> str | None:
    """Names the contents that a file's facts rest on besides its own."""
    if not included:
        return pxd
    hasher = hashlib.sha256((pxd or "").encode())
    for name, data in included.items():
        hasher.update(f"\0{name}\0{hashlib.sha256(data).hexdigest()}".encode())
    return hasher.hexdigest()


def _key(file: ModuleFile, sha256: str, pxd: str | None) -> bytes:
    return facts_key(sha256, file.module, is_init=file.is_init, role=file.role.value, pxd=pxd)


def _plan(layout: Layout, keys: dict[str, bytes], refused: dict[str, str]) -> Plan:
    ordered = sorted(layout.files, key=lambda file: (file.module, _ROLES.index(file.role), file.path))
    files = tuple(
        PlannedFile(
            file.module,
            file.path,
            file.role.value,
            file.is_init,
            keys.get(file.path)
            or facts_key(file.path, file.module, is_init=file.is_init, role=file.role.value),
            None
            if file.path in keys
            else refused.get(file.path, "compiled" if file.role is Role.COMPILED else "not read"),
        )
        for file in ordered
    )
    return Plan(files, tuple(layout.skipped), tuple(sorted(layout.native_packages)))


def _plain(plan: Plan) -> Any:
    return tuple(tuple(file) for file in plan.files), plan.skipped, plan.native_packages


def _done() -> Future[Any]:
    future: Future[Any] = Future()
    future.set_result(None)
    return future
