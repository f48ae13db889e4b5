"""`apikb list` and `apikb info`: what is in the knowledge base."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from .options import json_option, kb_option
from .printing import json_text, print_table
from .running import command, open_kb


@command("list")
@json_option
@kb_option
def list_(as_json: bool, kb_path: Path) -> None:
    """List the projects that are indexed.

    \b
    Examples:
      apikb list
      apikb list --json
    """
    with open_kb(kb_path) as kb:
        projects = kb.projects()
    if as_json:
        click.echo(json_text([asdict(project) for project in projects]))
    elif projects:
        from ..kb.reports import project_rows

        columns, rows = project_rows(projects)
        print_table(columns, rows, right=(1, 2, 4))
    else:
        click.echo("Nothing is indexed yet; start with `apikb index PROJECT`.", err=True)


@command()
@click.argument("project")
@json_option
@kb_option
def info(project: str, as_json: bool, kb_path: Path) -> None:
    """Show the releases of PROJECT: what was read, from which artifact, at which cost.

    \b
    Examples:
      apikb info torch
      apikb info torch --json
    """
    with open_kb(kb_path) as kb:
        facts = kb.info(project)
        releases = kb.releases(project)
        name = facts.project.replace("'", "''")
        query = "SELECT version, status, count(*) FROM modules WHERE project = '{}' GROUP BY ALL ORDER BY ALL"
        modules: dict[str, dict[str, int]] = {release.version: {} for release in releases}
        for version, status, count in kb.sql(query.format(name)).rows:
            modules[version][status] = count
    if as_json:
        listed = [{**asdict(release), "modules": modules[release.version]} for release in releases]
        click.echo(json_text({**asdict(facts), "releases": listed}))
        return
    from ..kb.reports import project_line, release_rows

    click.echo(project_line(facts) + "\n")
    columns, rows = release_rows(releases, modules)
    print_table(columns, rows, right=(3, 4, 5, 6))
