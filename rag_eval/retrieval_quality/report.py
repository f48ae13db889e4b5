"""Running the comparison: rankings, measures with intervals, misses to be read by a person."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ...kb.text import visible
from ..intervals import interval
from .queries import Queries, Query
from .systems import Ranked, System
from .trec import MEASURES, documents_of, measured, write_qrels, write_run

_DEPTH = 20
"""How many hits a run holds."""
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Row:
    """A system over some queries: measure -> (mean, low, high), the 95 % interval."""

    system: str
    group: str
    queries: int
    measures: dict[str, tuple[float, float, float]]


def compare(
    queries: Queries,
    systems: Sequence[System],
    out: Path,
    *,
    groups: dict[str, Callable[[Query], bool]],
    note: Callable[[str], None],
) -> list[Row]:
    """Rank all queries by all systems, and write `queries.jsonl`, `qrels.txt`, a run, its misses and
    `report.json` to a folder.

    `groups` are sets of queries that are told apart in the rows.  Raises ApikbError where ir-measures is
    not installed.
    """
    out.mkdir(parents=True, exist_ok=True)
    asked = queries.queries
    write_qrels(out / "qrels.txt", asked)
    (out / "queries.jsonl").write_text("".join(json.dumps(_described(query)) + "\n" for query in asked))
    rows: list[Row] = []
    for system in systems:
        rankings: dict[str, Ranked] = {}
        for query in asked:
            rankings[query.id] = system.rank(query, _DEPTH)
        named = {query.id: documents_of(query, rankings[query.id]) for query in asked}
        run = out / f"{system.name}.run"
        write_run(run, system.name, named)
        values = measured(out / "qrels.txt", run, [query.id for query in asked])
        (out / f"{system.name}.misses.md").write_text(_misses(asked, rankings, values["R@10"]))
        rows += [_row(system.name, group, asked, values, holds) for group, holds in groups.items()]
        note(
            f"{system.name}: "
            + ", ".join(f"{row.group} R@10 {row.measures['R@10'][0]:.3f}" for row in rows[-len(groups) :])
        )
    report = {"left_out": dict(queries.left_out), "rows": [_plain(row) for row in rows]}
    (out / "report.json").write_text(json.dumps(report, indent=1) + "\n")
    return rows


def _described(query: Query) -> dict[str, object]:
    return {
        "id": query.id,
        "project": query.project,
        "version": query.version,
        "text": query.text,
        "answers": query.answers,
        "source": query.source,
    }


def _row(
    system: str,
    group: str,
    queries: Sequence[Query],
    values: dict[str, npt.NDArray[np.float64]],
    holds: Callable[[Query], bool],
) -> Row:
    kept = np.array([holds(query) for query in queries], np.bool_)
    of_group = {name: values[name][kept] for name in MEASURES}
    measures = {
        name: (round(float(each.mean()), 4) if len(each) else 0.0, *interval(each))
        for name, each in of_group.items()
    }
    return Row(system, group, int(kept.sum()), measures)


def _plain(row: Row) -> dict[str, object]:
    return {"system": row.system, "group": row.group, "queries": row.queries, "measures": row.measures}


def _misses(queries: Sequence[Query], rankings: dict[str, Ranked], recall: npt.NDArray[np.float64]) -> str:
    """What was not among the first ten, for a person to read."""
    lines = []
    for query, found in zip(queries, recall, strict=True):
        if found >= 1:
            continue
        ranked = rankings[query.id]
        ranks = {
            answer: next(
                (
                    n
                    for n, paths in enumerate(ranked, 1)
                    if any(p.rpartition(".")[2] == answer for p in paths)
                ),
                None,
            )
            for answer in query.answers
        }
        wanted = ", ".join(f"{answer} ({rank or f'not in {len(ranked)}'})" for answer, rank in ranks.items())
        lines.append(f"## {query.id}: {query.project} {query.version}\n")
        lines.append(f"wanted: {wanted}  \nfound: {', '.join(paths[0] for paths in ranked[:_SHOWN])}\n")
        lines += [f"    {visible(line)}" for line in (query.text + "\n" + query.code).splitlines()]
        lines.append("")
    return "\n".join(lines) + "\n"


def table(rows: Sequence[Row]) -> str:
    """The rows as a Markdown table."""
    head = ["system", "queries of", "n", *MEASURES]
    body = [
        [row.system, row.group, str(row.queries)]
        + [f"{mean:.3f} ({low:.3f} to {high:.3f})" for mean, low, high in row.measures.values()]
        for row in rows
    ]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [head, ["---"] * len(head), *body])
