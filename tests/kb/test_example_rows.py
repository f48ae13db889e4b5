"""The view `examples`: maximal runs, aliases, migration from a file without them."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from apikb.kb.store import load_observation, migrate, open_reader, publish, run_sql

Build = Any
FILES = Path(__file__).parents[1] / "files"
FIRST, SECOND, THIRD = "00" * 8, "11" * 8, "22" * 8
TEXTS = {
    FIRST: "Do.\n\n>>> f(1)\n2\n\n>>> f(2)\n3",
    SECOND: "Do it well.\n\n>>> g(0)\n0\n\n>>> f(1)\n2",
    THIRD: "Nothing.",
}


def observed(build: Build) -> Any:
    def release(doc: str | None) -> dict[str, Any]:
        function = build.function("a", doc=doc)
        alias = function._replace(target="lib.core.f", via="import")
        return {"lib": build.module(), "lib.core": build.module(), "lib.core.f": function, "lib.f": alias}

    versions = [FIRST, SECOND, "broken", FIRST, THIRD, FIRST]
    found = build.observe(
        {f"{n}.0": doc if doc == "broken" else release(doc) for n, doc in enumerate(versions, 1)}
    )
    found.docstrings = lambda names: {name: TEXTS[name] for name in names}
    return found


def rows(path: Path, query: str) -> list[tuple[Any, ...]]:
    connection = open_reader(path)
    try:
        return run_sql(connection, query)[1]
    finally:
        connection.close()


EXPECTED = [
    ("f(1)", "2", "1.0", "5.0", "4.0", 0, True, "doctest"),
    ("f(1)", "2", "6.0", None, "6.0", 0, True, "doctest"),
    ("f(2)", "3", "1.0", "2.0", "1.0", 1, True, "doctest"),
    ("f(2)", "3", "4.0", "5.0", "4.0", 1, True, "doctest"),
    ("f(2)", "3", "6.0", None, "6.0", 1, True, "doctest"),
    ("g(0)", "0", "2.0", "4.0", "2.0", 0, True, "doctest"),
]
QUERY = (
    "SELECT code, output, since, until, last_seen, position, compiles, kind FROM examples "
    "WHERE symbol = '{}' ORDER BY code, since"
)


def test_runs_go_on_where_the_text_around_an_example_changes(build: Build, tmp_path: Path) -> None:
    publish(tmp_path / "kb", [observed(build)])
    assert rows(tmp_path / "kb", QUERY.format("lib.core.f")) == EXPECTED
    assert rows(tmp_path / "kb", QUERY.format("lib.f")) == EXPECTED


def test_publishing_again_and_elsewhere_gives_the_same(build: Build, tmp_path: Path) -> None:
    path = tmp_path / "kb"
    publish(path, [observed(build)])
    again = observed(build)
    again.docstrings = lambda names: {}
    publish(path, [again])
    assert rows(path, QUERY.format("lib.f")) == EXPECTED
    loaded = load_observation(path, "lib")
    assert loaded is not None
    publish(tmp_path / "copy", [loaded])
    assert rows(tmp_path / "copy", "FROM examples ORDER BY ALL") == rows(path, "FROM examples ORDER BY ALL")


def test_a_file_with_docstrings_gets_its_examples(build: Build, tmp_path: Path) -> None:
    """The migration reads the docstrings that are there: as if all had been published anew."""
    import duckdb

    path = tmp_path / "kb"
    publish(path, [observed(build)])
    with duckdb.connect(str(path)) as connection:
        connection.execute("DROP VIEW main.examples")
        connection.execute("DROP TABLE internal.examples")
        connection.execute("DROP TABLE internal.docstring_examples")
        connection.execute("UPDATE internal.meta SET value = '2' WHERE key = 'schema_version'")
        assert [done.version for done in migrate(connection)] == [3]
    assert rows(path, QUERY.format("lib.f")) == EXPECTED


def test_the_stored_file_of_schema_2_is_brought_up_to_date(build: Build, tmp_path: Path) -> None:
    old = tmp_path / "old"
    shutil.copy(FILES / "schema_v2.duckdb", old)
    publish(old, [observed(build)])
    assert rows(old, QUERY.format("lib.f")) == EXPECTED
    assert rows(old, "SELECT count(*) FROM docstrings WHERE project = 'old'") == [(1,)]
