"""The file: publishing, reading while it is replaced, damage, the sandbox.  Real DuckDB files throughout."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest

from apikb.kb.errors import ApikbError, NotIndexed, StoreError
from apikb.kb.lock import WriterLock
from apikb.kb.lookup import KnowledgeBase
from apikb.kb.schema import MIGRATIONS, SCHEMA_VERSION, VIEWS, view_columns
from apikb.kb.store import load_observation, publish, remove_project

Opener = Callable[..., KnowledgeBase]
Build = Any
FILES = Path(__file__).parents[1] / "files"


def project(build: Build, name: str = "lib", releases: int = 3, functions: int = 5) -> Any:
    top = name.replace("-", "_")
    return build.observe(
        {
            f"1.{n}": {
                top: build.module(),
                **{f"{top}.f{i}": build.function("x", f"y{n}") for i in range(functions)},
            }
            for n in range(releases)
        },
        name,
    )


def test_views_have_exactly_the_promised_columns(build: Build, open_kb: Opener) -> None:
    kb = open_kb(project(build))
    for view, columns in view_columns().items():
        assert kb.sql(f'SELECT * FROM "{view}" LIMIT 0').columns == columns
    assert set(view_columns()) == set(VIEWS)
    assert view_columns()["spans"] == (
        "project", "symbol", "kind", "visibility", "added", "added_exact", "deprecated", "removed",
        "last_seen", "added_after", "removed_exact", "unknown_inside", "alias_of", "inherited_from", "via",
    )  # fmt: skip
    assert kb.sql("FROM symbols_at('lib', 'v1.0.0')").columns[:5] == (
        "symbol", "kind", "visibility", "signature", "deprecated",
    )  # fmt: skip


def test_every_view_and_column_has_a_comment(build: Build, open_kb: Opener) -> None:
    kb = open_kb(project(build))
    bare = kb.sql("SELECT view_name FROM duckdb_views() WHERE NOT internal AND comment IS NULL").rows
    assert bare == []
    bare = kb.sql(
        "SELECT table_name, column_name FROM duckdb_columns() WHERE schema_name = 'main' AND NOT internal "
        "AND comment IS NULL"
    ).rows
    assert bare == []


def test_the_plain_client_opens_the_file(build: Build, tmp_path: Path) -> None:
    publish(tmp_path / "kb", [project(build)])
    with duckdb.connect(str(tmp_path / "kb"), read_only=True) as connection:
        assert connection.execute("SELECT count(*) FROM spans").fetchall() == [(6,)]
        assert len(connection.execute("FROM symbols_at('lib', '1.2')").fetchall()) == 6


def test_publishing_replaces_a_project_whole_and_keeps_the_others(build: Build, tmp_path: Path) -> None:
    path = tmp_path / "kb"
    publish(path, [project(build, "one"), project(build, "two")])
    publish(path, [project(build, "one", releases=1, functions=1)])
    with KnowledgeBase.open(path) as kb:
        assert [(info.project, info.indexed, info.symbols) for info in kb.projects()] == [
            ("one", 1, 2),
            ("two", 3, 6),
        ]
    remove_project(path, "one")
    with KnowledgeBase.open(path) as kb:
        assert [info.project for info in kb.projects()] == ["two"]
    with pytest.raises(NotIndexed):
        remove_project(path, "one")
    assert load_observation(path, "one") is None
    assert sorted(item.name for item in tmp_path.iterdir()) == ["kb", "kb.lock"]


def test_republishing_does_not_make_the_file_grow(build: Build, tmp_path: Path) -> None:
    path = tmp_path / "kb"
    observed = project(build, releases=12, functions=400)
    publish(path, [observed])
    first = path.stat().st_size
    for _ in range(20):
        publish(path, [observed])
    assert path.stat().st_size <= 3 * first
    assert load_observation(path, "lib") is not None


def test_readers_go_on_while_twenty_publishes_happen(build: Build, tmp_path: Path) -> None:
    path = tmp_path / "kb"
    publish(path, [project(build)])
    holder = KnowledgeBase.open(path)
    errors: list[Exception] = []
    done = threading.Event()

    def read() -> None:
        kb = KnowledgeBase.open(path)
        while not done.is_set():
            try:
                assert kb.lookup("lib.f1").status == "present"
            except Exception as error:
                errors.append(error)
                return

    reader = threading.Thread(target=read)
    reader.start()
    for number in range(20):
        publish(path, [project(build, releases=2 + number % 3)])
    done.set()
    reader.join()
    assert errors == []
    assert holder.refresh()
    assert len(holder.releases("lib")) == 2 + 19 % 3


def test_writers_exclude_each_other_and_say_who_writes(build: Build, tmp_path: Path) -> None:
    path = tmp_path / "kb"
    told: list[str] = []
    with WriterLock(path).acquire(), pytest.raises(StoreError, match=f"process {os.getpid()}"):
        publish(path, [project(build)], timeout=0.2, on_wait=told.append)
    assert len(told) == 1
    publish(path, [project(build)], timeout=0.2)


KILLED = """
import sys, time
from apikb.kb import tables
from apikb.kb.store import load_observation, publish
path, delay = sys.argv[1], float(sys.argv[2])
observed = load_observation(path, "lib")
print("ready", flush=True)
while True:
    publish(path, [observed])
