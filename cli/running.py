"""How a command runs: errors become one clear line and an exit code, and modules are imported late."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, MutableMapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..kb.errors import ApikbError
from .printing import json_text

if TYPE_CHECKING:
    from ..kb.lookup import KnowledgeBase

EXIT_ABSENT = EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_UNKNOWN = 3
EXIT_INTERRUPTED = 130


def fail(message: str, hint: str | None, exit_code: int, *, as_json: bool = False) -> click.exceptions.Exit:
    """Tell stderr what went wrong, to a person or as an object; returns what to raise."""
    from ..kb.text import visible

    if as_json:
        click.echo(json_text({"error": message, "hint": hint}), err=True)
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
            raise fail(error.message, error.hint, error.exit_code, as_json=as_json) from error
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
            raise fail(f"{what}{error.strerror or error}", None, EXIT_USAGE, as_json=as_json) from error


def _usage_failure(error: click.UsageError) -> click.exceptions.Exit:
    hint = f"see `{error.ctx.command_path} --help`" if error.ctx is not None else None
    return fail(error.format_message(), hint, error.exit_code, as_json=True)


command = functools.partial(click.command, cls=Command)
"""Makes a command of a function."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a command is, and what the list of commands says of it."""

    module: str
    """Of this package."""
    function: str
    summary: str

    def command(self) -> click.Command:
        """Import it."""
        found: click.Command = getattr(import_module(f".{self.module}", __package__), self.function)
        found.short_help = self.summary
        return found


class Commands(MutableMapping[str, click.Command]):
    """Commands by name, in the order in which they are written; each is imported when it is asked for."""

    def __init__(self, places: Mapping[str, Place]) -> None:
        self._known: dict[str, Place | click.Command] = dict(places)

    def __getitem__(self, name: str) -> click.Command:
        found = self._known[name]
        return found.command() if isinstance(found, Place) else found

    def __setitem__(self, name: str, made: click.Command) -> None:
        self._known[name] = made

    def __delitem__(self, name: str) -> None:
        del self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)

    def summaries(self) -> list[tuple[str, str]]:
        """Names, each with what is said of it in a list; imports nothing."""
        return [
            (name, found.summary if isinstance(found, Place) else found.get_short_help_str())
            for name, found in self._known.items()
        ]


class Group(click.Group):
    """Lists the commands in the order in which they are written, and imports the one that is run."""

    def __init__(self, *args: Any, places: Mapping[str, Place], **options: Any) -> None:
        self._lazy = Commands(places)
        super().__init__(*args, **options)
        self.commands = self._lazy

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name the commands."""
        return list(self._lazy)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(self._lazy.summaries())


def open_kb(path: Path) -> KnowledgeBase:
    """Open the knowledge base at a path.  Raises ApikbError where there is none."""
    from ..kb.lookup import KnowledgeBase

    return KnowledgeBase.open(path)
