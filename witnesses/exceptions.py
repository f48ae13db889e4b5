"""Exceptions files: differences that are known, each with its reason; one that stops failing is reported.

A file is TOML, a list of `[[exception]]` tables.  `reason` is required; every other key is
a regular expression that must match the whole of the difference's field of that name, so an
entry says as much as it needs: one symbol, or a kind in all projects.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(slots=True)
class Entry:
    """One entry of the file, and how many differences it explained."""

    reason: str
    patterns: dict[str, re.Pattern[str]]
    hits: int = 0

    def covers(self, difference: Mapping[str, str]) -> bool:
        """Do all its patterns match?  A field that the difference lacks is empty."""
        return all(pattern.fullmatch(difference.get(name, "")) for name, pattern in self.patterns.items())

    def __str__(self) -> str:
        shown = ", ".join(f"{name} = {pattern.pattern!r}" for name, pattern in self.patterns.items())
        return f"{shown}: {self.reason}"


@dataclass(slots=True)
class Exceptions:
    """The entries of one file; `explain` counts."""

    entries: list[Entry] = field(default_factory=list)

    @classmethod
    def load(cls, path: Path) -> Exceptions:
        """Read a file; none where it does not exist.  Raises `ValueError` for an entry without a reason."""
        if not path.exists():
            return cls()
        entries = []
        for table in tomllib.loads(path.read_text()).get("exception", []):
            reason = table.pop("reason", "").strip()
            if not reason:
                raise ValueError(f"{path}: an exception without a reason: {table}")
            patterns = {name: re.compile(text, re.DOTALL) for name, text in table.items()}
            entries.append(Entry(reason, patterns))
        return cls(entries)

    def explain(self, difference: Mapping[str, str]) -> str | None:
        """The reason of the first entry that covers a difference, None for none."""
        for entry in self.entries:
            if entry.covers(difference):
                entry.hits += 1
                return entry.reason
        return None

    def unused(self, in_scope: Callable[[Entry], bool] = lambda entry: True) -> list[Entry]:
        """Entries that explained nothing although what they are about was run."""
        return [entry for entry in self.entries if not entry.hits and in_scope(entry)]
