"""Which modules an artifact installs, told from its file names."""

from __future__ import annotations

import pytest

from apikb.indexers.layout import Role, lay_out


def modules(paths: list[str], kind: str, project: str = "proj", top: list[str] | None = None) -> set[str]:
    return {file.module for file in lay_out(paths, kind, project, top).files}


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (["proj/__init__.py", "proj/a.py", "setup.py", "docs/conf.py"], {"proj", "proj.a"}),
        (["src/proj/__init__.py", "tests/test_a.py", "setup.py"], {"proj"}),
        (["lib/proj/__init__.py", "lib/proj/a.py"], {"proj", "proj.a"}),
        (["proj.py", "setup.py", "README"], {"proj"}),
        (["proj/__init__.py", "proj/data/script.py"], {"proj"}),
        (["other/__init__.py", "tests/__init__.py"], {"other"}),
        (["a/__init__.py", "b/__init__.py", "examples/__init__.py"], {"a", "b"}),
    ],
)
def test_sdist(paths: list[str], expected: set[str]) -> None:
    assert modules(paths, "sdist") == expected


@pytest.mark.parametrize("name", ["lib", "src", "python"])
def test_a_project_named_like_a_source_root(name: str) -> None:
    assert modules([f"{name}/__init__.py", f"{name}/a.py", "setup.py"], "sdist", name) == {name, f"{name}.a"}


def test_metadata_names_the_top_level() -> None:
    paths = ["lib/yaml/__init__.py", "lib/_yaml/__init__.py", "tests/lib/x.py"]
    assert modules(paths, "sdist", "pyyaml", ["yaml", "_yaml"]) == {"yaml", "_yaml"}


def test_wheel() -> None:
    paths = [
        "p/__init__.py", "p/_c.cpython-311-x86_64-linux-gnu.so", "p/x.pyx", "p/x.pxd", "p/not-a-module.py",
        "p/class.py", "p-1.0.data/purelib/q.py", "p-1.0.data/scripts/run.py", "p-1.0.dist-info/x.py",
        "ns/deep/m.py", "p-stubs/y.pyi", "tests/test_p.py",
    ]  # fmt: skip
    layout = lay_out(paths, "wheel", "p")
    assert {(file.module, file.role) for file in layout.files} == {
        ("p", Role.SOURCE), ("p._c", Role.COMPILED), ("p.x", Role.CYTHON), ("q", Role.SOURCE),
        ("ns.deep.m", Role.SOURCE), ("p.y", Role.STUB),
    }  # fmt: skip
    assert next(file.pxd for file in layout.files if file.module == "p.x") == "p/x.pxd"


def test_test_suites_are_skipped_by_rule_and_named_once() -> None:
    paths = [
        "p/__init__.py", "p/tests/__init__.py", "p/tests/a/test_x.py", "p/test_y.py", "p/y_test.py",
        "p/conftest.py", "p/testing/__init__.py", "p/test/__init__.py",
    ]  # fmt: skip
    layout = lay_out(paths, "wheel", "p")
    assert {file.module for file in layout.files} == {"p", "p.testing", "p.test"}
    assert [module for module, _ in layout.skipped] == ["p.conftest", "p.test_y", "p.tests", "p.y_test"]


def test_a_package_wins_over_a_module_of_its_name() -> None:
    layout = lay_out(["p/json.py", "p/json/__init__.py", "p/__init__.py"], "wheel", "p")
    assert [file.path for file in layout.files if file.module == "p.json"] == ["p/json/__init__.py"]


def test_native_sources_open_the_nearest_package_of_an_sdist() -> None:
    paths = ["p/__init__.py", "p/core/__init__.py", "p/core/src/a.c", "p/fast.pyx", "p/fast.c", "other.c"]
    assert lay_out(paths, "sdist", "p").native_packages == {"p.core"}
    assert lay_out(paths, "wheel", "p").native_packages == set()
