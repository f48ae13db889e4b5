"""Pins out of files: what pip, Poetry and uv write."""

from __future__ import annotations

import importlib.metadata
from pathlib import Path

import pytest

from apikb.kb.errors import ApikbError
from apikb.retrieval.pin_files import gather_pins, pins_of_environment, pins_of_lock, pins_of_requirements
from apikb.retrieval.pins import Pin


def short(pins: list[Pin]) -> list[tuple[str, str, str]]:
    assert not any(pin.required for pin in pins)
    return [(pin.project, pin.specifier, pin.where) for pin in pins]


def test_requirements_as_pip_reads_them(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "base.txt").write_text("attrs>=20\n-c more.txt\n")
    (tmp_path / "sub" / "more.txt").write_text("flask<3\nunnamed==1\n-r deep.txt\n")
    (tmp_path / "sub" / "deep.txt").write_text("numpy!=1.26.0\nnever==2\n")
    file = tmp_path / "requirements.txt"
    file.write_text(
        "\ufeff# head\nFlask_==2.3.0  # why\n".replace("_", "")
        + "httpx[http2] >= 0.24 ; python_version > '3.8'\n"
        "gone==1 ; python_version < '3'\n"
        "-r sub/base.txt\n"
        "numpy==1.26.4 \\\n"
        "    --hash=sha256:00 \\\n"
        "    --hash=sha256:11\n"
        "thing @ https://example.invalid/thing-1.0.zip#egg=thing\n"
        "-e .\n"
        "./local.whl\n",
        encoding="utf-8",
    )
    notes: list[str] = []
    assert short(pins_of_requirements(file, notes.append)) == [
        ("flask", "==2.3.0", "requirements.txt:2"),
        ("httpx", ">=0.24", "requirements.txt:3"),
        ("attrs", ">=20", "base.txt:1"),
        ("numpy", "==1.26.4", "requirements.txt:6"),
        ("flask", "<3", "more.txt:1"),
        ("numpy", "!=1.26.0", "deep.txt:1"),
    ]
    assert [note.partition(": ")[0] for note in notes] == [
        f"requirements.txt:{line}" for line in (4, 9, 10, 11)
    ]
    assert all("passed over" in note for note in notes)


