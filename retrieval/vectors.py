"""The vectors of texts, kept beside the knowledge base: each distinct text is embedded once."""

from __future__ import annotations

import errno
import hashlib
import re
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from packaging.utils import is_normalized_name

from ..kb.atomic import remove_leftovers
from ..kb.errors import ApikbError
from ..kb.lock import WriterLock
from ..kb.text import visible
from .embedding_progress import Embedding, Pace, Progress, cost, unseen
from .encoders import Encoder
from .indexes import search_folder
from .pins import silent
from .vector_files import KEY_BYTES, Matrix, Stored, read_vectors, write_vectors

_BATCH = 32
_MOST_BATCHES = 16
_PART_COST = 100_000
"""A part is a few seconds of work, whatever the length of its texts: what a kill loses."""


def vectors_folder(kb: Path, encoder: str) -> Path:
    """Where the vectors of an encoder, given by its name, lie; no project can be called `_vectors`."""
    return search_folder(kb) / "_vectors" / _slug(encoder)


def _slug(encoder: str) -> str:
    """A name as the name of a folder; where it does not fit, with a hash to keep it apart from others."""
    if re.fullmatch(r"[a-z0-9][a-z0-9._-]*", encoder):
        return encoder
    digest = hashlib.blake2b(encoder.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    readable = re.sub(r"[^a-z0-9]+", "-", encoder.lower()).strip("-")[-60:].strip("-")
    return f"{readable}-{digest}"


def key_of(text: str) -> bytes:
    """What a text is stored under: 16 bytes of its BLAKE2b hash."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=KEY_BYTES).digest()


class Vectors:
    """The vectors of one encoder for the texts of a knowledge base.

    One Parquet file a project, replaced whole.  Vectors of texts that are no longer asked for stay in it: a
    release can come back.  While texts are embedded, finished parts of them lie in `PROJECT.parts`, and
    whoever comes after a killed run takes them over.  Threads and processes may share a folder: one writes,
    the others that would write wait for it, and readers do not.

    `note` is told what went wrong and was made good, `progress` how far the embedding is.  `folder` is where
    the files are, beside the knowledge base unless said otherwise.
    """

    def __init__(
        self,
        kb_path: Path,
        encoder: Encoder,
        *,
        note: Callable[[str], None] = silent,
        progress: Progress = unseen,
        folder: Path | None = None,
    ) -> None:
        self.folder = vectors_folder(kb_path, encoder.name) if folder is None else folder
        self._encoder = encoder
        self._note = note
        self._progress = progress

    def path(self, project: str) -> Path:
        """The Parquet file of a project."""
        if not is_normalized_name(project):
            raise ApikbError(
                f"{visible(project)} is not a normalised name of a project",
                hint="apikb list shows the projects that there are",
            )
        return self.folder / f"{project}.parquet"

    def of(self, project: str, texts: Sequence[str]) -> Matrix:
        """float32, shape (number of texts, dimension): rows of length 1 in the order of the texts.

        Texts that have no vector yet are embedded and kept.  The empty text has a row of zeros.

        Raises ApikbError where the file is another encoder's or cannot be written, or a vector is unfit.
        """
        keys, wanted = _keyed(texts)
        stored = self._whole(project, wanted)
        return _rows(self._completed(project, wanted) if stored is None else stored, keys)

    def known(self, project: str, texts: Sequence[str]) -> Matrix | None:
        """As `of`, but None where anything would have to be embedded: writes nothing and encodes nothing.

        Raises ApikbError where the file is another encoder's or cannot be read.
        """
        keys, wanted = _keyed(texts)
        stored = self._whole(project, wanted)
        return None if stored is None else _rows(stored, keys)

    def _whole(self, project: str, wanted: Mapping[bytes, str]) -> Stored | None:
        """The file, where it has all the wanted texts and is not damaged."""
        stored = self._read(self.path(project))
        return None if stored.lost or not wanted.keys() <= set(stored.keys) else stored

    def missing(self, project: str, texts: Sequence[str]) -> int:
        """How many distinct texts have no vector yet.  Writes nothing and encodes nothing.

        Raises ApikbError where the file is another encoder's or cannot be read.
        """
        path = self.path(project)
        # In this order: a writer puts the whole file in place before it removes the parts.
        known = {key for part in self._parts(path) for key in part.keys}
        known.update(self._read(path).keys)
        return len({key_of(text) for text in texts if text} - known)

    def _read(self, path: Path) -> Stored:
        return read_vectors(path, self._encoder.fingerprint, self._encoder.dimension)

    def _parts(self, path: Path) -> Iterator[Stored]:
        for part in sorted(_parts_folder(path).glob("*.parquet")):
            yield self._read(part)

    def _completed(self, project: str, wanted: Mapping[bytes, str]) -> Stored:
        """All vectors of a project, in the file by then."""
        path = self.path(project)
        with _writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
        with WriterLock(path).acquire(on_wait=self._waiting(project)):
            # Another process may have embedded all of it meanwhile.
            stored = self._read(path)
            parts = list(self._parts(path))
            for lost in (read.lost for read in (stored, *parts) if read.lost):
                self._note(f"{project}: {lost}; what is missing is embedded anew")
            merged = self._with_rest(project, wanted, stored, _merged([stored, *parts]))
            if stored.lost or len(merged.keys) > len(stored.keys):
                self._write(path, merged, path)
            remove_leftovers(path)
            shutil.rmtree(_parts_folder(path), ignore_errors=True)
            return merged

    def _with_rest(self, project: str, wanted: Mapping[bytes, str], stored: Stored, merged: Stored) -> Stored:
        """`merged`, which is the file and the parts, with those of the wanted texts that it lacks."""
        known = set(merged.keys)
        rest = {key: text for key, text in wanted.items() if key not in known}
        resumed = len(known & wanted.keys() - set(stored.keys))
        if resumed:
            self._note(f"{project}: {resumed:,} texts of a run that was cut off are taken over")
        return _merged([merged, *self._embedded(project, rest, resumed)]) if rest else merged

    def _write(self, path: Path, stored: Stored, file: Path) -> None:
        """Write the file of a project, or a part of it."""
        with _writing(path):
            file.parent.mkdir(parents=True, exist_ok=True)
            write_vectors(file, stored.keys, stored.vectors, self._encoder.fingerprint)

    def _waiting(self, project: str) -> Callable[[str], None]:
        return lambda holder: self._note(f"{project}: waiting for {holder}, which embeds its texts")

    def _embedded(self, project: str, rest: Mapping[bytes, str], resumed: int) -> Iterator[Stored]:
        """Embed texts in parts, the longest first; each part is kept as soon as it is finished."""
        path = self.path(project)
        total, done = resumed + len(rest), resumed
        pace = Pace(rest.values())
        self._progress(Embedding(project, done, total))
        for keys in _split(rest):
            texts = [rest[key] for key in keys]
            started = time.monotonic()
            part = Stored(keys, self._encoded(texts))
            # A name that no other part has: the folder may hold some of a run before.
            name = hashlib.blake2b(b"".join(keys), digest_size=8).hexdigest()
            self._write(path, part, _parts_folder(path) / f"{name}.parquet")
            done += len(keys)
            speed, left = pace.add(texts, time.monotonic() - started)
            self._progress(Embedding(project, done, total, speed, left))
            yield part

    def _encoded(self, texts: Sequence[str]) -> Matrix:
        rows = np.asarray(self._encoder.encode_documents(texts))
        expected = (len(texts), self._encoder.dimension)
        if rows.shape != expected:
            raise ApikbError(
                f"the encoder {visible(self._encoder.name)} gave an array of shape {rows.shape}, "
                f"not {expected}",
                hint="name another encoder",
            )
        rows = rows.astype(np.float32, copy=False)
        bad = np.flatnonzero(~(np.isfinite(rows).all(axis=1) & rows.any(axis=1)))
        if len(bad):
            row, text = rows[bad[0]], texts[bad[0]]
            what = "of zeros" if np.isfinite(row).all() else "that is not finite"
            raise ApikbError(
                f"the encoder {visible(self._encoder.name)} gave a vector {what} "
                f"for the text {visible(text[:60])!r}",
                hint="name another encoder; what was embedded so far is kept",
            )
        return rows


def _keyed(texts: Sequence[str]) -> tuple[list[bytes], dict[bytes, str]]:
    """The key of each text, empty for the empty one, and the distinct texts by key."""
    keys = [key_of(text) if text else b"" for text in texts]
    wanted = dict(zip(keys, texts, strict=True))
    wanted.pop(b"", None)
    return keys, wanted


def _parts_folder(path: Path) -> Path:
    return path.with_suffix(".parts")


def _split(texts: Mapping[bytes, str]) -> Iterator[list[bytes]]:
    """Keys of parts of texts, the longest first, so that those of a batch need little padding."""
    order = sorted(texts, key=lambda key: (-len(texts[key]), key))
    start = 0
    while start < len(order):
        batches = _PART_COST // (_BATCH * cost(texts[order[start]]))
        stop = start + _BATCH * max(1, min(batches, _MOST_BATCHES))
        yield order[start:stop]
        start = stop


def _merged(all_stored: Sequence[Stored]) -> Stored:
    """The vectors of several, sorted by key, each key once."""
    places = {key: place for place, key in enumerate(key for stored in all_stored for key in stored.keys)}
    keys = sorted(places)
    vectors = np.concatenate([stored.vectors for stored in all_stored])
    return Stored(keys, vectors[[places[key] for key in keys]])


def _rows(stored: Stored, keys: Sequence[bytes]) -> Matrix:
    """The vectors of keys; zeros for the empty key."""
    places = {key: place for place, key in enumerate(stored.keys)}
    rows = np.zeros((len(keys), stored.vectors.shape[1]), np.float32)
    filled = [number for number, key in enumerate(keys) if key]
    rows[filled] = stored.vectors[[places[keys[number]] for number in filled]]
    return rows


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Tell as an ApikbError what keeps the file of a project from being written."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EFBIG, errno.EDQUOT):
            raise ApikbError(
                f"no space left to write the vectors of {path.stem} ({path})",
                hint="make room and run again: what was embedded so far is kept",
            ) from error
        raise ApikbError(
            f"the vectors of {path.stem} cannot be written ({path}: {error.strerror or error})",
            hint="make the folder writable, or name another knowledge base with --kb",
        ) from error
