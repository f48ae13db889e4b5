"""Project names in requirements files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from ..kb.requirement_lines import requirement_lines


def read_requirements(path: Path, note: Callable[[str], None]) -> Iterator[str]:
    """Name every project of a requirements file and of the files that it includes.

    Versions, markers and extras are left out on purpose: a lifespan needs the
    releases around a pin.  What names no project of an index (options, paths, URLs)
    is passed over; `note` is told.

    Raises ApikbError where a file cannot be read or a line cannot be understood.
    """
    for line in requirement_lines(path, note):
        if line.requirement.url is not None:
            note(f"{line.where}: read from the index, not from its URL: {line.requirement.name}")
        yield line.requirement.name
