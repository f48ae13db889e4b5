"""A run read back from its folder, scored."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..kb.lookup import KnowledgeBase
from .metrics.api_use import ApiJudge
from .results import Results, results_of
from .run_folder import RunFolder
from .run_report import Row, rows_of
from .task_records import read_tasks
from .tasks import TaskKind


@dataclass(frozen=True, slots=True)
class ReadRun:
    """A run with its scores."""

    folder: RunFolder
    results: list[Results]
    rows: list[Row]


def read_run(path: Path, kb: KnowledgeBase | None = None) -> ReadRun:
    """Read and score a run; with a knowledge base, what outputs use is held against it.

    Raises ApikbError where there is no run.
    """
    folder = RunFolder.read(path)
    tasks, tags = read_tasks(path)
    n = {TaskKind(kind): int(sampling["n"]) for kind, sampling in folder.manifest["sampling"].items()}
    judge = None if kb is None else ApiJudge(kb)
    results = results_of(tasks, tags, folder.samples(), folder.manifest["conditions"], n, judge)
    return ReadRun(folder, results, rows_of(results))
