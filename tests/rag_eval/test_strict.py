"""The metrics as the paper words them, the lexers of other languages, and all scores of a task."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from apikb.kb.errors import ApikbError
from apikb.rag_eval.metrics import lexers
from apikb.rag_eval.metrics.scoring import METRICS, TaskScores, ceiling, mean_at, score_task
from apikb.rag_eval.metrics.strict import StrictGold, StrictScores, line_average, output_lines, score_strict
from apikb.rag_eval.task_files import load_tasks
from apikb.rag_eval.tasks import Task, TaskKind

LINE = Task(
    id="l", kind=TaskKind.LINE, library="pandas", version="==1.0", description="",
    given="import pandas as pd\n<line_mask>\nprint(x)", reference="x = pd.concat([a, b], axis=1)",
    answer="concat", mask="<line_mask>",
)  # fmt: skip


def strict(task: Task, output: str) -> StrictScores:
    return score_strict(StrictGold(task), [output])[0]


@pytest.mark.parametrize(
    ("output", "used", "call"),
    [
        ("x = pd.concat([a, b], axis=1)", True, True),
        ("y = pd.concat(objs, axis=0)", True, True),
        ("x = pd.concat(f(a, b), axis=1)", True, True),  # Nested calls are no arguments of this one.
        ("x = pd.concat(a, b, axis=1)", True, False),
        ("x = pd.concat([a, b], join=1)", True, False),
        ("x = pd.concat([a, b])", True, False),
        ("x = pd.concat", True, False),
        ("x = pd.concatenate([a, b], axis=1)", False, False),
        ("x = a  # pd.concat([a, b], axis=1)", False, False),
        ("x = 'pd.concat([a, b], axis=1)'", False, False),
        ("from pandas import concat", True, False),
        ("x = 1", False, False),
    ],
)
def test_names_and_calls(output: str, used: bool, call: bool) -> None:
    found = strict(LINE, output)
    assert (found.name_used, found.call, found.parsed) == (used, call, True)


def test_the_name_has_to_be_in_the_output() -> None:
    """That it stands elsewhere in the program does not count."""
    task = replace(LINE, given="pd.concat(a, axis=1)\n<line_mask>\npd.concat(b, axis=1)")
    assert not strict(task, "x = concat2(1)").name_used
    assert not strict(task, "'concat'").name_used
    assert strict(task, "y = [\n pd.concat(c, axis=2)]").call


def test_a_reference_without_a_call() -> None:
    task = replace(LINE, reference="f = pd.concat")
    assert strict(task, "g = pd.concat").call and strict(task, "pd.concat(a)").call
    assert not strict(task, "g = pd").call


def test_pieces_of_lines() -> None:
    """A program that is cut off: the line by itself where it is Python, else its names."""
    task = replace(LINE, given="f(\n<line_mask>")
    found = strict(task, "pd.concat(a, axis=1)")
    assert (found.name_used, found.call, found.parsed) == (True, True, False)
    found = strict(task, "x = pd.concat(")
    assert (found.name_used, found.call, found.parsed) == (True, False, False)
    assert found.ism == 3 / 6


def test_averages_over_lines() -> None:
    task = replace(
        LINE, kind=TaskKind.BLOCK, given="", mask=None, reference="import pandas as pd\n\nx = pd.concat(a)"
    )
    assert strict(task, task.reference).ism == strict(task, task.reference).pm == 1
    half = strict(task, "import pandas as pd\ny = pd.concat(a)")
    assert (half.ism, half.pm) == (0.5, 0.5)
    assert strict(task, "import pandas as pd").ism == 0, "without the name nothing counts"
    assert strict(task, "x = pd.concat(a)").ism == 0, "line stands beside line"
    assert line_average([], []) == 1 and line_average(["a"], []) == 0
    assert line_average(["ab", "c"], ["ab", "c", "d", "e"]) == 0.5


def test_lines_of_an_output() -> None:
    assert output_lines(LINE, "a") == (2, 2)
    assert output_lines(LINE, "a\nb") == (2, 3)
    twice = replace(LINE, kind=TaskKind.TOKEN, given="<m>\nx\n<m>", mask="<m>")
    assert output_lines(twice, "a") == (1, 3)
    assert output_lines(replace(LINE, kind=TaskKind.BLOCK, mask=None, given=""), "a\nb") == (1, 2)
    rest = replace(LINE, kind=TaskKind.GENERATION, mask=None, given="def f():\n")
    assert output_lines(rest, "    return 1") == (2, 2)
    assert output_lines(rest, "def f():\n    return 1") == (1, 2)


# ---- other languages


@pytest.mark.parametrize(
    ("language", "code", "names"),
    [
        ("java", "List<String> a = Foo.bar(1, x); // bar2", ["List", "String", "a", "Foo", "bar", "x"]),
        ("c#", "var a = foo.Bar<int>(1); /* no */", ["a", "foo", "Bar"]),
        ("javascript", "const a = require('b').c(d => d);", ["require", "c"]),
    ],
)
def test_names_of_other_languages(language: str, code: str, names: list[str]) -> None:
    found = lexers.names(code, language)
    assert [name for name in names if name not in found] == []
    assert "bar2" not in found and "no" not in found


def test_calls_of_other_languages() -> None:
    code = 'a.f(g(1, 2), [3, 4]);\nh(); k("x, y");'
    for language in ("java", "javascript", "c#"):
        found = [(call.name, call.line, call.arguments) for call in lexers.calls(code, language)]
        assert found == [("f", 1, 2), ("g", 1, 2), ("h", 2, 0), ("k", 2, 1)], language


def test_scores_of_another_language() -> None:
    """By its lexer; nothing is compiled."""
    task = Task(
        id="j", kind=TaskKind.BLOCK, library="guava", version="==1", description="", given="",
        reference="int x = Lists.of(a, b);", answer="of", language="java",
    )  # fmt: skip
    found = score_task(task, ["int y = Lists.of(c, d);", "// of(a, b)\nint z;", "int y = Lists.of(c);"])
    assert [one.name_used for one in found.strict] == [True, False, True]
    assert [one.call for one in found.strict] == [True, False, False]
    assert all(one.parsed for one in found.strict)
    assert found.official[0].ism_verified == found.official[0].ism > 0
    assert found.official[0].cdc
    with pytest.raises(ApikbError, match="no lexer is known for the language 'cobol'"):
        score_task(replace(task, language="cobol"), ["MOVE of"])


# ---- all scores


def test_at_k() -> None:
    found = score_task(LINE, [LINE.reference, "x = 1", "x = pd.concat([a, b])"])
    assert found.values("em") == [1, 0, 1]
    assert found.at("em", 1) == pytest.approx(2 / 3)
    assert found.at("em", 1, planned=6) == pytest.approx(2 / 6), "missing samples count 0"
    assert found.at("strict-ism", 3) == 1
    with pytest.raises(ValueError, match="best of 4"):
        found.at("ism", 4)
    assert score_task(LINE, []).at("ism", 6, planned=6) == 0
    with pytest.raises(ValueError, match="no task that pass is meant for"):
        mean_at([found], "pass", 1)


def test_every_metric_has_a_ceiling() -> None:
    found = ceiling(LINE)
    for name, metric in METRICS.items():
        if LINE.kind in metric.kinds and name not in ("ism-verified", "pm-verified"):
            assert found.at(name, 1) == 1, name
    (only,) = ceiling(
        replace(LINE, kind=TaskKind.TOKEN, reference="concat", given="pd.<m>()", mask="<m>")
    ).official
    assert only.exact


SHARED = os.environ.get("APIKB_SHARED")


@pytest.mark.skipif(SHARED is None, reason="APIKB_SHARED names no real data")
@pytest.mark.parametrize("name", ["versicode_stackoverflow_line", "versicode_stackoverflow_block_derived"])
def test_the_ceiling_of_real_data(name: str) -> None:
    """By the strict rules a perfect output gets nearly all; some answers stand in strings alone."""
    found: list[TaskScores] = [
        ceiling(task) for task in load_tasks(Path(SHARED or "") / f"data/{name}.jsonl").tasks
    ]
    assert mean_at(found, "strict-exact", 1) == 1
    for metric in ("strict-name", "strict-call", "strict-ism", "strict-pm"):
        assert mean_at(found, metric, 1) > 0.97, metric
