"""The search index of one project: all that ranking needs, in arrays that can be mapped from files."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..kb.corpus import Document
from .called_names import CalledNames
from .embedded import EmbeddedTexts, embedded_text
from .lexical import Postings, build_postings
from .spans import SpanTable
from .strings import StringTable
from .tokens import terms

LAYOUT = 3
"""Raised whenever the arrays, the terms or their weights mean something else."""

KINDS = ("module", "class", "function", "method", "property", "attribute")

WEIGHTS = {"name": 6.0, "path": 1.0, "signature": 1.0, "summary": 5.0, "docstring": 1.0, "examples": 0.5}
"""How much a term counts by where it stands."""

Arrays = dict[str, npt.NDArray[np.generic]]


@dataclass(frozen=True, slots=True)
class ProjectIndex:
    """n documents, m names.

    `kinds` uint8 (n,) places in KINDS; `alike` uint64 (n,) equal where leaf and summary are;
    `leaf_codes` int32 (n,) equal where the last parts of the first names are;
    `depths` uint8 (n,) dots in the first name; `calls` float32 (n,) log(1 + how many other symbols have
    examples that call something of its name);
    `leaves` uint64 (m,) sorted hashes of folded last parts, `leaf_names` int32 (m,) whose they are.
    """

    names: StringTable
    spans: SpanTable
    postings: Postings
    embedded: EmbeddedTexts
    kinds: npt.NDArray[np.uint8]
    alike: npt.NDArray[np.uint64]
    leaf_codes: npt.NDArray[np.int32]
    depths: npt.NDArray[np.uint8]
    calls: npt.NDArray[np.float32]
    leaves: npt.NDArray[np.uint64]
    leaf_names: npt.NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.kinds)

    def names_ending_in(self, path: str) -> list[int]:
        """Names whose last parts are those of a path, but for case and underscores."""
        wanted = [fold(part) for part in path.split(".")]
        leaf = _hash(wanted[-1])
        low, high = np.searchsorted(self.leaves, leaf, "left"), np.searchsorted(self.leaves, leaf, "right")
        found = []
        for number in self.leaf_names[low:high].tolist():
            parts = self.names[number].split(".")
            if [fold(part) for part in parts[-len(wanted) :]] == wanted:
                found.append(number)
        return found

    def arrays(self) -> Arrays:
        """All of it, by name."""
        return {
            "names": self.names.blob,
            "name_starts": self.names.starts,
            "span_documents": self.spans.documents,
            "span_names": self.spans.names,
            "span_lows": self.spans.lows,
            "span_highs": self.spans.highs,
            "terms": self.postings.terms.blob,
            "term_starts": self.postings.terms.starts,
            "posting_starts": self.postings.starts,
            "posting_documents": self.postings.documents,
            "posting_weights": self.postings.weights,
            "lengths": self.postings.lengths,
            "embedded": self.embedded.texts.blob,
            "embedded_starts": self.embedded.texts.starts,
            "embedded_rows": self.embedded.rows,
            "kinds": self.kinds,
            "alike": self.alike,
            "leaf_codes": self.leaf_codes,
            "depths": self.depths,
            "calls": self.calls,
            "leaves": self.leaves,
            "leaf_names": self.leaf_names,
        }

    @classmethod
    def of(cls, arrays: Mapping[str, npt.NDArray[np.generic]]) -> ProjectIndex:
        """What `arrays` gave.  Raises KeyError where one is missing."""
        a: Mapping[str, npt.NDArray] = arrays  # type: ignore[type-arg]
        return cls(
            names=StringTable(a["names"], a["name_starts"]),
            spans=SpanTable(a["span_documents"], a["span_names"], a["span_lows"], a["span_highs"]),
            postings=Postings(
                StringTable(a["terms"], a["term_starts"]),
                a["posting_starts"],
                a["posting_documents"],
                a["posting_weights"],
                a["lengths"],
            ),
            embedded=EmbeddedTexts(StringTable(a["embedded"], a["embedded_starts"]), a["embedded_rows"]),
            kinds=a["kinds"],
            alike=a["alike"],
            leaf_codes=a["leaf_codes"],
            depths=a["depths"],
            calls=a["calls"],
            leaves=a["leaves"],
            leaf_names=a["leaf_names"],
        )


class _Columns:
    """What is known of each document, one value a document, and the rows of all spans."""

    def __init__(self) -> None:
        self.kinds = bytearray()
        self.depths = bytearray()
        self.alike: list[int] = []
        self.leaf_codes: list[int] = []
        self.text_rows: list[int] = []
        self.spans: list[tuple[int, int, int, int]] = []
        self.called = CalledNames()
        self.names: dict[str, int] = {}
        self.leaves: dict[str, int] = {}
        self.texts: dict[str, int] = {"": -1}

    def add(self, document: Document) -> None:
        place = len(self.kinds)
        leaf = document.names[0].rpartition(".")[2]
        self.kinds.append(KINDS.index(document.kind))
        self.depths.append(min(document.names[0].count("."), 255))
        self.alike.append(_hash(f"{leaf}\0{document.summary}" if document.summary else document.key.hex()))
        self.leaf_codes.append(self.leaves.setdefault(leaf, len(self.leaves)))
        self.text_rows.append(self.texts.setdefault(embedded_text(document), len(self.texts) - 1))
        self.called.add(document)
        for index, low, high in document.spans:
            number = self.names.setdefault(document.names[index], len(self.names))
            self.spans.append((number, low, high, place))

    def embedded(self) -> EmbeddedTexts:
        return EmbeddedTexts(StringTable.of(list(self.texts)[1:]), np.array(self.text_rows, np.int32))

    def span_table(self) -> SpanTable:
        table = np.array(self.spans, np.int32).reshape(-1, 4)
        table = table[np.lexsort((table[:, 1], table[:, 0]))]
        return SpanTable(*(np.ascontiguousarray(table[:, column]) for column in (3, 0, 1, 2)))


def build_index(documents: Iterable[Document]) -> ProjectIndex:
    """The index of a project's documents; they are gone through once."""
    columns = _Columns()

    def weighted() -> Iterable[dict[str, float]]:
        for document in documents:
            columns.add(document)
            yield _weights(document)

    postings = build_postings(weighted())
    leaves = np.array([_hash(fold(name.rpartition(".")[2])) for name in columns.names], np.uint64)
    order = np.argsort(leaves, kind="stable")
    return ProjectIndex(
        names=StringTable.of(columns.names),
        spans=columns.span_table(),
        postings=postings,
        embedded=columns.embedded(),
        kinds=np.frombuffer(bytes(columns.kinds), np.uint8),
        alike=np.array(columns.alike, np.uint64),
        leaf_codes=np.array(columns.leaf_codes, np.int32),
        depths=np.frombuffer(bytes(columns.depths), np.uint8),
        calls=np.log1p(np.array(columns.called.counts(), np.float32)),
        leaves=leaves[order],
        leaf_names=order.astype(np.int32),
    )


def _weights(document: Document) -> dict[str, float]:
    """Terms of a document with their weights."""
    above, _, leaf = document.names[0].rpartition(".")
    fields = {
        "name": leaf,
        "path": above.rpartition(".")[2],
        "signature": document.signature,
        "summary": document.summary,
        "docstring": document.docstring.removeprefix(document.summary),
        "examples": "\n".join(example.code for example in document.examples),
    }
    found: dict[str, float] = {}
    for field, text in fields.items():
        if text:
            for term, count in Counter(terms(text)).items():
                found[term] = found.get(term, 0.0) + WEIGHTS[field] * count
    return found


def fold(name: str) -> str:
    """A name without case and underscores: what people confuse.

    >>> fold("read_CSV")
    'readcsv'
    """
    return name.replace("_", "").casefold() or name


def _hash(text: str) -> int:
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")