def test_requirements_of_a_windows_shell(tmp_path: Path) -> None:
    file = tmp_path / "requirements.txt"
    file.write_bytes("click==8.0\r\nflask==2.3.0\r\n".encode("utf-16"))
    assert [pin.project for pin in pins_of_requirements(file)] == ["click", "flask"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("flask ==== 1\n", r"requirements\.txt:1"),
        ("-c requirements.txt\n", "includes itself"),
        ("-r none.txt\n", "cannot read requirements"),
        ("-c none.txt\n", "cannot read requirements"),
    ],
)
def test_requirements_that_cannot_be_understood(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "requirements.txt"
    file.write_text(text)
    with pytest.raises(ApikbError, match=words):
        pins_of_requirements(file)


PYLOCK = """
lock-version = "1.0"
created-by = "tool"
default-groups = ["main"]

[[packages]]
name = "Flask"
version = "2.3.0"
wheels = [{ name = "flask-2.3.0-py3-none-any.whl", hashes = { sha256 = "00" } }]

[[packages]]
name = "numpy"
version = "1.26.4"
marker = "python_version < '3'"

[[packages]]
name = "numpy"
version = "2.0.0"
marker = "python_version >= '3'"

[[packages]]
name = "pytest"
version = "8.0"
marker = "'dev' in dependency_groups"

[[packages]]
name = "httpx"
version = "0.27"
marker = "'main' in dependency_groups"

[[packages]]
name = "own"
directory = { path = "." }

[[packages]]
name = "forked"
version = "1.0"
vcs = { type = "git", url = "https://example.invalid/forked" }
"""

POETRY = """
[[package]]
name = "flask"
version = "2.3.0"
optional = false
groups = ["main"]
markers = "python_version >= \\"3\\" and extra != \\"old\\""

[[package]]
name = "numpy"
version = "1.26.4"
markers = {main = "python_version < '3'", dev = "python_version < '2'"}

[[package]]
name = "numpy"
version = "2.0.0"
markers = {main = "python_version >= '3'", dev = "python_version < '2'"}

[[package]]
name = "httpx"
version = "0.27"
[package.source]
type = "legacy"
url = "https://example.invalid/simple"

[[package]]
name = "forked"
version = "1.0"
[package.source]
type = "git"
url = "https://example.invalid/forked"

[[package]]
name = "own"
version = "1.0"
[package.source]
type = "directory"
url = "."

[metadata]
lock-version = "2.1"
python-versions = ">=3.11"
content-hash = "00"
"""

UV = """
version = 1
revision = 3
requires-python = ">=3.11"

[[package]]
name = "own"
source = { editable = "." }

[[package]]
name = "flask"
version = "2.3.0"
source = { registry = "https://example.invalid/simple" }

[[package]]
name = "numpy"
version = "1.26.4"
source = { registry = "https://example.invalid/simple" }
resolution-markers = ["python_full_version < '3'"]

[[package]]
name = "numpy"
version = "2.0.0"
source = { registry = "https://example.invalid/simple" }
resolution-markers = ["python_full_version < '3'", "python_full_version >= '3'"]

[[package]]
name = "httpx"
version = "0.27"
source = { registry = "https://example.invalid/simple" }

[[package]]
name = "forked"
version = "1.0"
source = { git = "https://example.invalid/forked" }
"""
LOCKS = {"pylock": PYLOCK, "poetry": POETRY, "uv": UV}


@pytest.mark.parametrize("kind", LOCKS)
@pytest.mark.parametrize("name", ["pylock.toml", "poetry.lock", "uv.lock", "other"])
def test_lock_files_are_told_apart_by_what_they_hold(tmp_path: Path, kind: str, name: str) -> None:
    file = tmp_path / name
    file.write_text(LOCKS[kind])
    notes: list[str] = []
    assert sorted(short(pins_of_lock(file, notes.append))) == [
        ("flask", "==2.3.0", name),
        ("httpx", "==0.27", name),
        ("numpy", "==2.0.0", name),
    ]
    assert len(notes) == 1
    assert notes[0].startswith(f"{name}: passed over, not from a package index: ")
    assert sorted(notes[0].rpartition(": ")[2].split(", ")) == ["forked", "own"]


def test_what_is_locked_twice_for_this_environment_is_no_pin(tmp_path: Path) -> None:
    file = tmp_path / "uv.lock"
    file.write_text(UV.replace("python_full_version < '3'", "python_full_version > '3'"))
    notes: list[str] = []
    assert "numpy" not in {pin.project for pin in pins_of_lock(file, notes.append)}
    assert notes[0] == "uv.lock: passed over, locked at several versions: numpy 1.26.4, 2.0.0"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{}", "is not a lock file in TOML"),
        ("\x00", "is not a lock file in TOML"),
        ("[project]\nname = 'x'\n", "is not a lock file that is known"),
        (
            "[[package]]\nname = 'x'\nversion = '1'\n[metadata]\nlock_version = '4.5.0'\n",
            "is not a lock file",
        ),
        ('lock-version = "2.0"\npackages = []\n', "pylock.toml of version 2.0, which is not known"),
        (UV.replace("version = 1\n", "version = 12\n", 1), "uv.lock of version 12"),
        (POETRY.replace('"2.1"', '"12.0"'), "poetry.lock of version 12.0"),
        ('lock-version = "1.0"\n', "is damaged: 'packages' is missing"),
        ('lock-version = "1.0"\npackages = ["flask"]\n', "is damaged"),
        (PYLOCK.replace('name = "Flask"', ""), "is damaged: 'name' is missing"),
        (PYLOCK.replace('"2.3.0"', "2.3"), "is damaged"),
        (PYLOCK.replace('"2.3.0"', '"two"'), "is damaged"),
        (PYLOCK.replace("'dev' in", "in"), "is damaged"),
        (UV.replace("source = { editable", "sauce = { editable"), "is damaged: 'source' is missing"),
        (POETRY.replace('version = "0.27"', ""), "is damaged: 'version' is missing"),
    ],
)
def test_a_damaged_or_foreign_lock_file_is_one_clear_error(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "some.lock"
    file.write_text(text)
    with pytest.raises(ApikbError, match=words) as error:
        pins_of_lock(file)
    assert str(file) in error.value.message
    assert error.value.hint


def test_a_lock_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ApikbError, match="cannot read the lock file"):
        pins_of_lock(tmp_path / "uv.lock")


def test_the_environment_that_runs() -> None:
    pins = {pin.project: pin for pin in pins_of_environment()}
    assert pins["pytest"] == Pin("pytest", f"=={pytest.__version__}", "the environment", required=False)
    assert pins["import-linter"].specifier == f"=={importlib.metadata.version('import-linter')}"


def test_all_that_a_person_asks_for(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("click==8.0\n./local\n")
    (tmp_path / "uv.lock").write_text(UV)
    notes: list[str] = []
    pins = gather_pins(
        ["flask<3"],
        [tmp_path / "requirements.txt"],
        [tmp_path / "uv.lock"],
        environment=True,
        note=notes.append,
    )
    assert [pin.where for pin in pins[:5]] == ["--with flask<3", "requirements.txt:1", *["uv.lock"] * 3]
    assert pins[5:] == pins_of_environment()
    assert len(notes) == 2
    assert gather_pins() == []
