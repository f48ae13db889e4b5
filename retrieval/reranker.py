"""Putting the first hits in a better order by a model that reads the question and each hit together.

No such model is installed with apikb: whoever has one names it.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ..kb.errors import ApikbError
from .encoders import as_text, library, loaded
from .hits import Hit, Leg

POOL = 50
"""How many hits are read."""
_LONGEST = 2000
"""Characters of a docstring that are read; models cut off sooner."""


class Reranker(Protocol):
    """Says how well texts answer a question.  Safe to be used by several threads."""

    @property
    def name(self) -> str:
        """What `reranker_named` takes."""
        ...

    def scores(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """float32, shape (number of texts,): the higher, the better."""
        ...


class CrossEncoderReranker:
    """A cross-encoder of sentence-transformers."""

    def __init__(self, name: str, model: Any) -> None:
        self.name = name
        self._model = model
        self._lock = threading.Lock()

    def scores(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """As `Reranker.scores`.  Raises ApikbError where the model does not give one finite score a text."""
        pairs = [(as_text(query), as_text(text)) for text in texts]
        with self._lock:
            found = np.asarray(self._model.predict(pairs, show_progress_bar=False), np.float32)
        if found.shape != (len(texts),) or not np.isfinite(found).all():
            raise ApikbError(
                f"{self.name} does not give a score for each text (shape {found.shape})",
                hint="name a cross-encoder for ranking, one with a single label",
            )
        return found


def reranker_named(name: str) -> Reranker:
    """The reranker of a name: `st:NAME-or-path`, a cross-encoder of sentence-transformers.

    Raises ApikbError where there is no such reranker, its library is not installed, or it cannot be loaded.
    """
    kind, _, which = name.partition(":")
    if kind != "st" or not which:
        raise ApikbError(f"there is no reranker {name}", hint="st:NAME-or-path (a cross-encoder)")
    return CrossEncoderReranker(name, loaded(library().CrossEncoder, name, which))


def reranked(query: str, hits: Sequence[Hit], reranker: Reranker) -> list[Hit]:
    """The hits in the order of the reranker; those that the question names stay in front.

    Each gets the leg `rerank` with its score and its rank among the hits; `score` stays what it was.
    """
    if not hits:
        return []
    scores = reranker.scores(query, [hit_text(hit) for hit in hits])
    order = np.argsort(-scores, kind="stable").tolist()
    ranks = {place: rank for rank, place in enumerate(order, 1)}
    named = [place for place, hit in enumerate(hits) if "name" in hit.legs]
    places = named + [place for place in order if place not in named]
    return [
        replace(
            hits[place],
            rank=rank,
            legs={**hits[place].legs, "rerank": Leg(float(scores[place]), ranks[place])},
        )
        for rank, place in enumerate(places, 1)
    ]


def hit_text(hit: Hit) -> str:
    """What a reranker reads of a hit: name, signature, the start of its docstring."""
    return f"{hit.symbol}{hit.signature or ''}\n{hit.docstring[:_LONGEST]}"
