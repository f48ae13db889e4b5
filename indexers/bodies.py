"""Function bodies on demand.

The fast path parses source whose function bodies have been pruned, line for line.  The few functions
whose lines hint at a deprecation, a removal or a table of names are parsed
again, alone.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from functools import cached_property

from .accepted_keywords import TakenKeywords
from .deprecations import HINTS

_SELF_ASSIGNMENT = re.compile(r"[ \t]+(?:\w+[ \t]*=[ \t]*)?(self\.\w+[^=\n(]*)=(?!=)")
_INNER_DEF = re.compile(r"[ \t]+(?:async[ \t]+)?def[ \t]+(\w+)")
_RETURN = re.compile(r"[ \t]+return\b(.*)")
_WORD = re.compile(r"\w+")
_SELF_NAME = re.compile(r"self\.([A-Za-z_]\w*)\s*(?=[,:)]|$)")


class Bodies:
    """The lines of one file, and the bodies of its functions."""

    def __init__(self, text: str, *, pruned: bool) -> None:
        self.lines = text.split("\n")
        self.pruned = pruned
        self.text = text
        self._inner: list[tuple[int, str]] | None = None
        self._last: tuple[ast.AST, list[ast.stmt]] | None = None
        self.taken = TakenKeywords(text, self.lines)

    @cached_property
    def _assigned(self) -> list[tuple[int, str]]:
        return _self_assignments(self.lines)

    @cached_property
    def _hints(self) -> list[int]:
        return _hint_lines(self.text)

    @cached_property
    def _listing(self) -> list[int]:
        return lines_with(self.text, ("__all__",))

    def lists_names(self, node: ast.AST) -> bool:
        """True where the lines below the first one of a definition name `__all__`."""
        first, last = node.lineno, node.end_lineno or node.lineno  # type: ignore[attr-defined]
        at = bisect_right(self._listing, first)
        return at < len(self._listing) and self._listing[at] <= last

    def hinted(self, node: ast.AST) -> bool:
        """True where the lines of a definition hint at a mark."""
        first, last = node.lineno, node.end_lineno or node.lineno  # type: ignore[attr-defined]
        at = bisect_left(self._hints, first)
        return at < len(self._hints) and self._hints[at] <= last

    def has_inner_function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
        """True where a function holds another, and a `return` names it."""
        if self._inner is None:
            self._inner = [
                (number, match[1])
                for number, line in enumerate(self.lines, 1)
                if "def " in line and (match := _INNER_DEF.match(line))
            ]
        first, last = node.lineno, node.end_lineno or node.lineno
        names: set[str] = set()
        start = 0
        for line, name in self._inner[bisect_right(self._inner, (first, "\uffff")) :]:
            if line > last:
                break
            start = start or line
            names.add(name)
        if not names:
            return False
        returns = (_RETURN.match(text) for text in self.lines[start:last] if "return" in text)
        return any(names.intersection(_WORD.findall(found[1])) for found in returns if found)

    def self_assignments(self, first: int, last: int) -> list[tuple[str, int]]:
        """(name, line) of `self.name = ...` between two lines, both included."""
        start = bisect_left(self._assigned, (first, ""))
        found = []
        for line, name in self._assigned[start:]:
            if line > last:
                break
            found.append((name, line))
        return found

    def body(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.stmt]:
        """The statements of a function, parsed again where they were pruned."""
        if not self.pruned:
            return node.body
        if self._last is None or self._last[0] is not node:
            # Several readers ask for the same body, one right after the other.
            self._last = (node, self._parsed(node))
        return self._last[1]

    def _parsed(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.stmt]:
        first, last = node.lineno, node.end_lineno or node.lineno
        segment = "\n".join(self.lines[first - 1 : last])
        # Blank lines keep the line numbers; an enclosing block keeps the indent legal without
        # touching strings of several lines.
        nested = node.col_offset > 0 and first > 1
        source = "\n" * (first - 2) + f"if 1:\n{segment}" if nested else "\n" * (first - 1) + segment
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return node.body
        outer = tree.body[0] if tree.body else None
        inner = outer.body[0] if nested and isinstance(outer, ast.If) else outer
        return inner.body if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef) else node.body


def without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    """A body from its first real statement on."""
    if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        return body[1:]
    return body


def lines_with(text: str, words: Iterable[str]) -> list[int]:
    """Sorted numbers of the lines that hold a word.  Plain searching is many times quicker than a pattern."""
    found: set[int] = set()
    for word in words:
        at, position, line = text.find(word), 0, 1
        while at >= 0:
            line += text.count("\n", position, at)
            position = at
            found.add(line)
            end = text.find("\n", at)
            at = text.find(word, end) if end >= 0 else -1
    return sorted(found)


def _hint_lines(text: str) -> list[int]:
    """Sorted numbers of the lines that hold a hint."""
    lowered = text.lower()
    found = (hint for word, longer in HINTS.items() if word in lowered for hint in longer or (word,))
    return lines_with(lowered, found)


def _self_assignments(lines: list[str]) -> list[tuple[int, str]]:
    return [
        (number, name)
        for number, line in enumerate(lines, 1)
        if "self." in line and "=" in line and (match := _SELF_ASSIGNMENT.match(line))
        for name in _SELF_NAME.findall(match[1].rstrip())
    ]
