"""Options that several commands have."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])


def _default_kb() -> Path:
    from platformdirs import user_data_path

    return user_data_path("apikb", appauthor=False) / "kb.duckdb"


def kb_option(command: F) -> F:
    return click.option(
        "--kb",
        "kb_path",
        type=click.Path(dir_okay=False, path_type=Path),
        envvar="APIKB_KB",
        default=_default_kb,
        show_default="kb.duckdb in the user's data folder",
        show_envvar=True,
        metavar="FILE",
        help="The knowledge base.",
    )(command)


def json_option(command: F) -> F:
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(command)


def requirements_option(text: str) -> Callable[[F], F]:
    return click.option(
        "-r",
        "--requirement",
        "requirements",
        multiple=True,
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help=f"{text}  May be repeated.",
    )
