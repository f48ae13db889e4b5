"""Searching what is there at the pinned releases: exact filter, ranking, check in the store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ..kb.errors import ApikbError
from ..kb.lookup import KnowledgeBase
from ..kb.public_paths import best_first
from .checking import Candidate, Checked, checked, with_docstrings
from .dense import DenseTexts
from .embedding_progress import Progress, unseen
from .encoders import Encoder
from .hits import Hit, Leg
from .indexes import Indexes, Opened
from .lexical import Floats
from .mentions import imported, mentions
from .pins import PinnedProject, silent
from .project_index import KINDS
from .ranking import Ranking, Searched
from .reranker import POOL, Reranker, reranked
from .spans import Allowed
from .tokens import terms
from .vectors import Vectors

_CODE = 0.4
"""Weight of a term of the task's code, against 1 for one of the question."""
_CODE_VECTOR = 0.5
"""The same for the vector of the code."""
_MEMBERS = frozenset({"method", "property"})
_NAMED = 3
"""How many symbols one name in a question puts in front."""
_KEPT = 16
"""How many filters are remembered."""


@dataclass(frozen=True, slots=True)
class _Part:
    """One project that is searched; `vectors` float32 (texts, dimension) where there is an encoder."""

    pinned: PinnedProject
    opened: Opened
    allowed: Allowed
    vectors: Floats | None

    def paths(self, document: int) -> tuple[str, tuple[str, ...]]:
        """The newest release that shows a document, and the paths that carry it there, the best one first."""
        spans = self.opened.index.spans
        places = np.flatnonzero(self.allowed.documents == document)
        newest = self.allowed.ordinals[places].max()
        rows = self.allowed.rows[places[self.allowed.ordinals[places] == newest]]
        runs = {
            self.opened.index.names[int(spans.names[row])]: [(int(spans.lows[row]), int(spans.highs[row]))]
            for row in rows
        }
        return self.opened.versions[newest], best_first(runs)

    def of_names(self, numbers: Sequence[int]) -> dict[int, int]:
        """The documents of those of some names that are allowed, by number."""
        names = self.allowed.names
        places = np.searchsorted(names, numbers).tolist()
        return {
            number: int(self.allowed.documents[place])
            for number, place in zip(numbers, places, strict=True)
            if place < len(names) and names[place] == number
        }


def _allowed(opened: Opened, versions: tuple[str, ...], every: bool) -> Allowed:
    # By version: the store may have got a release more since the pins were resolved.
    places = {version: ordinal for ordinal, version in enumerate(opened.versions)}
    wanted = sorted(places[version] for version in versions if version in places)
    return opened.index.spans.allowed(wanted, len(opened.index), every=every)


