"""The packages of `tests/cases/compiled`: symbols of binaries by witnesses, served and conditional names."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from case_folders import check_all, golden, index_case

CASES = sorted((Path(__file__).parents[1] / "cases" / "compiled").iterdir())
ASK = """
import importlib, json, sys, warnings
warnings.simplefilter("ignore")
def there(path):
    parts = path.split(".")
    value = importlib.import_module(parts[0])
    for at, part in enumerate(parts[1:], 2):
        try:
            value = getattr(value, part)
        except (AttributeError, ImportError):
            try:
                value = importlib.import_module(".".join(parts[:at]))
            except ImportError:
                return False
    return True
print(json.dumps({path: there(path) for path in json.load(sys.stdin)}))
"""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Path, tmp_path: Path) -> None:
    expected = golden(case)
    with index_case(case, tmp_path) as kb:
        problems = check_all(kb, "hardcase", expected)
        for path, message in expected.get("messages", {}).items():
            said: Any = kb.lookup(path, project="hardcase")
            problems += [] if said.reason == message else [f"{path}: says {said.reason}"]
        for path, condition in expected.get("conditions", {}).items():
            answer: Any = kb.lookup(path, project="hardcase")
            problems += [] if answer.condition == condition else [f"{path}: if {answer.condition}"]
    assert problems == []


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_python_agrees_with_the_golden_file(case: Path) -> None:
    expected = golden(case)
    if not expected.get("importable"):
        pytest.skip("its binaries are empty files")
    present = [symbol["path"] for symbol in expected["symbols"]]
    absent = [*expected["must_not"], *expected.get("tombstones", ())]
    done = subprocess.run(
        [sys.executable, "-B", "-c", ASK],
        input=json.dumps([*present, *absent]), capture_output=True, text=True, check=True,
        timeout=60, cwd=case,
    )  # fmt: skip
    said = json.loads(done.stdout)
    assert [path for path in present if not said[path]] == []
    assert [path for path in absent if said[path]] == []
