"""A question as a person asks it, with its pins still as text and files, and its answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ..kb.errors import ApikbError
from ..kb.lookup import KnowledgeBase
from .hits import Hit
from .pin_files import gather_pins
from .pins import PinnedProject, resolve_pins, silent
from .retriever import Retriever


@dataclass(frozen=True, slots=True)
class Question:
    """What is looked for, and in which releases."""

    query: str
    """Words or code."""
    named: tuple[str, ...] = ()
    """Pins such as `pandas==1.5.3`."""
    requirements: tuple[Path, ...] = ()
    locks: tuple[Path, ...] = ()
    environment: bool = False
    """Whether the installed environment pins, too."""
    every: bool = True
    """Whether all pinned releases must have a symbol; else one is enough."""
    k: int = 10
    code: str | None = None
    """Code of the task: what it imports narrows the projects."""


@dataclass(frozen=True, slots=True)
class Found:
    """What was searched, and the hits, best first."""

    pins: tuple[PinnedProject, ...]
    hits: tuple[Hit, ...]


def ask(kb: KnowledgeBase, question: Question, note: Callable[[str], None] = silent) -> Found:
    """Find the pinned releases and search them.

    Notes tell what was left out.  Raises ApikbError where the query is empty or a pin cannot be
    understood, NotIndexed where a pin that was named is not in the knowledge base.
    """
    if not question.query.strip():
        raise ApikbError("the query is empty", hint='apikb search "read a CSV file" --with pandas==2.0.0')
    gathered = gather_pins(
        question.named,
        question.requirements,
        question.locks,
        environment=question.environment,
        note=note,
    )
    pins = resolve_pins(kb, gathered, note)
    for pinned in pins:
        if pinned.unread:
            note(f"{pinned.project}: left out, could not be read: {', '.join(pinned.unread)}")
    hits = Retriever(kb, note).search(
        question.query, pins, k=question.k, code=question.code, every=question.every
    )
    return Found(pins, tuple(hits))
