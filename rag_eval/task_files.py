"""Reading tasks from files: VersiCode's own, lines of JSON, GitChameleon's.

A file is one JSON object with a `data` list, one JSON list, or JSON Lines.  Which kind of task a row is
follows from its `granularity`, its `edit_order`, or the fields that it has.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..kb.errors import ApikbError
from ..kb.text import one_line
from .task_rows import Row, RowFault, tasks_of_row
from .tasks import Task, TaskKind


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that is no task."""

    where: str
    """File and 1-based line."""
    fault: str


@dataclass(frozen=True, slots=True)
class TaskFile:
    """What a file holds."""

    tasks: tuple[Task, ...]
    rows: int
    """Rows read, bad ones too.  A row of editing that names no direction is two tasks."""
    bad: tuple[BadRow, ...] = ()
    """Rows passed over, where that was asked for."""


def load_tasks(path: Path, *, skip_bad: bool = False, kind: TaskKind | None = None) -> TaskFile:
    """The tasks of a file, in its order.

    `kind` keeps the tasks of one kind.  Raises `ApikbError` where the file cannot be read, where a row is
    malformed (with `skip_bad` it is passed over and counted), and where no task is left.
    """
    tasks: dict[str, Task] = {}
    bad: list[BadRow] = []
    count = 0
    for line, content in _rows(path):
        where = f"{path}:{line}"
        count += 1
        try:
            for task in tasks_of_row(_row(content), f"{path.stem}_{count}"):
                if task.id in tasks:
                    raise RowFault(f"the id {task.id!r} is that of {tasks[task.id].where} too")
                tasks[task.id] = replace(task, where=where)
        except RowFault as fault:
            found = BadRow(where, one_line(str(fault)))
            if not skip_bad:
                raise _refused(found) from fault
            bad.append(found)
    chosen = tuple(task for task in tasks.values() if kind is None or task.kind == kind)
    if not chosen:
        what = "no task" if kind is None else f"no task of the kind {kind}"
        hint = f"the first of {len(bad)} bad rows, {bad[0].where}: {bad[0].fault}" if bad else None
        raise ApikbError(f"{path} holds {what}", hint=hint)
    return TaskFile(chosen, count, tuple(bad))


def _refused(bad: BadRow) -> ApikbError:
    return ApikbError(
        f"{bad.where}: {bad.fault}", hint="rows that are no tasks are passed over by --skip-bad"
    )


def _row(content: Row | RowFault) -> Row:
    if isinstance(content, RowFault):
        raise content
    return content


_Numbered = tuple[int, Row | RowFault]
"""1-based line, and what stands there."""


def _rows(path: Path) -> Iterator[_Numbered]:
    text = _text(path)
    try:
        return _json_lines(text) if _has_rows_in_lines(text, path) else iter(list(_document(text)))
    except json.JSONDecodeError as error:
        raise ApikbError(
            f"{path}:{error.lineno}: not JSON: {error.msg} (column {error.colno})",
            hint='a file is a JSON list, an object with a list named "data", or one JSON object a line',
        ) from error
    except RowFault as fault:
        raise ApikbError(f"{path}: {fault}") from fault


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ApikbError(f"cannot read the tasks of {path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise ApikbError(f"{path} is not text in UTF-8: {error.reason} at byte {error.start}") from error


def _has_rows_in_lines(text: str, path: Path) -> bool:
    """By the first line; where that is broken or none, by the name of the file."""
    first = next((row for _, row in _json_lines(text)), None)
    if isinstance(first, Mapping):
        return not isinstance(first.get("data"), list)
    return path.suffix in (".jsonl", ".ndjson") and not text.lstrip().startswith("[")


def _json_lines(text: str) -> Iterator[_Numbered]:
    # Not splitlines: strings of JSON may hold U+2028, which ends no line of JSON.
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield number, _mapping(json.loads(line))
            except (json.JSONDecodeError, RecursionError) as error:
                reason = error.msg if isinstance(error, json.JSONDecodeError) else "nested too deeply"
                yield number, RowFault(f"not JSON: {reason}")


def _mapping(value: Any) -> Row | RowFault:
    return value if isinstance(value, Mapping) else RowFault(f"a {type(value).__name__}, not an object")


_SPACE = re.compile(r"[ \t\r\n]*")


class _Scanner:
    """Walks through JSON, and so knows on which line an element of a long list stands."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._place = 0
        self._line, self._counted = 1, 0
        self._decoder = json.JSONDecoder()

    def peek(self) -> str:
        """The next character that is no white space."""
        match = _SPACE.match(self._text, self._place)
        assert match is not None
        self._place = match.end()
        return self._text[self._place : self._place + 1]

    def take(self, *wanted: str) -> str:
        """Step over one of these characters."""
        found = self.peek()
        if found not in wanted or not found:
            raise json.JSONDecodeError(f"expected {' or '.join(wanted)}", self._text, self._place)
        self._place += 1
        return found

    def value(self) -> Any:
        """Step over a value."""
        self.peek()
        found, self._place = self._decoder.raw_decode(self._text, self._place)
        return found

    def line(self) -> int:
        """1-based line of the next character."""
        self.peek()
        self._line += self._text.count("\n", self._counted, self._place)
        self._counted = self._place
        return self._line


def _document(text: str) -> Iterator[_Numbered]:
    """The rows of a list, or of the list `data` of an object."""
    scanner = _Scanner(text)
    if scanner.peek() == "[":
        yield from _elements(scanner)
    else:
        yield from _data(scanner)
    if scanner.peek():
        scanner.take("the end of the file")


def _data(scanner: _Scanner) -> Iterable[_Numbered]:
    found: list[_Numbered] | None = None
    mark = scanner.take("{")
    if scanner.peek() == "}":
        mark = scanner.take("}")
    while mark != "}":
        key = scanner.value() if scanner.peek() == '"' else scanner.take('"')
        scanner.take(":")
        if key == "data" and scanner.peek() == "[":
            found = list(_elements(scanner))
        else:
            scanner.value()
        mark = scanner.take(",", "}")
    if found is None:
        raise RowFault('an object without a list named "data"')
    return found


def _elements(scanner: _Scanner) -> Iterator[_Numbered]:
    mark = scanner.take("[")
    if scanner.peek() == "]":
        mark = scanner.take("]")
    while mark != "]":
        line = scanner.line()
        yield line, _mapping(scanner.value())
        mark = scanner.take(",", "]")
