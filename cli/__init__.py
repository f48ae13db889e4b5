"""The command line: stdout is for data, stderr for people.

A command is imported when it is run, and what only some of its answers need is imported in it: a lookup pays
for nothing else.
"""

from __future__ import annotations

import io
import sys
from typing import NoReturn

import click

from .. import __version__
from .running import EXIT_INTERRUPTED, Group, Place

COMMANDS = {
    "index": Place("index", "index", "Read every release of a project."),
    "lookup": Place("lookup", "lookup", "Say whether a symbol exists at a release."),
    "history": Place("history", "history", "Draw the life of a symbol."),
    "search": Place("search", "search", "Find what does a thing, in the releases that you pin."),
    "context": Place("context", "context", "Pack what a search finds as context for a code generator."),
    "embed": Place("embed", "embed", "Make vectors of the texts of projects, for the search."),
    "diff": Place("diff", "diff", "Compare two releases of a project."),
    "sql": Place("sql", "sql", "Run a read-only SQL query."),
    "list": Place("listing", "list_", "List the projects that are indexed."),
    "info": Place("listing", "info", "Show the releases of a project."),
    "audit": Place("audit", "audit", "Compare what the docs claim with what was read."),
    "eval": Place("evaluation", "evaluation", "Measure retrieval and generation on real tasks."),
    "export": Place("export", "export", "Write Parquet files."),
}
_CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


@click.group(cls=Group, places=COMMANDS, context_settings=_CONTEXT)
@click.version_option(__version__, prog_name="apikb")
def cli() -> None:
    """The lifespans of Python APIs: what exists in which release, since when, until when.

    \b
    Start with:
      apikb index click
      apikb lookup click.Command --version 7.0
    """


def main() -> NoReturn:
    """Run the command line and leave with its exit code."""
    for stream in (sys.stdout, sys.stderr):
        # What the encoding cannot hold is escaped, never an error.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        cli.main(prog_name="apikb")
    except KeyboardInterrupt:
        sys.exit(EXIT_INTERRUPTED)
    sys.exit(0)
