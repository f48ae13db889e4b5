"""The packages of `tests/cases/hard`, each through the whole pipeline: artifact, store, look-up."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from apikb.indexers.pipeline import IndexOptions, index_projects
from apikb.kb.lookup import KnowledgeBase

sys.path.insert(0, str(Path(__file__).parent))
from builders import files_of, make_sdist, make_wheel

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
        files = files_of(case)
        del files["expected.json"]
        compiled = any(path.endswith(".so") for path in files)
        tag = "cp311-cp311-manylinux_2_17_x86_64" if compiled else "py3-none-any"
        make_wheel(folder, name, version, files, tag)
    return name


def index(project: str, folder: Path, work: Path) -> KnowledgeBase:
    options = IndexOptions(kb=work / "kb.duckdb", index_url=str(folder), cache=work / "cache", jobs=1)
    summary = index_projects([project], options)
    assert summary.projects[0].error is None
    assert summary.projects[0].failed == []
    return KnowledgeBase.open(work / "kb.duckdb")


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


def check_symbols(kb: KnowledgeBase, project: str, expected: dict[str, Any]) -> list[str]:
    problems = []
    for symbol in expected["symbols"]:
        if symbol.get("only_in") == "sdist":
            continue
        answer = kb.lookup(symbol["path"], project=project)
        told = f"{symbol['path']}: "
        if answer.status == "unknown" and symbol.get("certainty"):
            continue
        if answer.status != "present":
            problems.append(f"{told}{answer.status} ({answer.reason})")
            continue
        if answer.kind != symbol["kind"]:
            problems.append(f"{told}kind {answer.kind}, not {symbol['kind']}")
        if "signature" in symbol and answer.signature != symbol["signature"]:
            problems.append(f"{told}signature {answer.signature}, not {symbol['signature']}")
        if "public" in symbol and (answer.visibility != "private") != symbol["public"]:
            problems.append(f"{told}visibility {answer.visibility}")
        problems += [told + problem for problem in check_details(answer, symbol)]
    return problems


def check_details(answer: Any, symbol: dict[str, Any]) -> list[str]:
    problems = []
    for key, label in (("property", "property"), ("settable", "settable"), ("deletable", "deletable")):
        wanted = symbol.get(key)
        if (
            wanted is True
            and label not in answer.labels
            and not (label == "settable" and "readonly" not in answer.labels)
        ):
            problems.append(f"no label {label}")
        if wanted is False and label in answer.labels:
            problems.append(f"label {label}")
    if symbol.get("settable") is False and not {"readonly", "property"} & set(answer.labels):
        problems.append("not known to be read-only")
    if "binding" in symbol and symbol["binding"] not in answer.labels:
        problems.append(f"labels {answer.labels}")
    if symbol.get("deprecated") and answer.deprecation is None:
        problems.append("not deprecated")
    if "conditional" in symbol and not (answer.condition or answer.variants or answer.via == "getattr"):
        problems.append("no condition")
    for key in ("target", "alias_of"):
        if key in symbol and answer.alias_of != symbol[key]:
            problems.append(f"alias of {answer.alias_of}")
    if "inherited_from" in symbol and symbol["inherited_from"] not in (answer.inherited_from or ""):
        problems.append(f"inherited from {answer.inherited_from}")
    defined = symbol.get("defined_at", "")
    if defined and "/" not in defined and answer.alias_of not in (defined, defined.replace(":", "."), None):
        problems.append(f"defined at {answer.alias_of}")
    for overload in symbol.get("overloads", ()):
        if overload not in answer.variants:
            problems.append(f"no overload {overload}: {answer.variants}")
    for variant in symbol.get("variants", ()):
        text = variant.partition("  ")[0]
        if not any(text == known.partition("  ")[0] for known in (answer.signature or "", *answer.variants)):
            problems.append(f"no variant {text}: {answer.signature}, {answer.variants}")
    return problems


def check_absent(kb: KnowledgeBase, project: str, expected: dict[str, Any]) -> list[str]:
    problems = []
    for path in expected["must_not"]:
        if " " in path:
            continue  # prose; the case below it says it as code
        try:
            answer = kb.lookup(path, project=project)
        except Exception as error:
            # A top-level name that nothing provides: there is no project to ask.
            assert "." not in path or path.partition(".")[0] in (
                "docs",
                "examples",
                "src",
                "tests",
                "tool",
                "google",
            ), error
            continue
        opaque_class = answer.status == "unknown" and "dynamic" in json.dumps(expected["symbols"])
        if answer.status not in ("absent", "tombstone") and not opaque_class:
            problems.append(f"{path}: {answer.status}")
    for path in expected.get("tombstones", ()):
        answer = kb.lookup(path, project=project)
        if answer.status != "tombstone" or not answer.reason:
            problems.append(f"{path}: {answer.status}, not a tombstone")
    return problems


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
