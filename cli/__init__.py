"""The command line: stdout is for data, stderr for people.

Only click and the light path of `kb` are imported here; what a single command needs
is imported in it, so that a lookup pays for nothing else.
"""

from __future__ import annotations

import functools
import io
import json
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import click

from .. import __version__
from ..kb.errors import ApikbError

if TYPE_CHECKING:
    from ..indexers.pipeline import Summary
    from ..kb.answers import Answer, SpecifierAnswer
    from ..kb.lookup import KnowledgeBase
    from ..kb.text import Glyphs
    from ..retrieval.asking import Found, Question

F = TypeVar("F", bound=Callable[..., Any])

EXIT_ABSENT = EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_UNKNOWN = 3
EXIT_INTERRUPTED = 130


def _fail(message: str, hint: str | None, exit_code: int, *, as_json: bool = False) -> click.exceptions.Exit:
    """Tell stderr what went wrong, to a person or as an object; returns what to raise."""
    from ..kb.text import visible

    if as_json:
        click.echo(_json({"error": message, "hint": hint}), err=True)
    else:
        click.echo("\n".join(map(visible, f"Error: {message}".splitlines())), err=True)
        if hint:
            click.echo("\n".join(map(visible, f"Hint: {hint}".splitlines())), err=True)
    return click.exceptions.Exit(exit_code)


class Command(click.Command):
    """Turns every error that has a user's name on it into one clear line and an exit code."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Parse; under `--json` a usage error is an object as well."""
        as_json = "--json" in args
        try:
            return super().make_context(info_name, args, parent, **extra)
        except click.UsageError as error:
            if not as_json:
                raise
            raise _usage_failure(error) from error

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        as_json = bool(ctx.params.get("as_json"))
        try:
            return super().invoke(ctx)
        except ApikbError as error:
            raise _fail(error.message, error.hint, error.exit_code, as_json=as_json) from error
        except click.UsageError as error:
            if not as_json:
                raise
            raise _usage_failure(error) from error
        except KeyboardInterrupt:
            click.echo("\nInterrupted.", err=True)
            raise click.exceptions.Exit(EXIT_INTERRUPTED) from None
        except BrokenPipeError:
            raise
        except OSError as error:
            what = f"{error.filename}: " if error.filename else ""
            raise _fail(f"{what}{error.strerror or error}", None, EXIT_USAGE, as_json=as_json) from error


def _usage_failure(error: click.UsageError) -> click.exceptions.Exit:
    hint = f"see `{error.ctx.command_path} --help`" if error.ctx is not None else None
    return _fail(error.format_message(), hint, error.exit_code, as_json=True)


class Group(click.Group):
    """Lists the commands in the order in which they are written."""

    command_class = Command

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name the commands."""
        return list(self.commands)


def _default_kb() -> Path:
    from platformdirs import user_data_path

    return user_data_path("apikb", appauthor=False) / "kb.duckdb"


def _kb_option(command: F) -> F:
    return click.option(
        "--kb",
        "kb_path",
        type=click.Path(dir_okay=False, path_type=Path),
        envvar="APIKB_KB",
        default=_default_kb,
        show_default="kb.duckdb in the user's data folder",
        show_envvar=True,
        metavar="FILE",
        help="The knowledge base.",
    )(command)


def _json_option(command: F) -> F:
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(command)


def _requirements_option(text: str) -> Callable[[F], F]:
    return click.option(
        "-r",
        "--requirement",
        "requirements",
        multiple=True,
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help=f"{text}  May be repeated.",
    )


_QUESTION_OPTIONS = (
    click.argument("query"),
    click.option(
        "--with",
        "named",
        multiple=True,
        metavar="SPEC",
        help="A project and its release: pandas==1.5.3, 'pandas>=1.5,<2', or pandas for the newest one.  "
        "May be repeated.",
    ),
    _requirements_option("The releases that a requirements file pins."),
    click.option(
        "--lock",
        "locks",
        multiple=True,
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="The releases that a lock file pins: pylock.toml, poetry.lock, uv.lock.  May be repeated.",
    ),
    click.option("--env", "environment", is_flag=True, help="The releases that are installed here."),
    click.option("--any", "any_release", is_flag=True, help="What one of the pinned releases has is enough."),
    click.option(
        "-k", type=click.IntRange(min=1), default=10, show_default=True, metavar="N", help="How many hits."
    ),
    click.option(
        "--code",
        "code_file",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Code of the task: what it imports narrows the projects.",
    ),
)


def _question_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of a question; it gets them as one, by the name of `question`."""

    @functools.wraps(command)
    def asked(query: str, any_release: bool, code_file: Path | None, **options: Any) -> None:
        from ..retrieval.asking import Question

        own = {name: options.pop(name) for name in ("named", "requirements", "locks", "environment", "k")}
        command(
            question=Question(
                query=_text(sys.stdin.buffer.read()) if query == "-" else query,
                every=not any_release,
                code=None if code_file is None else _text(code_file.read_bytes()),
                **own,
            ),
            **options,
        )

    return functools.reduce(lambda made, option: option(made), reversed(_QUESTION_OPTIONS), asked)


