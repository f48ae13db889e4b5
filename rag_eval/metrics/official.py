"""VersiCode's metrics as its published scripts compute them, quirks included.

What the scripts do differs from what the paper says; `strict` has the latter.

- ISM is no sequence match: of all pairs of a name in the reference and one in the output it takes the pair
  with the longest common prefix, and divides its length by that of the longer name.
- PM does the same with the names of lines: one equal line anywhere gives 1.
- Both are 0 unless the name of the API occurs in the output, be it inside another name.
- EM only asks whether that name stands in the output as a word.
- CDC reads calls by a pattern that ends at the first closing parenthesis.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from .identifiers import identifiers
from .words import compiles, has_word


class Gold:
    """What outputs of a task are held against; what is read of it is read once.

    `reference` is the masked line, the block, or the code at the other end of an edit; `name` is the
    API that has to occur.  `core_line` is the line of the reference that CDC looks at: of a block the first
    that holds the name, of a line the line.
    """

    def __init__(self, reference: str, name: str, core_line: str | None = None) -> None:
        self.reference = reference
        self.name = name
        self.core_line = reference if core_line is None else core_line
        self._whole: _Prefixes[str] | None = None
        self._lines: _Prefixes[tuple[str, ...]] | None = None
        self._call: _Call | None = None

    @property
    def whole(self) -> _Prefixes[str]:
        """The names of the reference."""
        if self._whole is None:
            self._whole = _Prefixes(_whole_names(self.reference))
        return self._whole

    @property
    def lines(self) -> _Prefixes[tuple[str, ...]]:
        """The names of each of its lines."""
        if self._lines is None:
            self._lines = _Prefixes(map(line_names, self.reference.split("\n")))
        return self._lines

    @property
    def call(self) -> _Call:
        """The call in its core line."""
        if self._call is None:
            self._call = _Call(self.core_line, self.name)
        return self._call


_Item = TypeVar("_Item", str, tuple[str, ...])


class _Prefixes(Generic[_Item]):
    """Sequences with all their prefixes, to find the longest that others share."""

    def __init__(self, items: Iterable[_Item]) -> None:
        self.items: tuple[_Item, ...] = tuple(dict.fromkeys(items))
        self._prefixes: set[_Item] = {
            item[:length] for item in self.items for length in range(1, len(item) + 1)
        }

    def similarity(self, others: Sequence[_Item]) -> float:
        """Common length by longer length of the pair with the longest common prefix, 0 where there is none.

        Of pairs that tie it is the first, ours before theirs: the first of ours that has a partner, with
        the first of its partners.
        """
        best = 0
        prefixes = self._prefixes
        for other in others:
            while len(other) > best and other[: best + 1] in prefixes:
                best += 1
        if best == 0:
            return 0.0
        heads: dict[_Item, _Item] = {}
        for other in others:
            if len(other) >= best:
                heads.setdefault(other[:best], other)
        pair = next((item, heads[item[:best]]) for item in self.items if item[:best] in heads)
        return best / max(map(len, pair))


def _whole_names(code: str) -> list[str]:
    """All names of a text; none where the tokenizer raises; its lines where it does so at once."""
    try:
        return identifiers(code) or []
    except (LookupError, ValueError):
        return code.splitlines()


def line_names(line: str) -> tuple[str, ...]:
    """The names of a line, or what stands between its spaces where the tokenizer raises.

    >>> line_names("x = f(a)"), line_names("x = f(a")
    (('x', 'f', 'a'), ('x', '=', 'f(a'))
    """
    try:
        names = identifiers(line)
    except (LookupError, ValueError):
        names = None
    return tuple(line.split(" ") if names is None else names)


def ism(gold: Gold, output: str) -> float:
    """The similarity of the most similar names; 0 where the name of the API does not occur."""
    if gold.name not in output:
        return 0.0
    return gold.whole.similarity(_whole_names(output))


def pm(gold: Gold, output: str) -> float:
    """The same of the names of lines."""
    if gold.name not in output:
        return 0.0
    return gold.lines.similarity([line_names(line) for line in output.split("\n")])


def em(gold: Gold, output: str) -> bool:
    """Whether the name of the API stands in the output as a word."""
    return has_word(output, gold.name)


def exact(gold: Gold, output: str) -> bool:
    """Whether the output is the name of the API, character by character: what pass@k counts."""
    return output == gold.name


def cdc(gold: Gold, output: str, program: str, core_line: str | None = None) -> bool:
    """Whether an output has the name, arguments, keywords and `with` of the reference, and compiles.

    `program` is the output in its place, `core_line` the line of it that is looked at, by default all.
    """
    line = output if core_line is None else core_line
    return (
        has_word(output, gold.name)
        and gold.core_line.startswith("with") == line.startswith("with")
        and gold.call.agrees(_Call(line, gold.name), line)
        and compiles(program)
    )


class _Call:
    """The arguments of the first call of a name, by the pattern `name\\((.*?)\\)`."""

    def __init__(self, code: str, name: str) -> None:
        self._name = name
        inside = _first_call(code, name)
        self.found = inside is not None
        self.arguments = [part.strip() for part in (inside or "").strip().split(",") if part.strip()]

    def agrees(self, other: _Call, code: str) -> bool:
        """Whether another call has as many arguments, and all keywords of this one.

        Without a call in the reference nothing agrees, decorators and bare names included.
        """
        if not self.found or not other.found or len(self.arguments) != len(other.arguments):
            return False
        given = [argument for argument in other.arguments if "=" in argument]
        keywords = [argument.split("=")[0].strip() for argument in self.arguments if "=" in argument]
        return all(any(keyword in argument for argument in given) for keyword in keywords)


_WORD = re.compile(r"\w+")


def _first_call(code: str, name: str) -> str | None:
    if _WORD.fullmatch(name) is None:
        # The scripts put the name into the pattern as it is: a dot in it stands for any character.
        try:
            match = re.search(rf"{name}\((.*?)\)", code)
        except re.error:
            return None
        return match[1] if match else None
    opened = name + "("
    start = code.find(opened)
    while start >= 0:
        start += len(opened)
        end, newline = code.find(")", start), code.find("\n", start)
        if end >= 0 and not 0 <= newline < end:
            return code[start:end]
        start = code.find(opened, start)
    return None


_TRIPLE = re.compile(r"'''(.*?)'''|\"\"\"(.*?)\"\"\"")
_HEAD = re.compile(r"\bdef\s+task_function\b")


def core_line(code: str, name: str) -> str:
    """The line of a block that CDC looks at: the first that holds the name, stripped; `N/A` without one.

    Comments, triple-quoted text and `def task_function` are passed over, and so are lines in which every
    name is followed by `=`.  The published script takes one of these lines at random, unseeded.
    """
    pattern = re.compile(rf"\b{re.escape(name)}\b(?!\s*=)") if name and name in code else None
    if pattern is None:
        return "N/A"
    inside = False
    for line in code.split("\n"):
        quoted = '"""' in line or "'''" in line
        closed = quoted and _TRIPLE.search(line) is not None
        if inside:
            inside = closed or not quoted
        elif line.strip().startswith("#") or closed:
            continue
        elif quoted:
            inside = True
        elif not _HEAD.search(line) and pattern.search(line):
            return line.strip()
    return "N/A"


