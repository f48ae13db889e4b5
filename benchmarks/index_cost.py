"""What it costs to index whole projects from nothing, and to run again.

    python benchmarks/index_cost.py click
    python benchmarks/index_cost.py torch --kb /tmp/torch/kb.duckdb --cache /tmp/torch/cache

Each project is indexed by a run of its own into one knowledge base, and then once more: the
second run should fetch the index page and nothing else.  The folders must be empty; without
--kb and --cache they are temporary.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from measure import Cost, compile_package, machine, print_table, run, size, tail, verdict, work_folder

_CLI = Path(__file__).with_name("counted_cli.py")
BYTES_GOALS = {"torch": 0.01, "pandas": 0.15, "scikit-learn": 0.15}
"""Of the bytes of the artifacts that were chosen."""
PEAK_GOAL = 1.5e9


@dataclass(slots=True)
class Run:
    """One run of `apikb index`."""

    summary: dict[str, Any]
    cost: Cost
    store_bytes: int

    @property
    def share(self) -> float:
        """Bytes fetched by bytes of the chosen artifacts."""
        return float(self.summary["fetched_bytes"]) / (self.summary["artifact_bytes"] or 1)


def index(project: str, kb: Path, cache: Path, folder: Path, jobs: int | None) -> Run:
    """Run `apikb index` once."""
    told, output = folder / "summary.json", folder / "output"
    told.unlink(missing_ok=True)
    command: list[str | Path] = [sys.executable, _CLI, "index", project, "--kb", kb, "--cache", cache]
    command += ["--jobs", str(jobs)] if jobs else []
    cost = run(command, output=output, environment={"SUMMARY": str(told)})
    if not told.exists() or cost.exit_code:
        raise SystemExit(f"apikb index {project} left with {cost.exit_code}:\n{tail(output)}")
    (summary,) = json.loads(told.read_text())
    return Run(summary, cost, kb.stat().st_size)


def page_bytes(run: Run, kb: Path, project: str) -> int:
    """The fetched bytes that were for no release: the index page."""
    from apikb.kb.lookup import KnowledgeBase

    with KnowledgeBase.open(kb) as opened:
        ((read,),) = opened.sql(f"SELECT sum(fetched) FROM releases WHERE project = '{project}'").rows
    return int(run.summary["fetched_bytes"] - (read or 0))


def reasons(runs: Iterable[Run]) -> None:
    """Every release that could not be read, by reason."""
    for first in runs:
        for word in ("skipped", "failed"):
            found = Counter(reason for _, reason in first.summary[word])
            for reason, count in found.most_common():
                versions = [version for version, why in first.summary[word] if why == reason]
                shown = ", ".join(versions[:8]) + (" ..." if count > 8 else "")
                print(f"  {first.summary['project']}: {count} {word}: {reason} ({shown})")


def goals(runs: Iterable[Run]) -> list[tuple[object, ...]]:
    """The goals that these projects have."""
    rows: list[tuple[object, ...]] = []
    for first in runs:
        project = first.summary["project"]
        lost = len(first.summary["failed"])
        rows.append((f"{project}: releases that failed", "0", lost, verdict(not lost)))
        if project in BYTES_GOALS:
            goal = BYTES_GOALS[project]
            rows.append(
                (
                    f"{project}: bytes of artifacts",
                    f"<= {goal:.0%}",
                    f"{first.share:.2%}",
                    verdict(first.share <= goal),
                )
            )
        # What processes share counts twice in the sum: it proves a goal met, and only the largest one missed.
        peak = first.cost.sum_peak
        rows.append(
            (f"{project}: peak memory, all processes", "< 1.5 GB", size(peak), verdict(peak < PEAK_GOAL))
        )
    return rows


def first_table(runs: Iterable[Run]) -> None:
    """The runs from nothing."""
    columns = [
        *("project", "indexed", "skipped", "failed", "fetched", "of artifacts", "%", "parsed", "reused"),
        *("CPU s", "wall s", "main peak", "worker peak", "sum peak", "file"),
    ]
    rows = []
    for first in runs:
        said, cost = first.summary, first.cost
        rows.append(
            (
                said["project"],
                f"{said['indexed']}/{said['releases_total']}",
                len(said["skipped"]),
                len(said["failed"]),
                size(said["fetched_bytes"]),
                size(said["artifact_bytes"]),
                f"{first.share:.2%}",
                said["files_parsed"],
                said["files_reused"],
                f"{cost.cpu:.1f}",
                f"{cost.wall:.1f}",
                size(cost.main_peak),
                size(cost.worker_peak),
                size(cost.sum_peak),
                size(first.store_bytes),
            )
        )
    print_table(columns, rows)


def second_table(runs: Iterable[tuple[Run, Run, int]]) -> None:
    """The runs after them."""
    rows = []
    for first, second, page in runs:
        fetched = second.summary["fetched_bytes"]
        only = second.summary["unchanged"] and fetched <= max(page * 1.02, page + 2000)
        rows.append(
            (
                first.summary["project"],
                size(fetched),
                size(page),
                second.summary["files_parsed"],
                f"{second.cost.cpu:.1f}",
                f"{second.cost.wall:.1f}",
                verdict(only),
            )
        )
    print_table(("second run", "fetched", "index page", "parsed", "CPU s", "wall s", "only the page"), rows)


def main() -> None:
    """Index each project, twice."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("projects", nargs="+", metavar="PROJECT")
    parser.add_argument("--kb", type=Path, metavar="FILE", help="a file that does not exist yet")
    parser.add_argument("--cache", type=Path, metavar="DIR", help="an empty folder")
    parser.add_argument("--jobs", type=int, metavar="N")
    given = parser.parse_args()
    compile_package()
    print(machine(), flush=True)
    with work_folder("index") as name:
        folder = Path(name)
        kb, cache = given.kb or folder / "kb.duckdb", given.cache or folder / "cache"
        if kb.exists() or (cache.exists() and any(cache.iterdir())):
            raise SystemExit(f"{kb} or {cache} holds something: from nothing means from nothing.")
        kb.parent.mkdir(parents=True, exist_ok=True)
        firsts: list[Run] = []
        pages: list[int] = []
        for project in given.projects:
            print(f"  indexing {project}", file=sys.stderr, flush=True)
            first = index(project, kb, cache, folder, given.jobs)
            firsts.append(first)
            pages.append(page_bytes(first, kb, first.summary["project"]))
        seconds = [index(project, kb, cache, folder, given.jobs) for project in given.projects]
    print()
    first_table(firsts)
    reasons(firsts)
    for first in firsts:
        for note in first.summary["notes"]:
            print(f"  {first.summary['project']}: note: {note}")
    print()
    second_table(zip(firsts, seconds, pages, strict=True))
    print()
    print_table(("goal", "asked", "measured", ""), goals(firsts))


if __name__ == "__main__":
    main()
