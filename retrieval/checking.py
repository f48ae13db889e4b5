"""The last step of a search: whatever the index says, a hit says only what the store says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..kb.answers import Answer, Span
from ..kb.errors import ApikbError
from ..kb.examples import examples_of
from ..kb.lookup import KnowledgeBase
from ..kb.prose import clean, summary_of
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


def checked(kb: KnowledgeBase, candidate: Candidate, rank: int, *, every: bool) -> Hit | None:
    """The hit of a candidate, all of it read from the store; None where the symbol is not there.

    With `every` it must be present in all the pinned releases.
    """
    path, *others = candidate.paths
    try:
        answer = kb.lookup(path, version=candidate.version, project=candidate.project)
        statuses = kb.statuses(path, candidate.project)
    except ApikbError:  # The store was replaced by one that has no such release.
        return None
    assert isinstance(answer, Answer)
    having = tuple(v for v in candidate.versions if statuses.get(v) == Status.PRESENT)
    if answer.status != Status.PRESENT or candidate.version not in having:
        return None
    if every and len(having) < len(candidate.versions):
        return None
    docstring = _docstring(kb, candidate, path)
    cleaned = clean(docstring)
    span = _span_at(answer.spans, answer.version, list(statuses))
    return Hit(
        rank=rank,
        score=candidate.score,
        project=candidate.project,
        version=candidate.version,
        symbol=path,
        kind=answer.kind or "",
        signature=answer.signature,
        summary=summary_of(cleaned),
        docstring=cleaned,
        examples=tuple(examples_of(docstring)),
        paths=(path, *(other for other in others[:_PATHS] if _is_present(kb, candidate, other))),
        versions=having,
        since=span.added if span else candidate.version,
        since_exact=span is not None and span.added_exact,
        until=span.removed if span else None,
        deprecated=_marked(answer, span),
        evidence=answer.evidence,
        legs=candidate.legs,
    )


def _docstring(kb: KnowledgeBase, candidate: Candidate, path: str) -> str:
    try:
        return kb.docstring(path, version=candidate.version, project=candidate.project) or ""
    except ApikbError:  # A file of before docstrings were kept.
        return ""


def _is_present(kb: KnowledgeBase, candidate: Candidate, path: str) -> bool:
    answer = kb.lookup(path, version=candidate.version, project=candidate.project)
    return isinstance(answer, Answer) and answer.status == Status.PRESENT


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
