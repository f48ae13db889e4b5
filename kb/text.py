"""Text for a terminal: what is shown of foreign text, how wide it is, tables.  Pure."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
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
