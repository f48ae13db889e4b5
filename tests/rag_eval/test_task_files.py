"""Rows as they are found in the wild become tasks; what is none is named by file, line and fault."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from apikb.kb.errors import ApikbError
from apikb.rag_eval.task_files import load_tasks
from apikb.rag_eval.tasks import Task, TaskKind

TOKEN = {
    "id": "t1", "dependency": "pandas", "version": "==1.0", "time": "2020-05-06", "description": "Joins.",
    "masked_code": "pd.<token_mask>(a)\nx = <token_mask>", "code": "pd.concat(a)\nx = concat",
    "answer": "concat", "source": "stackoverflow", "language": "python", "granularity": "token",
}  # fmt: skip
LINE = TOKEN | {
    "id": "l1", "granularity": "line", "masked_code": "import pandas as pd\n<line_mask>\n",
    "code": "import pandas as pd\npd.concat(a)\n", "masked_line": "pd.concat(a)",
}  # fmt: skip
BLOCK = TOKEN | {"id": "b1", "granularity": "block", "answers_all": ["concat", "merge"], "type": "add"}
LATER_LINE = {
    "id": "l2", "dependency": "pandas", "version": "==1.0", "description": "", "core_token": "concat",
    "core_line": "pd.concat(a)", "masked_code": "a = 1\n<mask>",
}  # fmt: skip
EDIT = {
    "id": "e1", "dependency": "pandas", "description": "Joins.", "old_version": "==0.25.3",
    "new_version": "==2.0", "old_time": "2019-10-31", "new_time": "2023-04-03", "old_code": "a.append(b)",
    "new_code": "pd.concat([a, b])", "old_name": "append", "new_name": "concat", "type": "name_change",
}  # fmt: skip
PAIRED = {key: value for key, value in EDIT.items() if key not in ("old_name", "new_name", "id")} | {
    "names_only_in_old": ["append"],
    "names_only_in_new": ["False", "concat", "import", "pd"],
}
PROBLEM = {
    "example_id": "7", "library": "numpy", "version": "1.21.0", "problem": "Cross.",
    "release_date": "2021-06",
    "starting_code": "import numpy as np\ndef f(a):\n", "solution": "    return np.cross(a, a)",
    "ground_truth": "import numpy as np\ndef f(a):\n    return np.cross(a, a)",
    "api_calls": ["range", "numpy.cross"], "name_of_class_or_func": "-", "type_of_change": "argument change",
    "additional_dependencies": "scipy==1.7.3 numba>=0.46", "python_version": "3.7", "hidden_test": "assert f",
    "visible_test": "",
}  # fmt: skip


def save(folder: Path, text: str, name: str = "tasks.jsonl") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def read(folder: Path, *rows: Any) -> tuple[Task, ...]:
    return load_tasks(save(folder, "\n".join(map(json.dumps, rows)))).tasks


def test_a_token(tmp_path: Path) -> None:
    (task,) = read(tmp_path, TOKEN)
    assert (task.kind, task.answer, task.reference, task.mask) == (
        "token",
        "concat",
        "concat",
        "<token_mask>",
    )
    assert (task.library, task.version, task.time) == ("pandas", "==1.0", "2020-05-06")
    assert task.program("concat") == task.code == TOKEN["code"]
    assert not task.visible_in_code and not task.visible_in_description
    assert task.where == f"{tmp_path / 'tasks.jsonl'}:1"


def test_a_line_in_the_words_of_both_releases(tmp_path: Path) -> None:
    first, later = read(tmp_path, LINE, LATER_LINE)
    assert (first.kind, first.reference, first.answer) == ("line", "pd.concat(a)", "concat")
    assert (later.kind, later.reference, later.answer) == ("line", "pd.concat(a)", "concat")
    assert first.program("x") == "import pandas as pd\nx\n"
    assert (later.mask, later.code, later.time) == ("<mask>", "a = 1\npd.concat(a)", None)


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({"masked_code": "<token_mask>()"}, TaskKind.TOKEN),
        ({"masked_code": "<line_mask>"}, TaskKind.LINE),
        ({"masked_code": "<mask>"}, TaskKind.LINE),
        ({"masked_code": "<mask>", "masked_line": None}, TaskKind.TOKEN),
        ({"masked_code": None}, TaskKind.BLOCK),
    ],
)
def test_the_kind_follows_from_the_fields(tmp_path: Path, change: dict[str, Any], kind: TaskKind) -> None:
    row = {key: value for key, value in LINE.items() if key != "granularity"} | change
    assert read(tmp_path, row)[0].kind == kind


def test_a_block_is_given_no_code(tmp_path: Path) -> None:
    (task,) = read(tmp_path, BLOCK)
    assert (task.kind, task.given, task.reference) == ("block", "", BLOCK["code"])
    assert (task.answers, task.change, task.mask) == (("concat", "merge"), "add", None)
    assert task.program("x = 1") == "x = 1"


def test_editing_without_a_direction_is_two_tasks(tmp_path: Path) -> None:
    forth, back = read(tmp_path, EDIT)
    assert (forth.id, back.id) == ("e1/old-to-new", "e1/new-to-old")
    assert (forth.given, forth.reference, forth.answer) == ("a.append(b)", "pd.concat([a, b])", "concat")
    assert (forth.given_version, forth.version, forth.time) == ("==0.25.3", "==2.0", "2023-04-03")
    assert (back.given, back.reference, back.answer) == ("pd.concat([a, b])", "a.append(b)", "append")
    assert (back.given_version, back.version, back.given_answer) == ("==2.0", "==0.25.3", "concat")
    assert back.given_time == "2023-04-03" and forth.kind.is_editing and back.kind.is_editing


def test_editing_with_a_direction_is_one(tmp_path: Path) -> None:
    (task,) = read(tmp_path, EDIT | {"edit_order": "new_to_old"})
    assert (task.id, task.kind) == ("e1", TaskKind.NEW_TO_OLD)


def test_editing_by_listed_names(tmp_path: Path) -> None:
    """What is called comes first; words of the language are no API."""
    forth, _ = read(tmp_path, PAIRED)
    assert (forth.id, forth.answers) == ("tasks_1/old-to-new", ("concat", "pd"))


def test_a_problem(tmp_path: Path) -> None:
    (task,) = read(tmp_path, PROBLEM)
    assert (task.id, task.kind, task.source) == ("7", "generation", "gitchameleon")
    assert (task.answer, task.time, task.python) == ("cross", "2021-06", "3.7")
    assert task.requires == ("scipy==1.7.3", "numba>=0.46")
    assert task.tests == ("assert f",)
    assert task.program(task.reference) == task.code
    assert task.program(task.code) == task.code, "an output that repeats the start is the whole"


def test_a_document_and_a_list(tmp_path: Path) -> None:
    """VersiCode's first files are an object with the list `data`, its later ones a list."""
    rows = [TOKEN, LINE]
    document = save(tmp_path, json.dumps({"count": 2, "data": rows, "more": [1]}, indent=4), "a.json")
    listed = save(tmp_path, "\ufeff" + json.dumps(rows), "b.json")
    first, second = load_tasks(document).tasks, load_tasks(listed).tasks
    assert [task.id for task in first] == [task.id for task in second] == ["t1", "l1"]
    lines = document.read_text(encoding="utf-8").splitlines()
    places = [int(task.where.rpartition(":")[2]) for task in first]
    assert [lines[place - 1].strip() for place in places] == ["{", "{"]
    assert [lines[place].strip()[:11] for place in places] == ['"id": "t1",', '"id": "l1",']


