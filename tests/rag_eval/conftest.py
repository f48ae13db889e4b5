"""A small knowledge base: one package, two releases, one method that got another name between them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from support import make_wheel

from apikb.indexers.pipeline import IndexOptions, index_projects
from apikb.kb.lookup import KnowledgeBase

OLD = '''
class Table:
    """Rows and columns."""

    def append(self, other):
        """Add the rows of another table.

        >>> table.append(other)
        """

    def sort(self, by):
        """Order the rows by a column."""

def read_lines(path):
    """Read a text file line by line.

    >>> read_lines("notes.txt")
    """
'''
NEW = OLD.replace("def append", "def concat")


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    folder = tmp_path_factory.mktemp("quality")
    for version, source in (("1.0", OLD), ("2.0", NEW)):
        content = make_wheel({"tables/__init__.py": source.encode()}, "tables", version)
        (folder / f"tables-{version}-py3-none-any.whl").write_bytes(content)
    index_projects(
        ["tables"],
        IndexOptions(kb=folder / "kb.duckdb", jobs=1, find_links=(folder,), cache=folder / "cache"),
    )
    with KnowledgeBase.open(folder / "kb.duckdb") as opened:
        yield opened
