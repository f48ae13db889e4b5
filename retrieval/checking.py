"""The last step of a search: whatever the index says, a hit says only what the store says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from ..kb.answers import Answer, Span
from ..kb.errors import ApikbError
from ..kb.examples import examples_of
from ..kb.lookup import KnowledgeBase
from ..kb.prose import clean, summary_of
from ..kb.symbol_view import SymbolView, docstrings_of
from ..kb.symbols import Status
from .hits import Hit, Leg, Marked

_PATHS = 5
"""How many other paths are checked and told."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """What ranking found: paths of one text at a release, the one to be shown first."""

    project: str
    version: str
    versions: tuple[str, ...]
    """The pinned releases, in PEP 440 order."""
    paths: tuple[str, ...]
    score: float
    legs: Mapping[str, Leg]


class Checked(NamedTuple):
    """A hit without its docstring, and the symbol that it is about."""

    hit: Hit
    view: SymbolView


def checked(kb: KnowledgeBase, candidate: Candidate, rank: int, *, every: bool) -> Checked | None:
    """The hit of a candidate, all of it read from the store; None where the symbol is not there.

    With `every` it must be present in all the pinned releases.
    """
    path, *others = candidate.paths
    try:
        view = kb.symbol(path, candidate.project)
        answer = view.answer(candidate.version)
        statuses = view.statuses()
        present = tuple(other for other in others[:_PATHS] if _is_present(kb, candidate, other))
    except ApikbError:  # The store was replaced by one that has no such release.
        return None
    having = tuple(v for v in candidate.versions if statuses.get(v) == Status.PRESENT)
    if answer.status != Status.PRESENT or candidate.version not in having:
        return None
    if every and len(having) < len(candidate.versions):
        return None
    order = list(statuses)
    span = _span_at(answer.spans, answer.version, order)
    hit = Hit(
        rank=rank,
        score=candidate.score,
        project=candidate.project,
        version=candidate.version,
        symbol=path,
        kind=answer.kind or "",
        signature=answer.signature,
        summary="",
        paths=(path, *present),
        versions=having,
        since=span.added if span else candidate.version,
        since_exact=span is not None and span.added_exact,
        until=span.removed if span else None,
        deprecated=_marked(answer, span),
        deprecated_parameters=_marked_parameters(kb, candidate, path, order),
        evidence=answer.evidence,
        legs=candidate.legs,
    )
    return Checked(hit, view)


def _is_present(kb: KnowledgeBase, candidate: Candidate, path: str) -> bool:
    return kb.symbol(path, candidate.project).is_present(candidate.version)


def with_docstrings(found: Sequence[Checked]) -> list[Hit]:
    """The hits with what their docstrings say.  All are read at once: one by one takes most of a search."""
    try:
        texts = docstrings_of((view, hit.version) for hit, view in found)
    except ApikbError:  # A file of before docstrings were kept.
        texts = {}
    return [
        _with_docstring(hit, texts.get((hit.project, view.docstring_hash(hit.version) or ""), ""))
        for hit, view in found
    ]


def _with_docstring(hit: Hit, docstring: str) -> Hit:
    if not docstring:
        return hit
    cleaned = clean(docstring)
    return replace(
        hit, summary=summary_of(cleaned), docstring=cleaned, examples=tuple(examples_of(docstring))
    )


def _span_at(spans: Sequence[Span], version: str, order: Sequence[str]) -> Span | None:
    """The span that a release lies in; None for a pre-release outside of all: spans are of finals."""
    place = {name: number for number, name in enumerate(order)}
    for span in spans:
        if place[span.added] <= place[version] <= place[span.last_seen]:
            return span
    return None


def _marked(answer: Answer, span: Span | None) -> Marked | None:
    mark = answer.deprecation
    if mark is None:
        return None
    return Marked(span.deprecated if span else None, mark.message, answer.replacement or mark.replacement)


def _marked_parameters(
    kb: KnowledgeBase, candidate: Candidate, path: str, order: Sequence[str]
) -> dict[str, Marked]:
    found = {}
    for answer in kb.deprecated_parameters(path, version=candidate.version, project=candidate.project):
        marked = _marked(answer, _span_at(answer.spans, answer.version, order))
        if marked is not None and answer.parameter is not None:
            found[answer.parameter.name] = marked
    return found
