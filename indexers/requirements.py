"""Project names in requirements files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement

from ..kb.errors import ApikbError


def read_requirements(path: Path, note: Callable[[str], None], _open: tuple[Path, ...] = ()) -> Iterator[str]:
    """Name every project of a requirements file and of the files that it includes.

    Versions, markers and extras are left out on purpose: a lifespan needs the
    releases around a pin.  What names no project of an index (options, paths, URLs)
    is passed over; `note` is told.

    Raises ApikbError where a file cannot be read or a line cannot be understood.
    """
    path = path.resolve()
    if path in _open:
        raise ApikbError(f"{path} includes itself", hint="remove the circular -r line")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ApikbError(f"cannot read requirements from {path}: {error}") from error
    for number, line in _logical_lines(text):
        where = f"{path.name}:{number}"
        included = re.fullmatch(r"(?:-r|--requirement)(?:\s*=\s*|\s*)(\S.*)", line)
        if included:
            yield from read_requirements(path.parent / included[1], note, (*_open, path))
            continue
        if _NO_PROJECT.match(line) or (line.endswith(_FILES) and "@" not in line):
            note(f"{where}: passed over: {line}")
            continue
        try:
            requirement = Requirement(re.split(r"\s--?[a-z]", line, maxsplit=1)[0])
        except InvalidRequirement as error:
            reason = str(error).split("\n")[0]
            raise ApikbError(f"{where}: {line!r} is not a requirement", hint=reason) from None
        if requirement.url is not None:
            note(f"{where}: read from the index, not from its URL: {requirement.name}")
        yield requirement.name


_NO_PROJECT = re.compile(r"[-./~]|\w+(\+\w+)?://|\w:\\")
"""Options, paths and URLs."""

_FILES = (".whl", ".tar.gz", ".zip")


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    joined, start = "", 1
    for number, line in enumerate(text.splitlines(), 1):
        if not joined:
            start = number
        if line.endswith("\\") and not line.lstrip().startswith("#"):
            joined += line[:-1] + " "
            continue
        whole = re.sub(r"(^|\s)#.*$", "", joined + line).strip()
        joined = ""
        if whole:
            yield start, whole
    rest = joined.strip()
    if rest:
        yield start, rest
