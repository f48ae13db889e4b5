"""Keywords that a function takes out of its `**kwargs` by name.

Most bodies are pruned, so the text is searched: `kwargs.pop("loc", None)`, `kwargs.get("loc")`.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_left

_CALLS = (".pop(", ".get(")
_NAME = re.compile(r"\s*(['\"])([^\W\d]\w*)\1\s*[,)]")
_OWNER = re.compile(r"\w+\Z")
_LONGEST = 100
"""Characters of a name that are looked at."""


class TakenKeywords:
    """The places of one file at which something is taken by a literal name, searched once."""

    def __init__(self, text: str, lines: list[str]) -> None:
        self._text = text
        self._lines = lines
        self._places: list[tuple[int, str, str]] | None = None

    def of(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> tuple[str, ...]:
        """Names that a function takes out of its own `**kwargs`, in order."""
        if node.args.kwarg is None:
            return ()
        if self._places is None:
            self._places = _places(self._text)
        kwargs = node.args.kwarg.arg
        first, last = node.lineno, node.end_lineno or node.lineno
        found: dict[str, None] = {}
        for line, owner, name in self._places[bisect_left(self._places, (first, "", "")) :]:
            if line > last:
                break
            if owner == kwargs and not self._is_elsewhere(node, kwargs, line):
                found[name] = None
        return tuple(found)

    def _is_elsewhere(self, node: ast.FunctionDef | ast.AsyncFunctionDef, kwargs: str, line: int) -> bool:
        """True in a docstring, behind a `#`, and below a nested function with `**kwargs` of its own."""
        code = self._lines[line - 1]
        if "#" in code[: code.find(f"{kwargs}.")]:
            return True
        body = node.body[0] if node.body else None
        if isinstance(body, ast.Expr) and body.lineno <= line <= (body.end_lineno or body.lineno):
            return True
        return any(
            f"**{kwargs}" in above and above.lstrip().startswith(("def ", "async def "))
            for above in self._lines[node.lineno : line]
        )


def _places(text: str) -> list[tuple[int, str, str]]:
    """(line, owner, name) of every `owner.pop("name"`, sorted.  Plain searching is quicker than a pattern."""
    found = []
    for call in _CALLS:
        at, position, line = text.find(call), 0, 1
        while at >= 0:
            behind = at + len(call)
            name, owner = _NAME.match(text, behind), _OWNER.search(text[max(0, at - _LONGEST) : at])
            if name is not None and owner is not None:
                line += text.count("\n", position, at)
                position = at
                found.append((line, owner[0], name[2]))
            at = text.find(call, behind)
    return sorted(found)
