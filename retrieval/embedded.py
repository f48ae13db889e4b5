"""What of a document is embedded, and how near documents are to a question."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..kb.corpus import Document
from .lexical import Floats
from .strings import StringTable

_GATHERED = 0.6
"""Up to this share of the rows it is cheaper to copy the allowed ones than to read all."""
_BLOCK = 2**16
"""How many numbers are multiplied at once.  The copy of a block stays in the cache of a core; and it is too
small for BLAS to share out, since on a busy machine its threads wait longer for each other than they help.
"""

_CALLABLE = frozenset({"class", "function", "method"})


def embedded_text(document: Document) -> str:
    """The last two parts of the name and the summary, or the name of a public callable without a docstring.

    Empty where there is nothing that an encoder could know: the name of an attribute says little.
    """
    name = ".".join(document.names[0].split(".")[-2:])
    if document.summary:
        return f"{name}\n{document.summary}"
    leaf = name.rpartition(".")[2]
    return name if document.kind in _CALLABLE and not leaf.startswith("_") else ""


@dataclass(frozen=True, slots=True)
class EmbeddedTexts:
    """The distinct texts of n documents: `texts` (t,), and `rows` int32 (n,), -1 where there is none."""

    texts: StringTable
    rows: npt.NDArray[np.int32]

    def all(self) -> list[str]:
        """The texts, in the order of their rows."""
        return [self.texts[row] for row in range(len(self.texts))]


def similarities(
    query: Floats, vectors: Floats, rows: npt.NDArray[np.int32], mask: npt.NDArray[np.bool_]
) -> Floats:
    """Cosines (n,) of a query (d,) and the documents whose vectors `rows` (n,) names among (t, d).

    0 where there is no vector or the document is not allowed.  Every allowed vector is compared: under a
    filter, approximate indexes lose what they should find.
    """
    scores = np.zeros(len(rows), np.float32)
    documents = np.flatnonzero(mask & (rows >= 0))
    wanted = rows[documents]
    # Documents share texts; and memory is read fastest in its order.
    asked = np.zeros(len(vectors), np.bool_)
    asked[wanted] = True
    scores[documents] = _products(query, vectors, asked)[wanted]
    return scores


def _products(query: Floats, vectors: Floats, asked: npt.NDArray[np.bool_]) -> Floats:
    """Products (t,) of a query (d,) and those of the vectors (t, d) that are asked for; else anything."""
    count, dimension = vectors.shape
    found = np.empty(count, np.float32)
    block = max(1, _BLOCK // max(1, dimension))
    places = np.flatnonzero(asked)
    if len(places) > _GATHERED * count:
        for start in range(0, count, block):
            part = slice(start, start + block)
            np.dot(vectors[part], query, out=found[part])
        return found
    copied = np.empty((min(block, len(places)), dimension), np.float32)
    for start in range(0, len(places), block):
        some = places[start : start + block]
        # Any mode but "clip" would copy twice; no place lies outside.
        rows = np.take(vectors, some, axis=0, out=copied[: len(some)], mode="clip")
        found[some] = np.dot(rows, query)
    return found
