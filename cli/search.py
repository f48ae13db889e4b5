"""`apikb search`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from .options import json_option, kb_option
from .printing import glyphs, json_text, paint, print_lines, terminal_columns
from .questions import ask_kb, question_options
from .running import EXIT_ABSENT, command

if TYPE_CHECKING:
    from ..retrieval.asking import Question


@command()
@question_options
@click.option("--explain", is_flag=True, help="What each way of ranking said; --json always has it.")
@json_option
@kb_option
def search(question: Question, explain: bool, as_json: bool, kb_path: Path) -> None:
    """Find the symbols that QUERY describes, of those that the pinned releases have.

    QUERY is words, code or the name of a symbol; '-' reads it from standard input.  A symbol must be in
    all releases that the pins allow, unless --any is given.  What the signature, the summary and the
    examples say is that of the newest of them.

    The search is by words, and by meaning as well where `apikb embed` was run or an --encoder is named.

    \b
    Exit codes: 0 found; 1 nothing found; 2 wrong usage; 4 project or release not indexed.

    \b
    Examples:
      apikb search "add rows to a DataFrame" --with pandas==1.5.3
      apikb search "one-hot encode" --with 'scikit-learn>=1.2,<1.4' --json
      apikb search "parse a date" -r requirements.txt --code task.py
      apikb search - --lock uv.lock -k 3 < question.txt
    """
    from ..retrieval.view import hit_json, hit_lines, pin_json

    found = ask_kb(question, kb_path)
    if as_json:
        pins, hits = list(map(pin_json, found.pins)), list(map(hit_json, found.hits))
        told = {"query": question.query, "encoder": found.encoder, "pins": pins, "hits": hits}
        click.echo(json_text(told))
    else:
        print_lines(
            hit_lines(found.hits, explain=explain, columns=terminal_columns(), glyphs=glyphs(), paint=paint)
        )
    raise click.exceptions.Exit(0 if found.hits else EXIT_ABSENT)