"""


def test_a_killed_writer_leaves_the_old_file_whole(build: Build, tmp_path: Path) -> None:
    path = tmp_path / "kb"
    publish(path, [project(build, releases=6, functions=100)])
    for delay in (0.02, 0.07, 0.13, 0.21):
        writer = subprocess.Popen(
            [sys.executable, "-c", KILLED, str(path), str(delay)], stdout=subprocess.PIPE, text=True
        )
        assert writer.stdout is not None
        writer.stdout.readline()
        time.sleep(delay)
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        writer.stdout.close()
        with KnowledgeBase.open(path) as kb:
            assert kb.sql("SELECT count(*) FROM spans").rows == [(101,)]
    publish(path, [project(build)])
    assert sorted(item.name for item in tmp_path.iterdir()) == ["kb", "kb.lock"]


NO_SPACE = """
import resource, signal, sys
from apikb.kb.errors import StoreError
from apikb.kb.store import load_observation, publish
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
path = sys.argv[1]
observed = load_observation(path, "lib")
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
try:
    publish(path, [observed])
except StoreError as error:
    print(error)
    sys.exit(7)
"""


def test_no_space_leaves_the_old_file_untouched(build: Build, tmp_path: Path) -> None:
    path = tmp_path / "kb"
    publish(path, [project(build)])
    before = path.read_bytes()
    done = subprocess.run(
        [sys.executable, "-c", NO_SPACE, str(path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 7, done.stderr
    assert "no space left" in done.stdout
    assert path.read_bytes() == before
    assert sorted(item.name for item in tmp_path.iterdir()) == ["kb", "kb.lock"]


def test_files_that_are_not_ours(build: Build, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="there is no knowledge base"):
        KnowledgeBase.open(tmp_path / "missing")
    with pytest.raises(StoreError, match="is a directory"):
        KnowledgeBase.open(tmp_path)
    with pytest.raises(StoreError, match="is a directory"):
        publish(tmp_path, [])
    text = tmp_path / "text"
    text.write_text("hello " * 5000)
    foreign = tmp_path / "foreign"
    with duckdb.connect(str(foreign)) as connection:
        connection.execute("CREATE TABLE t (x INTEGER)")
    for path in (text, foreign):
        before = path.read_bytes()
        with pytest.raises(StoreError, match="not a knowledge base"):
            KnowledgeBase.open(path)
        with pytest.raises(StoreError, match="not a knowledge base"):
            publish(path, [project(build)])
        assert path.read_bytes() == before


def test_a_damaged_file_is_one_clear_error(build: Build, tmp_path: Path) -> None:
    path = tmp_path / "kb"
    publish(path, [project(build, functions=200)])
    data = bytearray(path.read_bytes())
    for place in range(4096, len(data), 97):
        data[place] ^= 0xFF
    path.write_bytes(data)
    with pytest.raises(StoreError), KnowledgeBase.open(path) as kb:
        kb.lookup("lib.f1")
    path.write_bytes(data[:5000])
    with pytest.raises(StoreError):
        KnowledgeBase.open(path)


def test_a_newer_schema_is_refused_by_readers_and_writers(build: Build, tmp_path: Path) -> None:
    path = tmp_path / "kb"
    publish(path, [project(build)])
    with duckdb.connect(str(path)) as connection:
        connection.execute("UPDATE internal.meta SET value = '99' WHERE key = 'schema_version'")
    for attempt in (lambda: KnowledgeBase.open(path), lambda: publish(path, [project(build)])):
        with pytest.raises(StoreError, match="schema 99") as caught:
            attempt()
        assert caught.value.hint is not None and "upgrade" in caught.value.hint


@pytest.mark.parametrize("version", [migration.version for migration in MIGRATIONS])
def test_a_file_of_every_schema_opens(version: int, tmp_path: Path) -> None:
    stored = FILES / f"schema_v{version}.duckdb"
    with KnowledgeBase.open(stored) as kb:
        assert kb.lookup("old.f").status == "present"
    assert version <= SCHEMA_VERSION


def test_reading_never_writes(build: Build, tmp_path: Path) -> None:
    path = tmp_path / "kb"
    publish(path, [project(build)])
    before, names = path.read_bytes(), sorted(tmp_path.iterdir())
    with KnowledgeBase.open(path) as kb:
        kb.lookup("lib.f1")
        kb.history("lib.f1")
        kb.sql("FROM spans")
    assert path.read_bytes() == before
    assert sorted(tmp_path.iterdir()) == names


FORBIDDEN = [
    "ATTACH '/tmp/other.duckdb'",
    "SELECT * FROM read_text('/etc/passwd')",
    "SELECT * FROM read_csv('/etc/passwd')",
    "SELECT * FROM read_blob('/etc/*')",
    "SELECT * FROM glob('/etc/*')",
    "FROM '/etc/passwd'",
    "FROM 'https://example.org/x.parquet'",
    "COPY spans TO '/tmp/out.csv'",
    "COPY (SELECT 1) TO '/tmp/out.parquet'",
    "EXPORT DATABASE '/tmp/out'",
    "INSTALL httpfs",
    "LOAD httpfs",
    "SET enable_external_access = true",
    "RESET enable_external_access",
    "PRAGMA enable_external_access",
    "PRAGMA database_list",
    "CREATE TABLE t (x INTEGER)",
    "CREATE TEMP TABLE t AS SELECT 1",
    "INSERT INTO internal.meta VALUES ('a', 'b')",
    "DELETE FROM internal.spans",
    "DROP VIEW spans",
    "UPDATE internal.meta SET value = '2'",
    "SELECT 1; SELECT 2",
    "CALL pragma_version()",
    "USE memory",
    "DETACH kb",
    "CHECKPOINT",
    "BEGIN",
    "SELECT * FROM observed",
    "EXPLAIN ANALYZE COPY spans TO '/tmp/out.csv'",
    "SELEC 1",
    "",
]


@pytest.mark.parametrize("query", FORBIDDEN)
def test_the_sandbox_refuses(query: str, build: Build, open_kb: Opener) -> None:
    observed = [1]
    kb = open_kb(project(build))
    with pytest.raises(ApikbError) as caught:
        kb.sql(query)
    assert "\n" not in caught.value.message
    assert kb.sql("SELECT count(*) FROM spans").rows == [(6,)]
    assert observed == [1]
    assert not Path("/tmp/out.csv").exists()


@pytest.mark.parametrize(
    "query",
    [
        "FROM spans",
        "DESCRIBE spans",
        "SUMMARIZE spans",
        "EXPLAIN FROM spans",
        "SHOW TABLES",
        "WITH a AS (FROM spans) FROM a",
    ],
)
def test_the_sandbox_lets_reading_through(query: str, build: Build, open_kb: Opener) -> None:
    assert open_kb(project(build)).sql(query).rows


def test_export_writes_a_folder_for_each_project(build: Build, open_kb: Opener, tmp_path: Path) -> None:
    kb = open_kb(project(build, "one"), project(build, "two"))
    written = kb.export(tmp_path / "out")
    assert {file.relative_to(tmp_path / "out").as_posix() for file in written} == {
        f"{name}/{view}.parquet" for name in ("one", "two") for view in VIEWS
    }
    rows = duckdb.sql(f"SELECT DISTINCT project FROM '{tmp_path}/out/one/spans.parquet'").fetchall()
    assert rows == [("one",)]


def test_looking_up_needs_no_arrow() -> None:
    code = (
        "import sys, apikb.kb.lookup; "
        "print([m for m in ('pyarrow', 'rich', 'griffe', 'difflib') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
