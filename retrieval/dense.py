"""The vectors of a project's embedded texts, as the search index has them, held in memory."""

from __future__ import annotations

import threading

from .indexes import Opened
from .lexical import Floats
from .vectors import Vectors


class DenseTexts:
    """Threads may share it: one of them embeds what is new, the others wait for it."""

    def __init__(self, vectors: Vectors) -> None:
        self._vectors = vectors
        self._lock = threading.Lock()
        self._held: dict[str, tuple[str, Floats]] = {}

    def are_there(self, project: str, opened: Opened) -> bool:
        """Whether `of` would embed nothing; they are held then.  Raises ApikbError as `Vectors.known`."""
        with self._lock:
            if not self._holds(project, opened):
                vectors = self._vectors.known(project, opened.index.embedded.all())
                if vectors is None:
                    return False
                self._held[project] = opened.fingerprint, vectors
            return True

    def of(self, project: str, opened: Opened) -> Floats:
        """float32 (t, d): the vectors of `opened.index.embedded`.  Raises ApikbError as `Vectors.of`."""
        with self._lock:
            if not self._holds(project, opened):
                vectors = self._vectors.of(project, opened.index.embedded.all())
                self._held[project] = opened.fingerprint, vectors
            return self._held[project][1]

    def _holds(self, project: str, opened: Opened) -> bool:
        return project in self._held and self._held[project][0] == opened.fingerprint
