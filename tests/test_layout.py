"""The root of the repository is the package: what that must never break."""

from __future__ import annotations

import ast
import doctest
import importlib
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import apikb

ROOT = Path(__file__).parents[1]
PARTS = ("cli", "kb", "indexers", "retrieval", "rag_eval")


def modules() -> Iterator[str]:
    for path in sorted(sources()):
        parts = path.relative_to(ROOT).with_suffix("").parts
        yield ".".join(("apikb", *(part for part in parts if part != "__init__")))


def sources() -> Iterator[Path]:
    yield from ROOT.glob("*.py")
    for part in PARTS:
        yield from (ROOT / part).rglob("*.py")


def test_only_one_python_file_stands_at_the_root() -> None:
    """Every root file would ship."""
    assert [path.name for path in ROOT.glob("*.py")] == ["__init__.py"]


def test_tests_are_no_package() -> None:
    assert not list((ROOT / "tests").glob("__init__.py"))


def test_the_root_is_what_is_tested() -> None:
    assert Path(apikb.__file__).parent.samefile(ROOT)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of a clean copy of the tree: building leaves folders behind."""
    copy = tmp_path_factory.mktemp("tree")
    for name in (
        *PARTS,
        "__init__.py",
        "py.typed",
        "pyproject.toml",
        "README.md",
        "LICENSE",
        "tests",
    ):
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, copy)
    out = copy / "out"
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        ".",
        "--no-deps",
        "--no-build-isolation",
        "-q",
        "-w",
        "out",
    ]
    done = subprocess.run(command, cwd=copy, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (built,) = out.glob("*.whl")
    return built


def test_the_wheel_holds_the_tree_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
    data = [ROOT / "py.typed", *ROOT.glob("rag_eval/prompt_templates/*")]
    expected = {"apikb/" + path.relative_to(ROOT).as_posix() for path in (*sources(), *data)}
    assert held == expected


def test_every_folder_with_python_is_a_listed_package() -> None:
    listed = set(tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"])
    there = {".".join(("apikb", *path.parent.relative_to(ROOT).parts)) for path in sources()}
    assert there == listed


@pytest.mark.parametrize("name", PARTS)
def test_ruff_refuses_the_other_names_of_the_parts(name: str) -> None:
    code = f"import {name}\n\nprint({name})\n"
    command = [sys.executable, "-m", "ruff", "check", "--config", str(ROOT / "pyproject.toml")]
    done = subprocess.run(
        [*command, "--stdin-filename", str(ROOT / "kb" / "x.py"), "-"],
        input=code,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "TID251" in done.stdout


def test_the_layers_hold() -> None:
    linter = Path(sys.executable).parent / "lint-imports"
    done = subprocess.run([str(linter), "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


VENDORS = {
    "duckdb": {"kb/"},
    "griffe": {"indexers/"},
    "pypi_simple": {"indexers/"},
    "tree_sitter": {"indexers/"},
    "urllib3": {"indexers/", "rag_eval/generators/"},
    "rich": {"indexers/display.py"},
    "click": {"cli/"},
    "faiss": {"retrieval/"},
    "sentence_transformers": {"retrieval/"},
    "transformers": {"rag_eval/"},
    "pygments": {"rag_eval/"},
    "torch": set(),
    "requests": set(),
}
"""Where each vendor may be imported; at most one module of a folder may do so."""

SHARED = {"click", "urllib3"}
"""Vendors that several modules may import: every command is one of click, urllib3 belongs to pypi_simple."""


def importers(vendor: str) -> set[str]:
    found = set()
    for path in sources():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                names = [node.module or ""]
            else:
                continue
            if any(name.split(".")[0] == vendor for name in names):
                found.add(path.relative_to(ROOT).as_posix())
    return found


@pytest.mark.parametrize("vendor", sorted(VENDORS))
def test_one_vendor_one_module(vendor: str) -> None:
    found = importers(vendor)
    allowed = VENDORS[vendor]
    assert all(any(path.startswith(place) for place in allowed) for path in found), found
    assert len(found) <= 1 or vendor in SHARED, found


@pytest.mark.parametrize("name", list(modules()))
def test_doctests(name: str) -> None:
    module = importlib.import_module(name)
    failed, _ = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    assert not failed


@pytest.mark.parametrize("name", list(modules()))
def test_every_module_says_what_it_is_for(name: str) -> None:
    assert importlib.import_module(name).__doc__


def test_no_machine_and_no_registry_is_named() -> None:
    """Whose registry it is, is pip's configuration; whose machine it was, nobody's business."""
    words = ["pypi." + "org", "python" + "hosted", "/ro" + "ot/", "/wo" + "rk/", "/tm" + "p/w"]
    texts = [
        *sources(),
        *ROOT.glob("*.md"),
        *ROOT.glob("docs/*"),
        *ROOT.glob("benchmarks/*"),
        *ROOT.glob("witnesses/**/*"),
        *ROOT.glob(".ci/*"),
    ]
    texts += [ROOT / "Makefile", ROOT / "pyproject.toml", *ROOT.glob("tests/*.py")]
    for path in texts:
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            assert not [word for word in words if word in text], path


def test_the_public_names_are_there_and_imported_late() -> None:
    code = (
        "import sys, apikb\n"
        "before = {name for name in sys.modules if name.startswith('apikb.')}\n"
        "assert set(apikb.__all__) <= set(dir(apikb))\n"
        "assert before == set(), before\n"
        "from apikb import KnowledgeBase\n"
        "assert 'apikb.retrieval' not in sys.modules and 'numpy' not in sys.modules\n"
        "from apikb import *\n"
        "print(*(f'{globals()[name].__module__}.{globals()[name].__name__}' for name in apikb.__all__))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [
        "apikb.retrieval.hits.Hit",
        "apikb.kb.lookup.KnowledgeBase",
        "apikb.retrieval.retriever.Retriever",
        "apikb.retrieval.encoders.encoder_named",
        "apikb.retrieval.pins.parse_pin",
        "apikb.retrieval.pins.resolve_pins",
    ]
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        apikb.nonsense  # type: ignore[attr-defined] # noqa: B018


def test_type_checkers_know_the_public_names(tmp_path: Path, wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    (tmp_path / "use.py").write_text(
        "from apikb import KnowledgeBase, Retriever, encoder_named\n"
        "from apikb import nonsense\n"
        "retriever = Retriever(KnowledgeBase('kb.duckdb'), encoder=encoder_named('hash'))\n"
        "reveal_type(retriever.search('q', []))\n"
    )
    command = [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml"), "use.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith("use.py")]
    assert len(lines) == 2, done.stdout
    assert 'has no attribute "nonsense"' in lines[0]
    assert '"list[apikb.retrieval.hits.Hit]"' in lines[1]
