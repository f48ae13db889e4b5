"""The runtime oracle on two tiny packages: every class of difference, and none; then one real release."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[2] / "witnesses"))
import oracle_compare
import oracle_environment
import runtime_oracle
from support import make_wheel

WHEEL = b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"

ODD = {
    "odd/__init__.py": """
import sys

__all__ = ["right", "Thing", "gone"]

LIMIT = 10

def right(a, /, b: int = LIMIT, *args, c=None, **kwargs) -> str: ...

def gone(): ...
for name in ["gone"]:
    globals().pop(name)

def make():
    class Made: ...
    return Made

class Thing:
    '''Members of all sorts.'''
    declared: int
    shared = 1
    def __init__(self, size): self.size = size
    def method(self, x=shared): ...
    @classmethod
    def build(cls, y): ...
    @staticmethod
    def plain(z): ...
    @property
    def area(self): ...

kind_differs = make()

def told_wrong(a): ...
told_wrong.__signature__ = __import__("inspect").Signature()

if sys.platform == "win32":
    def only_there(): ...
""",
    "odd/patching.py": "import sys\nvars(sys.modules['odd']).update(patched=1)\n",
    "odd/optional.py": "import a_module_that_nobody_has\ndef f(): ...\n",
    "odd/fatal.py": "import os\nos._exit(3)\n",
    "odd/dynamic.py": "import os\nfor name in [*[os.sep][:0], 'x']:\n    globals()['made_' + name] = 1\n",
    "odd/after.py": "def later(): ...\n",
    "odd/noisy.py": "print('import noise')\nimport sys\nsys.exit('not today')\n",
    "odd/tests/__init__.py": "raise RuntimeError('a test suite is not imported')\n",
}
EVEN = {
    "even/__init__.py": "from ._core import Base as Base, helper\n__all__ = ['Base', 'helper']\n",
    "even/_core.py": """
class Base:
    def run(self, *, fast=False): ...
    @classmethod
    def build(cls): ...
class Heir(Base):
    def walk(self): ...
def helper(x=(1, 2), *rest): ...
""",
    "even/sub.py": "from even._core import Heir\nVALUE = 3\ndef f(a=VALUE): ...\n",
}


@pytest.fixture(scope="module")
def links(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a wheel of each package."""
    folder = tmp_path_factory.mktemp("links")
    for name, texts in (("odd", ODD), ("even", EVEN)):
        files = {path: text.encode() for path, text in texts.items()}
        wheel = make_wheel({**files, f"{name}-1.0.dist-info/WHEEL": WHEEL}, name)
        (folder / f"{name}-1.0-py3-none-any.whl").write_bytes(wheel)
    return folder


