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
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from .bodies import Bodies, lines_with

_SETS = re.compile(
    r"\bsetattr\(\s*(?P<set>(?!self\b)\w+)\s*,"
    r"|^[ \t]+(?P<bound>cls|klass|class_)\.(?:(?!_)\w+\s*=(?!=)|(?!__|mro\b|register\b)\w+\()",
    re.MULTILINE,
)
_WORDS = ("setattr(", "cls.", "klass.", "class_.")
"""One of these is in every text that `_SETS` finds."""
_SET_BY_NAME = re.compile(
    r"(?<=[ \t])setattr\(\s*(?:([A-Z]\w*)|self\.__class__|type\(self\))\s*,\s*(?![\s'\"])"
)
_SETS_ON_MODULE = re.compile(r"\bsetattr\(\s*sys\.modules\[\s*\w+\.__module__\s*\]")
_ON_HELD = re.compile(r"\s+(?:cls|klass|class_)\.(\w+)\.(\w+)\s*=(?!=)")
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
    """With its class before it where it sets names of the module of what it is given."""
    closed: bool
    """It sets nothing but names that are spelled in it."""
    keys: tuple[str, ...] = ()
    """Names that are keys of its dictionaries, on all branches."""
    others: tuple[str, ...] = ()
    """Its other strings that could be names."""
    on_module: bool = False
    """It sets them in the module that holds what it is given, where an attribute of it has that name."""
    holder: str | None = None
    """The attribute of what it is given that leads to the class on which it sets them."""


def patchers(text: str, lines: Sequence[str], functions: Iterable[Span]) -> tuple[Patcher, ...]:
    """The functions of a file that set attributes on what they are given, by themselves or through another.

    >>> source = "def f(cls, d):\\n    setattr(cls, n, 1)\\ndef g(x):\\n    f(x, {'add': 1})\\ndef h(): ..."
    >>> found = patchers(source, source.split("\\n"), [Span("f", 1, 2), Span("g", 3, 4), Span("h", 5, 5)])
    >>> [(patcher.name, patcher.closed, patcher.keys) for patcher in found]
    [('f', True, ()), ('g', True, ('add',))]
    """
    spans = list(functions)
    places = lines_with(text, _WORDS) if spans else []
    found = {
        span.name
        for span in spans
        if bisect_right(places, span.last) > bisect_left(places, span.first)
        and _sets_on_parameter("\n".join(lines[span.first - 1 : span.last]))
    }
    held = tuple(_on_held(lines[place - 1] for place in places))
    if not found:
        return held
    bodies = {span.name: "\n".join(lines[span.first - 1 : span.last]) for span in spans}
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
    return (*(_patcher(name, bodies) for name in sorted(found)), *held)


def _on_held(lines: Iterable[str]) -> Iterator[Patcher]:
    """`cls._target.dispatch = ...`: what is set on the class that an attribute of a class leads to."""
    found: dict[tuple[str, str], None] = {}
    for line in lines:
        if (match := _ON_HELD.match(line)) is not None:
            found[match[1], match[2]] = None
    return (Patcher("", True, (name,), holder=holder) for holder, name in found)


def module_patchers(tree: ast.Module, text: str, bodies: Bodies) -> tuple[Patcher, ...]:
    """Functions and methods that do `setattr(sys.modules[cls.__module__], ...)` to a class they are given.

    `keys` are names of attributes of the class that are copied, `others` names of what is made for it.
    """
    if ".__module__]" not in text or not _SETS_ON_MODULE.search(text):
        return ()
    holders: list[tuple[str, ast.Module | ast.ClassDef]] = [("", tree)]
    holders += [(f"{node.name}.", node) for node in tree.body if isinstance(node, ast.ClassDef)]
    return tuple(
        _module_patcher(prefix + node.name, bodies.body(node))
        for prefix, holder in holders
        for node in holder.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and _SETS_ON_MODULE.search("\n".join(bodies.lines[node.lineno : node.end_lineno]))
    )


def _module_patcher(name: str, body: list[ast.stmt]) -> Patcher:
    copied: list[str] = []
    made: list[str] = []
    closed = True
    for node, loops in _with_loops(body, {}):
        if not isinstance(node, ast.Call) or not _SETS_ON_MODULE.match(ast.unparse(node)):
            continue
        key, value = node.args[1], node.args[2]
        items = loops.get(key.id, []) if isinstance(key, ast.Name) else [key]
        names = list(_names(items))
        closed = closed and bool(names) and len(names) == len(items)
        copies = isinstance(value, ast.Call) and ast.unparse(value.func) == "getattr"
        (copied if copies else made).extend(names)
    return Patcher(name, closed, tuple(copied), tuple(made), on_module=True)


def _with_loops(
    body: Sequence[ast.stmt], loops: dict[str, list[ast.expr]]
) -> Iterator[tuple[ast.AST, dict[str, list[ast.expr]]]]:
    """The nodes of a body, each with what the loops around it put into their variables."""
    for statement in body:
        if isinstance(statement, ast.For):
            inner = dict(loops)
            if isinstance(statement.target, ast.Name):
                literal = isinstance(statement.iter, ast.List | ast.Tuple | ast.Set)
                inner[statement.target.id] = statement.iter.elts if literal else []  # type: ignore[attr-defined]
            yield from _with_loops(statement.body, inner)
        else:
            yield from ((node, loops) for node in ast.walk(statement))


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
    """Names of classes on which functions of a file set attributes whose names are computed.

    `setattr(Load, name, f)`, and `setattr(type(self), name, f)` in a method.

    >>> source = "class Load: ...\\ndef option(f):\\n    setattr(Load, f.__name__, f)"
    >>> set_classes(ast.parse(source), source)
    {'Load'}
    """
    matches = []
    at = text.find("setattr(")
    while at >= 0:
        if (match := _SET_BY_NAME.match(text, at)) is not None:
            matches.append(match)
        at = text.find("setattr(", at + 1)
    if not matches:
        return set()
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    found: set[str] = set()
    for match in matches:
        line = text.count("\n", 0, match.start()) + 1
        if match[1] is None:
            classes = (node for node in tree.body if isinstance(node, ast.ClassDef))
            found.update(node.name for node in classes if _holds(node, line))
        elif any(_holds(node, line) for node in functions):
            found.add(match[1])
    return found


def _holds(node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef, line: int) -> bool:
    return node.lineno < line <= (node.end_lineno or 0)


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
