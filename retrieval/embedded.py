"""What of a document is embedded, and how near documents are to a question."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..kb.corpus import Document
from .lexical import Floats
from .strings import StringTable

_GATHERED = 0.25
"""Up to this share of the rows it is cheaper to copy the allowed ones than to read all."""


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
    if len(wanted) <= _GATHERED * len(vectors):
        scores[documents] = vectors[wanted] @ query
    else:
        scores[documents] = (vectors @ query)[wanted]
    return scores
