"""Functions that set attributes on a class that they are given: decorators, and helpers called at import.

    @inherit_names(["ceil", "floor"], DatetimeArray)
    class DatetimeIndex: ...

    add_flex_arithmetic_methods(DataFrame)

A helper that is given nothing but the class can set only what it spells itself: the keys of its dictionaries
are there, its other strings may be.  Where names come from elsewhere or are put together the class is open:
what is not found in it is unknown, never absent.  Text is searched first, since most bodies are pruned.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

_SETS = re.compile(
    r"\bsetattr\(\s*(?P<set>(?!self\b)\w+)\s*,"
    r"|^[ \t]+(?P<bound>cls|klass|class_)\.(?:(?!_)\w+\s*=(?!=)|(?!__|mro\b|register\b)\w+\()",
    re.MULTILINE,
)
_SET_BY_NAME = re.compile(r"^[ \t]+setattr\(\s*([A-Z]\w*)\s*,\s*(?![\s'\"])", re.MULTILINE)
_CALLED = re.compile(r"\b(\w+)\(")
_ROUNDS = 4
"""How many helpers deep a function may leave the work to others of its file."""
_MOST_NAMES = 500
READS_NAMESPACE = frozenset(
    {
        "dict",
        "dir",
        "eval",
        "id",
        "len",
        "list",
        "print",
        "set",
        "sorted",
        "get_type_hints",
        "typing.get_type_hints",
    }
)
"""Functions that do not change a namespace that they are given."""
_WRITES = re.compile(r"\]\s*=(?!=)|\.(?:update|setdefault|__setitem__)\(|\bsetattr\(|\bexec\(")
BARE_CALL = "()"
"""Follows the name of a function that was given the class and nothing else."""


class Span(NamedTuple):
    """A function at the top of a file and its lines, 1-based, both included."""

    name: str
    first: int
    last: int


class Patcher(NamedTuple):
    """A function that sets attributes on what it is given."""

    name: str
    closed: bool
    """It sets nothing but names that are spelled in it."""
    keys: tuple[str, ...] = ()
    """Names that are keys of its dictionaries, on all branches."""
    others: tuple[str, ...] = ()
    """Its other strings that could be names."""


def patchers(text: str, lines: Sequence[str], functions: Iterable[Span]) -> tuple[Patcher, ...]:
    """The functions of a file that set attributes on what they are given, by themselves or through another.

    >>> source = "def f(cls, d):\\n    setattr(cls, n, 1)\\ndef g(x):\\n    f(x, {'add': 1})\\ndef h(): ..."
    >>> found = patchers(source, source.split("\\n"), [Span("f", 1, 2), Span("g", 3, 4), Span("h", 5, 5)])
    >>> [(patcher.name, patcher.closed, patcher.keys) for patcher in found]
    [('f', True, ()), ('g', True, ('add',))]
    """
    if not _may_set(text):
        return ()
    bodies = {span.name: "\n".join(lines[span.first - 1 : span.last]) for span in functions}
    found = {name for name, body in bodies.items() if _may_set(body) and _sets_on_parameter(body)}
    if not found:
        return ()
    for _ in range(_ROUNDS):
        calls = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(found)))})\(\s*\w")
        more = {
            name
            for name, body in bodies.items()
            if name not in found and calls.search(body.partition(":")[2])
        }
        if not more:
            break
        found |= more
    return tuple(_patcher(name, bodies) for name in sorted(found))


def _may_set(text: str) -> bool:
    """Plain searching is many times quicker than a pattern, and most texts have none of these."""
    return any(word in text for word in ("setattr(", "cls.", "klass.", "class_."))


def writes_mapping(body: str) -> bool:
    """Does a function assign items of something, or call what does?"""
    return _WRITES.search(body) is not None


def listed_names(call: ast.expr) -> tuple[str, ...]:
    """Names in the literal sequences among the arguments of a call, none of them twice.

    >>> listed_names(ast.parse("delegate(Other, names=['a', 'b'] + Other.more, kind='x')", mode="eval").body)
    ('a', 'b')
    """
    if not isinstance(call, ast.Call):
        return ()
    arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
    lists = (
        node
        for argument in arguments
        for node in ast.walk(argument)
        if isinstance(node, ast.List | ast.Tuple | ast.Set)
    )
    return tuple(dict.fromkeys(name for node in lists for name in _names(node.elts)))[:_MOST_NAMES]


def set_classes(tree: ast.Module, text: str) -> set[str]:
    """Names on which functions of a file set attributes whose names are computed: `setattr(Load, name, f)`.

    >>> source = "class Load: ...\\ndef option(f):\\n    setattr(Load, f.__name__, f)"
    >>> set_classes(ast.parse(source), source)
    {'Load'}
    """
    matches = list(_SET_BY_NAME.finditer(text)) if "setattr(" in text else []
    if not matches:
        return set()
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    found = set()
    for match in matches:
        line = text.count("\n", 0, match.start()) + 1
        if any(node.lineno < line <= (node.end_lineno or 0) for node in functions):
            found.add(match[1])
    return found


def _sets_on_parameter(body: str) -> bool:
    """Does a function set attributes on a parameter, its own or that of a function inside it?"""
    for match in _SETS.finditer(body):
        owner = match["set"] or match["bound"]
        if re.search(rf"\bdef\s+\w+\([^)]*\b{owner}\b", body):
            return True
    return False


def _patcher(name: str, bodies: Mapping[str, str]) -> Patcher:
    """Gather what a function and its helpers spell."""
    reached = {name}
    for _ in range(_ROUNDS):
        called = {other for one in reached for other in _CALLED.findall(bodies[one])}
        if (called & bodies.keys()) <= reached:
            break
        reached |= called & bodies.keys()
    keys: dict[str, None] = {}
    others: dict[str, None] = {}
    for one in sorted(reached):
        try:
            tree = ast.parse(textwrap.dedent(bodies[one]))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return Patcher(name, False)
        nodes = list(ast.walk(tree))
        if any(_puts_together(node) for node in nodes):
            return Patcher(name, False)
        under_condition = {
            id(inner) for node in nodes if isinstance(node, ast.If) for inner in ast.walk(node)
        }
        keys.update(dict.fromkeys(_keys(node for node in nodes if id(node) not in under_condition)))
        others.update(dict.fromkeys(_names(nodes)))
    if len(keys) + len(others) > _MOST_NAMES:
        return Patcher(name, False)
    return Patcher(name, True, tuple(keys), tuple(text for text in others if text not in keys))


def _puts_together(node: ast.AST) -> bool:
    """Text that is computed, dunder names and error messages apart; or names of something else (`dir(x)`)."""
    if isinstance(node, ast.JoinedStr):
        first = node.values[0] if node.values else None
        return not (isinstance(first, ast.Constant) and re.match(r"__|\w*\W", str(first.value)))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod | ast.Add):
        return any(_is_word(side) for side in (node.left, node.right))
    if isinstance(node, ast.Call):
        called = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        return called in ("dir", "vars", "getmembers") or (
            called == "format" and isinstance(node.func, ast.Attribute) and _is_word(node.func.value)
        )
    return isinstance(node, ast.Attribute) and node.attr == "__dict__" and isinstance(node.ctx, ast.Store)


def _is_word(node: ast.expr) -> bool:
    text = node.value if isinstance(node, ast.Constant) else None
    return isinstance(text, str) and not re.match(r"__|\w*\s", text)


def _keys(nodes: Iterable[Any]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Dict):
            yield from _names(node.keys)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "dict":
            yield from (keyword.arg for keyword in node.keywords if keyword.arg)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "setattr":
            yield from _names(node.args[1:2])
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            yield from _names([node.slice])
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            if isinstance(node.value, ast.Name) and node.value.id in ("cls", "klass", "class_"):
                yield node.attr


def _names(nodes: Iterable[Any]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier():
            yield node.value
