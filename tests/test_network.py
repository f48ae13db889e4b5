"""Real libraries from the package index that pip is configured for, and what is known of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from support import APIKB

pytestmark = pytest.mark.network

SINCE = {
    "attrs": "20.1.0",
    "click": "7.0",
    "flask": "2.2.0",
    "httpx": "0.24.0",
    "jinja2": "2.11.0",
    "markupsafe": "1.1.0",
    "requests": "2.25.0",
    "werkzeug": "1.0.0",
}
"""Small libraries, and from which release on they are indexed."""


class Library:
    """The knowledge base of these libraries, asked through the command line."""

    def __init__(self, folder: Path) -> None:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("APIKB_")}
        self.env = {**kept, "APIKB_KB": str(folder / "kb.duckdb"), "APIKB_CACHE": str(folder / "cache")}

    def run(self, *args: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*APIKB, *args], env=self.env, capture_output=True, text=True, check=False, timeout=180
        )

    def answer(self, symbol: str, version: str, project: str) -> dict[str, Any]:
        done = self.run("lookup", symbol, "--version", version, "--project", project, "--json")
        assert done.stdout, done.stderr
        found: dict[str, Any] = json.loads(done.stdout)
        assert done.returncode == {"present": 0, "absent": 1, "tombstone": 1, "unknown": 3}[found["status"]]
        return found


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    made = Library(tmp_path_factory.mktemp("network"))
    for project, since in SINCE.items():
        done = made.run("index", project, "--since", since)
        assert done.returncode == 0, done.stderr
        assert "Traceback" not in done.stderr
        assert ", 0 failed;" in done.stdout, done.stdout
    yield made


def test_a_second_run_fetches_the_page_alone(library: Library) -> None:
    done = library.run("index", "click", "--since", SINCE["click"])
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("click: nothing new; ")


TRUTHS = [
    # project, symbol, release, status
    ("click", "click.get_terminal_size", "8.0.4", "present"),
    ("click", "click.get_terminal_size", "8.1.0", "absent"),
    ("click", "click.Command", "7.0", "present"),
    ("click", "click.core.Command.main(standalone_mode)", "8.0.0", "present"),
    ("flask", "flask.Markup", "2.2.5", "present"),
    ("flask", "flask.Markup", "2.3.0", "absent"),
    ("flask", "flask.Markup", "2.3.1", "present"),
    ("flask", "flask.Markup", "3.0.0", "absent"),
    ("flask", "flask.escape", "2.3.3", "present"),
    ("flask", "flask.escape", "3.0.0", "absent"),
    ("attrs", "attr.s(cmp)", "21.1.0", "present"),
    ("attrs", "attr.s(unsafe_hash)", "22.2.0", "present"),
    ("attrs", "attr.s(unsafe_hash)", "22.1.0", "absent"),
    ("attrs", "attrs.define", "21.3.0", "present"),
    ("attrs", "attr.define", "21.2.0", "present"),
    ("requests", "requests.exceptions.JSONDecodeError", "2.26.0", "absent"),
    ("requests", "requests.exceptions.JSONDecodeError", "2.27.0", "present"),
    ("requests", "requests.JSONDecodeError", "2.28.0", "present"),
    ("requests", "requests.Session.get", "2.25.1", "present"),
    ("requests", "requests.get(params)", "2.31.0", "present"),
    ("httpx", "httpx.Client(proxies)", "0.27.2", "present"),
    ("httpx", "httpx.Client(proxies)", "0.28.0", "absent"),
    ("httpx", "httpx.Client(proxy)", "0.25.2", "absent"),
    ("httpx", "httpx.Client(proxy)", "0.26.0", "present"),
    ("jinja2", "jinja2.Markup", "3.0.3", "present"),
    ("jinja2", "jinja2.Markup", "3.1.0", "absent"),
    ("jinja2", "jinja2.contextfilter", "3.1.0", "absent"),
    ("markupsafe", "markupsafe.soft_unicode", "2.0.1", "present"),
    ("markupsafe", "markupsafe.soft_unicode", "2.1.0", "absent"),
    ("werkzeug", "werkzeug.security.safe_str_cmp", "2.0.3", "present"),
    ("werkzeug", "werkzeug.security.safe_str_cmp", "2.1.0", "absent"),
]


@pytest.mark.parametrize(("project", "symbol", "version", "status"), TRUTHS)
def test_what_is_known(library: Library, project: str, symbol: str, version: str, status: str) -> None:
    found = library.answer(symbol, version, project)
    assert found["status"] == status, found
    assert found["symbol"] == symbol
    if status == "present":
        evidence = found["evidence"]
        assert evidence["artifact"].lower().startswith(project) and len(evidence["sha256"]) == 64
        assert evidence["file"] and evidence["line"] >= 0


def test_a_life_that_comes_and_goes(library: Library) -> None:
    spans = library.answer("flask.Markup", "2.3.1", "flask")["spans"]
    assert [(span["added"], span["removed"], span["last_seen"]) for span in spans] == [
        ("2.2.0", "2.3.0", "2.2.5"),
        ("2.3.1", "3.0.0", "2.3.3"),
    ]
    assert [span["added_exact"] for span in spans] == [False, True]
    assert spans[1]["deprecated"] == "2.3.1"


def test_a_deprecation_and_what_replaces_it(library: Library) -> None:
    found = library.answer("click.get_terminal_size", "8.0.4", "click")
    assert found["spans"][0]["deprecated"] == "8.0.0"
    assert found["spans"][0]["removed"] == "8.1.0"
    assert "shutil.get_terminal_size" in (found["replacement"] or "")


def facts() -> list[Any]:
    """The golden facts of these libraries, where the file is at hand."""
    shared = os.environ.get("APIKB_SHARED")
    file = Path(shared, "cases", "golden_facts.jsonl") if shared else None
    if file is None or not file.is_file():
        return [pytest.param(None, marks=pytest.mark.skip(reason="APIKB_SHARED names no golden facts"))]
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    return [
        pytest.param(row, id=f"{row['id']}-{row['symbol']}")
        for row in rows
        if row["distribution"] in SINCE and row["verified"]
    ]


def boundaries(fact: dict[str, Any]) -> Iterator[tuple[str, set[str]]]:
    """(release, what may be said of it).  Unknown is always allowed; a false absent or present never is."""
    there, gone = {"present", "unknown"}, {"absent", "tombstone", "unknown"}
    for found in fact["evidence"]:
        before, after = found["last_release_before"], found["first_release_after"]
        if found["mode"] == "removed" and after == fact["removed_in"]:
            yield before, there
            yield after, gone
        elif found["mode"] == "added" and after == fact["added_in"]:
            yield before, gone
            yield after, there
    for start, stop in fact["spans"] or ():
        if " " not in start:
            yield start, there
        if stop:
            yield stop, gone


@pytest.mark.parametrize("fact", facts())
def test_golden_facts(library: Library, fact: dict[str, Any]) -> None:
    from packaging.version import Version

    project = fact["distribution"]
    asked = [
        (version, allowed)
        for version, allowed in boundaries(fact)
        if Version(version) >= Version(SINCE[project])
    ]
    for version, allowed in asked:
        found = library.answer(fact["symbol"], version, project)
        assert found["status"] in allowed, f"at {version} it is said to be {found['status']}: {found}"
    if not asked:
        pytest.skip(f"its releases are older than {SINCE[project]}")
