"""The code examples of a docstring.  Pure; nothing is run.

Doctests, directives that hold code, Markdown fences, literal blocks, and code below the word "Example".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from .doctests import PROMPTS, doctests
from .example_code import compiles, dedented, does_something, looks_like_code


class ExampleKind(StrEnum):
    """How a docstring marks an example."""

    DOCTEST = "doctest"
    """Lines with a prompt, `>>>` or IPython's."""
    DIRECTIVE = "directive"
    """`.. code-block:: python` and its like."""
    FENCE = "fence"
    """A block of Markdown between fences."""
    LITERAL = "literal"
    """A block below a line that ends in `::`."""
    SECTION = "section"
    """Plain code below a title such as `Example:`."""


@dataclass(frozen=True, slots=True)
class Example:
    """One example: its code without prompts, what it prints as the docstring says, and whether it compiles.

    `compiles` speaks of the Python that read it.  A statement that the docstring leaves unfinished, or that
    is of Python 2, does not.
    """

    code: str
    output: str
    compiles: bool
    kind: str


Line = tuple[int, Example]
"""An example and the line that it begins in."""

_PYTHON = {"", "python", "python3", "py", "py3", "pycon", "python-console", "ipython", "ipython3", "default"}
_HOLDS_CODE = {
    "code", "code-block", "sourcecode", "testcode", "plot", "ipython", "jupyter-execute", "prompt", "exec",
}  # fmt: skip
_NO_CODE = {"math", "raw", "graphviz", "digraph", "productionlist", "parsed-literal", "testoutput", "doctest"}
_NAMES_LANGUAGE = {"code", "code-block", "sourcecode", "prompt"}
_DIRECTIVE = re.compile(r"( *)\.\.[ ]+([\w:.+-]+?)::[ ]*(.*)$")
_FENCE = re.compile(r" *(`{3,}|~{3,}) *\{?\.?([\w+-]*)[^`]*$")
_UNDERLINE = re.compile(r" *([-=~^\"'+*#`])\1{2,} *$")
_TITLE = re.compile(
    r"(?i) *(?:\*\*|:|__)?(?:(?:basic |simple |typical |sample |code )?(?:examples?|usages?)"
    r"(?: usages?| of use| code)?)(?:\*\*|__)?(?: *\([^)]*\))? *[:.]{0,3}(?:\*\*|__)? *$"
)
_EXAMPLES = "\nExamples\n"
_MARKERS = ("::", "```", "~~~", "xample", "XAMPLE", "sage:", "sage\n")
"""What a line holds that opens an example.  A search for plain text is ten times quicker than a pattern."""


def examples_of(docstring: str) -> list[Example]:
    r"""The examples of a cleaned docstring, in their order.

    >>> for found in examples_of("Do it.\n\nExample::\n\n    do(1)\n\n>>> do(2)  # doctest: +SKIP\n3"):
    ...     print(found.kind, found.code, found.output or "-", found.compiles)
    literal do(1) - True
    doctest do(2) 3 True
    """
    cut = docstring.find(_EXAMPLES)
    if cut < 0:
        return list(_examples(docstring))
    # The examples of most releases are the same although the text above them changed.
    return [*_examples(docstring[:cut]), *_remembered(docstring[cut + 1 :])]


def _examples(docstring: str) -> tuple[Example, ...]:
    found: list[Line] = []
    taken: set[int] = set()
    if any(prompt in docstring for prompt in PROMPTS):
        line = place = 0
        for start, end, doctest in doctests(docstring):
            line += docstring.count("\n", place, start)
            found.append((line, Example(*doctest, ExampleKind.DOCTEST)))
            taken.update(range(line, line + docstring.count("\n", start, end) + 1))
            place = start
    markers = [marker for marker in _MARKERS if marker in docstring]
    opening = sorted({place for marker in markers for place in _places(docstring, marker)})
    if opening:
        found += _other_examples(docstring, opening, taken)
        found.sort(key=lambda item: item[0])
    return tuple(example for _, example in found if example.code)


_remembered = lru_cache(4096)(_examples)


def _places(text: str, marker: str) -> Iterator[int]:
    """Where the lines begin that hold a marker."""
    at = text.find(marker)
    while at >= 0:
        yield text.rfind("\n", 0, at) + 1
        after = text.find("\n", at)
        at = -1 if after < 0 else text.find(marker, after)


def _other_examples(docstring: str, opening: Sequence[int], taken: set[int]) -> Iterator[Line]:
    """Examples without prompts; what was found is added to `taken`, so nothing is told twice."""
    lines = docstring.split("\n")
    titles: list[int] = []
    number = place = 0
    for start in opening:
        number += docstring.count("\n", place, start)
        place = start
        if number in taken:
            continue
        low, high, kind, sure = _marked(lines, number)
        if high < 0:
            taken.update(range(number, -high))
        elif high > low:
            if taken.isdisjoint(range(low, high)):
                yield from _judged(lines, low, high, kind, sure)
                taken.update(range(number, high))
        elif _TITLE.match(lines[number]):
            titles.append(number)
        else:
            yield from _led_to(lines, number, taken)
    for title in titles:
        yield from _section(lines, title, taken)


_NOTHING = (0, 0, ExampleKind.LITERAL, False)


