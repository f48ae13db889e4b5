"""CPU time of `apikb index PROJECT` against the naive tool, for all final releases.

    python benchmarks/cpu_against_naive.py click
    python benchmarks/cpu_against_naive.py pandas --sample 5 --without-tests

apikb starts from an empty cache and no knowledge base, and publishing is in its time.  The
naive tool (naive_release.py) gets the very artifacts that apikb read, one fresh process each;
finding out which they are costs it nothing.  Both sides alternate: apikb runs once a round, and
each round does its share of the naive releases.  CPU is user and system time of all processes.

"without download" takes the naive tool's download out and leaves apikb's in.  The naive tool
reads test suites, apikb leaves them out by policy: `--without-tests` takes them from both.
`--faster` gives the naive tool griffe's fast path, which apikb has; `--pip` gives it
`pip download` in place of a plain GET.  The goals speak of neither of these: plain griffe,
plain GET, test suites read.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from measure import (
    APIKB,
    Cost,
    compile_package,
    machine,
    print_table,
    run,
    size,
    tail,
    verdict,
    work_folder,
)

GOALS = {"click": 10, "scikit-learn": 10, "pandas": 20}
_NAIVE = Path(__file__).with_name("naive_release.py")
_NAIVE_SECONDS = 900
_VARIANTS = {
    "without-tests": "leave test suites out as well",
    "faster": "with griffe's fast path",
    "pip": "fetch wheels with pip download",
}


@dataclass(slots=True)
class Artifact:
    """What apikb read of a release, and where it lies."""

    version: str
    filename: str
    url: str
    size: int


@dataclass(slots=True)
class Naive:
    """The naive tool, summed up."""

    ran: int = 0
    cpu: float = 0.0
    download_cpu: float = 0.0
    wall: float = 0.0
    fetched: int = 0
    peak: int = 0
    wrong: list[tuple[str, str]] = field(default_factory=list)


def index(project: str, folder: Path) -> tuple[Cost, Path]:
    """Index a project from nothing."""
    folder.mkdir()
    store, output = folder / "kb.duckdb", folder / "output"
    cost = run([APIKB, "index", project, "--kb", store, "--cache", folder / "cache"], output=output)
    if cost.exit_code:
        raise SystemExit(f"apikb index {project} left with {cost.exit_code}:\n{tail(output)}")
    return cost, store


def ask(*arguments: str | Path) -> Any:
    """Ask the command line for JSON."""
    command = [str(part) for part in (APIKB, *arguments, "--json")]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def artifacts(project: str, store: Path) -> tuple[list[Artifact], list[str]]:
    """The artifacts that were read, oldest release first, and the import packages of the project."""
    from packaging.version import Version

    from apikb.indexers.simple_index import SimpleIndex

    facts = ask("info", project, "--kb", store)
    with SimpleIndex() as simple:
        listing = simple.releases(project)
    urls = {file.filename: file.url for release in listing.releases for file in release.files}
    read = [
        item
        for item in facts["releases"]
        if item["status"] == "indexed" and not Version(item["version"]).is_prerelease
    ]
    return (
        [Artifact(item["version"], item["artifact"], urls[item["artifact"]], item["size"]) for item in read],
        facts["import_names"],
    )


def naive(
    chosen: Sequence[Artifact], packages: Sequence[str], options: Sequence[str], folder: Path, sums: Naive
) -> None:
    """Run the naive tool on releases, one process each."""
    for artifact in chosen:
        output = folder / "naive.json"
        cost = run(
            [sys.executable, _NAIVE, artifact.url, artifact.filename, *packages, *options],
            output=output,
            environment={"TMPDIR": str(folder)},
            timeout=_NAIVE_SECONDS,
        )
        sums.ran += 1
        sums.cpu += cost.cpu
        sums.wall += cost.wall
        sums.peak = max(sums.peak, cost.main_peak)
        try:
            told = json.loads(output.read_text().splitlines()[-1])
        except (ValueError, IndexError):
            sums.wrong.append((artifact.version, f"exit code {cost.exit_code}: {tail(output, 1)[:150]}"))
            continue
        sums.download_cpu += told["download_cpu"]
        sums.fetched += told["fetched"]
        sums.wrong += [(artifact.version, f"{name}: {why}") for name, why in told["wrong"].items()]


def compare(project: str, given: argparse.Namespace) -> list[tuple[object, ...]]:
    """Measure one project."""
    print(f"\n{project}", flush=True)
    costs: list[Cost] = []
    sums = Naive()
    found: list[Artifact] = []
    packages: list[str] = []
    with work_folder("cpu") as name:
        folder = Path(name)
        for number in range(given.rounds):
            cost, store = index(project, folder / f"round{number}")
            costs.append(cost)
            if not found:
                found, packages = artifacts(project, store)
                chosen = found[given.sample // 2 :: given.sample]
            share = chosen[number :: given.rounds]
            _say(f"round {number + 1}: apikb {cost.cpu:.1f} s of CPU; naive: {len(share)} releases")
            naive(share, packages, _options(given), folder, sums)
    scale = len(found) / sums.ran
    _report(costs, sums, scale, len(found))
    return list(_rows(project, median(cost.cpu for cost in costs), sums, scale, given))


def _options(given: argparse.Namespace) -> list[str]:
    return [f"--{name}" for name in _VARIANTS if getattr(given, name.replace("-", "_"))]


def _rows(
    project: str, ours: float, sums: Naive, scale: float, given: argparse.Namespace
) -> Iterator[tuple[object, ...]]:
    options = _options(given)
    naive_is = ", ".join(option.strip("-") for option in options) or "plain"
    goal = GOALS.get(project)
    for label, theirs in (("", sums.cpu), (", without download", sums.cpu - sums.download_cpu)):
        ratio = theirs * scale / ours
        judged = goal is not None and not label and not options
        yield (
            f"{project} ({naive_is}{label})",
            f"{ours:.1f}",
            f"{theirs * scale:.1f}" + (f" (scaled {scale:.2f}x)" if scale > 1 else ""),
            f"{ratio:.1f}x",
            f">= {goal}x" if judged else "",
            verdict(ratio >= goal) if judged and goal is not None else "",
        )


def _report(costs: Sequence[Cost], sums: Naive, scale: float, releases: int) -> None:
    each = ", ".join(f"{cost.cpu:.1f} ({cost.user:.1f} + {cost.system:.1f})" for cost in costs)
    print(f"  {releases} final releases indexed by apikb; CPU seconds (user + system) by round: {each}")
    seen = median(cost.main_cpu for cost in costs)
    print(
        f"  (`time` would miss the workers and tell {seen:.1f}; polled from /proc, the last round is "
        f"{costs[-1].polled_cpu:.1f})"
    )
    print(f"  apikb wall {median(cost.wall for cost in costs):.1f} s; naive wall {sums.wall * scale:.1f} s")
    note = f", one in {scale:.2f}: its figures are scaled by the count" if scale > 1 else ""
    print(
        f"  naive ran {sums.ran} releases{note}; fetched {size(sums.fetched)}, "
        f"download {sums.download_cpu:.1f} of {sums.cpu:.1f} s of CPU, peak {size(sums.peak)}"
    )
    failed = {version for version, _ in sums.wrong}
    print(f"  naive failed on {len(failed)} releases (what they cost until then is counted)")
    reasons = Counter(why for _, why in sums.wrong)
    for why, count in reasons.most_common(8):
        print(f"    {count:3}  {why}")


def _say(text: str) -> None:
    print(f"  {text}", file=sys.stderr, flush=True)


def main() -> None:
    """Compare each project."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("projects", nargs="+", metavar="PROJECT")
    parser.add_argument("--sample", type=int, default=1, metavar="N", help="naive: every Nth release, scaled")
    for name, text in _VARIANTS.items():
        parser.add_argument(f"--{name}", action="store_true", help=f"naive: {text}")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="runs of apikb; the median counts")
    given = parser.parse_args()
    compile_package()
    print(machine())
    rows = [row for project in given.projects for row in compare(project, given)]
    print()
    print_table(("project (naive tool)", "apikb CPU s", "naive CPU s", "ratio", "goal", ""), rows)


if __name__ == "__main__":
    main()
