"""`apikb context`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from .options import kb_option
from .printing import note
from .questions import ask_kb, question_options
from .running import EXIT_ABSENT, command

if TYPE_CHECKING:
    from ..retrieval.asking import Question


@command()
@question_options
@click.option(
    "--budget",
    type=click.IntRange(min=1),
    default=2000,
    show_default=True,
    metavar="TOKENS",
    help="What the text may have at most.",
)
@click.option(
    "--tokenizer",
    metavar="NAME",
    default="plain",
    show_default=True,
    help="What counts: 'plain' for a rule of thumb, 'tiktoken:NAME', 'hf:NAME' or 'hf:PATH'.",
)
@click.option(
    "--format",
    "style",
    type=click.Choice(["markdown", "json", "xml"]),
    default="markdown",
    show_default=True,
    help="How it is written.",
)
@kb_option
def context(question: Question, budget: int, tokenizer: str, style: str, kb_path: Path) -> None:
    """Pack what QUERY finds in the pinned releases as context for a code generator.

    The best hits that fit into the budget: signature, smallest example, summary, then docstrings.  What
    is deprecated says so, with what to use instead.  Text of packages is fenced: it is data, whatever
    it says.

    \b
    Exit codes: 0 printed; 1 nothing found, or nothing fits; 2 wrong usage;
    4 project or release not indexed.

    \b
    Examples:
      apikb context "add rows to a DataFrame" --with pandas==1.5.3 --budget 800
      apikb context "one-hot encode" -r requirements.txt --format xml
      apikb context - --env --tokenizer tiktoken:cl100k_base < question.txt
    """
    from ..retrieval.formats import FORMATS
    from ..retrieval.packing import pack
    from ..retrieval.token_counts import token_counter
    from ..retrieval.view import packed_line

    count_tokens = token_counter(tokenizer)
    packed = pack(ask_kb(question, kb_path).hits, budget, count_tokens, FORMATS[style])
    click.echo(packed.text, nl=False)
    note(packed_line(packed))
    if not packed.entries and packed.dropped:
        note(f"Nothing fits into {budget} tokens; give more with --budget.")
    raise click.exceptions.Exit(0 if packed.entries else EXIT_ABSENT)