def _text(content: bytes) -> str:
    return content.decode("utf-8-sig", errors="replace")


def _note(message: str) -> None:
    from ..kb.text import one_line

    click.echo(one_line(message), err=True)


def _ask(question: Question, kb_path: Path) -> Found:
    """Search; stderr hears what was left out, and where nothing is found."""
    from ..retrieval.asking import ask

    with _open(kb_path) as kb:
        found = ask(kb, question, _note)
    if not found.hits:
        from ..retrieval.view import pins_text

        _note(f"Nothing found in {pins_text(found.pins)}.")
    return found


def _open(path: Path) -> KnowledgeBase:
    from ..kb.lookup import KnowledgeBase

    return KnowledgeBase.open(path)


def _json(value: object) -> str:
    # ASCII only, so that nothing but DEL is left of the controls.
    return json.dumps(value, indent=2, default=_plain).replace("\x7f", "\\u007f")


def _plain(value: object) -> object:
    if isinstance(value, bytes):
        return value.hex()
    return str(value)


def _paint(text: str, role: str) -> str:
    if "NO_COLOR" in os.environ:
        return text
    colours: dict[str, dict[str, Any]] = {
        "good": {"fg": "green"},
        "bad": {"fg": "red"},
        "warn": {"fg": "yellow"},
        "dim": {"dim": True},
        "head": {"bold": True},
    }
    return click.style(text, **colours[role])


def _columns() -> int:
    import shutil

    return min(max(shutil.get_terminal_size((80, 24)).columns, 40), 120)


def _glyphs() -> Glyphs:
    from ..kb.text import glyphs_for

    return glyphs_for(getattr(sys.stdout, "encoding", None))


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        click.echo(line)


_CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


@click.group(cls=Group, context_settings=_CONTEXT)
@click.version_option(__version__, prog_name="apikb")
def cli() -> None:
    """The lifespans of Python APIs: what exists in which release, since when, until when.

    \b
    Start with:
      apikb index click
      apikb lookup click.Command --version 7.0
    """


