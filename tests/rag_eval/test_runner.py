"""Whole runs: every task under every condition once, scored, reported; and runs that are cut off."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from apikb.kb.errors import ApikbError
from apikb.kb.lookup import KnowledgeBase
from apikb.rag_eval.contexts import Condition, ContextOptions, Contexts
from apikb.rag_eval.generators.interface import Generated, Sampling
from apikb.rag_eval.metrics.api_use import ApiJudge
from apikb.rag_eval.prompts import Prompt, Style
from apikb.rag_eval.results import results_of
from apikb.rag_eval.run_folder import SAMPLES, RunFolder
from apikb.rag_eval.run_report import as_csv, as_json, lines_of, rows_of
from apikb.rag_eval.runner import RunOptions, RunProgress, run, sampling_of
from apikb.rag_eval.task_files import load_tasks
from apikb.rag_eval.task_records import read_tasks
from apikb.rag_eval.tasks import TaskKind
from apikb.retrieval.retriever import Retriever

ROWS = [
    {
        "id": f"{granularity}_{answer}",
        "dependency": "tables",
        "version": version,
        "description": description,
        "masked_code": f"import tables\ntable = tables.Table()\ntable.<{granularity}_mask>",
        "masked_line": f"{answer}(other)",
        "answer": answer,
        "time": "2020-01-01",
        "granularity": granularity,
    }
    for granularity in ("token", "line")
    for answer, version, description in (
        ("append", "==1.0", "Add the rows of another table."),
        ("concat", "==2.0", "Add the rows of another table."),
        ("sort", "==1.0", "Order the rows."),
    )
]


class Knower:
    """Writes the first API of its context; without one it always writes `append`, which it remembers."""

    name = "knower"
    style = Style.CHAT

    def __init__(self, pause: float = 0.0) -> None:
        self.prompts: list[Prompt] = []
        self.pause = pause

    def describe(self) -> dict[str, Any]:
        return {"model": "none at all"}

    def generate(self, prompts: Sequence[Prompt], sampling: Sampling) -> Iterator[Generated]:
        for prompt in prompts:
            time.sleep(self.pause)
            self.prompts.append(prompt)
            _, _, entry = prompt.own.partition("tables.Table.")
            name = entry.split("(")[0] if entry else "append"
            code = name if prompt.kind is TaskKind.TOKEN else f"{name}(other)"
            yield Generated((f"<start>{code}<end>",) * sampling.n, 10, 3 * sampling.n, ("stop",) * sampling.n)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "tasks.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


def started(kb: KnowledgeBase, data: Path, out: Path, model: Knower, **options: Any) -> RunFolder:
    contexts = Contexts(kb, Retriever(kb), ContextOptions(k=1))
    tasks = load_tasks(data).tasks
    return run(kb, [data], tasks, model, contexts, out, RunOptions(**options))


CONDITIONS = (Condition.NONE, Condition.RETRIEVED, Condition.WRONG_VERSION)


def test_a_run_is_scored_and_told(kb: KnowledgeBase, data: Path, tmp_path: Path) -> None:
    folder = started(kb, data, tmp_path / "run", Knower(), conditions=CONDITIONS, n=3)
    tasks, tags = read_tasks(folder.path)
    assert tuple(tasks) == load_tasks(data).tasks
    n = {kind: sampling_of(kind, RunOptions(n=3)).n for kind in TaskKind}
    conditions = [str(condition) for condition in CONDITIONS]
    token, line = results_of(tasks, tags, folder.samples(), conditions, n, ApiJudge(kb))
    assert (token.kind, line.kind, token.missing) == (TaskKind.TOKEN, TaskKind.LINE, ())
    assert token.values["none"]["pass@1"].tolist() == [1, 0, 0]
    assert token.values["retrieved"]["pass@3"].tolist() == [1, 1, 1]
    assert token.values["wrong-version"]["pass@1"].tolist() == [0, 0, 1]
    assert line.values["retrieved"]["em@1"].tolist() == [1, 1, 1]
    assert line.values["wrong-version"]["uses-other-version"].tolist() == [1, 1, 0]
    assert line.values["none"]["uses-wrong"].tolist() == [0, 1, 0]
    rows = rows_of([token, line])
    (row,) = [
        each
        for each in rows
        if (each.kind, each.stratum, each.condition, each.measure) == ("token", "all", "retrieved", "pass@1")
    ]
    assert (row.mean, row.ceiling, row.against, row.better, row.worse) == (1, 1, "none", 2, 0)
    assert row.difference == pytest.approx(2 / 3, abs=1e-4)
    text = "\n".join(lines_of(rows, [token, line]))
    assert "token: 3 tasks, 3 outputs each" in text
    assert "retrieved - none: +0.667" in text
    assert as_csv(rows).count("\n") == len(rows) + 1
    assert json.loads(json.dumps(as_json(rows, [token, line], folder.manifest)))["missing"] == {
        "token": [],
        "line": [],
    }


def test_a_page_shows_it(kb: KnowledgeBase, data: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from apikb.rag_eval.run_page import page

    folder = started(kb, data, tmp_path / "run", Knower(), conditions=CONDITIONS, n=1)
    tasks, tags = read_tasks(folder.path)
    n = dict.fromkeys(TaskKind, 1)
    results = results_of(tasks, tags, folder.samples(), [str(each) for each in CONDITIONS], n)
    text = page(results, rows_of(results), folder.manifest, "<b>run</b>")
    assert text == page(results, rows_of(results), folder.manifest, "<b>run</b>")
    assert "&lt;b&gt;run" in text and "<b>run" not in text
    assert text.count("<svg") >= 4
    assert "http" not in text.replace("http://www.w3.org", "").replace("https://www.w3.org", "").replace(
        "http://purl.org", ""
    ).replace("http://creativecommons.org", "")


def test_what_is_missing_counts_nothing_and_is_listed(kb: KnowledgeBase, data: Path, tmp_path: Path) -> None:
    folder = started(kb, data, tmp_path / "run", Knower(), conditions=CONDITIONS, n=2)
    path = folder.path / SAMPLES
    lines = path.read_text().splitlines(keepends=True)
    first = json.loads(lines[0])
    path.write_text("".join(lines[1:]))
    tasks, tags = read_tasks(folder.path)
    token, _ = results_of(tasks, tags, folder.samples(), ["none"], dict.fromkeys(TaskKind, 2))
    assert token.missing == ((first["task"], "none"),)
    assert token.values["none"]["pass@1"].tolist() == [0, 0, 0]
    more = results_of(tasks, tags, folder.samples(), ["retrieved"], dict.fromkeys(TaskKind, 4))
    assert more[0].values["retrieved"]["pass@1"].tolist() == [0.5, 0.5, 0.5]


def test_a_run_goes_on_where_it_was(kb: KnowledgeBase, data: Path, tmp_path: Path) -> None:
    notes: list[str] = []
    first = Knower()
    folder = started(kb, data, tmp_path / "run", first, conditions=CONDITIONS, n=1)
    assert len(first.prompts) == len(ROWS) * 3
    path = folder.path / SAMPLES
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:7]) + lines[7][:20])
    second = Knower()
    contexts = Contexts(kb, Retriever(kb), ContextOptions(k=1))
    states: list[RunProgress] = []
    options = RunOptions(conditions=CONDITIONS, n=1)
    tasks = load_tasks(data).tasks
    run(kb, [data], tasks, second, contexts, folder.path, options, note=notes.append, progress=states.append)
    assert len(second.prompts) == len(lines) - 7
    assert notes == [f"7 of {len(lines)} samples are there already"]
    assert (states[-1].done, states[-1].total, states[-1].tokens) == (11, 11, 33)

    def without_times(content: bytes) -> list[dict[str, Any]]:
        return [{**json.loads(line), "seconds": 0} for line in content.splitlines()]

    assert without_times(path.read_bytes()) == without_times(whole)


def test_prompts_of_a_task_share_their_start_and_are_neighbours(
    kb: KnowledgeBase, data: Path, tmp_path: Path
) -> None:
    model = Knower()
    started(kb, data, tmp_path / "run", model, n=1)
    starts = [prompt.shared for prompt in model.prompts]
    count = len(Condition)
    assert all(len(set(starts[at : at + count])) == 1 for at in range(0, len(starts), count))
    assert len(set(starts)) == len(ROWS)


def test_another_model_or_seed_needs_another_folder(kb: KnowledgeBase, data: Path, tmp_path: Path) -> None:
    started(kb, data, tmp_path / "run", Knower(), conditions=CONDITIONS, n=1)
    with pytest.raises(ApikbError, match="sampling differ"):
        started(kb, data, tmp_path / "run", Knower(), conditions=CONDITIONS, n=1, seed=7)


RUN = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[4])
from test_runner import Knower, started
from apikb.kb.lookup import KnowledgeBase
with KnowledgeBase.open(Path(sys.argv[1])) as kb:
    print("ready", flush=True)
    started(kb, Path(sys.argv[2]), Path(sys.argv[3]), Knower(0.002), n=1)
"""


def test_killed_at_random_moments(kb: KnowledgeBase, data: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    command = [sys.executable, "-c", RUN, str(kb.path), str(data), str(out), str(Path(__file__).parent)]
    generator = random.Random(5)
    for _ in range(4):
        process = subprocess.Popen(command, stdout=subprocess.PIPE)
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(generator.random() * 0.2)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()
    started(kb, data, out, Knower(), n=1)
    keys = [sample.key for sample in RunFolder.read(out).samples()]
    assert sorted(keys) == sorted((row["id"], str(each)) for row in ROWS for each in Condition)
