"""`apikb lookup`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .options import json_option, kb_option
from .printing import json_text, paint, print_lines, terminal_columns
from .running import EXIT_ABSENT, EXIT_UNKNOWN, command, open_kb

if TYPE_CHECKING:
    from ..kb.answers import Answer, SpecifierAnswer


@command()
@click.argument("symbol")
@click.option(
    "--version",
    "version",
    metavar="VERSION|SPEC",
    help="A release, or a specifier such as '>=1.2,<2'.  [default: the newest indexed final release]",
)
@click.option(
    "--project", metavar="PROJECT", help="Where the symbol's first name may be of several projects."
)
@click.option("--doc", is_flag=True, help="Its docstring at that release, too.")
@json_option
@kb_option
def lookup(
    symbol: str, version: str | None, project: str | None, doc: bool, as_json: bool, kb_path: Path
) -> None:
    """Say whether SYMBOL exists at a release, since when, until when, and what replaced it.

    SYMBOL is a path as people write it: a module, class, function, method or constant,
    under any of its public paths; a parameter is written 'numpy.var(mean)'.

    \b
    Exit codes: 0 present; 1 absent, or there but raising when used; 3 unknown;
    2 wrong usage; 4 project or release not indexed.  With a specifier: 0 present in
    all matching releases; 1 missing in at least one; 3 cannot be told.

    \b
    Examples:
      apikb lookup torch.nn.GELU --version 1.3.1
      apikb lookup 'numpy.var(mean)' --version '>=1.20,<2.1'
      apikb lookup PIL.Image.ANTIALIAS --json
      apikb lookup click.echo --version 2.0 --doc
    """
    from ..kb.answers import SpecifierAnswer

    with open_kb(kb_path) as kb:
        answer = kb.lookup(symbol, version=version, project=project)
        text = kb.docstring(symbol, version=version, project=project) if doc else None
    if as_json:
        click.echo(json_text({**_answer_object(answer), **({"docstring": text} if doc else {})}))
    else:
        from ..kb.reports import answer_lines, specifier_lines

        if isinstance(answer, SpecifierAnswer):
            print_lines(specifier_lines(answer, columns=terminal_columns(), paint=paint))
        else:
            print_lines(answer_lines(answer, columns=terminal_columns(), paint=paint))
        if doc:
            from ..kb.reports import docstring_lines

            print_lines(docstring_lines(text, paint=paint))
    raise click.exceptions.Exit(lookup_code(answer))


def lookup_code(answer: Answer | SpecifierAnswer) -> int:
    from ..kb.answers import SpecifierAnswer
    from ..kb.symbols import Status

    if isinstance(answer, SpecifierAnswer):
        if answer.absent or answer.tombstone:
            return EXIT_ABSENT
        return EXIT_UNKNOWN if answer.unknown or not answer.present else 0
    return {Status.PRESENT: 0, Status.ABSENT: 1, Status.TOMBSTONE: 1, Status.UNKNOWN: 3}[answer.status]


def _answer_object(answer: Answer | SpecifierAnswer) -> dict[str, object]:
    from ..kb.answers import SpecifierAnswer

    if not isinstance(answer, SpecifierAnswer):
        return asdict(answer)
    return {
        **asdict(answer.newest),
        "specifier": answer.specifier,
        "verdict": answer.verdict,
        "releases": {
            "present": answer.present,
            "absent": answer.absent,
            "tombstone": answer.tombstone,
            "unknown": answer.unknown,
        },
    }