@cli.command(short_help="Read every release of a project.")
@click.argument("projects", nargs=-1, metavar="PROJECT...")
@_requirements_option("Index every project of a requirements file (its pins are left aside).")
@click.option(
    "--versions",
    multiple=True,
    metavar="SPEC",
    help="Only the releases that match, as in '>=2,<3'.  May be repeated: those that match any are read.",
)
@click.option("--since", metavar="VERSION", help="Only this release and later ones.")
@click.option("--pre", is_flag=True, help="Pre-releases too.")
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    envvar="APIKB_JOBS",
    show_envvar=True,
    metavar="N",
    help="Worker processes.  [default: one a processor]",
)
@click.option(
    "--index-url",
    envvar="APIKB_INDEX_URL",
    show_envvar=True,
    metavar="URL",
    help="The package index.  [default: the one that pip is configured for]",
)
@click.option(
    "--find-links",
    multiple=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="Read wheels and sdists in a folder instead of the index.  May be repeated.",
)
@click.option("--refresh", is_flag=True, help="Read every release again, whatever is stored already.")
@click.option(
    "--cache",
    type=click.Path(file_okay=False, path_type=Path),
    envvar="APIKB_CACHE",
    show_envvar=True,
    metavar="DIR",
    help="Where extracted facts are kept.  [default: the user's cache folder]",
)
@_kb_option
def index(
    projects: tuple[str, ...],
    requirements: tuple[Path, ...],
    versions: tuple[str, ...],
    since: str | None,
    pre: bool,
    jobs: int | None,
    index_url: str | None,
    find_links: tuple[Path, ...],
    refresh: bool,
    cache: Path | None,
    kb_path: Path,
) -> None:
    """Read every release of a project into the knowledge base.

    Nothing is executed, imported or built.  A second run reads only what is new.
    Ctrl-C keeps what is done.

    \b
    Exit codes: 0 done, releases without a readable artifact included;
    1 a project could not be indexed; 2 wrong usage; 130 interrupted.

    \b
    Examples:
      apikb index torch
      apikb index flask httpx --since 1.0
      apikb index numpy --versions '>=1.26,<2' --versions '==2.0.*'
      apikb index -r requirements.txt --jobs 2
      apikb index mylib --find-links dist/
    """
    _check_versions(versions, since)
    wanted = _projects(projects, requirements)

    from ..indexers.display import display
    from ..indexers.pipeline import IndexOptions, index_projects

    options = IndexOptions(
        kb=kb_path,
        versions=versions,
        since=since,
        pre=pre,
        jobs=jobs,
        index_url=index_url,
        find_links=find_links,
        refresh=refresh,
        cache=cache,
    )
    try:
        with display() as progress:
            summary = index_projects(wanted, options, progress)
    except KeyboardInterrupt:
        click.echo("\nInterrupted.  What is done is kept; run the same command again to go on.", err=True)
        raise click.exceptions.Exit(EXIT_INTERRUPTED) from None
    raise click.exceptions.Exit(_report(summary))


def _check_versions(versions: Sequence[str], since: str | None) -> None:
    from packaging.specifiers import InvalidSpecifier, SpecifierSet
    from packaging.version import InvalidVersion, Version

    for specifier in versions:
        try:
            SpecifierSet(specifier)
        except InvalidSpecifier:
            raise click.BadParameter(
                f"{specifier!r} is not a version specifier", param_hint="--versions"
            ) from None
    if since is not None:
        try:
            Version(since)
        except InvalidVersion:
            raise click.BadParameter(f"{since!r} is not a version", param_hint="--since") from None


def _projects(projects: Sequence[str], requirements: Sequence[Path]) -> list[str]:
    from packaging.requirements import InvalidRequirement, Requirement

    for project in projects:
        try:
            bare = Requirement(project)
        except InvalidRequirement:
            raise click.BadParameter(
                f"{project!r} is not the name of a project", param_hint="PROJECT"
            ) from None
        if bare.specifier or bare.url or bare.marker:
            raise click.BadParameter(
                f"{project!r} is more than the name of a project; choose releases with --versions",
                param_hint="PROJECT",
            )
    wanted = list(projects)
    if requirements:
        from ..indexers.requirements import read_requirements

        for file in requirements:
            wanted += read_requirements(file, _note)
    if not wanted:
        raise click.UsageError("Name at least one project, or a requirements file with -r.")
    return list(dict.fromkeys(wanted))


def _report(summary: Summary) -> int:
    """Print what became of every project; the exit code."""
    from ..indexers.display import summary_lines

    for project in summary.projects:
        if project.error is not None:
            _fail(f"{project.project}: {project.error.message}", project.error.hint, EXIT_FAILED)
        _print(summary_lines(project))
    return EXIT_FAILED if any(project.error is not None for project in summary.projects) else 0


@cli.command(short_help="Say whether a symbol exists at a release.")
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
@_json_option
@_kb_option
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

    with _open(kb_path) as kb:
        answer = kb.lookup(symbol, version=version, project=project)
        text = kb.docstring(symbol, version=version, project=project) if doc else None
    if as_json:
        click.echo(_json({**_answer_object(answer), **({"docstring": text} if doc else {})}))
    else:
        from ..kb.reports import answer_lines, specifier_lines

        if isinstance(answer, SpecifierAnswer):
            _print(specifier_lines(answer, columns=_columns(), paint=_paint))
        else:
            _print(answer_lines(answer, columns=_columns(), paint=_paint))
        if doc:
            from ..kb.reports import docstring_lines

            _print(docstring_lines(text, paint=_paint))
    raise click.exceptions.Exit(_lookup_code(answer))


