"""Docstrings in the file: each text once, runs of releases, and what a look-up shows of them."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from apikb.kb.errors import ApikbError, NotIndexed, StoreError
from apikb.kb.lookup import KnowledgeBase
from apikb.kb.observations import ProjectObservation
from apikb.kb.store import fetch, load_observation, migrate, open_reader, publish, run_sql
from apikb.kb.symbol_view import docstrings_of
from apikb.kb.symbols import Status

Opener = Callable[..., KnowledgeBase]
Build = Any
OLD, NEW, OF_M = "00" * 8, "11" * 8, "22" * 8
TEXTS = {OLD: "Do it.", NEW: "Do it well.\n\n    now()", OF_M: "Of m."}
FILES = Path(__file__).parents[1] / "files"


def texts(names: Sequence[str]) -> dict[str, str]:
    return {name: TEXTS[name] for name in names if name in TEXTS}


def observed(build: Build, project: str = "lib") -> ProjectObservation:
    """`lib.f` has one docstring in 1.0 and 1.1, another in 2.0 and none in 3.0."""
    base = {
        "lib": build.module(),
        "lib.core": build.module(),
        "lib.core.Base": build.klass("object"),
        "lib.core.Base.m": build.function("self", doc=OF_M)._replace(kind="method"),
        "lib.core.Heir": build.klass("lib.core.Base"),
    }

    def release(doc: str | None) -> dict[str, Any]:
        function = build.function("a", doc=doc)
        alias = function._replace(target="lib.core.f", via="import")
        return {**base, "lib.core.f": function, "lib.f": alias}

    found = build.observe(
        {"1.0": release(OLD), "1.1": release(OLD), "2.0": release(NEW), "3.0": release(None)}, project
    )
    found.docstrings = texts
    return found


@pytest.fixture
def path(build: Build, tmp_path: Path) -> Path:
    publish(tmp_path / "kb", [observed(build)])
    return tmp_path / "kb"


def rows(path: Path, query: str) -> list[tuple[Any, ...]]:
    connection = open_reader(path)
    try:
        return run_sql(connection, query)[1]
    finally:
        connection.close()


def test_the_view_has_runs_of_releases(path: Path) -> None:
    query = "SELECT added, removed, last_seen, docstring, hash FROM docstrings WHERE symbol = 'lib.core.f'"
    assert rows(path, f"{query} ORDER BY added") == [
        ("1.0", "2.0", "1.1", TEXTS[OLD], OLD),
        ("2.0", "3.0", "2.0", TEXTS[NEW], NEW),
    ]


def test_aliases_and_heirs_share_the_text(path: Path) -> None:
    found = rows(path, "SELECT symbol FROM docstrings WHERE docstring = 'Of m.' ORDER BY symbol")
    assert found == [("lib.core.Base.m",), ("lib.core.Heir.m",)]
    of_alias, of_object = (
        rows(path, f"SELECT * EXCLUDE (symbol) FROM docstrings WHERE symbol = '{symbol}' ORDER BY added")
        for symbol in ("lib.f", "lib.core.f")
    )
    assert of_alias == of_object
    connection = open_reader(path)
    assert fetch(connection, "SELECT count(*) FROM internal.docstrings") == [(3,)]
    connection.close()


@pytest.mark.parametrize(
    ("symbol", "version", "text"),
    [
        ("lib.f", "1.0", TEXTS[OLD]),
        ("lib.f", "<2", TEXTS[OLD]),
        ("lib.f(a)", "2.0", TEXTS[NEW]),
        ("lib.f", None, None),
        ("lib.core.Heir.m", None, TEXTS[OF_M]),
        ("lib.nothing", "1.0", None),
    ],
)
def test_a_lookup_of_a_docstring(path: Path, symbol: str, version: str | None, text: str | None) -> None:
    with KnowledgeBase.open(path) as kb:
        assert kb.docstring(symbol, version=version) == text


def test_a_release_that_is_not_there_has_no_other_ones_docstring(path: Path) -> None:
    with KnowledgeBase.open(path) as kb:
        for version in ("9.0", ">=9"):
            with pytest.raises(NotIndexed):
                kb.docstring("lib.f", version=version)


def test_texts_published_before_are_kept(build: Build, path: Path) -> None:
    """A run that reads one release more, or whose cache was deleted, has no more than the old file has."""
    before = rows(path, "FROM docstrings")
    again = observed(build)
    again.docstrings = lambda names: {}
    publish(path, [again, observed(build, "other")])
    assert sorted(map(repr, rows(path, "FROM docstrings WHERE project = 'lib'"))) == sorted(map(repr, before))


def test_what_was_loaded_can_be_published_elsewhere(path: Path, tmp_path: Path) -> None:
    loaded = load_observation(path, "lib")
    assert loaded is not None
    publish(tmp_path / "copy", [loaded])
    assert rows(tmp_path / "copy", "FROM docstrings") == rows(path, "FROM docstrings")


def test_a_text_that_is_not_known_is_null(build: Build, tmp_path: Path) -> None:
    project = observed(build)
    project.docstrings = lambda names: {}
    publish(tmp_path / "kb", [project])
    assert set(rows(tmp_path / "kb", "SELECT docstring FROM docstrings")) == {(None,)}


def test_texts_that_nothing_names_any_more_go(build: Build, path: Path) -> None:
    project = observed(build)
    project.releases = project.releases[:2]
    publish(path, [project])
    connection = open_reader(path)
    assert sorted(fetch(connection, "SELECT hash FROM internal.docstrings")) == [(OLD,), (OF_M,)]
    connection.close()


def test_a_file_without_docstrings_says_so_and_is_brought_up_to_date(build: Build, tmp_path: Path) -> None:
    old = tmp_path / "old"
    shutil.copy(FILES / "schema_v1.duckdb", old)
    with KnowledgeBase.open(old) as kb:
        for question in (lambda: kb.docstring("old.f"), lambda: kb.audit("old")):
            with pytest.raises(StoreError, match="before docstrings were kept"):
                question()
        assert [file.name for file in kb.export(tmp_path / "out")]
    publish(old, [observed(build)])
    with KnowledgeBase.open(old) as kb:
        assert kb.docstring("old.f") is None
        assert kb.docstring("lib.f", version="1.0") == TEXTS[OLD]


def test_the_migrated_file_has_the_layout_of_a_new_one(build: Build, path: Path, tmp_path: Path) -> None:
    import duckdb

    shutil.copy(FILES / "schema_v1.duckdb", tmp_path / "old")
    layout = (
        "SELECT schema_name, table_name, column_name, data_type FROM duckdb_columns() WHERE NOT internal "
        "UNION ALL SELECT schema_name, view_name, comment, '' FROM duckdb_views() WHERE NOT internal "
        "ORDER BY ALL"
    )
    with duckdb.connect(str(tmp_path / "old")) as connection:
        migrate(connection)
        migrated = connection.execute(layout).fetchall()
    with duckdb.connect(str(path), read_only=True) as connection:
        assert connection.execute(layout).fetchall() == migrated


def test_a_view_of_a_symbol_tells_what_look_ups_tell(path: Path) -> None:
    with KnowledgeBase.open(path) as kb:
        for symbol in ("lib.f", "lib", "lib.nowhere"):
            view = kb.symbol(symbol)
            assert view.statuses() == kb.statuses(symbol)
            for version in kb.statuses(symbol):
                answer = kb.lookup(symbol, version=version)
                assert view.answer(version) == answer
                assert view.is_present(version) == (answer.status == Status.PRESENT)
                texts = docstrings_of([(view, version)])
                name = view.docstring_hash(version)
                assert texts.get(("lib", name or "")) == kb.docstring(symbol, version=version)
            with pytest.raises(NotIndexed):
                view.answer("99")
        with pytest.raises(ApikbError, match="parameter"):
            kb.symbol("lib.f(x)")
