"""What the tests of case folders share: a folder's artifact, its knowledge base, and its golden file.

Test modules import it after `sys.path.insert(0, <this folder>)`, as pytest's `importlib` mode wants.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from builders import files_of, make_wheel

from apikb.indexers.pipeline import IndexOptions, index_projects
from apikb.kb.lookup import KnowledgeBase


def build_wheel(case: Path, folder: Path, project: str = "hardcase", version: str = "1.0") -> None:
    """Make a wheel of a case's files, its golden file left out."""
    files = files_of(case)
    files.pop("expected.json", None)
    compiled = any(path.endswith(".so") for path in files)
    tag = "cp311-cp311-manylinux_2_17_x86_64" if compiled else "py3-none-any"
    make_wheel(folder, project, version, files, tag)


def golden(case: Path) -> dict[str, Any]:
    """What a case's golden file says."""
    content: dict[str, Any] = json.loads((case / "expected.json").read_text(encoding="utf-8"))
    return content


def index_case(case: Path, work: Path) -> KnowledgeBase:
    """The knowledge base of a case that is one plain wheel of the project `hardcase`."""
    folder = work / "index"
    folder.mkdir()
    build_wheel(case, folder)
    return index("hardcase", folder, work)


def index(project: str, folder: Path, work: Path) -> KnowledgeBase:
    options = IndexOptions(kb=work / "kb.duckdb", index_url=str(folder), cache=work / "cache", jobs=1)
    summary = index_projects([project], options)
    assert summary.projects[0].error is None
    assert summary.projects[0].failed == []
    return KnowledgeBase.open(work / "kb.duckdb")


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
    if symbol.get("deprecated") is False and answer.deprecation is not None:
        problems.append(f"deprecated: {answer.deprecation.message}")
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


def check_unknown(kb: KnowledgeBase, project: str, expected: dict[str, Any]) -> list[str]:
    """Paths and parameters that may exist, and must be said to."""
    return [
        f"{path}: {answer.status}, not unknown"
        for path in expected.get("unknown", ())
        if (answer := kb.lookup(path, project=project)).status != "unknown" or not answer.reason
    ]


def check_parameters(kb: KnowledgeBase, project: str, expected: dict[str, Any]) -> list[str]:
    """Parameters that are accepted, those included that no signature shows."""
    problems = []
    for parameter in expected.get("parameters", ()):
        answer = kb.lookup(parameter["path"], project=project)
        told = f"{parameter['path']}: "
        if answer.status != "present" or answer.parameter is None:
            problems.append(f"{told}{answer.status} ({answer.reason})")
        elif (answer.deprecation is not None) != parameter.get("deprecated", False):
            problems.append(f"{told}deprecation {answer.deprecation}")
        elif answer.replacement != parameter.get("replacement"):
            problems.append(f"{told}replacement {answer.replacement}")
    return problems


def check_all(kb: KnowledgeBase, project: str, expected: dict[str, Any]) -> list[str]:
    """Everything that a golden file says, as a list of what is not so."""
    checks: Iterable[Any] = (check_symbols, check_parameters, check_absent, check_unknown)
    return [problem for check in checks for problem in check(kb, project, expected)]
