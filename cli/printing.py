"""What is printed, and how: JSON, colours, the width of the terminal, tables, notes."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from ..kb.text import Glyphs
    from ..retrieval.embedding_progress import Embedding, Progress


def note(message: str) -> None:
    from ..kb.text import one_line

    click.echo(one_line(message), err=True)


@contextmanager
def embedding_shown() -> Iterator[Progress]:
    """Tell how far an embedding is: on a terminal in one line that is written over, else now and then."""
    from ..retrieval.embedding_progress import PlainProgress

    if not sys.stderr.isatty():
        yield PlainProgress(note)
        return
    line = _OneLine()
    try:
        yield line
    finally:
        line.end()


class _OneLine:
    """The newest state in one line, over the one before."""

    def __init__(self) -> None:
        self._open = False

    def __call__(self, state: Embedding) -> None:
        from ..kb.text import fit, one_line

        room = terminal_columns() - 1
        click.echo("\r" + fit(one_line(str(state)), room, glyphs()).ljust(room), nl=False, err=True)
        self._open = True
        if state.done >= state.total:
            self.end()

    def end(self) -> None:
        """Leave the line as it is."""
        if self._open:
            click.echo(err=True)
        self._open = False


def json_text(value: object) -> str:
    # ASCII only, so that nothing but DEL is left of the controls.
    return json.dumps(value, indent=2, default=_plain).replace("\x7f", "\\u007f")


def _plain(value: object) -> object:
    if isinstance(value, bytes):
        return value.hex()
    return str(value)


def paint(text: str, role: str) -> str:
    if "NO_COLOR" in os.environ:
        return text
    colours: dict[str, dict[str, Any]] = {
        "good": {"fg": "green"},
        "bad": {"fg": "red"},
        "warn": {"fg": "yellow"},
        "dim": {"dim": True},
        "head": {"bold": True},
    }
    return click.style(text, **colours[role])


def terminal_columns() -> int:
    import shutil

    return min(max(shutil.get_terminal_size((80, 24)).columns, 40), 120)


def glyphs() -> Glyphs:
    from ..kb.text import glyphs_for

    return glyphs_for(getattr(sys.stdout, "encoding", None))


def print_lines(lines: Iterable[str]) -> None:
    for line in lines:
        click.echo(line)


def print_table(
    columns: Sequence[str], rows: Sequence[Sequence[object]], *, right: Sequence[int] | None = None
) -> None:
    from ..kb.text import cell_text, numeric_columns, table

    limit = terminal_columns() if sys.stdout.isatty() else None
    cells = [[cell_text(value) for value in row] for row in rows]
    right = numeric_columns(rows) if right is None else right
    print_lines(table(columns, cells, limit=limit, right=right, glyphs=glyphs(), paint=paint))