def test_lines_end_at_line_feeds_alone(tmp_path: Path) -> None:
    """U+2028 in a string ends no line of JSON."""
    row = TOKEN | {"description": "a\u2028b"}
    path = save(tmp_path, json.dumps(row, ensure_ascii=False) + "\r\n\r\n" + json.dumps(LINE))
    assert [task.where.rpartition(":")[2] for task in load_tasks(path).tasks] == ["1", "3"]


FAULTS = [
    (TOKEN | {"version": None}, "version is missing"),
    (TOKEN | {"version": 2.0}, "version is a float"),
    (TOKEN | {"answer": " "}, "answer is empty"),
    (TOKEN | {"masked_code": "x"}, "masked_code holds no <token_mask> or <mask>"),
    (TOKEN | {"time": "May 2020"}, "time is no date"),
    (TOKEN | {"time": "2020-13-01"}, "time is no date"),
    (TOKEN | {"granularity": "metadata"}, "granularity is 'metadata'"),
    (TOKEN | {"description": "\ud800"}, "description holds half a surrogate pair"),
    (LINE | {"masked_line": None}, "masked_line or core_line is missing"),
    (BLOCK | {"code": ""}, "code is missing or empty"),
    (BLOCK | {"answers_all": "concat"}, "answers_all is no list"),
    (EDIT | {"edit_order": "sideways"}, "edit_order is 'sideways'"),
    (EDIT | {"new_name": None}, "new_name is missing"),
    (PROBLEM | {"solution": None, "ground_truth": None}, "solution and ground_truth are missing"),
    ([1], "a list, not an object"),
]


