"""Text for a terminal: what is shown of foreign text, how wide it is, tables and timelines.  Pure."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

Paint = Callable[[str, str], str]
"""`paint(text, role)` adds the terminal's colours; roles: good, bad, warn, dim, head."""


def plain(text: str, role: str) -> str:
    """Paint nothing."""
    return text


class Glyphs(NamedTuple):
    """The characters that drawings are made of."""

    present: str
    deprecated: str
    absent: str
    tombstone: str
    unknown: str
    mark: str
    rule: str
    stem: str
    branch: str
    corner: str
    ellipsis: str

    def status(self, status: str) -> str:
        """The glyph of a status, `deprecated` included."""
        return str(getattr(self, status))


UNICODE = Glyphs("█", "▒", "·", "×", "?", "▾", "─", "│", "├", "└", "…")
ASCII = Glyphs("#", "=", ".", "x", "?", "v", "-", "|", "+", "+", "~")

_MEANING = {
    "present": "present",
    "deprecated": "deprecated",
    "absent": "absent",
    "tombstone": "raises when used",
    "unknown": "unknown",
}


def glyphs_for(encoding: str | None) -> Glyphs:
    """The drawing characters that an output in `encoding` can hold.

    >>> glyphs_for("ascii") is ASCII, glyphs_for("utf-8") is UNICODE, glyphs_for("latin-1") is ASCII
    (True, True, True)
    """
    try:
        "".join(UNICODE).encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return ASCII
    return UNICODE