@dataclass(frozen=True, slots=True)
class OutputScores:
    """The official scores of one output."""

    exact: bool
    ism: float
    pm: float
    ism_verified: float
    pm_verified: float
    em: bool
    cdc: bool


def score(
    gold: Gold, outputs: Sequence[str], programs: Sequence[str], *, block: bool, compiled: bool = True
) -> list[OutputScores]:
    """All official scores of the outputs of one task; equal outputs are scored once.

    `programs` are the outputs in their places.  `block` looks at core lines of the outputs, as the scripts
    do for blocks and edits.  What is verified is that the output compiles by itself; where it is not
    `compiled`, as of other languages than Python, everything passes for verified.
    """
    known: dict[str, OutputScores] = {}
    for output, program in zip(outputs, programs, strict=True):
        if output not in known:
            known[output] = _score(gold, output, program, block, compiled)
    return [known[output] for output in outputs]


def _score(gold: Gold, output: str, program: str, block: bool, compiled: bool) -> OutputScores:
    if gold.name not in output or not gold.name:
        return OutputScores(False, 0.0, 0.0, 0.0, 0.0, False, False)
    names, lines = ism(gold, output), pm(gold, output)
    verified = (names > 0 or lines > 0) and (not compiled or compiles(output))
    line = core_line(output, gold.name) if block else None
    return OutputScores(
        exact(gold, output),
        names,
        lines,
        names if verified else 0.0,
        lines if verified else 0.0,
        em(gold, output),
        cdc(gold, output, program if compiled else "", line),
    )
