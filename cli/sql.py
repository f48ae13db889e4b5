"""`apikb sql`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from .options import json_option, kb_option
from .printing import json_text, print_table
from .running import command, open_kb


@command()
@click.argument("query")
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
@json_option
@kb_option
def sql(query: str, as_csv: bool, as_json: bool, kb_path: Path) -> None:
    """Run a read-only SQL QUERY, or the one on standard input where QUERY is '-'.

    The query sees the views of the knowledge base and nothing else: no files, no
    network, no other database.

    \b
    Views:  spans signatures parameters deprecations tombstones moves changes docstrings releases modules
    Macro:  symbols_at(project, version)

    \b
    Examples:
      apikb sql "SELECT symbol, added FROM spans WHERE removed = '2.0.0'"
      apikb sql "FROM symbols_at('flask', '2.3.0') WHERE deprecated" --csv
      apikb sql - --json < query.sql
    """
    if as_csv and as_json:
        raise click.UsageError("--csv and --json exclude each other.")
    if query == "-":
        query = sys.stdin.read()
    with open_kb(kb_path) as kb:
        result = kb.sql(query)
    if as_json:
        from ..kb.text import unique_names

        names = unique_names(result.columns)
        click.echo(json_text([dict(zip(names, row, strict=True)) for row in result.rows]))
    elif as_csv:
        from ..kb.text import csv_text

        # A terminal is for people: what does not print is escaped there, and only there.
        click.echo(csv_text(result.columns, result.rows, escape=sys.stdout.isatty()), nl=False)
    else:
        print_table(result.columns, result.rows)
        click.echo(f"({len(result.rows)} row{'s' * (len(result.rows) != 1)})", err=True)
