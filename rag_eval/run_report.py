"""What a run says: means with intervals, differences between conditions over the same tasks, strata.

The same rows are a table for a terminal, JSON, CSV, and a page with plots (`run_page`).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .intervals import Paired, interval, paired
from .results import USES, Results
from .tags import Tags

BASELINE = "none"
"""What conditions are compared with, where it was run; else with the first one."""
_MAIN = {"token": "pass", "generation": "em"}
"""The measure by which strata are told, by kind of task; of all others it is ISM."""


@dataclass(frozen=True, slots=True)
class Row:
    """One measure of one condition over the tasks of one kind, or over a part of them."""

    kind: str
    stratum: str
    """`all`, or `lifespan: addition`."""
    condition: str
    measure: str
    tasks: int
    mean: float
    low: float
    high: float
    """The 95 % interval of the mean."""
    ceiling: float
    """What the references get; 0 for shares of wrong uses, of which less is better."""
    against: str
    """The condition that it is compared with, over the same tasks."""
    difference: float
    difference_low: float
    difference_high: float
    better: int
    worse: int
    p: float


STRATA: dict[str, Callable[[Tags], str]] = {
    "lifespan": lambda tags: str(tags.lifespan),
    "year": lambda tags: str(tags.year or "unknown"),
    "source": lambda tags: tags.source,
    "transition": lambda tags: str(tags.transition or ""),
    "library": lambda tags: tags.library,
    "answer in the code": lambda tags: "yes" if tags.visible_in_code else "no",
}


def rows_of(results: Sequence[Results]) -> list[Row]:
    """All rows of a run: every measure over all tasks, the main one of each kind over the strata."""
    rows: list[Row] = []
    for result in results:
        everything = np.ones(len(result.tasks), np.bool_)
        baseline = BASELINE if BASELINE in result.values else next(iter(result.values))
        measures = next(iter(result.values.values()))
        rows += [
            _row(result, "all", everything, condition, measure, baseline)
            for condition in result.values
            for measure in measures
        ]
        main = main_measure(result)
        for name, stratum in _strata(result):
            rows += [_row(result, name, stratum, condition, main, baseline) for condition in result.values]
    return rows


def main_measure(result: Results) -> str:
    """The measure by which strata of a kind of task are told."""
    return f"{_MAIN.get(str(result.kind), 'ism')}@1"


def _strata(result: Results) -> Iterator[tuple[str, npt.NDArray[np.bool_]]]:
    for name, of in STRATA.items():
        values = [of(tags) for tags in result.tags]
        for value in sorted(set(values) - {""}):
            yield f"{name}: {value}", np.array([each == value for each in values], np.bool_)


def _row(
    result: Results,
    stratum: str,
    mask: npt.NDArray[np.bool_],
    condition: str,
    measure: str,
    baseline: str,
) -> Row:
    values = result.values[condition][measure][mask]
    low, high = interval(values)
    against: Paired = paired(result.values[baseline][measure][mask], values)
    name = measure.partition("@")[0]
    top = 0.0 if measure in USES else float(result.ceiling[name][mask].mean())
    return Row(
        kind=str(result.kind),
        stratum=stratum,
        condition=condition,
        measure=measure,
        tasks=int(mask.sum()),
        mean=round(float(values.mean()), 4),
        low=low,
        high=high,
        ceiling=round(top, 4),
        against=baseline,
        difference=against.difference,
        difference_low=against.low,
        difference_high=against.high,
        better=against.better,
        worse=against.worse,
        p=round(against.p, 6),
    )


def as_json(rows: Iterable[Row], results: Sequence[Results], manifest: Mapping[str, Any]) -> dict[str, Any]:
    """All that is reported, as JSON has it."""
    return {
        "manifest": manifest,
        "rows": [asdict(row) for row in rows],
        "missing": {str(result.kind): [list(pair) for pair in result.missing] for result in results},
    }


def as_csv(rows: Iterable[Row]) -> str:
    """The rows, with a head."""
    out = io.StringIO()
    writer = csv.DictWriter(out, list(Row.__dataclass_fields__), lineterminator="\n")
    writer.writeheader()
    writer.writerows(asdict(row) for row in rows)
    return out.getvalue()


def lines_of(rows: Sequence[Row], results: Sequence[Results]) -> Iterator[str]:
    """The rows over all tasks, for a terminal: one table for each kind of task."""
    for result in results:
        shown = [row for row in rows if row.kind == str(result.kind) and row.stratum == "all"]
        yield f"{result.kind}: {len(result.tasks)} tasks, {result.n} outputs each"
        yield from _table(shown, list(result.values))
        yield ""
        main = main_measure(result)
        yield f"{main}, over the same tasks (95 % interval; tasks better, worse; sign test):"
        for row in shown:
            if row.measure == main and row.condition != row.against:
                yield (
                    f"  {row.condition} - {row.against}: {row.difference:+.3f} ({row.difference_low:+.3f} to "
                    f"{row.difference_high:+.3f}; {row.better}, {row.worse}; p = {row.p:.3g})"
                )
        if result.missing:
            task, condition = result.missing[0]
            yield f"{len(result.missing)} samples are missing and count 0; the first: {task}, {condition}"
        yield ""


def _table(rows: Sequence[Row], conditions: Sequence[str]) -> Iterator[str]:
    """Measures at 1 and shares; a line for each condition, and one for the ceiling."""
    measures = [
        name for name in dict.fromkeys(row.measure for row in rows) if name.endswith("@1") or "@" not in name
    ]
    means = {(row.condition, row.measure): f"{row.mean:.3f}" for row in rows}
    ceilings = {row.measure: f"{row.ceiling:.3f}" for row in rows if row.measure not in USES}
    lines = [["condition", *measures]]
    lines += [[condition, *(means[condition, name] for name in measures)] for condition in conditions]
    lines.append(["ceiling", *(ceilings.get(name, "") for name in measures)])
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for first, *others in lines:
        cells = [first.ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
        yield "  ".join(cells).rstrip()
