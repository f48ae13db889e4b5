"""A run as the command line asks for it: names and numbers become tasks, a model, contexts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

from ..kb.errors import ApikbError
from ..kb.lookup import KnowledgeBase
from ..retrieval.embedding_progress import Progress, unseen
from ..retrieval.encoders import encoder_named
from ..retrieval.pins import silent
from ..retrieval.retriever import Retriever
from .contexts import Condition, Content, ContextOptions, Contexts
from .generators.named import generator_named
from .run_folder import RunFolder
from .runner import RunOptions, RunProgress, run
from .task_files import load_tasks
from .tasks import Task, TaskKind
from .versions import project_of

Named = TypeVar("Named", bound=StrEnum)
_EVERY = 5.0
"""Seconds between two lines of progress."""


def start(
    kb: KnowledgeBase,
    files: Sequence[Path],
    out: Path,
    *,
    model: str,
    conditions: Sequence[str] = (),
    kind: str | None = None,
    projects: Collection[str] = (),
    limit: int | None = None,
    skip_bad: bool = False,
    n: int | None = None,
    greedy: bool = False,
    max_tokens: int | None = None,
    seed: int = 0,
    k: int = 5,
    budget: int = 1000,
    content: str = "signature,summary,examples,deprecation",
    no_code: bool = False,
    encoder: str = "none",
    note: Callable[[str], None] = silent,
    progress: Progress = unseen,
) -> RunFolder:
    """Run tasks of files.  Raises ApikbError where a name means nothing, or no task is left."""
    options = RunOptions(
        conditions=tuple(_named(Condition, name) for name in conditions) or tuple(Condition),
        n=n,
        greedy=greedy,
        max_tokens=max_tokens,
        seed=seed,
    )
    told = frozenset(_named(Content, name.strip()) for name in content.split(",") if name.strip())
    tasks = _tasks(kb, files, kind, projects, skip_bad, note)[:limit]
    if not tasks:
        raise ApikbError("no task is left", hint="take --kind, --project or --limit away")
    made = None if encoder == "none" else encoder_named(encoder)
    retriever = Retriever(kb, note, encoder=made, progress=progress)
    contexts = Contexts(kb, retriever, ContextOptions(k, budget, told, not no_code))
    return run(
        kb, files, tasks, generator_named(model), contexts, out, options, note=note, progress=_Told(note)
    )


def _named(kind: type[Named], name: str) -> Named:
    try:
        return kind(name)
    except ValueError as error:
        raise ApikbError(
            f"there is no {kind.__name__.lower()} {name}", hint=f"one of: {', '.join(kind)}"
        ) from error


def _tasks(
    kb: KnowledgeBase,
    files: Sequence[Path],
    kind: str | None,
    projects: Collection[str],
    skip_bad: bool,
    note: Callable[[str], None],
) -> list[Task]:
    tasks: list[Task] = []
    wanted = None if kind is None else _named(TaskKind, kind)
    for file in files:
        loaded = load_tasks(file, skip_bad=skip_bad, kind=wanted)
        if loaded.bad:
            note(f"{file}: {len(loaded.bad)} bad rows passed over; the first: {loaded.bad[0].fault}")
        tasks += loaded.tasks
    return [task for task in tasks if not projects or _project(kb, task.library) in projects]


def _project(kb: KnowledgeBase, library: str) -> str:
    try:
        return project_of(kb, library)
    except ApikbError:
        return library


class _Told:
    """Says how far a run is, every few seconds and at the end."""

    def __init__(self, note: Callable[[str], None]) -> None:
        self._note = note
        self._next = 0.0

    def __call__(self, state: RunProgress) -> None:
        if state.done == state.total or state.seconds >= self._next:
            self._next = state.seconds + _EVERY
            self._note(str(state))
