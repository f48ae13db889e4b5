"""Keywords that a function takes out of its `**kwargs` by name.

Most bodies are pruned, so the text is searched: `kwargs.pop("loc", None)`, `kwargs.get("loc")`.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_left

from ..kb.parameters import REFUSED

_CALLS = (".pop(", ".get(")
_NAME = re.compile(r"\s*(['\"])([^\W\d]\w*)\1\s*[,)]")
_OWNER = re.compile(r"\w+\Z")
_VARIABLE = re.compile(r"\s*(\w+)\s*=\s*\w+\.\w+\([^()]*\)\s*(?:#.*)?\Z")
_CONDITION = re.compile(r"\s*if \w+\.\w+\([^()]*\)(?: is not None)?:\s*(?:#.*)?\Z")
_RAISES = re.compile(r"\s*raise\b")
_LONGEST = 100
"""Characters of a name that are looked at."""
_NEAR = 4
"""Lines behind the place in which the raise must begin."""


class TakenKeywords:
    """The places of one file at which something is taken by a literal name, searched once."""

    def __init__(self, text: str, lines: list[str]) -> None:
        self._text = text
        self._lines = lines
        self._places: list[tuple[int, str, str]] | None = None

    def of(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> tuple[str, ...]:
        """Names that a function takes out of its own `**kwargs`, in order.

        One that it takes out in order to raise stands with `REFUSED` before it.
        """
        if node.args.kwarg is None:
            return ()
        if self._places is None:
            self._places = _places(self._text)
        kwargs = node.args.kwarg.arg
        first, last = node.lineno, node.end_lineno or node.lineno
        found: dict[str, bool] = {}
        for line, owner, name in self._places[bisect_left(self._places, (first, "", "")) :]:
            if line > last:
                break
            if owner == kwargs and not self._is_elsewhere(node, kwargs, line):
                found[name] = found.get(name, True) and self._is_refused(line)
        return tuple(REFUSED + name if refused else name for name, refused in found.items())

    def _is_refused(self, line: int) -> bool:
        """`old = kwargs.pop("old", None)`, then `if old is not None:`, then `raise`; or in one condition."""
        code, following = self._lines[line - 1], self._lines[line : line + _NEAR]
        variable = _VARIABLE.match(code)
        if variable is not None:
            asked = re.compile(rf"\s*if {variable[1]}(?: is not None)?:\s*(?:#.*)?\Z")
            following = [text for text in following if text.strip()]
            if not following or not asked.match(following[0]):
                return False
            following = following[1:]
        elif not _CONDITION.match(code):
            return False
        return bool(following) and _RAISES.match(following[0]) is not None

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
