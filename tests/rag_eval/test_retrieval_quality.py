"""Retrieval against real tasks: which tasks are questions, how systems rank, what is measured."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from apikb.cli import cli
from apikb.kb.errors import ApikbError
from apikb.kb.lookup import KnowledgeBase
from apikb.rag_eval.retrieval_quality.queries import Query, queries_of
from apikb.rag_eval.retrieval_quality.report import table
from apikb.rag_eval.retrieval_quality.running import evaluate_retrieval
from apikb.rag_eval.retrieval_quality.systems import SYSTEMS
from apikb.rag_eval.retrieval_quality.trec import documents_of, measured, write_qrels, write_run
from apikb.rag_eval.task_files import load_tasks


def row(number: int, answer: str, version: str, description: str, library: str = "tables") -> dict[str, str]:
    return {
        "id": f"stackoverflow_line_{number}",
        "dependency": library,
        "version": version,
        "description": description,
        "masked_code": "import tables\ntable.<line_mask>",
        "masked_line": f"table.{answer}(x)",
        "answer": answer,
        "time": "2020-01-01",
        "granularity": "line",
    }


ROWS = [
    row(1, "append", "==1.0", "The code adds the rows of one table to another one."),
    row(2, "concat", "==2.0", "The code adds the rows of one table to another one."),
    row(3, "read_lines", "==2.x", "It reads each line of a text file."),
    row(4, "append", "==2.0", "The code adds rows."),
    row(5, "append", "==1.0", "The code adds rows.", "unknown-library"),
    row(6, "append", "==1.0", "The code adds the rows of one table to another one."),
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "tasks.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in ROWS))
    return path


def test_a_task_is_a_question_where_its_release_has_the_answer(kb: KnowledgeBase, data: Path) -> None:
    found = queries_of(kb, load_tasks(data).tasks)
    assert [(query.id[-1], query.version, query.answers) for query in found.queries] == [
        ("1", "1.0", ("append",)),
        ("2", "2.0", ("concat",)),
        ("3", "2.0", ("read_lines",)),
    ]
    assert sorted(found.left_out.values()) == [1, 1, 1]
    assert found.queries[0].code == "import tables\ntable."
    assert not queries_of(kb, load_tasks(data).tasks, projects=["other"]).queries


def test_every_system_ranks_and_never_tells_what_the_release_lacks(
    kb: KnowledgeBase, data: Path, tmp_path: Path
) -> None:
    notes: list[str] = []
    rows = evaluate_retrieval(kb, [data], tmp_path / "out", encoder="hash", note=notes.append)
    assert [row.system for row in rows if row.group == "all"] == list(SYSTEMS)
    best = {row.system: row.measures["R@1"][0] for row in rows if row.group == "all"}
    assert best["lexical"] == best["hybrid"] == best["bm25-code"] == 1.0
    for system in SYSTEMS:
        hits = [line.split() for line in (tmp_path / "out" / f"{system}.run").read_text().splitlines()]
        assert hits, system
        assert not [hit for hit in hits if hit[0].endswith("_2") and "append" in hit[2]], system
        assert not [hit for hit in hits if hit[0].endswith("_1") and "concat" in hit[2]], system
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    assert {row["system"] for row in report["rows"]} == set(SYSTEMS)
    assert table(rows).count("\n") == len(rows) + 1
    assert any(note.startswith("left out: 1 tasks") for note in notes)


def test_misses_are_written_for_a_person(kb: KnowledgeBase, tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    path.write_text(json.dumps(row(1, "sort", "==1.0", "It draws\x1b[31m a picture.")) + "\n")
    rows = evaluate_retrieval(kb, [path], tmp_path / "out", systems=["lexical"])
    assert rows[0].measures["R@10"] == (0.0, 0.0, 0.0)
    text = (tmp_path / "out" / "lexical.misses.md").read_text()
    assert "wanted: sort (not in 0)" in text
    assert "\x1b" not in text


def query(*answers: str) -> Query:
    return Query("q", "p", "1.0", "text", "", answers, "s", ())


def test_the_first_hit_of_an_answer_is_the_one_that_counts(tmp_path: Path) -> None:
    ranked = [("p.A.sum",), ("p.B.other", "p.B.add"), ("p.A.add",), ("p.C.append",)]
    asked = query("add", "append", "never")
    documents = documents_of(asked, ranked)
    assert documents == ["p.A.sum", "=add", "p.A.add", "=append"]
    write_qrels(tmp_path / "qrels", [asked])
    write_run(tmp_path / "run", "x", {"q": documents})
    values = measured(tmp_path / "qrels", tmp_path / "run", ["q", "unanswered"])
    assert values["R@1"].tolist() == [0, 0]
    assert values["R@5"].tolist() == [pytest.approx(2 / 3), 0]
    assert values["RR@10"].tolist() == [0.5, 0]
    ideal = 1 + 1 / np.log2(3) + 1 / 2
    assert values["nDCG@10"].tolist() == [pytest.approx((1 / np.log2(3) + 1 / np.log2(5)) / ideal), 0]


def test_errors_name_what_is_there(kb: KnowledgeBase, data: Path, tmp_path: Path) -> None:
    with pytest.raises(ApikbError, match="no system bm26"):
        evaluate_retrieval(kb, [data], tmp_path / "out", systems=["bm26"])
    with pytest.raises(ApikbError, match="no task is a question"):
        evaluate_retrieval(kb, [data], tmp_path / "out", projects=["numpy"])


def test_the_command_prints_a_table_or_json(kb: KnowledgeBase, data: Path, tmp_path: Path) -> None:
    words = ["eval", "retrieval", str(data), "--kb", str(kb.path), "--out", str(tmp_path / "out")]
    options = ["--system", "hybrid", "--encoder", "hash"]
    done = CliRunner().invoke(cli, [*words, *options])
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("| system | queries of | n | R@1 |")
    assert "| hybrid | all | 3 | 1.000 (1.000 to 1.000) |" in done.stdout
    assert "left out: 1 tasks" in done.stderr
    (row, *_) = json.loads(CliRunner().invoke(cli, [*words, *options, "--json"]).stdout)
    assert (row["system"], row["group"], row["queries"]) == ("hybrid", "all", 3)
    failed = CliRunner().invoke(cli, [*words, "--system", "nothing"])
    assert failed.exit_code == 2
    assert "there is no system nothing" in failed.stderr