def _lookup_code(answer: Answer | SpecifierAnswer) -> int:
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


_SEEN = ("present", "deprecated", "tombstone")


@cli.command(short_help="Draw the life of a symbol.")
@click.argument("symbol")
@click.option(
    "--project", metavar="PROJECT", help="Where the symbol's first name may be of several projects."
)
@click.option("--pre", is_flag=True, help="Pre-releases too.")
@_json_option
@_kb_option
def history(symbol: str, project: str | None, pre: bool, as_json: bool, kb_path: Path) -> None:
    """Draw the life of SYMBOL: spans, deprecation, changes of signature and parameters.

    \b
    Exit codes: 0 it exists in some release; 1 in none; 3 cannot be told;
    2 wrong usage; 4 project not indexed.

    \b
    Examples:
      apikb history flask.Markup
      apikb history click.Command --json
    """
    from ..kb.answers import SpecifierAnswer

    with _open(kb_path) as kb:
        life = kb.history(symbol, project=project, pre=pre)
        never = not any(status in _SEEN for _, status in life.statuses)
        answer = kb.lookup(symbol, project=project) if never else None
    if as_json:
        click.echo(_json(asdict(life)))
    else:
        from ..kb.timeline import history_lines

        _print(history_lines(life, columns=_columns(), glyphs=_glyphs(), paint=_paint))
    if answer is not None and not isinstance(answer, SpecifierAnswer) and answer.suggestions:
        _note(f"did you mean: {', '.join(answer.suggestions)}")
    if answer is not None:
        raise click.exceptions.Exit(_lookup_code(answer))


@cli.command(short_help="Find what does a thing, in the releases that you pin.")
@_question_options
@click.option("--explain", is_flag=True, help="What each way of ranking said; --json always has it.")
@_json_option
@_kb_option
def search(question: Question, explain: bool, as_json: bool, kb_path: Path) -> None:
    """Find the symbols that QUERY describes, of those that the pinned releases have.

    QUERY is words, code or the name of a symbol; '-' reads it from standard input.  A symbol must be in
    all releases that the pins allow, unless --any is given.  What the signature, the summary and the
    examples say is that of the newest of them.

    \b
    Exit codes: 0 found; 1 nothing found; 2 wrong usage; 4 project or release not indexed.

    \b
    Examples:
      apikb search "add rows to a DataFrame" --with pandas==1.5.3
      apikb search "one-hot encode" --with 'scikit-learn>=1.2,<1.4' --json
      apikb search "parse a date" -r requirements.txt --code task.py
      apikb search - --lock uv.lock -k 3 < question.txt
    """
    from ..retrieval.view import hit_json, hit_lines, pin_json

    found = _ask(question, kb_path)
    if as_json:
        pins, hits = list(map(pin_json, found.pins)), list(map(hit_json, found.hits))
        click.echo(_json({"query": question.query, "pins": pins, "hits": hits}))
    else:
        _print(hit_lines(found.hits, explain=explain, columns=_columns(), glyphs=_glyphs(), paint=_paint))
    raise click.exceptions.Exit(0 if found.hits else EXIT_ABSENT)


@cli.command(short_help="Pack what a search finds as context for a code generator.")
@_question_options
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
@_kb_option
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
    packed = pack(_ask(question, kb_path).hits, budget, count_tokens, FORMATS[style])
    click.echo(packed.text, nl=False)
    _note(packed_line(packed))
    if not packed.entries and packed.dropped:
        _note(f"Nothing fits into {budget} tokens; give more with --budget.")
    raise click.exceptions.Exit(0 if packed.entries else EXIT_ABSENT)


@cli.command(short_help="Compare two releases of a project.")
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
@_json_option
@_kb_option
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
    with _open(kb_path) as kb:
        changes = kb.diff(project, a, b, symbol=symbol, changes=wanted or None, all=everything)
    if as_json:
        click.echo(_json([asdict(change) for change in changes]))
        return
    from ..kb.reports import change_lines

    _print(change_lines(project, a, b, changes, columns=_columns(), paint=_paint))