class Retriever:
    """Searches a knowledge base.  Threads may share it.

    With an encoder the search is lexical and dense, else lexical alone.  Texts that have no vector yet are
    embedded by the first search of their project; `progress` hears how far that is.  A reranker puts the
    first hits in its order.  `note` is told what takes time or was left out.
    """

    def __init__(
        self,
        kb: KnowledgeBase,
        note: Callable[[str], None] = silent,
        *,
        encoder: Encoder | None = None,
        reranker: Reranker | None = None,
        progress: Progress = unseen,
    ) -> None:
        self._kb = kb
        self._indexes = Indexes(kb, note)
        self._encoder = encoder
        self._reranker = reranker
        # Questions come in series about the same releases.
        self._allowed = lru_cache(_KEPT)(_allowed)
        self._dense: DenseTexts | None = None
        if encoder is not None:
            self._dense = DenseTexts(Vectors(kb.path, encoder, note=note, progress=progress))

    @property
    def encoder_fingerprint(self) -> str | None:
        """Names the model of the dense leg; None for a lexical search."""
        return None if self._encoder is None else self._encoder.fingerprint

    @property
    def encoder(self) -> str | None:
        """Its name; None where the search is lexical."""
        return None if self._encoder is None else self._encoder.name

    def embed(self, project: str) -> int:
        """Have vectors of all texts of a project, and say how many they are.

        Raises ApikbError where there is no encoder or the vectors cannot be kept, NotIndexed.
        """
        name = self._kb.info(project).project
        return len(self._encoded().of(name, self._indexes.of(name)))

    def is_embedded(self, project: str) -> bool:
        """Whether all texts of a project have vectors.  Embeds nothing.

        Raises ApikbError where there is no encoder or the vectors cannot be read, NotIndexed.
        """
        name = self._kb.info(project).project
        return self._encoded().are_there(name, self._indexes.of(name))

    def _encoded(self) -> DenseTexts:
        if self._dense is None:
            raise ApikbError("there is no encoder", hint="give the retriever one: encoder_named()")
        return self._dense

    def lexical(self) -> Retriever:
        """One without the encoder, which shares the indexes that are open."""
        other = copy(self)
        other._encoder = other._dense = None
        return other

    def search_many(
        self, queries: Sequence[str], pins: Sequence[PinnedProject], *, k: int = 10, every: bool = True
    ) -> list[list[Hit]]:
        """The hits of each of several queries with the same pins."""
        parts = self._parts(pins, every)
        return [self._hits(query, None, parts, k, every) for query in queries]

    def search(
        self,
        query: str,
        pins: Sequence[PinnedProject],
        *,
        k: int = 10,
        code: str | None = None,
        every: bool = True,
    ) -> list[Hit]:
        """The best hits, at most `k`: what is present in all of the pinned releases, or in any of them.

        `query` is words or code.  Where it, or the `code` of the task, imports some of the pinned projects,
        only those are searched.  Names that are written as code come first, then what ranks best.

        Raises ApikbError where `k` is not positive or the query is empty, NotIndexed where a project is gone.
        """
        if k < 1:
            raise ApikbError(f"{k} hits are none", hint="ask for 1 or more")
        if not query.strip():
            raise ApikbError("the query is empty", hint="say what you look for")
        return self._hits(query, code, self._parts(self._narrowed(query, code, pins), every), k, every)

    def _narrowed(
        self, query: str, code: str | None, pins: Sequence[PinnedProject]
    ) -> Sequence[PinnedProject]:
        names = imported(query) | imported(code or "")
        if not names:
            return pins
        known = {info.project: info.import_names for info in self._kb.projects()}
        return [pinned for pinned in pins if not names.isdisjoint(known.get(pinned.project, ()))] or pins

    def _parts(self, pins: Sequence[PinnedProject], every: bool) -> list[_Part]:
        parts = []
        for pinned in pins:
            opened = self._indexes.of(pinned.project)
            allowed = self._allowed(opened, pinned.versions, every)
            vectors = None if self._dense is None else self._dense.of(pinned.project, opened)
            parts.append(_Part(pinned, opened, allowed, vectors))
        return parts

    def _hits(self, query: str, code: str | None, parts: list[_Part], k: int, every: bool) -> list[Hit]:
        wanted, k = k, k if self._reranker is None else max(k, POOL)
        chosen = _Chosen(self._kb, parts, every)
        for ranked in _ranked(query, code, parts, self._query_vector(query, code)):
            hit = chosen.add(*ranked)
            if hit is not None and hit.deprecated is not None and len(chosen.found) < k:
                for other in _replacements(hit, ranked[0], parts):
                    chosen.add(*other)
            if len(chosen.found) >= k:
                break
        hits = with_docstrings(chosen.found[:k])
        return hits if self._reranker is None else reranked(query, hits, self._reranker)[:wanted]

    def _query_vector(self, query: str, code: str | None) -> Floats | None:
        if self._encoder is None:
            return None
        vector = self._encoder.encode_query(query)
        if code is not None and code.strip():
            vector = vector + np.float32(_CODE_VECTOR) * self._encoder.encode_query(code)
            vector /= np.linalg.norm(vector) or 1
        return vector