@pytest.fixture(scope="module")
def place(links: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """A folder, and the options that run the witness in it without any network."""
    folder = tmp_path_factory.mktemp("oracle")
    options = ["--kb", str(folder / "kb.duckdb"), "--cache", str(folder / "cache"), "--index"]
    return folder, [*options, "--find-links", str(links), "--envs", str(folder / "envs")]


@pytest.fixture(scope="module")
def odd(place: tuple[Path, list[str]]) -> dict[str, Any]:
    """The comparison of the odd package, as JSON."""
    folder, options = place
    out = folder / "odd.json"
    empty = folder / "none.toml"
    assert runtime_oracle.main(["odd==1.0", *options, "--json", str(out), "--exceptions", str(empty)]) == 1
    (found,) = json.loads(out.read_text())
    return found


def differences(found: dict[str, Any], sort: str) -> set[str]:
    return {one["symbol"] for one in found["differences"] if one["sort"] == sort}


def test_each_class_of_difference_is_told(odd: dict[str, Any]) -> None:
    assert differences(odd, "missing") == {"odd.patched"}
    assert differences(odd, "extra") == {"odd.gone"}
    assert differences(odd, "kind") == {"odd.kind_differs"}
    assert differences(odd, "signature") == {"odd.told_wrong"}


def test_what_cannot_be_compared_is_counted_apart(odd: dict[str, Any]) -> None:
    totals = {
        name: sum(counts[name] for counts in odd["counts"].values())
        for name in ("unknown", "instance", "conditional")
    }
    assert totals == {"unknown": 1, "instance": 2, "conditional": 1}, "made_x; declared, size; only_there"
    assert set(odd["not_imported"]) == {"odd.optional", "odd.fatal", "odd.noisy"}
    assert odd["not_imported"]["odd.fatal"] == "its import ended the process"
    assert "a_module_that_nobody_has" in odd["not_imported"]["odd.optional"]


def test_defaults_are_compared_by_value(odd: dict[str, Any]) -> None:
    """`b: int = LIMIT` is 10 at run time, `x=shared` is 1: texts alone would differ."""
    assert odd["counts"]["exported"]["signatures"] == odd["counts"]["exported"]["signatures_equal"] == 2
    assert odd["counts"]["member"]["signatures"] == odd["counts"]["member"]["signatures_equal"] == 3


def test_a_package_that_is_read_right_differs_in_nothing(place: tuple[Path, list[str]]) -> None:
    folder, options = place
    out = folder / "even.json"
    empty = folder / "none.toml"
    assert runtime_oracle.main(["even==1.0", *options, "--json", str(out), "--exceptions", str(empty)]) == 0
    (found,) = json.loads(out.read_text())
    assert found["differences"] == []
    assert sum(counts["runtime"] for counts in found["counts"].values()) == 8


def test_exceptions_explain_and_stale_ones_are_reported(
    place: tuple[Path, list[str]], odd: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    folder, options = place
    file = folder / "some.toml"
    entry = "[[exception]]\nproject = 'odd'\nsort = 'missing|extra|kind|signature'\nreason = 'made so'\n"
    file.write_text(entry)
    run = ["odd==1.0", *options, "--exceptions", str(file)]
    assert runtime_oracle.main(run) == 0
    file.write_text(entry + "[[exception]]\nproject = 'odd'\nsymbol = 'odd\\.right'\nreason = 'was wrong'\n")
    capsys.readouterr()
    assert runtime_oracle.main(run) == 1
    assert "explains nothing any more" in capsys.readouterr().out
    file.write_text("[[exception]]\nproject = 'other'\nreason = 'not run here'\n" + entry)
    assert runtime_oracle.main(run) == 0, "an exception of a project that was not run says nothing"


def test_what_is_not_indexed_fails(place: tuple[Path, list[str]], odd: dict[str, Any]) -> None:
    _, options = place
    assert runtime_oracle.main(["odd==9.9", *[one for one in options if one != "--index"]]) == 1


def test_a_probe_that_breaks_down_is_an_error(place: tuple[Path, list[str]], odd: dict[str, Any]) -> None:
    folder, _ = place
    python = folder / "envs" / "odd-1.0" / "bin" / "python"
    with pytest.raises(oracle_environment.EnvironmentFailed, match="broke down"):
        oracle_environment.probe(python, {"project": "odd", "seconds": 5}, timeout=60)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(a, /, *, b: int = <factory>) -> str", [["a", "positional-only"], ["b", "keyword-only"]]),
        ("(*args, **kwargs)", [["args", "variadic positional"], ["kwargs", "variadic keyword"]]),
        ("(a=<deprecated parameter>)", [["a", "positional or keyword"]]),
        ("(", None),
        (None, None),
    ],
)
def test_reading_signatures(text: str | None, expected: list[list[str]] | None) -> None:
    found = oracle_compare.read_parameters(text)
    assert (found and [item[:2] for item in found]) == expected


@pytest.mark.network
def test_a_real_release(tmp_path: Path) -> None:
    """itsdangerous is small, whole, and read without a difference that nothing explains."""
    options = ["--kb", str(tmp_path / "kb.duckdb"), "--cache", str(tmp_path / "cache"), "--index"]
    assert runtime_oracle.main(["itsdangerous==2.2.0", *options, "--envs", str(tmp_path / "envs")]) == 0
