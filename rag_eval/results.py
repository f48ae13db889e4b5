"""From the samples of a run to scores: task by task, condition by condition, none dropped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .intervals import Values
from .metrics.api_use import ApiJudge
from .metrics.cleaning import clean
from .metrics.scoring import METRICS, ceiling, score_task
from .run_folder import Sample
from .tags import Tags
from .tasks import Task, TaskKind

KS = (1, 3, 10)
"""What `@k` is told for, up to the number of outputs, and at that number."""
USES = ("uses-wrong", "uses-other-version")
"""Shares of outputs that use what is absent, removed or deprecated, or what only other releases have."""


@dataclass(frozen=True, slots=True)
class Results:
    """Scores of the tasks of one kind.

    `values`: condition -> measure (`em@1`) -> float64 (tasks,), in the order of `tasks`; `ceiling`: name of
    the measure (`em`) -> float64 (tasks,), what the references themselves get.
    """

    kind: TaskKind
    tasks: tuple[Task, ...]
    tags: tuple[Tags, ...]
    n: int
    values: Mapping[str, Mapping[str, Values]]
    ceiling: Mapping[str, Values]
    missing: tuple[tuple[str, str], ...]
    """(task, condition) without any output; they count 0."""


def results_of(
    tasks: Sequence[Task],
    tags: Sequence[Tags],
    samples: Iterable[Sample],
    conditions: Sequence[str],
    n: Mapping[TaskKind, int],
    judge: ApiJudge | None = None,
) -> list[Results]:
    """The scores of a run, one for each kind of task.

    `n` outputs are expected of each sample of a kind; those that are not there count 0.  With a judge the
    uses of the library are held against the store.
    """
    found = {sample.key: sample for sample in samples if sample.error is None}
    results = []
    for kind in dict.fromkeys(task.kind for task in tasks):
        places = [place for place, task in enumerate(tasks) if task.kind == kind]
        of_kind, of_tags = [tasks[place] for place in places], [tags[place] for place in places]
        rows = {
            condition: [
                _measures(task, tag, found.get((task.id, condition)), n[kind], judge)
                for task, tag in zip(of_kind, of_tags, strict=True)
            ]
            for condition in conditions
        }
        missing = tuple(
            (task.id, condition)
            for condition in conditions
            for task in of_kind
            if not _outputs(found.get((task.id, condition)))
        )
        results.append(
            Results(
                kind=kind,
                tasks=tuple(of_kind),
                tags=tuple(of_tags),
                n=n[kind],
                values={condition: _columns(each) for condition, each in rows.items()},
                ceiling=_columns([_at_one(task) for task in of_kind]),
                missing=missing,
            )
        )
    return results


def _columns(rows: Sequence[Mapping[str, float]]) -> dict[str, Values]:
    return {name: np.array([row[name] for row in rows]) for name in (rows[0] if rows else ())}


def _outputs(sample: Sample | None) -> tuple[str, ...]:
    return () if sample is None else sample.outputs


def _measures(
    task: Task, tags: Tags, sample: Sample | None, n: int, judge: ApiJudge | None
) -> dict[str, float]:
    """All measures of one task under one condition."""
    outputs = [clean(text) for text in _outputs(sample)[:n]]
    scores = score_task(task, outputs)
    ks = sorted({k for k in KS if k <= n} | {n})
    found = {
        f"{name}@{k}": scores.at(name, k, n)
        for name, metric in METRICS.items()
        if task.kind in metric.kinds
        for k in ks
    }
    if judge is not None:
        found |= dict(zip(USES, _uses(task, tags, outputs, n, judge), strict=True))
    return found


def _uses(task: Task, tags: Tags, outputs: Sequence[str], n: int, judge: ApiJudge) -> tuple[float, float]:
    resolution = tags.resolution
    if resolution.project is None or resolution.chosen is None or task.language != "python":
        return 0.0, 0.0
    judged = [judge.judge(task, output, resolution.project, resolution.chosen) for output in outputs]
    return sum(each.wrong for each in judged) / n, sum(each.of_other_version for each in judged) / n


def _at_one(task: Task) -> dict[str, float]:
    scores = ceiling(task)
    return {name: scores.at(name, 1) for name, metric in METRICS.items() if task.kind in metric.kinds}