class _Chosen:
    """Hits as they are chosen: checked in the store, nothing told twice."""

    def __init__(self, kb: KnowledgeBase, parts: Sequence[_Part], every: bool) -> None:
        self.found: list[Checked] = []
        self._kb = kb
        self._parts = parts
        self._every = every
        self._told: set[tuple[str, str]] = set()
        self._alike: set[int] = set()

    def add(self, number: int, document: int, score: float, legs: Mapping[str, Leg]) -> Hit | None:
        """Take a document as the next hit, its docstring unread.

        None where it is told already, or is not what the store says.
        """
        part = self._parts[number]
        same = int(part.opened.index.alike[document])
        if same in self._alike:
            return None
        version, paths = part.paths(document)
        candidate = Candidate(part.pinned.project, version, part.pinned.versions, paths, score, legs)
        if (candidate.project, paths[0]) in self._told:
            return None
        found = checked(self._kb, candidate, len(self.found) + 1, every=self._every)
        if found is None:
            return None
        self.found.append(found)
        self._told.add((found.hit.project, found.hit.symbol))
        self._alike.add(same)
        return found.hit


_Ranked = tuple[int, int, float, Mapping[str, Leg]]
"""Number of the part, document, score, legs."""


def _ranked(query: str, code: str | None, parts: Sequence[_Part], vector: Floats | None) -> Iterator[_Ranked]:
    """All allowed documents that say anything of the query, the best first: what is named, then by score."""
    searched = [Searched(part.opened.index, part.allowed.mask, part.vectors) for part in parts]
    ranking = Ranking(searched, _terms(query, code), vector)
    named = list(_named(query, parts))
    for place, found in enumerate(named, 1):
        yield *found, 1.0 / place, {"name": Leg(1.0 / place, place)} | ranking.legs(*found)
    told = set(named)
    for found in ranking:
        if found not in told:
            yield *found, ranking.score(*found), ranking.legs(*found)


def _replacements(hit: Hit, number: int, parts: Sequence[_Part]) -> Iterator[_Ranked]:
    """What a deprecated hit says to use instead, where that is a path of the same project."""
    replacement = hit.deprecated.replacement if hit.deprecated is not None else None
    if replacement is None or "." not in replacement:
        return
    part = parts[number]
    for document, other_case, _, name in sorted(_places(replacement, part), key=lambda place: place[1:]):
        if name == replacement and not other_case:
            yield number, document, hit.score, {"replacement": Leg(hit.score, hit.rank)}
            return


def _terms(query: str, code: str | None) -> dict[str, float]:
    found = {term: float(count) for term, count in Counter(terms(query)).items()}
    for term in dict.fromkeys(terms(code or "")):
        found.setdefault(term, _CODE)
    return found


def _named(query: str, parts: Sequence[_Part]) -> Iterator[tuple[int, int]]:
    """Documents that the question names, each once: those of the first mention first."""
    told: set[tuple[int, int]] = set()
    for mention in mentions(query):
        found = []
        for number, part in enumerate(parts):
            found += [(number, *place) for place in _places(mention, part)]
        found.sort(key=lambda place: place[2:])
        new = [place for place in dict.fromkeys(place[:2] for place in found) if place not in told]
        told.update(new[:_NAMED])
        yield from new[:_NAMED]


def _places(mention: str, part: _Part) -> Iterator[tuple[int, bool, int, str]]:
    """Documents of a name, with what orders them: its own case first, then the shortest path.

    Where no path ends in the whole of it, what goes before its first dot may be a variable or module of the
    asker: then it can be a member of a class, or what the package itself shows, and nothing else.
    """
    index = part.opened.index
    path = mention
    found = part.of_names(index.names_ending_in(path))
    while not found and "." in path:
        path = path.partition(".")[2]
        found = {
            number: document
            for number, document in part.of_names(index.names_ending_in(path)).items()
            if KINDS[index.kinds[document]] in _MEMBERS
            or index.names[number].count(".") == path.count(".") + 1
        }
    for number, document in found.items():
        name = index.names[number]
        yield document, not ("." + name).endswith("." + path), name.count("."), name
