"""Docs are tested like code.  Run as a script, this writes the parts of the docs that are generated."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from apikb.cli import cli
from apikb.kb.schema import COLUMN_COMMENTS, VIEWS, view_columns
from apikb.kb.store import open_reader, run_sql

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.glob("*.md")), DOCS / "demo.sh"]
BEGIN, END = "<!-- generated: run `python tests/test_docs.py` -->\n", "<!-- end -->\n"


def all_commands(group: click.Group = cli, above: str = "") -> dict[str, click.Command]:
    """Every command and group by its words: `lookup`, `eval`, `eval retrieval`."""
    found: dict[str, click.Command] = {}
    for name, command in group.commands.items():
        found[above + name] = command
        if isinstance(command, click.Group):
            found |= all_commands(command, f"{above}{name} ")
    return found


COMMANDS = all_commands()


def help_page() -> str:
    """The help of every command, as it is printed 80 columns wide."""
    parts = ["# The command line\n", BEGIN]
    contexts = {"": cli.make_context("apikb", [], resilient_parsing=True, terminal_width=80)}
    pages = {"apikb": cli.get_help(contexts[""])}
    for words, command in COMMANDS.items():
        above, _, name = words.rpartition(" ")
        parent = contexts[above]
        contexts[words] = command.make_context(name, [], parent=parent, resilient_parsing=True)
        pages[f"apikb {words}"] = command.get_help(contexts[words])
    parts += [f"## {title}\n\n```text\n{text}\n```\n" for title, text in pages.items()]
    return "\n".join([*parts, END])


def view_tables() -> str:
    """One table for every view."""
    parts = []
    for view, columns in view_columns().items():
        rows = "\n".join(f"| `{column}` | {COLUMN_COMMENTS[column]} |" for column in columns)
        parts.append(f"### {view}\n\n{VIEWS[view]}\n\n| column | meaning |\n|---|---|\n{rows}\n")
    return "\n".join(parts)


def data_model() -> str:
    """The page with its generated part as it should be."""
    text = (DOCS / "data-model.md").read_text(encoding="utf-8")
    return text[: text.index(BEGIN) + len(BEGIN)] + "\n" + view_tables() + "\n" + text[text.index(END) :]


def queries() -> Iterator[tuple[str, str]]:
    text = (DOCS / "sql-cookbook.md").read_text(encoding="utf-8")
    for section in text.split("\n## ")[1:]:
        title, _, rest = section.partition("\n")
        for block in re.findall(r"```sql\n(.*?)```", rest, re.DOTALL):
            yield title, block


QUERIES = list(queries())


def test_the_help_page_is_what_the_commands_say() -> None:
    # Line breaks are those of the installed click.
    assert (DOCS / "cli.md").read_text(encoding="utf-8").split() == help_page().split()


def test_the_data_model_is_the_schema() -> None:
    assert (DOCS / "data-model.md").read_text(encoding="utf-8") == data_model()


def test_the_cookbook_is_no_pamphlet() -> None:
    assert len(QUERIES) >= 12
    assert len({title for title, _ in QUERIES}) == len(QUERIES)


@pytest.mark.parametrize("query", [query for _, query in QUERIES], ids=[title for title, _ in QUERIES])
def test_every_query_of_the_cookbook_runs(query: str, demo_kb: Path) -> None:
    connection = open_reader(demo_kb)
    columns, rows = run_sql(connection, query)
    connection.close()
    assert columns
    assert rows, "an example that finds nothing shows nothing"


def test_every_view_is_used_in_the_cookbook() -> None:
    text = (DOCS / "sql-cookbook.md").read_text(encoding="utf-8")
    assert not [view for view in (*VIEWS, "symbols_at(") if view not in text]


def commands() -> Iterator[tuple[str, list[str]]]:
    """Every `apikb ...` line of the docs and of the help texts."""
    texts = {page.name: page.read_text(encoding="utf-8") for page in PAGES if page.exists()}
    texts["demo.sh"] = re.sub(r"(?m)^run ", "apikb ", texts["demo.sh"])
    for name, text in texts.items():
        for line in re.findall(r"(?m)^(?: *|\$ |.*`)(apikb(?: [^`\n]*))", text.replace("\\\n", " ")):
            bare = re.split(r" [|<>] ?| #", line)[0].strip()
            if bare.count('"') % 2 or bare.count("'") % 2:  # a query that goes on in the next line
                bare = re.split("[\"']", bare)[0]
            yield name, shlex.split(bare)[1:]


@pytest.mark.parametrize(("page", "words"), list(commands()), ids=lambda value: " ".join(value)[:60])
def test_every_command_and_option_in_the_docs_exists(page: str, words: list[str]) -> None:
    if not words or words[0] in ("COMMAND", "[OPTIONS]") or words[0].startswith("--"):
        return
    assert words[0] in COMMANDS, page
    command = COMMANDS.get(" ".join(words[:2]), COMMANDS[words[0]])
    known = {name for parameter in command.params for name in parameter.opts} | {"--help"}
    assert not [word for word in words if re.fullmatch(r"--?[a-z][a-z-]*", word) and word not in known]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_in_the_docs_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def test_every_make_target_in_the_docs_exists() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"(?m)^([a-z-]+):", makefile))
    for page in PAGES:
        for target in re.findall(r"(?m)(?:^|`)make ([a-z-]+)", page.read_text(encoding="utf-8")):
            assert target in targets, (page.name, target)


@pytest.mark.parametrize("name", list(COMMANDS))
def test_every_command_has_a_short_help_and_examples(name: str) -> None:
    command = COMMANDS[name]
    assert "Example" in (command.help or "")
    assert command.short_help and command.get_short_help_str(60) == command.short_help
    assert f"apikb {name}" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert all(option.help for option in command.params if isinstance(option, click.Option))


if __name__ == "__main__":
    (DOCS / "cli.md").write_text(help_page(), encoding="utf-8")
    (DOCS / "data-model.md").write_text(data_model(), encoding="utf-8")
