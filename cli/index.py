"""`apikb index`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .options import kb_option, requirements_option
from .printing import note, print_lines
from .running import EXIT_FAILED, EXIT_INTERRUPTED, command, fail

if TYPE_CHECKING:
    from ..indexers.pipeline import Summary


@command()
@click.argument("projects", nargs=-1, metavar="PROJECT...")
@requirements_option("Index every project of a requirements file (its pins are left aside).")
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
@kb_option
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
            wanted += read_requirements(file, note)
    if not wanted:
        raise click.UsageError("Name at least one project, or a requirements file with -r.")
    return list(dict.fromkeys(wanted))


def _report(summary: Summary) -> int:
    """Print what became of every project; the exit code."""
    from ..indexers.display import summary_lines

    for project in summary.projects:
        if project.error is not None:
            fail(f"{project.project}: {project.error.message}", project.error.hint, EXIT_FAILED)
        print_lines(summary_lines(project))
    return EXIT_FAILED if any(project.error is not None for project in summary.projects) else 0
