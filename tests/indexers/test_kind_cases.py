"""The packages of `tests/cases/kinds`: what apikb says of them, and whether Python says the same."""

from __future__ import annotations

import ast
import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from case_folders import check_all, golden, index_case

CASES = sorted((Path(__file__).parents[1] / "cases" / "kinds").iterdir())
DESCRIBE = Path(__file__).parent / "describe_package.py"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Path, tmp_path: Path) -> None:
    with index_case(case, tmp_path) as kb:
        problems = check_all(kb, "hardcase", golden(case))
    assert problems == []


# ---- the golden files themselves


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_python_agrees_with_the_golden_file(case: Path, tmp_path: Path) -> None:
    expected = golden(case)
    if "requires" in expected and importlib.util.find_spec(expected["requires"]) is None:
        pytest.skip(f"{expected['requires']} is not installed")
    said = ask_python(case, expected, tmp_path)
    problems = [problem for symbol in expected["symbols"] for problem in disagreements(symbol, said["paths"])]
    for path in expected["must_not"]:
        owner, _, parameter = path.partition("(")
        found = said["paths"][owner]
        wrong = found is not None
        if parameter:
            wrong = found is None or parameter.rstrip(")") in names(found[1] or "()")
        problems += [f"{path}: Python has it"] if wrong else []
    problems += [f"{call}: fails" for call in expected.get("calls", ()) if not said["calls"][call]]
    problems += [f"{call}: works" for call in expected.get("refused", ()) if said["calls"][call]]
    assert problems == []


def ask_python(case: Path, expected: dict[str, Any], scratch: Path) -> dict[str, Any]:
    """What Python says of all paths and calls of a golden file, in a process of its own."""
    for module, source in expected.get("foreign", {}).items():
        (scratch / f"{module}.py").write_text(source, encoding="utf-8")
    package = next(path for path in sorted(case.iterdir()) if path.is_dir())
    inner = [path.stem for path in sorted(package.glob("*.py")) if path.stem != "__init__"]
    paths = [symbol["path"] for symbol in expected["symbols"]]
    paths += [path.partition("(")[0] for path in expected["must_not"]]
    question = {
        "folders": [str(case), str(scratch)],
        "modules": [package.name, *(f"{package.name}.{name}" for name in inner)],
        "paths": paths,
        "calls": [*expected.get("calls", ()), *expected.get("refused", ())],
    }
    done = subprocess.run(
        [sys.executable, "-B", str(DESCRIBE)], input=json.dumps(question), capture_output=True, text=True,
        encoding="utf-8", timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def disagreements(symbol: dict[str, Any], said: dict[str, Any]) -> list[str]:
    found = said[symbol["path"]]
    if symbol.get("instance"):
        return []  # only instances have it; a call in the golden file shows that
    if found is None:
        return [f"{symbol['path']}: Python has no such name"]
    problems = []
    if found[0] != symbol["kind"] and symbol["kind"] != "function":
        problems.append(f"{symbol['path']}: {found[0]} for Python")
    wanted = symbol.get("runtime_signature", symbol.get("signature"))
    if wanted is not None and plain(found[1]) != plain(wanted):
        problems.append(f"{symbol['path']}: {found[1]} for Python")
    return problems


def plain(signature: str | None) -> str:
    """A signature without what Python adds to the source: where names come from, what `__init__` gives."""
    text = signature or ""
    return text.replace("dataclasses.", "").replace("typing.", "").removesuffix(" -> None")


def names(signature: str) -> set[str]:
    """The parameters that a signature names."""
    text = signature.replace("<factory>", "None").replace("<class 'inspect._empty'>", "None")
    given = ast.parse(f"def f{text}: ...").body[0].args  # type: ignore[attr-defined]
    return {item.arg for item in (*given.posonlyargs, *given.args, *given.kwonlyargs)}


def test_every_case_has_its_golden_file_and_a_near_miss() -> None:
    assert [case.name for case in CASES if not (case / "expected.json").is_file()] == []
    assert [case.name for case in CASES if not golden(case)["must_not"]] == []


def test_a_call_of_an_enumeration_looks_a_member_up(tmp_path: Path) -> None:
    """What `inspect` shows differs between releases of Python, so no golden file tells it."""
    with index_case(next(case for case in CASES if case.name == "01-enum"), tmp_path) as kb:
        shown = kb.lookup("palette.Color", project="hardcase").signature
        near_miss = kb.lookup("palette.Plain", project="hardcase").signature
    assert shown == "(value, names=None, *, module=None, qualname=None, type=None, start=1, boundary=None)"
    assert near_miss == "(anything)"
