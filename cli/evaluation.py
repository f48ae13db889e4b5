"""`apikb eval`: measuring retrieval and generation."""

from __future__ import annotations

from pathlib import Path

import click

from .options import json_option, kb_option
from .printing import json_text, note
from .running import Group, Place, command, open_kb

EVALUATIONS = {
    "retrieval": Place("evaluation", "retrieval", "Measure how well search finds the API of a task."),
    "run": Place("generation", "run", "Have a model do tasks under several conditions."),
    "report": Place("generation", "report", "Score a run."),
    "compare": Place("generation", "compare", "Set two runs side by side."),
}


@click.group(cls=Group, places=EVALUATIONS)
def evaluation() -> None:
    """Measure retrieval and generation on real tasks.

    \b
    Examples:
      apikb eval retrieval tasks.jsonl --out quality
      apikb eval run tasks.jsonl --greedy --out runs/a
    """


@command()
@click.argument(
    "data", nargs=-1, required=True, type=click.Path(dir_okay=False, path_type=Path), metavar="DATA..."
)
@click.option(
    "--system",
    "systems",
    multiple=True,
    metavar="NAME",
    help="A way of ranking; all of them by default.  May be repeated.",
)
@click.option(
    "--project", "projects", multiple=True, metavar="NAME", help="Only its tasks.  May be repeated."
)
@click.option(
    "--encoder",
    default="minilm-l6-v2",
    show_default=True,
    metavar="NAME",
    help="Makes the vectors: minilm-l6-v2, hash, or st:NAME-or-path.",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    metavar="FOLDER",
    help="Where queries, judgements, runs and misses are written.",
)
@json_option
@kb_option
def retrieval(
    data: tuple[Path, ...],
    systems: tuple[str, ...],
    projects: tuple[str, ...],
    encoder: str,
    out: Path,
    as_json: bool,
    kb_path: Path,
) -> None:
    """Rank the questions of tasks by several systems, and measure where the answers are.

    DATA are files of tasks, as VersiCode and GitChameleon have them.  A task is a question where its release
    is in the knowledge base and has a callable of the name that is wanted.  The description asks; systems
    whose names end in +code see the task's code as well.

    FOLDER gets the queries, TREC qrels and runs, a report, and for each system the misses to be read by a
    person.  Measures are recall, reciprocal rank and nDCG, with 95 % bootstrap intervals.

    \b
    Systems: bm25-plain, bm25-code, lexical, lexical+code, dense-name, dense-signature, dense-extended,
    dense-docstring, dense-examples, hybrid, hybrid+code.

    \b
    Examples:
      apikb eval retrieval stackoverflow_line.jsonl --out quality
      apikb eval retrieval tasks.jsonl --project pandas --system lexical --system hybrid --out quality
    """
    from dataclasses import asdict

    from ..rag_eval.retrieval_quality.report import table
    from ..rag_eval.retrieval_quality.running import evaluate_retrieval
    from ..rag_eval.retrieval_quality.systems import SYSTEMS
    from ..retrieval.embedding_progress import PlainProgress

    with open_kb(kb_path) as kb:
        rows = evaluate_retrieval(
            kb,
            data,
            out,
            systems=systems or SYSTEMS,
            projects=projects,
            encoder=encoder,
            note=note,
            progress=PlainProgress(note),
        )
    click.echo(json_text([asdict(row) for row in rows]) if as_json else table(rows))
