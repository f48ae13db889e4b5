"""Doctests in a docstring, as blocks: statements with what they print.  Pure.

The standard `doctest` module refuses a whole docstring for one line that is set in wrongly, and knows no
prompts of IPython; real docstrings hold both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from .example_code import compiles

_FIRST = re.compile(r"([ \t]*)(?:>>>|In ?\[\d*\]:) ?(.*)")
_MORE = re.compile(r"[ \t]*(?:\.\.\.:?|\.{2,}:) ?(.*)")
_OUT = re.compile(r"[ \t]*Out ?\[\d*\]: ?(.*)")
_OPTION = re.compile(r"\s*#\s*x?doctest:.*$")
PROMPTS = (">>>", "In [")
"""What every doctest begins with; a text without them has none."""
_FENCE = ("```", "~~~")
_FOLLOWING = 40
"""Lines of output that are tried as the rest of a statement that ends in the middle."""


class Doctest(NamedTuple):
    """Statements that follow each other, and what they print."""

    code: str
    output: str
    compiles: bool


class Found(NamedTuple):
    """A doctest and its place: characters from `start` to `end`."""

    start: int
    end: int
    doctest: Doctest


def doctests(text: str) -> Iterator[Found]:
    r"""The doctests of a cleaned docstring.

    A block ends with the blank line after an output, or where text follows.  Statements without an
    output prepare those below them, and stay with them.

    >>> for found in doctests("Say.\n\n>>> a = 1\n\n>>> for n in (a,):\n...     print(n)\n1\n\n>>> a\n1"):
    ...     print(found.doctest)
    Doctest(code='a = 1\nfor n in (a,):\n    print(n)', output='1', compiles=True)
    Doctest(code='a', output='1', compiles=True)
    """
    start = end = 0
    parts: list[str] = []
    for low, high in _blocks(text):
        if parts and (_has_output(parts[-1]) or text[end:low].strip()):
            yield Found(start, end, _parsed("\n".join(parts)))
            parts = []
        if not parts:
            start = low
        parts.append(text[low:high])
        end = high
    if parts:
        yield Found(start, end, _parsed("\n".join(parts)))


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Runs of lines that begin with a prompt and end with a blank line, a fence, or a line further left."""
    at = 0
    while (low := _next_prompt(text, at)) >= 0:
        at = _line_end(text, low)
        indent = at - low - len(text[low:at].lstrip())
        while at < len(text):
            line_end = _line_end(text, at + 1)
            line = text[at + 1 : line_end]
            bare = line.lstrip()
            if not bare or (len(line) - len(bare) < indent and not bare.startswith("...")):
                break
            if bare.startswith(_FENCE):
                break
            at = line_end
        yield low, at


def _next_prompt(text: str, at: int) -> int:
    """Where the next line with a prompt begins, -1 where there is none.

    A search for plain text is ten times quicker than a pattern.
    """
    found = [_next_line(text, prompt, at) for prompt in PROMPTS]
    return min((place for place in found if place >= 0), default=-1)


def _next_line(text: str, prompt: str, at: int) -> int:
    found = text.find(prompt, at)
    while found >= 0:
        start = text.rfind("\n", 0, found) + 1
        if not text[start:found].strip():
            if prompt == ">>>" or _FIRST.match(text, start):
                return start
        found = text.find(prompt, found + 1)
    return -1


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


@lru_cache(4096)
def _has_output(block: str) -> bool:
    return any(not line.lstrip().startswith((">>>", "...", "In [")) for line in block.split("\n"))


@lru_cache(4096)
def _parsed(block: str) -> Doctest:
    statements: list[_Statement] = []
    margin = 0
    for line in block.split("\n"):
        first = _FIRST.match(line) if ">>>" in line or "In" in line else None
        if first:
            margin = len(first.group(1))
            statements.append(([_source(first.group(2))], []))
            continue
        code, output = statements[-1]
        more = None if output else _MORE.match(line)
        if more:
            code.append(_source(more.group(1)))
            continue
        out = _OUT.match(line)
        shown = out.group(1) if out else line[margin:].rstrip()
        output.append("" if shown == "<BLANKLINE>" else shown)
    return _joined(statements)


_Statement = tuple[list[str], list[str]]
"""The lines of a statement, and of what it prints."""


def _source(line: str) -> str:
    """A line of code without what only speaks to the checker."""
    return _OPTION.sub("", line.rstrip()) if "doctest:" in line else line.rstrip()


def _joined(statements: list[_Statement]) -> Doctest:
    output = "\n".join(line for _, lines in statements for line in lines)
    text = _text(statements)
    for mend in (_outdent, _join_broken):
        if not text or compiles(text):
            break
        statements = mend(statements)
        text = _text(statements)
        output = "\n".join(line for _, lines in statements for line in lines)
    return Doctest(text, output, compiles(text))


def _text(statements: list[_Statement]) -> str:
    return "\n".join(line for code, _ in statements for line in code).strip("\n")


def _outdent(statements: list[_Statement]) -> list[_Statement]:
    """One blank too many after the prompt, which `doctest` itself would refuse."""
    return [
        ([line[1:] for line in code] if re.match(" \\S", code[0]) else code, output)
        for code, output in statements
    ]


def _join_broken(statements: list[_Statement]) -> list[_Statement]:
    """Statements that were broken over lines without dots: the lines below belong to them."""
    return [_complete(*statement) for statement in statements]


def _complete(code: list[str], output: list[str]) -> _Statement:
    if not compiles("\n".join(code)):
        for count in range(1, min(len(output), _FOLLOWING) + 1):
            longer = [*code, *output[:count]]
            if compiles("\n".join(longer)):
                return longer, output[count:]
    return code, output
