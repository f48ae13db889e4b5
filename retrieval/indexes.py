"""Search indexes beside the store: one folder per project and state of it, derived and disposable."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ..kb.corpus import Corpus
from ..kb.lookup import KnowledgeBase
from .pins import silent
from .project_index import LAYOUT, Arrays, ProjectIndex, build_index
from .strings import StringTable

_MANIFEST = "manifest.json"
_NEW = ".new-"
"""How the folders begin that are not finished."""


class DamagedIndex(Exception):
    """A folder that is not what was written."""


@dataclass(frozen=True, slots=True, eq=False)
class Opened:
    """An index, the state of the store that it was made of, and its releases: ordinal -> version.

    Each is equal to itself alone.
    """

    fingerprint: str
    versions: tuple[str, ...]
    index: ProjectIndex


def search_folder(kb: Path) -> Path:
    """Where what is derived from a file lies: beside it."""
    return kb.with_name(f"{kb.name}.search")


class Indexes:
    """The indexes of a knowledge base.  Missing, stale and damaged ones are built anew.

    Threads may share it.  Two processes may build the same one: the folder that is finished first stays, and
    both hold the same.
    """

    def __init__(self, kb: KnowledgeBase, note: Callable[[str], None] = silent) -> None:
        self._kb = kb
        self._note = note
        self._building = threading.Lock()
        self._opened: dict[str, Opened] = {}
        self._seen: dict[str, object] = {}
        """By project, the state of the whole file in which its index was found to be the right one."""

    def of(self, project: str) -> Opened:
        """The index of a project as the store has it now.  Raises NotIndexed."""
        # In this order: the file may be replaced in between, and then the next question looks again.
        state = self._kb.state()
        with self._building:
            if state is not None and self._seen.get(project) == state:
                return self._opened[project]
            corpus = self._kb.corpus(project)
            fingerprint = corpus.fingerprint()
            known = self._opened.get(corpus.project)
            if known is None or known.fingerprint != fingerprint:
                known = self._opened[corpus.project] = self._open(corpus, fingerprint)
            if project == corpus.project:
                self._seen[project] = state
            return known

    def _open(self, corpus: Corpus, fingerprint: str) -> Opened:
        folder = search_folder(self._kb.path) / corpus.project
        place = folder / f"{fingerprint}-{LAYOUT}"
        try:
            return _opened(fingerprint, read_arrays(place))
        except DamagedIndex as error:
            self._note(f"{corpus.project}: {error}; the search index is built anew")
            shutil.rmtree(place, ignore_errors=True)
        except FileNotFoundError:
            self._note(f"{corpus.project}: building the search index, once for this state of the store")
        arrays = build_index(corpus.documents()).arrays()
        versions = StringTable.of(corpus.versions())
        arrays |= {"versions": versions.blob, "version_starts": versions.starts}
        try:
            write_arrays(place, arrays)
            remove_others(folder, keep=place)
        except OSError as error:
            reason = error.strerror or error
            self._note(f"{corpus.project}: the search index cannot be kept ({folder}: {reason})")
        return _opened(fingerprint, arrays)


def _opened(fingerprint: str, arrays: Arrays) -> Opened:
    try:
        versions = StringTable(arrays["versions"], arrays["version_starts"])  # type: ignore[arg-type]
        index = ProjectIndex.of(arrays)
    except KeyError as error:
        raise DamagedIndex(f"the array {error} is missing") from error
    return Opened(fingerprint, tuple(versions[place] for place in range(len(versions))), index)


def write_arrays(place: Path, arrays: Arrays) -> None:
    """Write a folder of arrays that is there whole or not at all.  Raises OSError."""
    place.parent.mkdir(parents=True, exist_ok=True)
    new = Path(tempfile.mkdtemp(prefix=_NEW, dir=place.parent))
    try:
        sums = {}
        for name, values in arrays.items():
            path = new / f"{name}.npy"
            with path.open("wb") as file:
                np.save(file, values, allow_pickle=False)
                file.flush()
                os.fsync(file.fileno())
            sums[name] = _checksum(path)
        manifest = new / _MANIFEST
        manifest.write_text(json.dumps({"checksums": sums}, indent=1))
        with manifest.open("rb") as read:
            os.fsync(read.fileno())
        try:
            new.rename(place)
        except OSError:
            if not (place / _MANIFEST).is_file():
                raise
    finally:
        shutil.rmtree(new, ignore_errors=True)


def read_arrays(place: Path) -> Arrays:
    """Map the arrays of a folder into memory.

    Raises FileNotFoundError where there is no such folder, DamagedIndex where any byte is not as written.
    """
    if not place.is_dir():
        raise FileNotFoundError(place)
    try:
        sums = json.loads((place / _MANIFEST).read_bytes())["checksums"]
        found: Arrays = {}
        for name, checksum in sums.items():
            path = place / f"{Path(name).name}.npy"
            if _checksum(path) != checksum:
                raise DamagedIndex(f"{path} is damaged")
            found[name] = _mapped(path)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise DamagedIndex(f"{place} is damaged ({error})") from error
    return found


def _mapped(path: Path) -> npt.NDArray[np.generic]:
    try:
        values: npt.NDArray[np.generic] = np.load(path, mmap_mode="r", allow_pickle=False)
    except ValueError:  # Nothing of no bytes can be mapped.
        values = np.load(path, allow_pickle=False)
    return values


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()


def remove_others(folder: Path, *, keep: Path) -> None:
    """Remove indexes of other states and what killed builders left.

    Who has one of them mapped keeps reading it.  A folder that another process is still filling may go as
    well: it then keeps its index in memory.
    """
    for other in folder.iterdir():
        if other != keep:
            with contextlib.suppress(OSError):
                shutil.rmtree(other)
