"""One row of a data set as tasks.  Pure: a row in, tasks or a fault out.

Names of fields, the first release of VersiCode before the later one:
`answer` or `core_token`, `masked_line` or `core_line`; masks `<token_mask>` and `<line_mask>`, or `<mask>`.
"""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .tasks import MASKS, Task, TaskKind, contains_word

Row = Mapping[str, Any]

_TIME = re.compile(r"\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?(?=$|[T ])")
_NAME = re.compile(r"[^\W\d]\w*")
_REQUIREMENT = re.compile(r"[A-Za-z0-9][\w.\[\]-]*(?:[<>=!~]=?=?[\w.*+!]+(?:,[<>=!~]=?=?[\w.*+!]+)*)?")


class RowFault(Exception):
    """What is wrong with a row.  Never leaves the reader of files."""


def tasks_of_row(row: Row, name: str) -> list[Task]:
    """The tasks of a row: one, or two of a row of editing that names no direction.

    `name` is the id of a row that has none.  Raises `RowFault`.
    """
    kinds = _kinds(row)
    identity = _identity(row, name)
    if len(kinds) == 1:
        return [_READERS[kinds[0]](row, kinds[0], identity)]
    return [_READERS[kind](row, kind, f"{identity}/{kind}") for kind in kinds]


# ---- fields


def _text(row: Row, *names: str, empty: bool = False) -> str:
    """The first of these fields that the row has.  Raises `RowFault` where it is missing or no text."""
    name = next((name for name in names if row.get(name) is not None), None)
    if name is None:
        raise RowFault(f"{' or '.join(names)} is missing")
    value = row[name]
    if not isinstance(value, str):
        raise RowFault(f"{name} is a {type(value).__name__}, not text")
    if not empty and not value.strip():
        raise RowFault(f"{name} is empty")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise RowFault(f"{name} holds half a surrogate pair at character {error.start}") from error
    return value


def _optional(row: Row, *names: str) -> str | None:
    return _text(row, *names, empty=True) if any(row.get(name) is not None for name in names) else None


def _texts(row: Row, name: str) -> tuple[str, ...]:
    value = row.get(name)
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise RowFault(f"{name} is no list of texts")
    return tuple(value)


def _time(row: Row, *names: str) -> str | None:
    value = _optional(row, *names)
    if value is None or not value.strip():
        return None
    match = _TIME.match(value.strip())
    if match is None:
        raise RowFault(f"{names[0]} is no date such as 2019-04-09: {value!r}")
    return match.group()


def _identity(row: Row, name: str) -> str:
    for field in ("id", "example_id"):
        value = row.get(field)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if value is not None:
            return _text(row, field)
    return name


def _common(row: Row, kind: TaskKind, identity: str) -> dict[str, Any]:
    return {
        "id": identity,
        "kind": kind,
        "library": _text(row, "dependency", "library").strip(),
        "source": _optional(row, "source", "provenance") or "unknown",
        "language": (_optional(row, "language") or "python").lower(),
        "change": _optional(row, "type", "type_of_change"),
    }


# ---- kinds


def _kinds(row: Row) -> tuple[TaskKind, ...]:
    if "old_code" in row or "new_code" in row:
        return _directions(row)
    if "starting_code" in row or "ground_truth" in row:
        return (TaskKind.GENERATION,)
    granularity = _optional(row, "granularity")
    if granularity in (TaskKind.TOKEN, TaskKind.LINE, TaskKind.BLOCK):
        return (TaskKind(granularity),)
    if granularity is not None:
        raise RowFault(f"granularity is {granularity!r}, not token, line or block")
    return (_kind_of_fields(row),)


def _directions(row: Row) -> tuple[TaskKind, ...]:
    order = _optional(row, "edit_order")
    if order is None:
        return (TaskKind.OLD_TO_NEW, TaskKind.NEW_TO_OLD)
    try:
        return (TaskKind(order.replace("_", "-")),)
    except ValueError:
        raise RowFault(f"edit_order is {order!r}, not old_to_new or new_to_old") from None


def _kind_of_fields(row: Row) -> TaskKind:
    """The kind of a row that does not name it: by its mask, then by the line that it tells."""
    masked = _optional(row, "masked_code")
    if masked is None:
        return TaskKind.BLOCK
    if "<token_mask>" in masked:
        return TaskKind.TOKEN
    line = "<line_mask>" in masked or _optional(row, "masked_line", "core_line") is not None
    return TaskKind.LINE if line else TaskKind.TOKEN


# ---- readers


