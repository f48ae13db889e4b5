"""One comparison from files to report, as the command line asks for it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from ...kb.errors import ApikbError
from ...kb.lookup import KnowledgeBase
from ...retrieval.embedding_progress import Progress, unseen
from ...retrieval.encoders import DEFAULT, Encoder, encoder_named
from ...retrieval.pins import silent
from ...retrieval.retriever import Retriever
from ...retrieval.vectors import Vectors, vectors_folder
from ..task_files import load_tasks
from .queries import Query, queries_of
from .report import Row, compare
from .systems import SEARCHED, SYSTEMS, systems_named

TUNED_ON = frozenset({"numpy", "pandas"})
"""The weights of the ranking were chosen on questions about these; the others were not looked at."""


def evaluate_retrieval(
    kb: KnowledgeBase,
    files: Sequence[Path],
    out: Path,
    *,
    systems: Sequence[str] = SYSTEMS,
    projects: Collection[str] = (),
    encoder: str = DEFAULT,
    note: Callable[[str], None] = silent,
    progress: Progress = unseen,
) -> list[Row]:
    """Rank the questions of task files by several systems, measure them, and write what `compare` tells.

    Raises ApikbError where a file cannot be read, no question is left, a system or encoder is not there.
    """
    tasks = [task for file in files for task in load_tasks(file).tasks]
    queries = queries_of(kb, tasks, projects=projects, note=note)
    for reason, count in queries.left_out.most_common():
        note(f"left out: {count} tasks, {reason}")
    if not queries.queries:
        raise ApikbError("no task is a question about an indexed release", hint="apikb index PROJECT")

    def vectors(made: Encoder, text: str) -> Vectors:
        # What the search embeds as well is not embedded twice; all else is kept apart from it.
        own = None if text == SEARCHED else vectors_folder(kb.path, f"{made.name}-compared")
        return Vectors(kb.path, made, note=note, progress=progress, folder=own)

    chosen = systems_named(
        systems,
        kb,
        encoder=lambda: encoder_named(encoder),
        vectors=vectors,
        retriever=lambda made: Retriever(kb, note, encoder=made, progress=progress),
        note=note,
    )
    return compare(queries, chosen, out, groups=_groups(queries.queries), note=note)


def _groups(queries: Sequence[Query]) -> dict[str, Callable[[Query], bool]]:
    """Sets of queries that the report tells apart, those that are not empty."""
    groups: dict[str, Callable[[Query], bool]] = {"all": lambda query: True}
    for source in dict.fromkeys(query.source for query in queries):
        for tuned, name in ((True, "numpy and pandas"), (False, "other libraries")):
            groups[f"{source}, {name}"] = _holds(source, tuned)
    return {name: holds for name, holds in groups.items() if any(map(holds, queries))}


def _holds(source: str, tuned: bool) -> Callable[[Query], bool]:
    return lambda query: query.source == source and (query.project in TUNED_ON) == tuned
