"""VersiCode's metrics as its paper words them: names as words, calls as calls, averages over lines.

Where the paper leaves room, what is done here is said at the function.  Python is read by its syntax tree,
other languages by their lexers.
"""

from __future__ import annotations

import ast
import keyword
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from ...kb.code_names import call_of, parse
from ..tasks import Task
from . import lexers
from .identifiers import identifiers
from .words import has_word

_KEYWORDS = frozenset(keyword.kwlist)


@dataclass(frozen=True, slots=True)
class StrictScores:
    """The strict scores of one output."""

    exact: bool
    """The output is the reference, white space at its ends aside."""
    name_used: bool
    """The name of the API stands in the code of the output: not in a comment, string, or other name."""
    ism: float
    """Identifier sequence match: see `line_average`."""
    pm: float
    """Prefix match: the same over characters."""
    call: bool
    """A call of the API has as many arguments and the same keywords as one in the reference; where the
    reference only names it, naming it is enough."""
    parsed: bool
    """The program with the output in its place is Python; of another language always true."""


class StrictGold:
    """What outputs of a task are held against."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.code = _Code(task.reference, task.program(task.reference), task)


class _Code:
    """A piece of code, with the program that it belongs to."""

    def __init__(self, text: str, program: str, task: Task) -> None:
        self._task = task
        self._python = task.language == "python"
        tree = parse(program) if self._python else None
        self.parsed = tree is not None or not self._python
        first, last = output_lines(task, text)
        if self._python and tree is None:
            # A line of a program that is cut off may still be code by itself.
            tree, first, last = parse(textwrap.dedent(text).strip()), 1, text.count("\n") + 1
        self.names = self._names_of(text, tree, first, last)
        self.calls = self._calls_of(text, tree, first, last)
        self.lines = [line.strip() for line in text.split("\n") if line.strip()]
        self.name_lines = [self._line_names(line) for line in self.lines]

    def _names_of(self, text: str, tree: ast.AST | None, first: int, last: int) -> set[str]:
        if not self._python:
            return set(lexers.names(text, self._task.language))
        if tree is None:
            return set(identifiers_of(text))
        return {name for node in _between(tree, first, last) for name in _names_in(node)}

    def _calls_of(
        self, text: str, tree: ast.AST | None, first: int, last: int
    ) -> set[tuple[int, frozenset[str]]]:
        """Arguments without a name and keywords of the calls of the answer."""
        answer = self._task.answer
        if not self._python:
            found = lexers.calls(text, self._task.language)
            return {(call.arguments, frozenset()) for call in found if call.name == answer}
        calls = [node for node in _between(tree, first, last) if isinstance(node, ast.Call)] if tree else []
        return {
            (call.positional, frozenset(call.keywords))
            for call in (call_of(node) for node in calls if _called(node) == answer)
        }

    def _line_names(self, line: str) -> list[str]:
        return identifiers_of(line) if self._python else lexers.names(line, self._task.language)


def score_strict(gold: StrictGold, outputs: Sequence[str]) -> list[StrictScores]:
    """The strict scores of the outputs of one task; equal outputs are scored once."""
    known: dict[str, StrictScores] = {}
    for output in outputs:
        if output not in known:
            known[output] = _score(gold, output)
    return [known[output] for output in outputs]


def _score(gold: StrictGold, output: str) -> StrictScores:
    task, reference = gold.task, gold.code
    exact = output.strip() == task.reference.strip()
    if not has_word(output, task.answer) or not task.answer:
        parsed = task.language != "python" or parse(task.program(output)) is not None
        return StrictScores(exact, False, 0.0, 0.0, False, parsed)
    code = _Code(output, task.program(output), task)
    used = set(task.answer.split(".")) <= code.names
    return StrictScores(
        exact,
        used,
        line_average(reference.name_lines, code.name_lines) if used else 0.0,
        line_average(reference.lines, code.lines) if used else 0.0,
        used and (bool(reference.calls & code.calls) if reference.calls else True),
        code.parsed,
    )


def line_average(reference: Sequence[Sequence[str]], output: Sequence[Sequence[str]]) -> float:
    """The mean over lines of: length of the common prefix by the longer length.

    The n-th line of the output stands beside the n-th of the reference, lines without a partner count 0.
    A line without elements agrees with another such.

    >>> line_average([["x", "f", "a"], ["y"]], [["x", "f", "b", "c"]])
    0.25
    """
    count = max(len(reference), len(output))
    pairs = zip(reference, output, strict=False)
    return sum(map(_common, *zip(*pairs, strict=True))) / count if reference and output else float(not count)


def _common(ours: Sequence[str], theirs: Sequence[str]) -> float:
    longer = max(len(ours), len(theirs))
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(ours, theirs, strict=False)))
    return same / longer if longer else 1.0


def identifiers_of(code: str) -> list[str]:
    """The names of Python code without keywords; of a line that is cut off, as far as it goes."""
    try:
        found = identifiers(code)
        if found is None:
            # Brackets that do not balance: their names are names all the same.
            found = identifiers(code.translate(_NO_BRACKETS))
    except (LookupError, ValueError):
        found = None
    return [name for name in found or () if name not in _KEYWORDS]


_NO_BRACKETS = str.maketrans("()[]{}\\", "       ")


def output_lines(task: Task, output: str) -> tuple[int, int]:
    """First and last 1-based line of an output in its program; with several masks, of all that they span."""
    height = output.count("\n")
    if task.mask is not None:
        first = task.given[: task.given.find(task.mask)].count("\n") + 1
        masks = task.given.count(task.mask)
        between = task.given[task.given.find(task.mask) : task.given.rfind(task.mask)].count("\n")
        return first, first + between + masks * height
    program = task.program(output)
    if program is output:
        return 1, height + 1
    return task.given.count("\n") + 1, program.count("\n") + 1


def _between(tree: ast.AST, first: int, last: int) -> list[ast.AST]:
    """The nodes that start on these lines; of arguments and the like, those without a place too."""
    return [node for node in ast.walk(tree) if first <= getattr(node, "lineno", first) <= last]


def _names_in(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Name):
        return [node.id]
    if isinstance(node, ast.Attribute):
        return [node.attr]
    if isinstance(node, ast.alias):
        return [*node.name.split("."), *([node.asname] if node.asname else [])]
    if isinstance(node, ast.keyword | ast.arg):
        return [node.arg] if node.arg else []
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.ImportFrom):
        return (node.module or "").split(".")
    return []


def _called(node: ast.Call) -> str:
    parts: list[str] = []
    target = node.func
    while isinstance(target, ast.Attribute):
        parts.append(target.attr)
        target = target.value
    return parts[0] if parts else target.id if isinstance(target, ast.Name) else ""
