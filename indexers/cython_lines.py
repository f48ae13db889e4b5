"""Logical lines of a Cython file, and the pieces of one."""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from .sources import Lexeme, lexemes

_OPENING = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
PARSE_ERRORS = (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError)


class Line(NamedTuple):
    """A logical line: physical lines [first, first + rows), its indent, and its code in one line."""

    first: int
    rows: int
    indent: str
    code: str
    text: str

    @property
    def width(self) -> int:
        return len(self.indent.expandtabs(8))


_NEVER_INSIDE = frozenset({"def", "cdef", "cpdef", "class", "ctypedef"})


def logical_lines(text: str) -> Iterator[Line]:
    """Statements, joined over brackets, strings and backslashes; comments and blank lines left out."""
    starts = [0, *(match.end() for match in re.finditer(r"\n", text))]
    pieces: list[Lexeme] = []
    depth = 0
    for piece in lexemes(text):
        if piece.kind == "comment":
            continue
        source = text[piece.start : piece.end]
        if pieces:
            between = text[pieces[-1].end : piece.start]
            # A bracket that is never closed must not swallow the rest of the file.
            recovered = depth > 0 and source in _NEVER_INSIDE
            if "\n" in between and (recovered or (depth <= 0 and not _continued(between))):
                yield _line(text, pieces, starts)
                pieces, depth = [], 0
        if source == "\\":
            continue
        pieces.append(piece)
        depth += _OPENING.get(source, 0) if piece.kind == "op" else 0
    if pieces:
        yield _line(text, pieces, starts)


def _continued(between: str) -> bool:
    return re.match(r"[ \t]*\\\n\s*\Z", between) is not None


def _line(text: str, pieces: list[Lexeme], starts: list[int]) -> Line:
    start, end = pieces[0].start, pieces[-1].end
    first = bisect_right(starts, start) - 1
    indent = re.match(r"[ \t\f]*", text[starts[first] : start])
    whole = text[start:end]
    parts: list[str] = []
    for before, piece in zip([None, *pieces], pieces, strict=False):
        if before is not None and before.end != piece.start:
            parts.append(" ")
        parts.append(text[piece.start : piece.end])
    code = "".join(parts)
    return Line(first, whole.count("\n") + 1, indent[0] if indent else "", code, whole)


def pieces_of(code: str) -> list[tuple[str, int, int, int]]:
    """(source, start, end, bracket depth) of each lexeme; a bracket counts as outside itself."""
    found = []
    depth = 0
    for piece in lexemes(code):
        source = code[piece.start : piece.end]
        step = _OPENING.get(source, 0) if piece.kind == "op" else 0
        depth += min(step, 0)
        found.append((source, piece.start, piece.end, depth))
        depth += max(step, 0)
    return found


def split(code: str, separator: str, limit: int = -1) -> list[str]:
    """Split at a one-character operator that stands outside brackets and strings."""
    parts = []
    start = 0
    for source, at, end, depth in pieces_of(code):
        if source == separator and depth == 0 and limit != 0:
            # `=` is a piece of its own also in `==`, `<=` and the like.
            around = code[max(at - 1, 0) : at], code[end : end + 1]
            if separator == "=" and (around[0] in ("=", "<", ">", "!") or around[1] == "="):
                continue
            parts.append(code[start:at])
            start = end
            limit -= 1
    return [*parts, code[start:]]


def is_expression(text: str) -> bool:
    try:
        ast.parse(f"({text})", mode="eval")
    except PARSE_ERRORS:
        return False
    return bool(text.strip())


def is_statement(code: str) -> bool:
    """Whether a logical line is Python, with what must surround it supplied."""
    word = re.match(r"@|\w*", code)
    keyword = word[0] if word else ""
    body = code + (" pass" if code.endswith(":") else "")
    match keyword:
        case "elif" | "else":
            body = f"if 1: pass\n{body}"
        case "except" | "finally":
            body = f"try: pass\n{body}"
        case "try":
            body += "\nfinally: pass"
        case "@":
            body += "\ndef f(): pass"
        case "case":
            body = f"match 1:\n {body}"
    try:
        ast.parse(body)
    except PARSE_ERRORS:
        return False
    return True


_VALUE_KEYWORDS = frozenset(
    {"return", "in", "and", "or", "not", "if", "else", "elif", "while", "yield", "print", "is", "assert"}
)


def without_casts(code: str) -> str:
    """Leave out `<double*> x`, `&x` and `new X()`, which all give the value of the rest."""
    pieces = pieces_of(code)
    dropped: list[tuple[int, int]] = []
    position = 0
    while position < len(pieces):
        source, start, _, _ = pieces[position]
        previous = pieces[position - 1][0] if position else "="
        is_operand = previous[-1:].isalnum() or previous[-1:] in "_)]}'\"`"
        if source in "<&" and (not is_operand or previous in _VALUE_KEYWORDS):
            closing = position if source == "&" else _closing_angle(pieces, position)
            if closing is not None:
                dropped.append((start, pieces[closing][2]))
                position = closing
        elif source == "new" and position + 1 < len(pieces) and pieces[position + 1][0].isidentifier():
            dropped.append((start, pieces[position][2]))
        position += 1
    for start, end in reversed(dropped):
        code = code[:start] + " " + code[end:]
    return code


def _closing_angle(pieces: list[tuple[str, int, int, int]], opening: int) -> int | None:
    for position in range(opening + 1, len(pieces)):
        source = pieces[position][0]
        if source == ">":
            return position
        if not (re.fullmatch(r"\w+", source) or source in "*.[],:&?()"):
            return None
    return None
