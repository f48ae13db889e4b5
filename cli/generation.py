"""`apikb eval run`, `report` and `compare`: what context does to what a model writes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .options import json_option, kb_option
from .printing import json_text, note
from .running import command, open_kb

if TYPE_CHECKING:
    from ..rag_eval.reading import ReadRun

_FOLDER = click.Path(file_okay=False, path_type=Path)
_POSITIVE = click.IntRange(min=1)


@command()
@click.argument(
    "data", nargs=-1, required=True, type=click.Path(dir_okay=False, path_type=Path), metavar="DATA..."
)
@click.option("--out", type=_FOLDER, required=True, metavar="FOLDER", help="Where the run is kept.")
@click.option(
    "--model",
    default="smollm2",
    show_default=True,
    metavar="NAME",
    help="smollm2, hf:NAME-or-path, gguf:FILE or replay:FILE.",
)
@click.option(
    "--condition",
    "conditions",
    multiple=True,
    metavar="NAME",
    help="none, retrieved, unfiltered, wrong-version, mixed, oracle; all by default.  May be repeated.",
)
@click.option("--kind", metavar="NAME", help="Tasks of one kind only, such as token or line.")
@click.option(
    "--project", "projects", multiple=True, metavar="NAME", help="Only its tasks.  May be repeated."
)
@click.option("--limit", type=_POSITIVE, metavar="N", help="The first N tasks only.")
@click.option("--skip-bad", is_flag=True, help="Pass malformed rows over, and count them.")
@click.option("-n", type=_POSITIVE, metavar="N", help="Outputs a task; by default those of the paper.")
@click.option("--greedy", is_flag=True, help="One output of the likeliest tokens.")
@click.option("--max-tokens", type=_POSITIVE, metavar="N", help="Of one output.")
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Of the sampling.")
@click.option("-k", type=_POSITIVE, default=5, show_default=True, metavar="N", help="Entries of a context.")
@click.option(
    "--budget", type=_POSITIVE, default=1000, show_default=True, metavar="TOKENS", help="Of a context."
)
@click.option(
    "--content",
    default="signature,summary,examples,deprecation",
    show_default=True,
    metavar="NAMES",
    help="What entries hold, of these and docstring.",
)
@click.option("--no-code", is_flag=True, help="Search by the description alone, without the given code.")
@click.option(
    "--encoder",
    default="none",
    show_default=True,
    metavar="NAME",
    help="Of the search: minilm-l6-v2, hash, st:NAME-or-path, or none for lexical search.",
)
@kb_option
def run(data: tuple[Path, ...], out: Path, kb_path: Path, **chosen: Any) -> None:
    """Have a model do tasks under conditions, into FOLDER.

    DATA are files of tasks, as VersiCode and GitChameleon have them.  A run that was cut off goes on where it
    was.  The default model is SmolLM2-135M, which runs on a laptop without an account.

    \b
    Examples:
      apikb eval run stackoverflow_line.jsonl --greedy --out runs/line
      apikb eval run tasks.jsonl --model hf:org/model -n 6 --condition none --condition retrieved --out runs/a
    """
    from ..rag_eval.starting import start
    from ..retrieval.embedding_progress import PlainProgress

    with open_kb(kb_path) as kb:
        start(kb, data, out, note=note, progress=PlainProgress(note), **chosen)
    note(f"Done.  See: apikb eval report {out}")


@command()
@click.argument("runs", nargs=-1, required=True, type=_FOLDER, metavar="FOLDER...")
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
@click.option(
    "--html",
    "html_path",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write a page with plots, of one run.",
)
@click.option("--no-store", is_flag=True, help="Do not ask the knowledge base about what outputs use.")
@json_option
@kb_option
def report(
    runs: tuple[Path, ...],
    as_csv: bool,
    html_path: Path | None,
    no_store: bool,
    as_json: bool,
    kb_path: Path,
) -> None:
    """Score the runs in FOLDERs: by condition, with intervals, and with differences over the same tasks.

    \b
    Examples:
      apikb eval report runs/line
      apikb eval report runs/line --html line.html
      apikb eval report runs/a runs/b --csv > scores.csv
    """
    if as_csv and as_json:
        raise click.UsageError("--csv and --json exclude each other.")
    if html_path is not None and len(runs) > 1:
        raise click.UsageError("--html takes one run.")
    from ..rag_eval import run_report

    read = _read_all(runs, None if no_store else kb_path)
    for each in read:
        if as_csv:
            click.echo(run_report.as_csv(each.rows), nl=False)
        elif not as_json:
            click.echo(f"{each.folder.path}\n" + "\n".join(run_report.lines_of(each.rows, each.results)))
    if as_json:
        click.echo(json_text([run_report.as_json(e.rows, e.results, e.folder.manifest) for e in read]))
    if html_path is not None:
        from ..rag_eval.run_page import page

        (only,) = read
        html_path.write_text(page(only.results, only.rows, only.folder.manifest, only.folder.path.name))
        note(f"{html_path} is written")


@command()
@click.argument("first", type=_FOLDER)
@click.argument("second", type=_FOLDER)
@json_option
def compare(first: Path, second: Path, as_json: bool) -> None:
    """Compare two runs of the same tasks, condition by condition: SECOND minus FIRST.

    Tasks that only one of them has are left out, and counted.

    \b
    Examples:
      apikb eval compare runs/small runs/large
      apikb eval compare runs/k1 runs/k5 --json
    """
    from dataclasses import asdict

    from ..rag_eval.comparing import compared, comparison_lines

    one, other = _read_all((first, second), None)
    rows, left_out = compared(one.results, other.results)
    if left_out:
        note(f"left out: {left_out} tasks that only one run has")
    click.echo(json_text([asdict(row) for row in rows]) if as_json else "\n".join(comparison_lines(rows)))


def _read_all(folders: tuple[Path, ...], kb_path: Path | None) -> list[ReadRun]:
    from ..rag_eval.reading import read_run

    if kb_path is None:
        return [read_run(folder) for folder in folders]
    with open_kb(kb_path) as kb:
        return [read_run(folder, kb) for folder in folders]