def _marked(lines: Sequence[str], number: int) -> tuple[int, int, ExampleKind, bool]:
    """The block that a line opens as (first line, one past the last, kind, whether it says it is Python).

    A negative end, made positive, is one past the end of a block that holds no Python.
    """
    line = lines[number]
    if "::" in line:
        directive = _DIRECTIVE.match(line)
        if directive is not None:
            return _directive(lines, number, directive)
        if line.rstrip().endswith("::") and not line.lstrip().startswith(".. "):
            return number + 1, _block_end(lines, number), ExampleKind.LITERAL, False
    elif "```" in line or "~~~" in line:
        fence = _FENCE.match(line)
        if fence is not None and _opens(lines, number, fence):
            return _fenced(lines, number, fence)
    return _NOTHING


def _directive(lines: Sequence[str], number: int, found: re.Match[str]) -> tuple[int, int, ExampleKind, bool]:
    name = found.group(2).rpartition(":")[2].lower()
    if name not in _HOLDS_CODE and name not in _NO_CODE:
        return _NOTHING
    end = _block_end(lines, number)
    argument = found.group(3).strip().lower()
    foreign = name in _NAMES_LANGUAGE and argument not in _PYTHON
    if name in _NO_CODE or foreign or end == number + 1:
        return 0, -end, ExampleKind.DIRECTIVE, False
    start = number + 1
    while start < end and re.match(r" *:[\w-]+:", lines[start]):
        start += 1
    return start, end, ExampleKind.DIRECTIVE, True


def _block_end(lines: Sequence[str], number: int) -> int:
    """One past the last line that is set in deeper than a line."""
    indent = _indent(lines[number])
    end = number + 1
    for at in range(number + 1, len(lines)):
        if lines[at].strip():
            if _indent(lines[at]) <= indent:
                break
            end = at + 1
    return end


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _opens(lines: Sequence[str], number: int, fence: re.Match[str]) -> bool:
    """Whether it is a fence, and not the line below a title."""
    if fence.group(2):
        return True
    return len(fence.group(1)) == 3 and not (number and lines[number - 1].strip() and "~" in fence.group(1))


def _fenced(lines: Sequence[str], number: int, fence: re.Match[str]) -> tuple[int, int, ExampleKind, bool]:
    language = fence.group(2).lower()
    end = next(
        (at for at in range(number + 1, len(lines)) if lines[at].strip().startswith(fence.group(1))), None
    )
    if end is None:
        return _NOTHING
    if language not in _PYTHON:
        return 0, -(end + 1), ExampleKind.FENCE, False
    return number + 1, end, ExampleKind.FENCE, bool(language)


def _judged(lines: Sequence[str], low: int, high: int, kind: ExampleKind, sure: bool) -> Iterator[Line]:
    code = dedented(lines[low:high])
    if code and (sure or looks_like_code(code)):
        yield low, Example(code, "", compiles(code), kind)


def _led_to(lines: Sequence[str], number: int, taken: set[int]) -> Iterator[Line]:
    """The block below a paragraph that speaks of an example and ends with a colon."""
    if "xample" not in lines[number]:
        return
    while number + 1 < len(lines) and lines[number + 1].strip():
        if _indent(lines[number + 1]) > _indent(lines[number]):
            break
        number += 1
    last = lines[number].rstrip()
    end = _block_end(lines, number)
    if last.endswith(":") and taken.isdisjoint(range(number, end)):
        kind = ExampleKind.LITERAL if last.endswith("::") else ExampleKind.SECTION
        yield from _judged(lines, number + 1, end, kind, False)
        taken.update(range(number, end))


def _section(lines: Sequence[str], title: int, taken: set[int]) -> Iterator[Line]:
    """Plain code below a title: the paragraphs that are Python, those that follow each other as one."""
    indent = _indent(lines[title])
    underlined = title + 1 < len(lines) and bool(_UNDERLINE.match(lines[title + 1]))
    below = title + 2 if underlined else title + 1
    flat = not underlined and _first_indent(lines, below) <= indent
    end = len(lines) if flat else _section_end(lines, below, indent, underlined)
    low = high = -1
    for start, stop in _paragraphs(lines, below, end, taken):
        if low >= 0 and _belongs(lines, low, start, stop):
            high = stop
            continue
        if low >= 0:
            yield from _judged(lines, low, high, ExampleKind.SECTION, False)
        low, high = (start, stop) if looks_like_code(dedented(lines[start:stop])) else (-1, -1)
        if flat and low < 0:
            return
    if low >= 0:
        yield from _judged(lines, low, high, ExampleKind.SECTION, False)


def _first_indent(lines: Sequence[str], start: int) -> int:
    return next((_indent(line) for line in lines[start:] if line.strip()), 0)


def _belongs(lines: Sequence[str], low: int, start: int, stop: int) -> bool:
    """Whether a paragraph goes on with the code above it."""
    together = dedented(lines[low:stop])
    return does_something(together) or (
        looks_like_code(together) and looks_like_code(dedented(lines[start:stop]))
    )


def _section_end(lines: Sequence[str], start: int, indent: int, underlined: bool) -> int:
    for at in range(start, len(lines)):
        if not lines[at].strip():
            continue
        if underlined and at + 1 < len(lines) and _UNDERLINE.match(lines[at + 1]):
            return at
        if _indent(lines[at]) < indent or (not underlined and _indent(lines[at]) <= indent):
            return at
    return len(lines)


def _paragraphs(lines: Sequence[str], start: int, end: int, taken: set[int]) -> Iterator[tuple[int, int]]:
    low: int | None = None
    for at in range(start, end):
        inside = bool(lines[at].strip()) and at not in taken
        if inside and low is None:
            low = at
        if not inside and low is not None:
            yield low, at
            low = None
    if low is not None:
        yield low, end