def _escape(character: str) -> str:
    if unicodedata.category(character) == "Zs":
        return " "
    short = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(character)
    if short is not None:
        return short
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def visible(text: str) -> str:
    r"""Write controls, bidi marks and other characters that do not print as escapes.

    Text from packages reaches a terminal only through here.

    >>> visible("a\x1b[31mb\u202ec")
    'a\\x1b[31mb\\u202ec'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else _escape(c) for c in text)


def one_line(text: str) -> str:
    r"""Collapse white space, then escape.

    >>> one_line("Use b\n    instead.\x07")
    'Use b instead.\\x07'
    """
    return visible(" ".join(text.split()))


def width(text: str) -> int:
    """Columns of a terminal that printable text takes.

    >>> width("abc"), width("日本"), width("e\u0301")
    (3, 4, 1)
    """
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text
    )


def size_text(count: int) -> str:
    """Bytes for a person, in powers of a thousand.

    >>> size_text(999), size_text(2_240_000), size_text(45_000_000_000)
    ('999 B', '2.2 MB', '45.0 GB')
    """
    size, unit = float(count), "B"
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if size < 999.95 or unit == "TB":
            break
        size /= 1000
    return f"{count} B" if unit == "B" else f"{size:.1f} {unit}"


def fit(text: str, columns: int, glyphs: Glyphs = UNICODE) -> str:
    """Cut text to `columns`, with an ellipsis where something is lost.

    >>> fit("abcdef", 4, ASCII), fit("abc", 4, ASCII)
    ('abc~', 'abc')
    """
    if width(text) <= columns:
        return text
    kept = ""
    for character in text:
        if width(kept + character) > columns - 1:
            break
        kept += character
    return kept + glyphs.ellipsis


def wrap(text: str, columns: int, indent: str = "") -> list[str]:
    """Break one-line text at spaces; every line after the first starts with `indent`.

    >>> wrap("(a, b, c)", 6, "  ")
    ['(a, b,', '  c)']
    """
    lines: list[str] = []
    line = ""
    for word in text.split(" "):
        candidate = f"{line} {word}" if line.strip() else line + word
        if line.strip() and width(candidate) > columns:
            lines.append(line)
            line = indent + word
        else:
            line = candidate
    return [*lines, line]


def table(
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    limit: int | None = None,
    right: Sequence[int] = (),
    glyphs: Glyphs = UNICODE,
    paint: Paint = plain,
) -> Iterator[str]:
    """Lay a table out; `limit` is the widest line allowed, `right` the columns aligned right.

    >>> for line in table(["name", "n"], [["a", "1"], ["bcdef", "10"]], right=[1], glyphs=ASCII):
    ...     print(line)
    name    n
    -----  --
    a       1
    bcdef  10
    """
    head = [visible(column) for column in columns]
    cells = [[visible(cell) for cell in row] for row in rows]
    widths = [max(map(width, column)) for column in zip(head, *cells, strict=True)]
    if limit is not None:
        _shrink(widths, limit - 2 * (len(widths) - 1))

    def line(row: Sequence[str]) -> str:
        parts = []
        for number, (cell, room) in enumerate(zip(row, widths, strict=True)):
            shown = fit(cell, room, glyphs)
            pad = " " * (room - width(shown))
            parts.append(pad + shown if number in right else shown + pad)
        return "  ".join(parts).rstrip()

    yield paint(line(head), "head")
    yield paint("  ".join(glyphs.rule * room for room in widths), "dim")
    yield from map(line, cells)


def cell_text(value: object, null: str = "NULL") -> str:
    """A value of a query as text, for a table or CSV.

    >>> [cell_text(value) for value in (None, True, b"\\xff", 1.5, ["a"])]
    ['NULL', 'true', 'ff', '1.5', "['a']"]
    """
    if value is None:
        return null
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.hex() if isinstance(value, bytes) else str(value)


def numeric_columns(rows: Sequence[Sequence[object]]) -> list[int]:
    """The columns that hold numbers only.

    >>> numeric_columns([["a", 1, None], ["b", 2.5, None]])
    [1]
    """
    found = []
    for number, column in enumerate(zip(*rows, strict=True)):
        types = {type(value) for value in column} - {type(None)}
        if types and types <= {int, float}:
            found.append(number)
    return found


def unique_names(names: Iterable[str]) -> list[str]:
    """Number repeated column names, which SQL allows and a JSON object does not.

    >>> unique_names(["a", "b", "a"])
    ['a', 'b', 'a_2']
    """
    found: list[str] = []
    for name in names:
        candidate, number = name, 1
        while candidate in found:
            number += 1
            candidate = f"{name}_{number}"
        found.append(candidate)
    return found


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[object]], *, escape: bool) -> str:
    r"""Write CSV with a header; `escape` makes visible what does not print.

    >>> csv_text(["a", "b"], [["x\x1b", None]], escape=True)
    'a,b\nx\\x1b,\n'
    """
    import csv
    import io

    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    for row in (columns, *rows):
        cells = [cell_text(cell, null="") for cell in row]
        writer.writerow([visible(cell) for cell in cells] if escape else cells)
    return buffer.getvalue()


def _shrink(widths: list[int], room: int, least: int = 8) -> None:
    while sum(widths) > room and max(widths) > least:
        widths[widths.index(max(widths))] -= 1


class Mark(NamedTuple):
    """Something that happens at a release: a label to hang below the bar, or a mark above it."""

    version: str
    label: str | None = None


def timeline(
    statuses: Sequence[tuple[str, str]],
    marks: Iterable[Mark],
    *,
    columns: int = 80,
    glyphs: Glyphs = UNICODE,
    paint: Paint = plain,
) -> Iterator[str]:
    """Draw one bar over the releases, in their order, with what happens when.

    A column that stands for several releases shows the one whose run of equal
    statuses is the shortest, so that a short gap is not lost.

    >>> for line in timeline([("1", "absent"), ("2", "present"), ("3", "deprecated"), ("4", "absent")],
    ...                      [Mark("2", "added"), Mark("3", "deprecated"), Mark("3"), Mark("4", "removed")],
    ...                      columns=34, glyphs=ASCII):
    ...     print(line)
    1              4
            v
    ....####====....
        |   |   + 4 removed
        |   + 3 deprecated
        + 2 added
    """
    marks = list(marks)
    hung = [mark for mark in marks if mark.label is not None]
    labels = [f"{visible(mark.version)} {mark.label}" for mark in hung]
    room = max(20, columns - max(map(width, labels), default=0) - 3)
    bar, place = _bar(statuses, room)
    first, last = visible(statuses[0][0]), visible(statuses[-1][0])
    yield first + " " * max(1, len(bar) - len(first) - len(last)) + last if len(statuses) > 1 else first
    above = sorted({place[mark.version] for mark in marks if mark.label is None and mark.version in place})
    if above:
        yield "".join(glyphs.mark if i in above else " " for i in range(above[-1] + 1))
    yield paint_runs(bar, glyphs, paint)
    hooks = [
        (place[mark.version], text) for mark, text in zip(hung, labels, strict=True) if mark.version in place
    ]
    while hooks:
        at, text = hooks.pop()
        stems = {column for column, _ in hooks}
        corner = glyphs.branch if at in stems else glyphs.corner
        yield "".join(glyphs.stem if i in stems else " " for i in range(at)) + f"{corner} {text}"


def legend(statuses: Iterable[str], glyphs: Glyphs = UNICODE) -> str:
    """Explain the glyphs of the statuses that occur.

    >>> legend(["absent", "present", "absent"], ASCII)
    '# present   . absent'
    """
    there = set(statuses)
    return "   ".join(
        f"{glyphs.status(status)} {text}" for status, text in _MEANING.items() if status in there
    )


def _bar(statuses: Sequence[tuple[str, str]], room: int) -> tuple[list[str], dict[str, int]]:
    count = len(statuses)
    place: dict[str, int] = {}
    if count <= room:
        each = max(1, min(4, room // count))
        for number, (version, _) in enumerate(statuses):
            place[version] = number * each
        return [status for _, status in statuses for _ in range(each)], place
    runs: list[int] = []
    for _, run in groupby(statuses, key=itemgetter(1)):
        length = sum(1 for _ in run)
        runs += [length] * length
    bar = []
    for cell in range(room):
        part = range(cell * count // room, (cell + 1) * count // room)
        place.update((statuses[number][0], cell) for number in part)
        bar.append(statuses[min(part, key=runs.__getitem__)][1])
    return bar, place


_ROLES = {"present": "good", "deprecated": "warn", "absent": "dim", "tombstone": "bad", "unknown": "warn"}


def paint_runs(bar: Sequence[str], glyphs: Glyphs, paint: Paint) -> str:
    """Write a bar, each run of one status painted once."""
    parts: list[str] = []
    start = 0
    for i in range(1, len(bar) + 1):
        if i == len(bar) or bar[i] != bar[start]:
            parts.append(paint(glyphs.status(bar[start]) * (i - start), _ROLES[bar[start]]))
            start = i
    return "".join(parts)
