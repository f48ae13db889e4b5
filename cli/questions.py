"""The options of a question to the search, and what asking it prints."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .options import requirements_option
from .printing import embedding_shown, note
from .running import open_kb

if TYPE_CHECKING:
    from ..retrieval.asking import Found, Question


_QUESTION_OPTIONS = (
    click.argument("query"),
    click.option(
        "--with",
        "named",
        multiple=True,
        metavar="SPEC",
        help="A project and its release: pandas==1.5.3, 'pandas>=1.5,<2', or pandas for the newest one.  "
        "May be repeated.",
    ),
    requirements_option("The releases that a requirements file pins."),
    click.option(
        "--lock",
        "locks",
        multiple=True,
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="The releases that a lock file pins: pylock.toml, poetry.lock, uv.lock.  May be repeated.",
    ),
    click.option("--env", "environment", is_flag=True, help="The releases that are installed here."),
    click.option("--any", "any_release", is_flag=True, help="What one of the pinned releases has is enough."),
    click.option(
        "-k", type=click.IntRange(min=1), default=10, show_default=True, metavar="N", help="How many hits."
    ),
    click.option(
        "--code",
        "code_file",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Code of the task: what it imports narrows the projects.",
    ),
    click.option(
        "--encoder",
        metavar="NAME",
        default="auto",
        show_default=True,
        help="What compares meanings: 'minilm-l6-v2', 'hash' or 'st:NAME-or-path', which embed what has no "
        "vector yet; 'none'; 'auto' for minilm-l6-v2 where `apikb embed` was run, else none.",
    ),
)

_AS_GIVEN = ("named", "requirements", "locks", "environment", "k", "encoder")
"""Options that a question takes as they are."""


def question_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of a question; it gets them as one, by the name of `question`."""

    @functools.wraps(command)
    def asked(query: str, any_release: bool, code_file: Path | None, **options: Any) -> None:
        from ..retrieval.asking import Question

        own = {name: options.pop(name) for name in _AS_GIVEN}
        command(
            question=Question(
                query=_text(sys.stdin.buffer.read()) if query == "-" else query,
                every=not any_release,
                code=None if code_file is None else _text(code_file.read_bytes()),
                **own,
            ),
            **options,
        )

    return functools.reduce(lambda made, option: option(made), reversed(_QUESTION_OPTIONS), asked)


def _text(content: bytes) -> str:
    return content.decode("utf-8-sig", errors="replace")


def ask_kb(question: Question, kb_path: Path) -> Found:
    """Search; stderr hears what was left out, and where nothing is found."""
    from ..retrieval.asking import ask

    with open_kb(kb_path) as kb, embedding_shown() as progress:
        found = ask(kb, question, note, progress)
    if not found.hits:
        from ..retrieval.view import pins_text

        note(f"Nothing found in {pins_text(found.pins)}.")
    return found
