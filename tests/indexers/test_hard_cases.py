"""The packages of `tests/cases/hard`, each through the whole pipeline: artifact, store, look-up."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from builders import files_of, make_sdist, make_wheel
from case_folders import build_wheel, check_absent, check_symbols, index

CASES = Path(__file__).parents[1] / "cases" / "hard"
PROJECT = {"18-stale-wheel-vs-sdist": "webfw", "20-namespaces-and-many-top-levels": "multi"}
NOT_YET: dict[str, str] = {}
"""Cases that are not right yet, with the reason; one that becomes right fails until it is taken out."""


def build(case: Path, folder: Path) -> str:
    """Make the case's artifact and give its project's name."""
    name = PROJECT.get(case.name, "hardcase")
    version = {"webfw": "1.0", "multi": "2.0"}.get(name, "1.0")
    if (case / "wheel").is_dir():
        make_wheel(folder, name, version, files_of(case / "wheel"))
    elif (case / "site").is_dir():
        make_wheel(folder, name, version, files_of(case / "site"))
    else:
        build_wheel(case, folder, name, version)
    return name


def case_params() -> list[Any]:
    return [
        pytest.param(
            case, marks=[pytest.mark.xfail(reason=NOT_YET[case.name])] if case.name in NOT_YET else []
        )
        for case in sorted(CASES.iterdir())
    ]


@pytest.mark.parametrize("case", case_params(), ids=lambda case: case.name)
def test_case(case: Path, tmp_path: Path) -> None:
    expected = json.loads((case / "expected.json").read_text())
    folder = tmp_path / "index"
    folder.mkdir()
    project = build(case, folder)
    with index(project, folder, tmp_path) as kb:
        problems = [*check_symbols(kb, project, expected), *check_absent(kb, project, expected)]
    assert problems == []


def test_an_open_module_makes_other_names_unknown(tmp_path: Path) -> None:
    """Case 14: a star import from a compiled module without stub."""
    folder = tmp_path / "index"
    folder.mkdir()
    project = build(CASES / "14-cython-sources-and-compiled-only", folder)
    with index(project, folder, tmp_path) as kb:
        answer = kb.lookup("cyp.anything_else", project=project)
    assert answer.status == "unknown"
    assert "_native" in (answer.reason or "")


def test_wheel_and_sdist_that_differ(tmp_path: Path) -> None:
    """Case 18: an answer names its artifact, and the sdist alone says what the sdist holds."""
    case = CASES / "18-stale-wheel-vs-sdist"
    folder = tmp_path / "index"
    folder.mkdir()
    root = case / "sdist" / "webfw-1.0"
    make_sdist(folder, "webfw", "1.0", files_of(root))
    with index("webfw", folder, tmp_path) as kb:
        assert kb.lookup("webfw.ext", project="webfw").status == "absent"
        present = kb.lookup("webfw.json.new_only", project="webfw")
        assert present.status == "present"
        assert present.evidence is not None
        assert present.evidence.artifact == "webfw-1.0.tar.gz"
        for path in ("webfw.docs.conf", "webfw.examples.demo", "webfw.setup"):
            assert kb.lookup(path, project="webfw").status == "absent"


def test_every_case_has_an_expectation() -> None:
    assert [case.name for case in CASES.iterdir() if not (case / "expected.json").is_file()] == []
    assert len(list(CASES.iterdir())) >= 16
