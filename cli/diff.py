"""`apikb diff`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from .options import json_option, kb_option
from .printing import json_text, paint, print_lines, terminal_columns
from .running import command, open_kb


@command()
@click.argument("project")
@click.argument("a")
@click.argument("b")
@click.option("--symbol", metavar="SYMBOL", help="Only this symbol and what is below it.")
@click.option("--removed", is_flag=True, help="Only what is gone, or raises when used.")
@click.option("--added", is_flag=True, help="Only what is new.")
@click.option(
    "--changed", is_flag=True, help="Only what is there in both but differs, deprecations included."
)
@click.option("--all", "everything", is_flag=True, help="Private names too.")
@json_option
@kb_option
def diff(
    project: str,
    a: str,
    b: str,
    symbol: str | None,
    removed: bool,
    added: bool,
    changed: bool,
    everything: bool,
    as_json: bool,
    kb_path: Path,
) -> None:
    """Compare the public API of release A of PROJECT with that of release B.

    What can break a caller is marked with '!'.

    \b
    Examples:
      apikb diff flask 2.2.5 2.3.0
      apikb diff numpy 1.26.4 2.0.0 --removed
      apikb diff torch 1.12.1 1.13.0 --symbol torch.nn --json
    """
    wanted = [
        *(("removed", "tombstone") if removed else ()),
        *(("added",) if added else ()),
        *(("changed", "deprecated", "undeprecated") if changed else ()),
    ]
    with open_kb(kb_path) as kb:
        changes = kb.diff(project, a, b, symbol=symbol, changes=wanted or None, all=everything)
    if as_json:
        click.echo(json_text([asdict(change) for change in changes]))
        return
    from ..kb.reports import change_lines

    print_lines(change_lines(project, a, b, changes, columns=terminal_columns(), paint=paint))
