"""The ways of ranking that are compared: the retriever as it is, and plainer ones over the same documents.

All of them rank the same set, the documents that the pinned release allows, so that they differ in the
ranking alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Protocol

import numpy as np

from ...kb.corpus import Document
from ...kb.errors import ApikbError
from ...kb.lookup import KnowledgeBase
from ...retrieval.embedded import EmbeddedTexts, embedded_text, similarities
from ...retrieval.encoders import Encoder
from ...retrieval.indexes import Indexes, Opened
from ...retrieval.lexical import Floats, Postings, bm25, build_postings
from ...retrieval.ranking import descending
from ...retrieval.retriever import Retriever
from ...retrieval.strings import StringTable
from ...retrieval.tokens import STOP_WORDS, terms
from ...retrieval.vectors import Vectors
from .queries import Query

Ranked = list[tuple[str, ...]]
"""Hits, the best first: the dotted paths of each, the best one first."""


class System(Protocol):
    """One way of ranking."""

    @property
    def name(self) -> str:
        """What the report calls it."""
        ...

    def rank(self, query: Query, k: int) -> Ranked:
        """The best `k` hits."""
        ...


@dataclass(frozen=True)
class Product:
    """The retriever, as `apikb search` uses it; with the code of the task in the query or without."""

    name: str
    retriever: Retriever
    with_code: bool = False

    def rank(self, query: Query, k: int) -> Ranked:
        code = query.code if self.with_code and query.code.strip() else None
        hits = self.retriever.search(query.text, query.pins, k=k, code=code)
        return [hit.paths or (hit.symbol,) for hit in hits]


def plain_terms(text: str) -> Iterator[str]:
    """Words in lower case, nothing split and nothing stemmed.

    >>> list(plain_terms("Read a read_CSV file"))
    ['read', 'read_csv', 'file']
    """
    for word in re.findall(r"\w+", text.lower()):
        if word not in STOP_WORDS:
            yield word


def whole_text(document: Document) -> str:
    """All that is known of a document: name, signature, docstring, which holds the examples."""
    return "\n".join((document.names[0], document.signature, document.docstring))


def signature_text(document: Document) -> str:
    """Name and signature, and the summary."""
    name = ".".join(document.names[0].split(".")[-2:])
    return f"{name}{document.signature}\n{document.summary}" if document.summary else ""


def extended_text(document: Document) -> str:
    """The name and the first two paragraphs."""
    name = ".".join(document.names[0].split(".")[-2:])
    return name + "\n" + "\n".join(document.docstring.split("\n\n")[:2]) if document.summary else ""


def docstring_text(document: Document) -> str:
    """The name and the whole docstring; a model reads its start."""
    return document.names[0] + "\n" + document.docstring if document.docstring else ""


def examples_text(document: Document) -> str:
    """The code of the examples alone."""
    return "\n".join(example.code for example in document.examples)


SEARCHED = "name"
"""The text that the search itself embeds."""
DENSE_TEXTS: dict[str, Callable[[Document], str]] = {
    SEARCHED: embedded_text,
    "signature": signature_text,
    "extended": extended_text,
    "docstring": docstring_text,
    "examples": examples_text,
}


class Pool:
    """Documents and what a release allows of them, shared by the plain systems."""

    def __init__(self, kb: KnowledgeBase, note: Callable[[str], None]) -> None:
        self.kb = kb
        self._indexes = Indexes(kb, note)
        self._opened: dict[str, Opened] = {}
        self.documents = lru_cache(maxsize=None)(self._documents)

    def _documents(self, project: str) -> list[Document]:
        return list(self.kb.corpus(project).documents())

    def ranked(self, query: Query, k: int, score: Callable[[np.ndarray], Floats]) -> Ranked:
        """The best `k` by what `score` makes of the mask of allowed documents; of the same ones the first."""
        opened = self._opened.setdefault(query.project, self._indexes.of(query.project))
        index = opened.index
        allowed = index.spans.allowed([opened.versions.index(query.version)], len(index), every=True)
        documents = index.spans.documents[allowed.rows]
        found: Ranked = []
        told: set[int] = set()
        for document in descending(score(allowed.mask)):
            alike = int(index.alike[document])
            if alike not in told:
                told.add(alike)
                names = index.spans.names[allowed.rows[documents == document]].tolist()
                found.append(
                    tuple(sorted((index.names[name] for name in names), key=lambda n: (n.count("."), n)))
                )
            if len(found) == k:
                break
        return found


@dataclass
class PlainBm25:
    """BM25 over the whole text of a document, no field and no prior."""

    name: str
    pool: Pool
    terms: Callable[[str], Iterator[str]] = terms
    _postings: dict[str, Postings] = field(default_factory=dict)

    def rank(self, query: Query, k: int) -> Ranked:
        postings = self._postings.get(query.project)
        if postings is None:
            counts = (
                {term: float(count) for term, count in Counter(self.terms(whole_text(document))).items()}
                for document in self.pool.documents(query.project)
            )
            postings = self._postings[query.project] = build_postings(counts)
        wanted = {term: float(count) for term, count in Counter(self.terms(query.text)).items()}
        return self.pool.ranked(query, k, lambda mask: bm25([(postings, mask)], wanted)[0])


@dataclass
class Dense:
    """Cosines alone, of one text of each document."""

    name: str
    pool: Pool
    text: Callable[[Document], str]
    encoder: Encoder
    vectors: Vectors
    _texts: dict[str, tuple[EmbeddedTexts, Floats]] = field(default_factory=dict)

    def rank(self, query: Query, k: int) -> Ranked:
        texts, vectors = self._of(query.project)
        vector = self.encoder.encode_query(query.text)
        return self.pool.ranked(query, k, partial(similarities, vector, vectors, texts.rows))

    def _of(self, project: str) -> tuple[EmbeddedTexts, Floats]:
        if project not in self._texts:
            numbers: dict[str, int] = {"": -1}
            rows = [
                numbers.setdefault(self.text(document), len(numbers) - 1)
                for document in self.pool.documents(project)
            ]
            texts = EmbeddedTexts(StringTable.of(list(numbers)[1:]), np.array(rows, np.int32))
            self._texts[project] = texts, self.vectors.of(project, texts.all())
        return self._texts[project]


SYSTEMS = (
    "bm25-plain",
    "bm25-code",
    "lexical",
    "lexical+code",
    *(f"dense-{name}" for name in DENSE_TEXTS),
    "hybrid",
    "hybrid+code",
)


def systems_named(
    names: Sequence[str],
    kb: KnowledgeBase,
    *,
    encoder: Callable[[], Encoder],
    vectors: Callable[[Encoder, str], Vectors],
    retriever: Callable[[Encoder | None], Retriever],
    note: Callable[[str], None],
) -> list[System]:
    """The systems of some names; `encoder` is asked for only where one of them needs it.

    Raises ApikbError where there is no system of a name.
    """
    for name in names:
        if name not in SYSTEMS:
            raise ApikbError(f"there is no system {name}", hint=f"one of: {', '.join(SYSTEMS)}")
    pool = Pool(kb, note)
    once = lru_cache(maxsize=None)(encoder)
    by_leg = {
        False: lru_cache(maxsize=None)(partial(retriever, None)),
        True: lru_cache(lambda: retriever(once())),
    }

    def system(name: str) -> System:
        kind, _, text = name.partition("-")
        if kind == "bm25":
            return PlainBm25(name, pool, plain_terms if text == "plain" else terms)
        if kind == "dense":
            return Dense(name, pool, DENSE_TEXTS[text], once(), vectors(once(), text))
        return Product(name, by_leg[name.startswith("hybrid")](), with_code=name.endswith("+code"))

    return [system(name) for name in names]
