"""All scores of a task's outputs under one roof: which metrics there are, their values at k, the ceiling."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from ..tasks import Task, TaskKind
from .estimators import best_of_k, pass_at_k
from .official import Gold, OutputScores, core_line, score
from .strict import StrictGold, StrictScores, score_strict


class Layer(StrEnum):
    """Whose rules a metric follows."""

    OFFICIAL = "official"
    """The published scripts, quirks included."""
    STRICT = "strict"
    """The words of the paper."""


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric: a value for each output, and how values become a score at k."""

    name: str
    layer: Layer
    about: str
    value: Callable[[OutputScores, StrictScores], float]
    passes: bool
    """Values are 0 or 1 and become pass@k; else the score at k is the expected best of k."""
    kinds: frozenset[TaskKind] = frozenset(TaskKind)
    """The kinds of task that it is meant for."""


_CODE = frozenset(TaskKind) - {TaskKind.TOKEN}
_TOKEN = frozenset({TaskKind.TOKEN})
_O, _S = Layer.OFFICIAL, Layer.STRICT

METRICS = {
    metric.name: metric
    for metric in (
        Metric("pass", _O, "the output is the name of the API", lambda o, s: o.exact, True, _TOKEN),
        Metric("ism", _O, "most similar pair of names", lambda o, s: o.ism, False, _CODE),
        Metric("pm", _O, "most similar pair of lines", lambda o, s: o.pm, False, _CODE),
        Metric("ism-verified", _O, "ism of what compiles", lambda o, s: o.ism_verified, False, _CODE),
        Metric("pm-verified", _O, "pm of what compiles", lambda o, s: o.pm_verified, False, _CODE),
        Metric("em", _O, "the name of the API occurs as a word", lambda o, s: o.em, True),
        Metric("cdc", _O, "name, arguments, keywords and with; compiles", lambda o, s: o.cdc, True, _CODE),
        Metric("strict-exact", _S, "the output is the reference", lambda o, s: s.exact, True),
        Metric("strict-name", _S, "code uses the name of the API", lambda o, s: s.name_used, True),
        Metric("strict-ism", _S, "names of lines, averaged", lambda o, s: s.ism, False, _CODE),
        Metric("strict-pm", _S, "characters of lines, averaged", lambda o, s: s.pm, False, _CODE),
        Metric(
            "strict-call",
            _S,
            "called with as many arguments and the keywords",
            lambda o, s: s.call,
            True,
            _CODE,
        ),
        Metric("strict-parses", _S, "the program is Python", lambda o, s: s.parsed, True, _CODE),
    )
}
"""By name.  Use of API that the release does not have needs the store: see `api_use`."""


@dataclass(frozen=True, slots=True)
class TaskScores:
    """The scores of the outputs of one task."""

    task: Task
    official: tuple[OutputScores, ...]
    strict: tuple[StrictScores, ...]

    def values(self, metric: str) -> list[float]:
        """One value for each output, in their order."""
        value = METRICS[metric].value
        pairs = zip(self.official, self.strict, strict=True)
        return [float(value(official, strict)) for official, strict in pairs]

    def at(self, metric: str, k: int, planned: int = 0) -> float:
        """The score at k.  Of `planned` samples those that are missing count 0.

        Raises `ValueError` where even so there are fewer than k.
        """
        values = self.values(metric)
        values += [0.0] * (planned - len(values))
        if METRICS[metric].passes:
            return pass_at_k(len(values), sum(value == 1 for value in values), k)
        return best_of_k(values, k)


def score_task(task: Task, outputs: Sequence[str]) -> TaskScores:
    """Score cleaned outputs of one task.

    Raises `ApikbError` where the language of the task cannot be read.
    """
    whole = task.kind not in (TaskKind.TOKEN, TaskKind.LINE)
    line = core_line(task.reference, task.answer) if whole else None
    gold = Gold(task.reference, task.answer, line)
    programs = [task.program(output) for output in outputs]
    official = score(gold, outputs, programs, block=whole, compiled=task.language == "python")
    return TaskScores(task, tuple(official), tuple(score_strict(StrictGold(task), outputs)))


def ceiling(task: Task) -> TaskScores:
    """The reference scored against itself: what a perfect output would get."""
    return score_task(task, [task.reference])


def mean_at(scores: Iterable[TaskScores], metric: str, k: int, planned: int = 0) -> float:
    """The mean over tasks that the metric is meant for; a task without outputs counts 0.

    Raises `ValueError` where there is no such task, or where one has fewer than k samples.
    """
    found = [one.at(metric, k, planned) for one in scores if one.task.kind in METRICS[metric].kinds]
    if not found:
        raise ValueError(f"no task that {metric} is meant for")
    return sum(found) / len(found)
