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

    def of(self, project: str, opened: Opened) -> Floats:
        """float32 (t, d): the vectors of `opened.index.embedded`.  Raises ApikbError as `Vectors.of`."""
        with self._lock:
            held = self._held.get(project)
            if held is None or held[0] != opened.fingerprint:
                vectors = self._vectors.of(project, opened.index.embedded.all())
                held = self._held[project] = opened.fingerprint, vectors
            return held[1]
