"""Tasks of a run with their tags, kept in its folder, so that a report needs nothing but the folder."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from ..kb.errors import ApikbError
from .tags import Lifespan, Tags, Transition
from .tasks import Task, TaskKind
from .versions import Resolution, Rule

TASKS = "tasks.jsonl"


def write_tasks(folder: Path, tasks: Sequence[Task], tags: Sequence[Tags]) -> None:
    """Write the tasks and their tags, all or nothing."""
    lines = (
        json.dumps({"task": asdict(task), "tags": asdict(tag)}) + "\n"
        for task, tag in zip(tasks, tags, strict=True)
    )
    new = folder / f".{TASKS}.new"
    new.write_text("".join(lines), encoding="ascii")
    new.replace(folder / TASKS)


def read_tasks(folder: Path) -> tuple[list[Task], list[Tags]]:
    """What `write_tasks` wrote.  Raises ApikbError where it is not there or not whole."""
    path = folder / TASKS
    try:
        rows = [json.loads(line) for line in path.read_bytes().splitlines()]
        return [_task(row["task"]) for row in rows], [_tags(row["tags"]) for row in rows]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ApikbError(
            f"{path} cannot be read: {error}", hint="run it again: apikb eval run --help"
        ) from error


def _task(row: Mapping[str, Any]) -> Task:
    return Task(**_tuples(Task, row) | {"kind": TaskKind(row["kind"])})


def _tags(row: Mapping[str, Any]) -> Tags:
    given = row["given_resolution"]
    return Tags(
        **_tuples(Tags, row)
        | {
            "lifespan": Lifespan(row["lifespan"]),
            "transition": None if row["transition"] is None else Transition(row["transition"]),
            "resolution": _resolution(row["resolution"]),
            "given_resolution": None if given is None else _resolution(given),
        }
    )


def _resolution(row: Mapping[str, Any]) -> Resolution:
    return Resolution(**_tuples(Resolution, row) | {"rule": Rule(row["rule"])})


def _tuples(kind: type, row: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a dataclass; JSON has no tuples."""
    names = {each.name for each in fields(kind)}
    return {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in row.items()
        if name in names
    }
