"""In-process look-ups on a store of many projects: p50 and p95 by kind of question.

    python benchmarks/warm_lookup.py --kb kb.duckdb

The questions are drawn from the store by a fixed seed, from all projects and their releases
alike: members, aliases, inherited members, modules, parameters, and names that are not there.
Every round opens the store afresh, asks one question of each project so that its releases are
loaded (shown apart), and then asks everything once, in an order of its own; a question's time
is its median over the rounds; "every round" takes each time for itself, and so shows the few look-ups that
took a project into memory.  "again" asks the same ones once more.  The last line is what one point
query on the same connection costs on this machine now.
"""

from __future__ import annotations

import argparse
import random
import time
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from measure import machine, percentile, print_table, verdict

from apikb.kb.errors import ApikbError
from apikb.kb.lookup import KnowledgeBase

GOAL_MS = 2.0
PROJECTS = 10

_DRAWS = {
    "member": "SELECT DISTINCT symbol FROM spans WHERE project = ? AND alias_of IS NULL "
    "AND inherited_from IS NULL AND kind <> 'module'",
    "alias": "SELECT DISTINCT symbol FROM spans WHERE project = ? AND alias_of IS NOT NULL",
    "inherited": "SELECT DISTINCT symbol FROM spans WHERE project = ? AND inherited_from IS NOT NULL",
    "module": "SELECT DISTINCT symbol FROM spans WHERE project = ? AND kind = 'module'",
    "parameter": "SELECT DISTINCT symbol || '(' || parameter || ')' FROM parameters WHERE project = ?",
}


class Question(NamedTuple):
    """What is asked."""

    kind: str
    project: str
    symbol: str
    version: str


def draw(kb: KnowledgeBase, count: int, seed: int) -> list[Question]:
    """Questions, shared out evenly among projects and kinds."""
    chance = random.Random(seed)
    projects = [info.project for info in kb.projects() if info.indexed]
    each = max(1, round(count / (len(projects) * (len(_DRAWS) + 1))))
    found: list[Question] = []
    for project in projects:
        versions = [release.version for release in kb.releases(project) if release.status == "indexed"]
        symbols: dict[str, list[str]] = {}
        for kind, query in _DRAWS.items():
            text = query.replace("?", f"'{project}'")
            rows = kb.sql(f"SELECT * FROM ({text}) AS t(s) ORDER BY hash(s || '{seed}') LIMIT {each}").rows
            symbols[kind] = [row[0] for row in rows]
        symbols["absent"] = [_misspelt(name, chance) for name in symbols["member"]]
        found += [
            Question(kind, project, symbol, chance.choice(versions))
            for kind, names in symbols.items()
            for symbol in names
        ]
    return found


def _misspelt(symbol: str, chance: random.Random) -> str:
    parent, _, name = symbol.rpartition(".")
    at = chance.randrange(len(name))
    wrong = name[:at] + chance.choice("qxz") + name[at:]
    return f"{parent}.{wrong}" if parent else wrong


def milliseconds(ask: Callable[[], object]) -> float:
    """How long a call takes."""
    started = time.perf_counter_ns()
    ask()
    return (time.perf_counter_ns() - started) / 1e6


def status(kb: KnowledgeBase, question: Question) -> str:
    """The answer in a word."""
    try:
        answer: Any = kb.lookup(question.symbol, version=question.version, project=question.project)
    except ApikbError as error:
        return f"error: {error.message}"
    return str(answer.status)


def ask_all(path: Path, questions: list[Question], rounds: int) -> dict[str, dict[Question, list[float]]]:
    """Times of every question: first, and again; and of the first one of each project."""
    times: dict[str, dict[Question, list[float]]] = {
        name: defaultdict(list) for name in ("first", "again", "load", "bare")
    }
    starts = {question.project: question for question in questions if question.kind == "member"}
    for number in range(rounds):
        order = random.Random(number).sample(questions, len(questions))
        with KnowledgeBase.open(path) as kb:
            for question in starts.values():
                at = question._replace(symbol=question.symbol.partition(".")[0])
                times["load"][question].append(milliseconds(lambda at=at: status(kb, at)))  # type: ignore[misc]
            for name in ("first", "again"):
                for question in order:
                    took = milliseconds(lambda question=question: status(kb, question))  # type: ignore[misc]
                    times[name][question].append(took)
            for question in starts.values():
                bucket = zlib.crc32(question.symbol.rpartition(".")[0].encode())
                query = f"FROM internal.runs WHERE bucket = {bucket} AND symbol = '{question.symbol}'"
                kb.sql(query)
                times["bare"][question].append(milliseconds(lambda query=query: kb.sql(query)))  # type: ignore[misc]
    return times


def row(name: str, values: Iterable[float]) -> tuple[object, ...]:
    """A line of the table."""
    found = list(values)
    return (
        name,
        len(found),
        f"{median(found):.2f}",
        f"{percentile(found, 0.95):.2f}",
        f"{max(found):.2f}",
    )


def report(times: Mapping[str, Mapping[Question, list[float]]], projects: int) -> None:
    """By kind, by project, and all together."""
    first = {question: median(taken) for question, taken in times["first"].items()}
    again = {question: median(taken) for question, taken in times["again"].items()}
    load = [median(taken) for taken in times["load"].values()]
    good = median(first.values()) < GOAL_MS if projects >= PROJECTS else None
    rows = [(*row("all", first.values()), f"p50 < {GOAL_MS:.0f} ms", verdict(good))]
    for kind in dict.fromkeys(question.kind for question in first):
        rows.append((*row(f"  {kind}", (t for q, t in first.items() if q.kind == kind)), "", ""))
    for project in dict.fromkeys(question.project for question in first):
        rows.append((*row(f"  in {project}", (t for q, t in first.items() if q.project == project)), "", ""))
    every = [taken for times_of in times["first"].values() for taken in times_of]
    rows.append((*row("all, every round", every), "", ""))
    rows.append((*row("all, again", again.values()), "", ""))
    rows.append((*row("first of a project", load), "", ""))
    rows.append((*row("one SQL point query", map(median, times["bare"].values())), "", ""))
    print_table(("look-ups in process", "count", "p50 ms", "p95 ms", "max ms", "goal", ""), rows)
    for question in sorted(first, key=lambda q: -first[q])[:5]:
        print(f"  slow: {first[question]:.1f} ms  {question.symbol} at {question.project} {question.version}")
    if good is None:
        print(f"  The goal is about a store of at least {PROJECTS} projects; this one has {projects}.")


def main() -> None:
    """Draw, ask, report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--kb", type=Path, required=True, metavar="FILE")
    parser.add_argument("--count", type=int, default=600, metavar="N", help="questions, about")
    parser.add_argument("--rounds", type=int, default=5, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with KnowledgeBase.open(given.kb) as kb:
        projects = [info for info in kb.projects() if info.indexed]
        symbols = sum(info.symbols for info in projects)
        questions = draw(kb, given.count, given.seed)
        answers = Counter(status(kb, question) for question in questions)
    store = f"{given.kb.stat().st_size / 1e6:.1f} MB store"
    print(f"{machine()}; {store}, {len(projects)} projects, {symbols} symbols")
    print("answers: " + ", ".join(f"{count} {name}" for name, count in answers.most_common(8)))
    report(ask_all(given.kb, questions, given.rounds), len(projects))


if __name__ == "__main__":
    main()
