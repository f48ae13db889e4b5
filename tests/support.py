"""What the tests of the whole pipeline share: tiny libraries, an index that serves them, runs, and contents.

Test modules import it after `sys.path.insert(0, <this folder>)`, as pytest's `importlib` mode wants.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from apikb.kb.store import open_reader


def _load_loopback() -> ModuleType:
    # A conftest is no module that could be imported by its name: there are several.
    spec = importlib.util.spec_from_file_location(
        "apikb_loopback", Path(__file__).parent / "indexers" / "conftest.py"
    )
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


_loopback = _load_loopback()
PackageIndex: Any = _loopback.PackageIndex
make_wheel: Any = _loopback.make_wheel
make_sdist: Any = _loopback.make_sdist

APIKB = [sys.executable, "-c", "from apikb.cli import main; main()"]
EAGER = [
    sys.executable,
    "-c",
    "import apikb.indexers.pipeline as p; p._GATHER_SECONDS = p._PUBLISH_SHARE = 0.0;"
    "from apikb.cli import main; main()",
]
"""The same, but every project is published as soon as it is finished."""

VIEWS = {
    "spans": "SELECT * FROM spans",
    "signatures": "SELECT * FROM signatures",
    "parameters": "SELECT * FROM parameters",
    "deprecations": "SELECT * FROM deprecations",
    "moves": "SELECT * FROM moves",
    "changes": "SELECT * FROM changes",
    "docstrings": "SELECT * FROM docstrings",
    "examples": "SELECT * FROM examples",
    "modules": "SELECT * FROM modules",
    # What a release cost depends on what was known before it.
    "releases": "SELECT * EXCLUDE (fetched) FROM releases",
}
Content = dict[str, list[str]]


def content(kb: Path, *projects: str) -> Content:
    """Everything that the views tell (of these projects, or of all), in an order of its own."""
    chosen = "" if not projects else f" WHERE project IN ({', '.join(map(repr, projects))})"
    connection = open_reader(kb)
    try:
        return {
            view: sorted(map(repr, connection.execute(query + chosen).fetchall()))
            for view, query in VIEWS.items()
        }
    finally:
        connection.close()


def projects_of(kb: Path) -> set[str]:
    """The projects of a knowledge base."""
    connection = open_reader(kb)
    try:
        return {row[0] for row in connection.execute("SELECT DISTINCT project FROM releases").fetchall()}
    finally:
        connection.close()


@contextlib.contextmanager
def serving() -> Iterator[Any]:
    """A package index on the loopback."""
    server = PackageIndex()
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


@dataclass
class Place:
    """A knowledge base and a cache in a folder, and the commands that use them."""

    folder: Path
    index_url: str = ""
    env: dict[str, str] = field(default_factory=dict)

    @property
    def kb(self) -> Path:
        return self.folder / "kb.duckdb"

    @property
    def cache(self) -> Path:
        return self.folder / "cache"

    def environment(self) -> dict[str, str]:
        """The environment of a command: this place, this index, nothing of the machine's pip or proxies."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("APIKB_", "PIP_"))}
        return {
            **kept,
            "APIKB_KB": str(self.kb),
            "APIKB_CACHE": str(self.cache),
            "APIKB_INDEX_URL": self.index_url,
            "PIP_CONFIG_FILE": os.devnull,
            "no_proxy": "127.0.0.1,localhost",
            "NO_PROXY": "127.0.0.1,localhost",
            "COLUMNS": "100",
            **self.env,
        }

    def run(self, *args: str, eager: bool = False, **extra: Any) -> subprocess.CompletedProcess[str]:
        """Run a command in a process of its own, to its end."""
        return subprocess.run(
            [*(EAGER if eager else APIKB), *args],
            capture_output=True, text=True, check=False, timeout=extra.pop("timeout", 90),
            env=self.environment(), **extra,
        )  # fmt: skip

    def start(self, *args: str, eager: bool = False, **extra: Any) -> subprocess.Popen[str]:
        """Start a command as the leader of a session, so that it can be killed with its workers."""
        return subprocess.Popen(
            [*(EAGER if eager else APIKB), *args],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
            env=self.environment(), **extra,
        )  # fmt: skip


def library(project: str, number: int, functions: int = 6) -> dict[str, bytes]:
    """Release number `number` of a tiny library in which something changes with every release.

    `always` is in all releases, `born<n>` comes with release n, `gone<n>` goes with it, `grows` gets a
    parameter with each, `_same` never changes.
    """
    born = "".join(f"def born{n}(a, b={n}):\n    return a\n" for n in range(number + 1))
    gone = "".join(f"class Gone{n}:\n    def run(self, x): ...\n" for n in range(number + 1, functions + 1))
    grown = ", ".join(f"p{n}=None" for n in range(number + 1))
    return {
        f"{project}/__init__.py": f"from .core import *\nfrom . import more\nVERSION = '{number}'\n".encode(),
        f"{project}/core.py": f"def always(x): ...\n{born}{gone}".encode(),
        f"{project}/more.py": f"from .core import always as kept\ndef grows({grown}): ...\n".encode(),
        f"{project}/_same.py": f"PROJECT = {project!r}\n".encode(),
    }


def add_library(index: Any, project: str, releases: int, first: int = 0) -> None:
    """Serve releases 1.0, 1.1, ... of `library`."""
    for number in range(first, releases):
        version = f"1.{number}"
        index.add(f"{project}-{version}-py3-none-any.whl", _wheel(project, number, version))


@functools.cache
def _wheel(project: str, number: int, version: str) -> bytes:
    """Made once: a zip holds the time, and the same release must have the same hash wherever it is served."""
    return bytes(make_wheel(library(project, number), project, version))


def one_error(result: Any, *words: str, code: int) -> str:
    """Check that a run failed as it should: one clear line that holds the words; returns it."""
    said = result.stderr
    assert result.returncode == code, said + result.stdout
    assert "Traceback" not in said + result.stdout
    lines = [line for line in said.splitlines() if line.startswith("Error: ")]
    assert len(lines) == 1, said
    for word in words:
        assert word.lower() in lines[0].lower(), f"{word!r} is not in {lines[0]!r}"
    return lines[0]


Files = Mapping[str, bytes]