def _completion(row: Row, kind: TaskKind, identity: str) -> Task:
    answer = _text(row, "answer", "core_token")
    code = _optional(row, "code")
    masked, mask, reference = "", None, code or ""
    if kind in MASKS:
        masked = _text(row, "masked_code")
        mask = next((mask for mask in MASKS[kind] if mask in masked), None)
        if mask is None:
            raise RowFault(f"masked_code holds no {' or '.join(MASKS[kind])}")
        reference = answer if kind == TaskKind.TOKEN else _text(row, "masked_line", "core_line")
    elif not reference.strip():
        raise RowFault("code is missing or empty")
    return Task(
        **_common(row, kind, identity),
        version=_text(row, "version").strip(),
        description=_text(row, "description", empty=True),
        given=masked,
        reference=reference,
        answer=answer,
        answers=tuple(dict.fromkeys((answer, *_texts(row, "answers_all")))),
        code=code if code is not None else masked.replace(mask or "\0", reference),
        mask=mask,
        time=_time(row, "time"),
    )


def _editing(row: Row, kind: TaskKind, identity: str) -> Task:
    given, wanted = ("old", "new") if kind == TaskKind.OLD_TO_NEW else ("new", "old")
    reference = _text(row, f"{wanted}_code")
    names = _edited_names(row, wanted, reference)
    code = _text(row, f"{given}_code")
    return Task(
        **_common(row, kind, identity),
        version=_text(row, f"{wanted}_version").strip(),
        description=_text(row, "description", empty=True),
        given=code,
        reference=reference,
        answer=names[0],
        answers=names,
        code=reference,
        given_version=_text(row, f"{given}_version").strip(),
        given_answer=_edited_names(row, given, code)[0],
        time=_time(row, f"{wanted}_time"),
        given_time=_time(row, f"{given}_time"),
    )


def _edited_names(row: Row, end: str, code: str) -> tuple[str, ...]:
    """The name of the API at one end.

    Rows that were paired by their descriptions only list the words that are at one end alone.  Those that
    are called come first, in the order of the code; the last call is what the line is about.
    """
    if row.get(f"{end}_name") is not None:
        return (_text(row, f"{end}_name"),)
    listed = [word for word in _texts(row, f"names_only_in_{end}") if not keyword.iskeyword(word)]
    called = [word for word in _NAME.findall(code) if word in listed and f"{word}(" in code]
    names = tuple(dict.fromkeys([*reversed(called), *listed]))
    if not names:
        raise RowFault(f"{end}_name is missing")
    return names


def _generation(row: Row, kind: TaskKind, identity: str) -> Task:
    start = _text(row, "starting_code", empty=True)
    solution = _optional(row, "solution")
    whole = _optional(row, "ground_truth")
    if solution is None:
        solution = (whole or "").removeprefix(start)
    if not solution.strip():
        raise RowFault("solution and ground_truth are missing or empty")
    names = _named_apis(row, solution)
    pins = [_optional(row, field) or "" for field in ("additional_dependencies", "extra_dependencies")]
    tests = [_optional(row, field) for field in ("hidden_test", "visible_test", "test")]
    return Task(
        **_common(row, kind, identity) | {"source": _optional(row, "source") or "gitchameleon"},
        version=_text(row, "version").strip(),
        description=_text(row, "problem", "description"),
        given=start,
        reference=solution,
        answer=names[0] if names else "",
        answers=names,
        code=whole or start + solution,
        time=_time(row, "release_date", "time"),
        requires=tuple(dict.fromkeys(_REQUIREMENT.findall(" ".join(pins)))),
        python=_optional(row, "python_version"),
        tests=tuple(filter(None, tests)),
    )


def _named_apis(row: Row, solution: str) -> tuple[str, ...]:
    """The names that a problem is about, those that its solution uses first.

    The field that names the API is free text (`Field.choices`, `seaborn.pointplot()`, `-`), and often
    names what the solution has to do without; calls are listed in no order.
    """
    library = _text(row, "library", "dependency")
    calls = _texts(row, "api_calls")
    named = [_leaf(_optional(row, "name_of_class_or_func") or "")]
    own = [_leaf(call) for call in calls if call.partition(".")[0] == library]
    others = [_leaf(call) for call in calls if "." in call]
    rest = [_leaf(call) for call in calls]
    attributes = reversed(re.findall(r"\.([^\W\d]\w*)|([^\W\d]\w*)\s*=(?!=)", solution))
    used = [*own, *others, *rest, *(attribute or name for attribute, name in attributes)]
    words = list(dict.fromkeys(filter(None, [*named, *used, *named])))
    return tuple(sorted(_no_builtins(words), key=lambda word: not contains_word(solution, word)))


def _leaf(text: str) -> str:
    found = _NAME.findall(text.partition("(")[0])
    return found[-1] if found else ""


def _no_builtins(words: Iterable[str]) -> Iterator[str]:
    return (word for word in words if not hasattr(builtins, word) and not keyword.iskeyword(word))


_READERS = {
    TaskKind.TOKEN: _completion,
    TaskKind.LINE: _completion,
    TaskKind.BLOCK: _completion,
    TaskKind.OLD_TO_NEW: _editing,
    TaskKind.NEW_TO_OLD: _editing,
    TaskKind.GENERATION: _generation,
}
