"""A question as a person asks it, with its pins still as text and files, and its answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..kb.errors import ApikbError
from ..kb.lookup import KnowledgeBase
from .embedding_progress import Progress, unseen
from .encoders import encoder_named
from .hits import Hit
from .pin_files import gather_pins
from .pins import PinnedProject, resolve_pins, silent
from .retriever import Retriever

AUTO, NONE = "auto", "none"
_NAMED = 5
"""How many projects a note names."""


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
    encoder: str = AUTO
    """`none` for lexical search alone; a name as for `encoder_named`, and texts without a vector are embedded
    first; `auto` for the default one where all vectors are there already, else none."""


@dataclass(frozen=True, slots=True)
class Found:
    """What was searched, and the hits, best first."""

    pins: tuple[PinnedProject, ...]
    hits: tuple[Hit, ...]
    encoder: str | None
    """Name of the one that was used; None where the search was lexical."""


def ask(
    kb: KnowledgeBase,
    question: Question,
    note: Callable[[str], None] = silent,
    progress: Progress = unseen,
) -> Found:
    """Find the pinned releases and search them.

    Notes tell what was left out, `progress` how far the embedding of texts is.  Raises ApikbError where the
    query is empty, a pin cannot be understood or there is no such encoder, NotIndexed where a pin that was
    named is not in the knowledge base.
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
    retriever = _retriever(kb, question.encoder, pins, note, progress)
    hits = retriever.search(question.query, pins, k=question.k, code=question.code, every=question.every)
    return Found(pins, tuple(hits), retriever.encoder)


def _retriever(
    kb: KnowledgeBase,
    encoder: str,
    pins: Sequence[PinnedProject],
    note: Callable[[str], None],
    progress: Progress,
) -> Retriever:
    """With the encoder that was asked for; nobody waits for one unasked, be it to load or to embed."""
    if encoder == NONE:
        return Retriever(kb, note)
    if encoder != AUTO:
        return Retriever(kb, note, encoder=encoder_named(encoder), progress=progress)
    try:
        retriever = Retriever(kb, note, encoder=encoder_named())
    except ApikbError as error:
        note(f"lexical search alone: {error.message}; {error.hint}")
        return Retriever(kb, note)
    bare = [pinned.project for pinned in pins if not _is_embedded(retriever, pinned.project)]
    if not bare:
        return retriever
    few = len(bare) <= _NAMED
    which, named = (", ".join(bare), " ".join(bare)) if few else (f"{len(bare)} projects", "--all")
    note(f"lexical search alone: texts of {which} have no vectors yet; apikb embed {named}")
    return retriever.lexical()


def _is_embedded(retriever: Retriever, project: str) -> bool:
    try:
        return retriever.is_embedded(project)
    except ApikbError:  # Of another encoder, or unreadable: `apikb embed` says so.
        return False
