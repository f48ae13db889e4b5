"""Documents: each text once, with all its releases and public paths, and exact spans."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from apikb.kb.corpus import Document, documents, ordinals
from apikb.kb.errors import NotIndexed
from apikb.kb.examples import Example
from apikb.kb.public_paths import best_first
from apikb.kb.store import fetch, open_reader, publish

Build = Any
FILES = Path(__file__).parents[1] / "files"
TEXTS = {
    "00" * 8: "Do :func:`it`.\n\n.. deprecated:: 2.0\n   Use g.\n\n>>> f(1)\n2",
    "11" * 8: "Do it better.",
    "22" * 8: "Of m.",
    "33" * 8: "Do :func:`it`.\n\n>>> f(1)\n2",
}


def project(build: Build) -> Any:
    function = build.function("a", doc="00" * 8)
    method = build.function("self", doc="22" * 8)._replace(kind="method")
    base = {
        "lib": build.module(),
        "lib.core": build.module(),
        "lib._hidden": build.module(visibility="private"),
        "lib._hidden.h": build.function("a", doc="11" * 8, visibility="private"),
        "lib.core.Base": build.klass("object"),
        "lib.core.Base.m": method,
        "lib.core.Base.p": build.function("self")._replace(
            kind="attribute", labels=("property",), signature=None
        ),
        "lib.core.Heir": build.klass("lib.core.Base"),
        "lib.core.f": function,
        "lib.core.other": build.function("a", doc="00" * 8),
    }
    alias = function._replace(target="lib.core.f", via="import", visibility="exported")
    new = function._replace(doc="11" * 8)
    found = build.observe(
        {
            "1.0": base,
            "1.1": {**base, "lib.f": alias},
            "1.2": "no wheel",
            "2.0rc1": {
                **base,
                "lib.f": alias._replace(doc="33" * 8),
                "lib.core.f": function._replace(doc="33" * 8),
            },
            "2.0": {**base, "lib.core.f": new},
            "3.0": {**base, "lib.f": alias},
        }
    )
    found.docstrings = lambda names: {name: TEXTS[name] for name in names if name in TEXTS}
    return found


@pytest.fixture
def found(build: Build, tmp_path: Path) -> list[Document]:
    publish(tmp_path / "kb", [project(build)])
    connection = open_reader(tmp_path / "kb")
    assert ordinals(connection, "lib") == ["1.0", "1.1", "2.0rc1", "2.0", "3.0"]
    made = list(documents(connection, "lib"))
    with pytest.raises(NotIndexed, match="nothing"):
        next(documents(connection, "nothing"))
    connection.close()
    return made


def of(found: list[Document], name: str, docstring: str | None = None) -> Document:
    (one,) = [d for d in found if d.names[0] == name and docstring in (None, d.docstring)]
    return one


def test_aliases_and_releases_share_a_text_and_facts_are_not_part_of_it(found: list[Document]) -> None:
    one = of(found, "lib.f")
    assert one.names == ("lib.f", "lib.core.f")
    assert one.docstring == "Do `it`.\n\n>>> f(1)\n2"
    assert one.summary == "Do `it`."
    assert one.examples == (Example("f(1)", "2", True, "doctest"),)
    assert one.signature == "(a)"
    assert one.spans == ((0, 1, 3), (0, 4, 5), (1, 0, 3), (1, 4, 5))


def test_another_text_is_another_document(found: list[Document]) -> None:
    assert of(found, "lib.core.f").spans == ((0, 3, 4),)
    assert of(found, "lib.core.f").docstring == "Do it better."


def test_equal_texts_of_two_objects_stay_apart(found: list[Document]) -> None:
    assert of(found, "lib.core.other").spans == ((0, 0, 5),)


def test_heirs_share_the_document_of_what_they_inherit(found: list[Document]) -> None:
    assert of(found, "lib.core.Base.m").names == ("lib.core.Base.m", "lib.core.Heir.m")


def test_kinds_and_privacy(found: list[Document]) -> None:
    assert of(found, "lib.core.Base.p").kind == "property"
    assert of(found, "lib").kind == "module"
    assert not [name for d in found for name in d.names if "_hidden" in name]


def test_keys_are_unique_and_stay(found: list[Document], build: Build, tmp_path: Path) -> None:
    assert len({d.key for d in found}) == len(found)
    publish(tmp_path / "again", [project(build)])
    connection = open_reader(tmp_path / "again")
    assert list(documents(connection, "lib")) == found
    connection.close()


def test_spans_are_what_the_releases_say(found: list[Document], tmp_path: Path) -> None:
    """Against the macro, release by release: every public present path is in exactly one document."""
    connection = open_reader(tmp_path / "kb")
    for ordinal, version in enumerate(ordinals(connection, "lib")):
        rows = fetch(
            connection,
            "SELECT symbol FROM symbols_at('lib', ?) WHERE visibility <> 'private' ORDER BY symbol",
            [version],
        )
        told = sorted(d.names[i] for d in found for i, low, high in d.spans if low <= ordinal < high)
        assert told == [symbol for (symbol,) in rows], version
    connection.close()


@pytest.mark.parametrize(("version", "text"), [(1, ""), (2, "Do what was done of old.")])
def test_files_of_older_schemas_are_read(version: int, text: str, tmp_path: Path) -> None:
    shutil.copy(FILES / f"schema_v{version}.duckdb", tmp_path / "old")
    connection = open_reader(tmp_path / "old")
    assert [d.docstring for d in documents(connection, "old") if d.names == ("old.f",)] == [text]
    connection.close()


@pytest.mark.parametrize(
    ("runs", "best"),
    [
        ({"a.b.core.f": [(0, 9)], "a.f": [(3, 9)], "a.g": [(0, 2)]}, "a.f"),
        ({"a.f": [(0, 9)], "a.externals.f": [(0, 9)]}, "a.f"),
        ({"a.extern.b": [(0, 9)], "a.c.d.e.b": [(0, 9)]}, "a.c.d.e.b"),
    ],
)
def test_the_best_path(runs: dict[str, list[tuple[int, int]]], best: str) -> None:
    assert best_first(runs)[0] == best
