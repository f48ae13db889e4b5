"""`apikb export`."""

from __future__ import annotations

from pathlib import Path

import click

from .options import kb_option
from .running import command, open_kb


@command()
@click.argument("folder", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
@kb_option
def export(folder: Path, kb_path: Path) -> None:
    """Write the knowledge base as Parquet files into DIR, one folder a project.

    \b
    Example:
      apikb export parquet/
    """
    with open_kb(kb_path) as kb:
        files = kb.export(folder)
    click.echo(f"{len(files)} files written to {folder}", err=True)
