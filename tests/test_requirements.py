"""Which projects a requirements file names."""

from __future__ import annotations

from pathlib import Path

import pytest

from apikb.indexers.requirements import read_requirements
from apikb.kb.errors import ApikbError


def read(path: Path) -> tuple[list[str], list[str]]:
    notes: list[str] = []
    return list(read_requirements(path, notes.append)), notes


def test_what_pip_accepts(tmp_path: Path) -> None:
    (tmp_path / "base.txt").write_text("attrs\n")
    file = tmp_path / "requirements.txt"
    file.write_text(
        "# head\n"
        "\n"
        "flask==2.3.0  # why\n"
        "httpx[http2] >= 0.24 ; python_version > '3.8'\n"
        "-r base.txt\n"
        "numpy==1.26.4 \\\n"
        "    --hash=sha256:00 \\\n"
        "    --hash=sha256:11\n"
        "thing @ https://example.invalid/thing-1.0.zip#egg=thing\n"
    )
    names, notes = read(file)
    assert names == ["flask", "httpx", "attrs", "numpy", "thing"]
    assert len(notes) == 1


@pytest.mark.parametrize(
    "line",
    ["-e .", "--index-url https://example.invalid/simple", "./local", "git+https://x.invalid/r", "a-1.whl"],
)
def test_what_names_no_project_is_passed_over_and_said(tmp_path: Path, line: str) -> None:
    file = tmp_path / "requirements.txt"
    file.write_text(f"{line}\nclick\n")
    names, notes = read(file)
    assert names == ["click"]
    assert len(notes) == 1 and notes[0].startswith("requirements.txt:1: ")


def test_a_line_that_is_no_requirement_is_named(tmp_path: Path) -> None:
    file = tmp_path / "requirements.txt"
    file.write_text("click\nflask ==== 1\n")
    with pytest.raises(ApikbError, match=r"requirements\.txt:2"):
        read(file)


def test_a_file_that_includes_itself(tmp_path: Path) -> None:
    file = tmp_path / "requirements.txt"
    file.write_text("-r requirements.txt\n")
    with pytest.raises(ApikbError, match="includes itself"):
        read(file)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(ApikbError, match="cannot read requirements"):
        read(tmp_path / "none.txt")
