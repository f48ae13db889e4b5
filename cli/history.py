"""`apikb history`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from .lookup import lookup_code
from .options import json_option, kb_option
from .printing import glyphs, json_text, note, paint, print_lines, terminal_columns
from .running import command, open_kb

_SEEN = ("present", "deprecated", "tombstone")


@command()
@click.argument("symbol")
@click.option(
    "--project", metavar="PROJECT", help="Where the symbol's first name may be of several projects."
)
@click.option("--pre", is_flag=True, help="Pre-releases too.")
@json_option
@kb_option
def history(symbol: str, project: str | None, pre: bool, as_json: bool, kb_path: Path) -> None:
    """Draw the life of SYMBOL: spans, deprecation, changes of signature and parameters.

    \b
    Exit codes: 0 it exists in some release; 1 in none; 3 cannot be told;
    2 wrong usage; 4 project not indexed.

    \b
    Examples:
      apikb history flask.Markup
      apikb history click.Command --json
    """
    from ..kb.answers import SpecifierAnswer

    with open_kb(kb_path) as kb:
        life = kb.history(symbol, project=project, pre=pre)
        never = not any(status in _SEEN for _, status in life.statuses)
        answer = kb.lookup(symbol, project=project) if never else None
    if as_json:
        click.echo(json_text(asdict(life)))
    else:
        from ..kb.timeline import history_lines

        print_lines(history_lines(life, columns=terminal_columns(), glyphs=glyphs(), paint=paint))
    if answer is not None and not isinstance(answer, SpecifierAnswer) and answer.suggestions:
        note(f"did you mean: {', '.join(answer.suggestions)}")
    if answer is not None:
        raise click.exceptions.Exit(lookup_code(answer))