@pytest.mark.parametrize(("row", "fault"), FAULTS, ids=[fault for _, fault in FAULTS])
def test_a_malformed_row_fails_the_load(tmp_path: Path, row: Any, fault: str) -> None:
    path = save(tmp_path, f"{json.dumps(LINE)}\n\n{json.dumps(row)}\n")
    with pytest.raises(ApikbError) as caught:
        load_tasks(path)
    assert caught.value.message.startswith(f"{path}:3: ") and fault in caught.value.message
    assert "--skip-bad" in (caught.value.hint or "")
    found = load_tasks(path, skip_bad=True)
    assert [task.id for task in found.tasks] == ["l1"] and found.rows == 2
    assert [bad.where for bad in found.bad] == [f"{path}:3"] and fault in found.bad[0].fault


def test_broken_json(tmp_path: Path) -> None:
    """A line of JSON Lines can be passed over, a broken document cannot."""
    lines = save(tmp_path, json.dumps(LINE) + '\n{"id": 1')
    with pytest.raises(ApikbError, match=r"tasks.jsonl:2: not JSON"):
        load_tasks(lines)
    assert len(load_tasks(lines, skip_bad=True).bad) == 1
    for text in ('[{"id": 1},\n', '{"data": [1]\n 2}', '{"data": []} x', '{"data"'):
        with pytest.raises(ApikbError, match="not JSON"):
            load_tasks(save(tmp_path, text, "a.json"), skip_bad=True)
    with pytest.raises(ApikbError, match="holds no task"):
        load_tasks(save(tmp_path, "[]", "empty.json"))
    broken_first = save(tmp_path, "{1}\n" + json.dumps(LINE))
    assert [bad.where[-2:] for bad in load_tasks(broken_first, skip_bad=True).bad] == [":1"]
    with pytest.raises(ApikbError, match="cannot read"):
        load_tasks(tmp_path / "missing.json")


def test_ids_are_unique(tmp_path: Path) -> None:
    with pytest.raises(ApikbError, match=r":2: the id 't1' is that of .*:1 too"):
        read(tmp_path, TOKEN, TOKEN)


def test_faults_are_printable(tmp_path: Path) -> None:
    with pytest.raises(ApikbError) as caught:
        read(tmp_path, TOKEN | {"granularity": "\x1b[31m"})
    assert caught.value.message.isprintable()


def test_one_kind_alone(tmp_path: Path) -> None:
    path = save(tmp_path, json.dumps([TOKEN, LINE]))
    assert [task.id for task in load_tasks(path, kind=TaskKind.LINE).tasks] == ["l1"]
    with pytest.raises(ApikbError, match="no task of the kind block"):
        load_tasks(path, kind=TaskKind.BLOCK)


SHARED = os.environ.get("APIKB_SHARED")


@pytest.mark.skipif(SHARED is None, reason="APIKB_SHARED names no real data")
@pytest.mark.parametrize(
    ("name", "kinds", "bad"),
    [
        ("versicode_stackoverflow_line", {"line": 949}, 0),
        ("versicode_stackoverflow_token_derived", {"token": 949}, 0),
        ("versicode_stackoverflow_block_derived", {"block": 949}, 0),
        ("versicode_libsrc_editing_candidates", {"old-to-new": 182, "new-to-old": 182}, 1),
        ("gitchameleon", {"generation": 219}, 0),
    ],
)
def test_real_data(name: str, kinds: dict[str, int], bad: int) -> None:
    found = load_tasks(Path(SHARED or "") / f"data/{name}.jsonl", skip_bad=True)
    assert Counter(str(task.kind) for task in found.tasks) == kinds
    assert len(found.bad) == bad
    assert all(task.answer for task in found.tasks)
    if name != "gitchameleon":
        assert all(task.answer in task.reference for task in found.tasks)
