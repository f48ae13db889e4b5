"""A cold `apikb lookup` against a bare Python that asks the same file the same thing.

    python benchmarks/cold_lookup.py --kb kb.duckdb click.Command --version 7.0
    python benchmarks/cold_lookup.py --kb kb.duckdb click.Command --version 7.0 --profile

The bare process imports click and duckdb, opens the file read-only and runs one query: on the
sorted internal tables, as fast as the file allows (the goal is measured against this), or on
the public view `spans`, as an analyst would write it.  All of them alternate, one run each a
round; a ratio is taken within a round.  The imports of the command are checked, and with
--profile it is told what each costs that the bare process does not need.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
import zlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

from measure import APIKB, compile_package, machine, print_table, verdict

GOAL = 1.5
FORBIDDEN = ("griffe", "rich", "pyarrow", "torch", "urllib3", "numpy", "pypi_simple", "tree_sitter", "pandas")

_INTERNAL = """
import sys
import click, duckdb
file, project, symbol, version, bucket = sys.argv[1:]
connection = duckdb.connect(file, read_only=True)
rows = connection.execute(
    "SELECT s.status, s.kind, s.signature, u.first, u.last FROM internal.projects p "
    "JOIN internal.releases r ON r.pid = p.pid AND r.version = ? "
    "JOIN internal.runs u ON u.pid = p.pid AND r.ordinal BETWEEN u.first AND u.last "
    "JOIN internal.states s ON s.state = u.state "
    "WHERE p.project = ? AND u.bucket = ? AND u.symbol = ? AND u.role = 0",
    [version, project, int(bucket), symbol],
).fetchall()
click.echo(rows)
"""
_PUBLIC = """
import sys
import click, duckdb
file, project, symbol, version, bucket = sys.argv[1:]
connection = duckdb.connect(file, read_only=True)
rows = connection.execute(
    "SELECT * FROM spans WHERE project = ? AND symbol = ?", [project, symbol]
).fetchall()
click.echo(rows)
"""
_IMPORTS = """
import sys
import click, duckdb
"""
_MODULES = """
import atexit, json, sys
def tell():
    print(json.dumps(sorted(sys.modules)), file=sys.stderr)
atexit.register(tell)
sys.argv = ["apikb", *sys.argv[1:]]
from apikb.cli import main
main()
"""


def timed(command: Sequence[str], codes: Sequence[int]) -> float:
    """Milliseconds of one run, from starting the process to its end."""
    started = time.perf_counter()
    done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL)
    taken = time.perf_counter() - started
    if done.returncode not in codes:
        raise SystemExit(f"{command[:2]} left with {done.returncode}:\n{done.stderr.decode()[-1500:]}")
    return taken * 1000


def race(commands: Mapping[str, Sequence[str]], rounds: int) -> dict[str, list[float]]:
    """Run all commands in turn; the first round warms the disk cache and does not count."""
    times: defaultdict[str, list[float]] = defaultdict(list)
    for number in range(rounds + 1):
        # Every second round runs backwards, so that none always follows the same one.
        for name in list(commands)[:: 1 if number % 2 else -1]:
            # Absent (1) and unknown (3) are answers.
            taken = timed(commands[name], (0, 1, 3) if name.startswith("apikb") else (0,))
            if number:
                times[name].append(taken)
    return dict(times)


def report(times: Mapping[str, list[float]]) -> None:
    """Times and ratios."""
    ours = times["apikb lookup"]
    rows: list[tuple[object, ...]] = []
    for name, taken in times.items():
        row: tuple[object, ...] = (name, f"{median(taken):.0f}", f"{min(taken):.0f}")
        if name != "apikb lookup":
            ratio = median(mine / theirs for mine, theirs in zip(ours, taken, strict=True))
            judged = name == "bare, internal tables"
            row += (f"{ratio:.2f}x", f"{min(ours) / min(taken):.2f}x")
            row += (f"<= {GOAL}x", verdict(ratio <= GOAL)) if judged else ("", "")
        rows.append(row + ("",) * (7 - len(row)))
    print_table(
        (f"process ({len(ours)} rounds)", "median ms", "min ms", "apikb/it", "of minima", "goal", ""), rows
    )


def check_imports(arguments: Sequence[str]) -> None:
    """What the command must not have imported."""
    done = subprocess.run([sys.executable, "-c", _MODULES, *arguments], capture_output=True, text=True)
    loaded = set(json.loads(done.stderr.splitlines()[-1]))
    found = sorted({name.partition(".")[0] for name in loaded} & set(FORBIDDEN))
    print_table(
        ("imports of apikb lookup", "goal", "found", ""),
        [("heavy modules", "none", ", ".join(found) or "none", verdict(not found))],
    )
    print(f"  looked for: {', '.join(FORBIDDEN)}; {len(loaded)} modules in all")


def import_times(command: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Microseconds (self, cumulative) by module, as -X importtime tells."""
    done = subprocess.run(command, capture_output=True, text=True)
    found: dict[str, tuple[int, int]] = {}
    for line in done.stderr.splitlines():
        if line.startswith("import time:") and "self [us]" not in line:
            own, total, name = line.removeprefix("import time:").split("|")
            found[name.strip()] = (int(own), int(total))
    return found