@cli.command(short_help="Run a read-only SQL query.")
@click.argument("query")
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
@_json_option
@_kb_option
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
    with _open(kb_path) as kb:
        result = kb.sql(query)
    if as_json:
        from ..kb.text import unique_names

        names = unique_names(result.columns)
        click.echo(_json([dict(zip(names, row, strict=True)) for row in result.rows]))
    elif as_csv:
        from ..kb.text import csv_text

        # A terminal is for people: what does not print is escaped there, and only there.
        click.echo(csv_text(result.columns, result.rows, escape=sys.stdout.isatty()), nl=False)
    else:
        _print_table(result.columns, result.rows)
        click.echo(f"({len(result.rows)} row{'s' * (len(result.rows) != 1)})", err=True)


def _print_table(
    columns: Sequence[str], rows: Sequence[Sequence[object]], *, right: Sequence[int] | None = None
) -> None:
    from ..kb.text import cell_text, numeric_columns, table

    limit = _columns() if sys.stdout.isatty() else None
    cells = [[cell_text(value) for value in row] for row in rows]
    right = numeric_columns(rows) if right is None else right
    _print(table(columns, cells, limit=limit, right=right, glyphs=_glyphs(), paint=_paint))


@cli.command("list", short_help="List the projects that are indexed.")
@_json_option
@_kb_option
def list_(as_json: bool, kb_path: Path) -> None:
    """List the projects that are indexed.

    \b
    Examples:
      apikb list
      apikb list --json
    """
    with _open(kb_path) as kb:
        projects = kb.projects()
    if as_json:
        click.echo(_json([asdict(project) for project in projects]))
    elif projects:
        from ..kb.reports import project_rows

        columns, rows = project_rows(projects)
        _print_table(columns, rows, right=(1, 2, 4))
    else:
        click.echo("Nothing is indexed yet; start with `apikb index PROJECT`.", err=True)


@cli.command(short_help="Show the releases of a project.")
@click.argument("project")
@_json_option
@_kb_option
def info(project: str, as_json: bool, kb_path: Path) -> None:
    """Show the releases of PROJECT: what was read, from which artifact, at which cost.

    \b
    Examples:
      apikb info torch
      apikb info torch --json
    """
    with _open(kb_path) as kb:
        facts = kb.info(project)
        releases = kb.releases(project)
        name = facts.project.replace("'", "''")
        query = "SELECT version, status, count(*) FROM modules WHERE project = '{}' GROUP BY ALL ORDER BY ALL"
        modules: dict[str, dict[str, int]] = {release.version: {} for release in releases}
        for version, status, count in kb.sql(query.format(name)).rows:
            modules[version][status] = count
    if as_json:
        listed = [{**asdict(release), "modules": modules[release.version]} for release in releases]
        click.echo(_json({**asdict(facts), "releases": listed}))
        return
    from ..kb.reports import project_line, release_rows

    click.echo(project_line(facts) + "\n")
    columns, rows = release_rows(releases, modules)
    _print_table(columns, rows, right=(3, 4, 5, 6))


@cli.command(short_help="Compare what the docs claim with what was read.")
@click.argument("project")
@click.option("--all", "everything", is_flag=True, help="All findings, agreement too, and private names.")
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
@_json_option
@_kb_option
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

    with _open(kb_path) as kb:
        result = kb.audit(project, private=everything)
    listed = shown(result, everything=everything)
    if as_json:
        found = [asdict(finding) for finding in listed]
        bounds = {"project": result.project, "first": result.first, "newest": result.newest}
        click.echo(_json({**bounds, "counts": result.counts(), "findings": found}))
    elif as_csv:
        from ..kb.text import csv_text

        click.echo(csv_text(COLUMNS, finding_rows(listed), escape=sys.stdout.isatty()), nl=False)
    else:
        _print(audit_lines(result, everything=everything, columns=_columns(), paint=_paint))


@cli.command(short_help="Write Parquet files.")
@click.argument("folder", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
@_kb_option
def export(folder: Path, kb_path: Path) -> None:
    """Write the knowledge base as Parquet files into DIR, one folder a project.

    \b
    Example:
      apikb export parquet/
    """
    with _open(kb_path) as kb:
        files = kb.export(folder)
    click.echo(f"{len(files)} files written to {folder}", err=True)


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
