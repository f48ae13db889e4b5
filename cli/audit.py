"""`apikb audit`."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path

import click

from .options import json_option, kb_option
from .printing import json_text, paint, print_lines, terminal_columns
from .running import command, open_kb


@command()
@click.argument("project")
@click.option("--all", "everything", is_flag=True, help="All findings, agreement too, and private names.")
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
@json_option
@kb_option
def audit(project: str, everything: bool, as_csv: bool, as_json: bool, kb_path: Path) -> None:
    """Compare the versionadded, versionchanged and deprecated directives of PROJECT's docstrings
    with the lifelines of what they are about: the object, or a parameter or attribute, told by their place.

    A claimed version counts for the first indexed final release that is not older: 0.20 is 0.20.0, 1.2rc1
    is 1.2.  What lies outside the indexed releases is not judged.

    \b
    Verdicts: agree; earlier, later: we saw it before, after the claimed release;
    not found; extra: deprecated in the code, and no docstring says so; unknown;
    unchecked: behaviour, which signatures do not show; outside.

    \b
    Examples:
      apikb audit flask
      apikb audit scikit-learn --csv > claims.csv
      apikb audit click --all --json
    """
    if as_csv and as_json:
        raise click.UsageError("--csv and --json exclude each other.")
    from ..kb.audit_report import COLUMNS, audit_lines, finding_rows, shown

    with open_kb(kb_path) as kb:
        result = kb.audit(project, private=everything)
    listed = shown(result, everything=everything)
    if as_json:
        found = [asdict(finding) for finding in listed]
        bounds = {"project": result.project, "first": result.first, "newest": result.newest}
        click.echo(json_text({**bounds, "counts": result.counts(), "findings": found}))
    elif as_csv:
        from ..kb.text import csv_text

        click.echo(csv_text(COLUMNS, finding_rows(listed), escape=sys.stdout.isatty()), nl=False)
    else:
        print_lines(audit_lines(result, everything=everything, columns=terminal_columns(), paint=paint))