def profile(ours: Sequence[str], bare: Sequence[str], rounds: int = 7) -> None:
    """The imports that only the command does, dearest first."""
    collected: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    theirs: set[str] = set()
    for _ in range(rounds):
        for name, cost in import_times(ours).items():
            collected[name].append(cost)
        theirs |= set(import_times(bare))
    own = {
        name: (median(cost[0] for cost in costs), median(cost[1] for cost in costs))
        for name, costs in collected.items()
        if name not in theirs
    }
    total = sum(one for one, _ in own.values()) / 1000
    print(f"\nimports beyond the bare process: {len(own)}, {total:.1f} ms")
    dearest = sorted(own.items(), key=lambda item: -item[1][0])[:25]
    print_table(
        ("module (medians, slowed by -X importtime)", "own ms", "with what it pulls"),
        [(name, f"{one / 1000:.2f}", f"{pulled / 1000:.2f}") for name, (one, pulled) in dearest],
    )


def main() -> None:
    """Race, check and profile."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("symbol")
    parser.add_argument("--kb", type=Path, required=True, metavar="FILE")
    parser.add_argument("--version", required=True)
    parser.add_argument("--project", help="of the symbol; by default its first name")
    parser.add_argument("--rounds", type=int, default=21, metavar="N")
    parser.add_argument("--profile", action="store_true", help="tell what the imports cost")
    given = parser.parse_args()
    compile_package()
    print(f"{machine()}, {given.kb.stat().st_size / 1e6:.1f} MB store", flush=True)
    arguments = ["lookup", given.symbol, "--version", given.version, "--kb", str(given.kb)]
    answer = json.loads(
        subprocess.run([APIKB, *arguments, "--json"], capture_output=True).stdout or '{"status": "an error"}'
    )
    print(f"{given.symbol} at {given.version}: {answer['status']}")
    project = given.project or answer.get("project", "")
    bucket = zlib.crc32(given.symbol.rpartition(".")[0].encode())
    point = [str(given.kb), project, given.symbol, given.version, str(bucket)]
    python = sys.executable
    commands = {
        "apikb lookup": [str(APIKB), *arguments],
        "bare, internal tables": [python, "-c", _INTERNAL, *point],
        "bare, view spans": [python, "-c", _PUBLIC, *point],
        "bare, imports alone": [python, "-c", _IMPORTS],
    }
    report(race(commands, given.rounds))
    print()
    check_imports(arguments)
    if given.profile:
        traced = [python, "-X", "importtime"]
        profile([*traced, str(APIKB), *arguments], [*traced, "-c", _INTERNAL, *point])


if __name__ == "__main__":
    main()
