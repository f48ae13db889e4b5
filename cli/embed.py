"""`apikb embed`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .options import kb_option
from .printing import embedding_shown, note
from .running import command, open_kb

if TYPE_CHECKING:
    from ..kb.lookup import KnowledgeBase


@command()
@click.argument("projects", nargs=-1, metavar="PROJECT...")
@click.option("--all", "everything", is_flag=True, help="All projects that are indexed.")
@click.option(
    "--encoder",
    metavar="NAME",
    default="minilm-l6-v2",
    show_default=True,
    help="What makes the vectors: 'minilm-l6-v2', 'hash' or 'st:NAME-or-path'.",
)
@kb_option
def embed(projects: tuple[str, ...], everything: bool, encoder: str, kb_path: Path) -> None:
    """Make vectors of the texts of projects, so that a search finds by meaning as well.

    They are kept beside the knowledge base; each distinct text is embedded once, and a second run embeds only
    what is new.  Ctrl-C keeps what is done, and the same command goes on.

    \b
    Exit codes: 0 all texts have vectors; 2 wrong usage, or no such encoder; 4 project not indexed;
    130 interrupted.

    \b
    Examples:
      apikb embed pandas
      apikb embed --all
      apikb embed click --encoder hash
    """
    from ..retrieval.encoders import encoder_named
    from ..retrieval.retriever import Retriever

    with open_kb(kb_path) as kb, embedding_shown() as progress:
        names = _names(kb, projects, everything)
        made = encoder_named(encoder)
        for name in names:
            # One for each project, so that the vectors of the one before need not stay in memory.
            retriever = Retriever(kb, note, encoder=made, progress=progress)
            known = retriever.is_embedded(name)
            count = retriever.embed(name)
            click.echo(f"{name}: {count:,} texts have vectors" + (", nothing to do" if known else ""))


def _names(kb: KnowledgeBase, projects: Sequence[str], everything: bool) -> list[str]:
    if everything == bool(projects):
        raise click.UsageError("Name at least one project, or give --all.")
    names = [info.project for info in kb.projects()] if everything else projects
    return list(dict.fromkeys(kb.info(name).project for name in names))
