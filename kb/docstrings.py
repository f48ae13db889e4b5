"""Docstrings of the file: by hash, and of a symbol at a release."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .reader import ProjectReader

Query = Callable[[str, Sequence[object]], list[tuple[Any, ...]]]
_MANY = 500
"""Hashes in one query."""


def stored_docstrings(query: Query, pid: int, names: Sequence[str]) -> dict[str, str]:
    """Texts of a project by hash, those of them that are there."""
    found: dict[str, str] = {}
    for start in range(0, len(names), _MANY):
        part = names[start : start + _MANY]
        marks = ", ".join("?" * len(part))
        found.update(
            query(
                f"SELECT hash, text FROM internal.docstrings WHERE pid = ? AND hash IN ({marks})",
                [pid, *part],
            )
        )
    return found


def docstring_at(reader: ProjectReader, path: str, ordinal: int) -> str | None:
    """The docstring that a path has at a release; None where it has none, or is not there."""
    item = reader.resolver().life(path).at(ordinal)
    doc = item.state.doc if item is not None else None
    return None if doc is None else stored_docstrings(reader.query, reader.pid, [doc]).get(doc)
