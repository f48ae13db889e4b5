"""Requirements files as pip reads them, line by line."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement

from .errors import ApikbError

Note = Callable[[str], None]

_INCLUDED = re.compile(r"(?:-r|--requirement)(?:\s*=\s*|\s*)(\S.*)")
_CONSTRAINED = re.compile(r"(?:-c|--constraint)(?:\s*=\s*|\s*)(\S.*)")
_NO_PROJECT = re.compile(r"[-./~]|\w+(\+\w+)?://|\w:\\")
"""Options, paths and URLs."""
_FILES = (".whl", ".tar.gz", ".zip")
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True, slots=True)
class RequirementLine:
    """One requirement and the place that it was read at, such as `requirements.txt:3`."""

    where: str
    requirement: Requirement
    constraint: bool = False
    """From a file that was included by `-c`: it narrows what is named elsewhere."""


def requirement_lines(
    path: Path, note: Note, *, constraints: bool = False, _open: tuple[tuple[Path, bool], ...] = ()
) -> Iterator[RequirementLine]:
    """Read the requirements of a file and of the files that it includes.

    What names no project of an index (options, paths, URLs) is passed over; `note` is told.  So are
    files of constraints, unless `constraints` asks for them.

    Raises ApikbError where a file cannot be read or a line cannot be understood.
    """
    path = path.resolve()
    inside = bool(_open) and _open[-1][1]
    if path in (opened for opened, _ in _open):
        raise ApikbError(f"{path} includes itself", hint="remove the circular -r line")
    for number, line in _logical_lines(_read(path)):
        where = f"{path.name}:{number}"
        included = _INCLUDED.fullmatch(line)
        constrained = _CONSTRAINED.fullmatch(line) if constraints else None
        other = included or constrained
        if other is not None:
            opened = (*_open, (path, inside or constrained is not None))
            yield from requirement_lines(path.parent / other[1], note, constraints=constraints, _open=opened)
        elif _NO_PROJECT.match(line) or (line.endswith(_FILES) and "@" not in line):
            note(f"{where}: passed over: {line}")
        else:
            yield RequirementLine(where, _requirement(where, line), inside)


def _read(path: Path) -> str:
    try:
        data = path.read_bytes()
        # What a Windows shell writes by `pip freeze > requirements.txt`.
        return data.decode("utf-16" if data.startswith(_UTF16) else "utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ApikbError(f"cannot read requirements from {path}: {error}") from error


def _requirement(where: str, line: str) -> Requirement:
    try:
        return Requirement(re.split(r"\s--?[a-z]", line, maxsplit=1)[0])
    except InvalidRequirement as error:
        reason = str(error).split("\n")[0]
        raise ApikbError(f"{where}: {line!r} is not a requirement", hint=reason) from None


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
