"""Two runs side by side, over the tasks that both have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .intervals import Paired, paired
from .results import Results


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """One measure under one condition: the means of both, and `second - first` over the same tasks."""

    kind: str
    condition: str
    measure: str
    tasks: int
    first: float
    second: float
    paired: Paired


def compared(first: Sequence[Results], second: Sequence[Results]) -> tuple[list[ComparedRow], int]:
    """All measures that both runs have, and how many tasks only one of them has."""
    others = {result.kind: result for result in second}
    kinds = {result.kind for result in first}
    left_out = sum(len(result.tasks) for result in second if result.kind not in kinds)
    rows: list[ComparedRow] = []
    for result in first:
        other = others.get(result.kind)
        if other is None:
            left_out += len(result.tasks)
            continue
        places = {task.id: place for place, task in enumerate(result.tasks)}
        shared = [(places[t.id], place) for place, t in enumerate(other.tasks) if t.id in places]
        left_out += len(result.tasks) + len(other.tasks) - 2 * len(shared)
        if shared:
            rows += _rows(result, other, [a for a, _ in shared], [b for _, b in shared])
    return rows, left_out


def _rows(first: Results, second: Results, ours: list[int], theirs: list[int]) -> Iterator[ComparedRow]:
    for condition, measures in first.values.items():
        for measure, values in measures.items():
            other = second.values.get(condition, {}).get(measure)
            if other is not None:
                one, two = values[ours], other[theirs]
                yield ComparedRow(
                    kind=str(first.kind),
                    condition=condition,
                    measure=measure,
                    tasks=len(ours),
                    first=round(float(one.mean()), 4),
                    second=round(float(two.mean()), 4),
                    paired=paired(one, two),
                )


def comparison_lines(rows: Sequence[ComparedRow]) -> Iterator[str]:
    """A line for each condition and measure at 1."""
    for row in rows:
        if row.measure.endswith("@1"):
            found = row.paired
            yield (
                f"{row.kind:12}  {row.condition:14}  {row.measure:18}  {row.first:.3f}  {row.second:.3f}  "
                f"{found.difference:+.3f} ({found.low:+.3f} to {found.high:+.3f}; {found.better} better, "
                f"{found.worse} worse; p = {found.p:.3g})"
            )
