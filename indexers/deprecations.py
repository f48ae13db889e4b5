"""Marks of deprecation that code sets: decorators, wrapping calls, warnings in a body, defaults."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from ..kb.deprecation_text import (
    concerns,
    name_in,
    parameter_in,
    removal_in,
    replacement_in,
    since_in,
    speaks_of_an_end,
    subject_of,
)
from ..kb.symbols import Deprecation
from .signatures import dotted_name, expression_text

HINTS: dict[str, tuple[str, ...]] = {
    "deprecat": (),
    "futurewarning": (),
    "no longer": (),
    "removed": (
        "been removed",
        "was removed",
        "is removed",
        "removed in",
        "removedin",
        "be removed",
        "now removed",
    ),
    "renamed": (),
    "moved to": (),
    "replaced by": (),
}
"""Words, and for one that is too common alone what it must stand with.

A function none of whose lines holds one of these (in lower case) sets no mark; its body is not parsed."""

_WARNINGS = re.compile(
    r"Deprecat|^FutureWarning$|^RemovedIn|^Pandas\d+Warning$|PendingRemoval", re.IGNORECASE
)
"""Categories of warnings that announce an end."""
_REMOVED_IN = re.compile(r"^RemovedIn[A-Za-z]*?(\d)(\d)?\w*Warning$")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_VERSION = r"v?(\d+(?:\.\d+)+(?:\.?(?:dev|rc|a|b|post)\d*)?)"


def make_mark(mechanism: str, message: str | None, **known: Any) -> tuple[Any, ...]:
    """A plain `Deprecation`; what the caller does not know is read from the message.

    `own` is the name of what is deprecated, which no message means as its replacement.
    """
    text = " ".join(message.split())[:500] if message else None
    if text and known.get("own"):
        text = text.replace("%(name)s", str(known["own"]))
    return tuple(
        Deprecation(
            mechanism,
            text,
            since=known.get("since") or since_in(text or ""),
            removal=known.get("removal") or removal_in(text or ""),
            replacement=known.get("replacement") or replacement_in(text, known.get("own")),
            parameter=known.get("parameter"),
            line=known.get("line", 0),
        )
    )


def text_of(node: ast.expr | None, names: Mapping[str, ast.expr] | None = None, depth: int = 0) -> str | None:
    """The readable part of a message expression; what is computed stands as `{...}`."""
    if node is None or depth > 20:
        return None
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        parts = [text_of(part, names, depth + 1) for part in node.values]
        return "".join(part if part is not None else "{...}" for part in parts)
    if isinstance(node, ast.FormattedValue):
        return text_of(node.value, names, depth + 1)
    if isinstance(node, ast.BinOp):
        left = text_of(node.left, names, depth + 1)
        right = text_of(node.right, names, depth + 1) if isinstance(node.op, ast.Add) else None
        return None if left is None and right is None else (left or "{...}") + (right or "")
    if isinstance(node, ast.Call):
        # `"...".format(x)` has its text before the dot, `dedent("...")` and `Error("...")` behind it.
        before = text_of(node.func.value, None, depth + 1) if isinstance(node.func, ast.Attribute) else None
        if before is not None or not node.args:
            return before
        return text_of(node.args[0], names, depth + 1)
    if isinstance(node, ast.Name) and names is not None and node.id in names:
        return text_of(names[node.id], None, depth + 1)
    return None


# ---- decorators

_SINCE_WORDS = ("since", "version", "deprecated_in", "deprecated_since", "as_of", "start_version")
_REMOVAL_WORDS = (
    "removal",
    "removed_in",
    "removal_version",
    "remove_version",
    "end_version",
    "will_be_removed",
)
_REPLACEMENT_WORDS = (
    "alternative",
    "new_name",
    "replacement",
    "instead",
    "use_instead",
    "replaced_by",
    "alternative_import",
)
_NOT_OF_THE_SYMBOL = re.compile(
    r"arg|param|keyword|kw\b|kwonly|endpoint|positional|option|alias(?!$)|attribute|check|suppress|is_deprecat|_call$",
    re.I,
)
"""Deprecators with these in their names are about a part of what they decorate, or about nothing at all."""
_DEPRECATORS = ("removed_in", "obsolete", "moved_20", "became_legacy_20")


def decorator_marks(
    node: ast.expr, own: str | None = None, constants: Mapping[str, ast.expr] | None = None
) -> Iterator[tuple[Any, ...]]:
    """Marks that one decorator sets on the symbol, whose name is `own`; `decorators` has those on parameters.

    `constants` are the values of names that its arguments may be.
    """
    call = node if isinstance(node, ast.Call) else None
    name = dotted_name(call.func if call else node)
    last = name.rpartition(".")[2] if name else ""
    if _deprecates(last):
        yield _symbol_mark(call, node.lineno, own, constants)


def _deprecates(callee: str) -> bool:
    if callee in _DEPRECATORS:
        return True
    return "deprecat" in callee.lower() and not _NOT_OF_THE_SYMBOL.search(callee)


def wrapped_by_deprecator(
    value: ast.expr, own: str, constants: Mapping[str, ast.expr] | None = None
) -> tuple[str, tuple[Any, ...]] | None:
    """`deprecated("...")(f)` and `deprecate(f, "...")`: (what is wrapped, the mark), None for other values.

    The wrapped object stays what it is, so that the name is another one of it, and a deprecated one.
    """
    if not isinstance(value, ast.Call):
        return None
    maker = value.func if isinstance(value.func, ast.Call) else value
    last = (dotted_name(maker.func) or "").rpartition(".")[2]
    if not _deprecates(last):
        return None
    named = [name for name in map(dotted_name, value.args) if name is not None]
    if not named:
        return None
    mark = Deprecation._make(_symbol_mark(maker, value.lineno, own, constants))
    public = named[0].rpartition(".")[2]
    if mark.replacement is None and public not in (own, f"_{own}") and not public.startswith("_"):
        mark = mark._replace(replacement=named[0])
    return named[0], tuple(mark)


def _symbol_mark(
    call: ast.Call | None, line: int, own: str | None, constants: Mapping[str, ast.expr] | None
) -> tuple[Any, ...]:
    if call is None:
        return make_mark("decorator", None, line=line)
    known: dict[str, Any] = {"line": line, "own": own}
    texts: list[str] = []
    for argument in call.args:
        text = text_of(argument, constants)
        if text is not None and re.fullmatch(_VERSION, text.strip()):
            known.setdefault("since", text.strip())
        elif text is not None and _DATE.fullmatch(text.strip()):
            continue  # the day of the announced removal, which no version tells
        elif text is not None and text != own:
            texts.append(text)
    for keyword in call.keywords:
        text = text_of(keyword.value, constants) or dotted_name(keyword.value)
        if text is None or keyword.arg is None:
            continue
        if keyword.arg in _SINCE_WORDS:
            known["since"] = text
        elif keyword.arg in _REMOVAL_WORDS:
            known["removal"] = text
        elif keyword.arg in _REPLACEMENT_WORDS:
            best = keyword.arg == "alternative_import" or "replacement" not in known
            known["replacement"] = name_in(text) if best else known["replacement"]
        elif keyword.arg in _MESSAGE_WORDS:
            texts.append(text)
    return make_mark("decorator", " ".join(texts) or None, **known)


_MESSAGE_WORDS = ("message", "msg", "reason", "extra", "details", "warn_msg", "addendum", "instructions")


# ---- bodies


def warning_marks(
    body: list[ast.stmt], parameters: Iterable[str], own: Collection[str] = ()
) -> Iterator[tuple[Any, ...]]:
    """Marks that a body sets by warning.  `own` are the names of what the body belongs to.

    An unconditional warning marks the symbol, unless it is about something else.  One under a condition
    marks a parameter where the condition asks whether it was given and the message is about it, and
    nothing otherwise: a warning about some value or some platform says nothing about the symbol.
    """
    names = set(parameters)
    texts: dict[str, ast.expr] = {}
    for statement in body:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            texts[statement.targets[0].id] = statement.value
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            yield from _unconditional(statement.value, names, texts, own)
        elif isinstance(statement, ast.If):
            yield from _conditional_marks(statement, names, texts)
        elif isinstance(statement, ast.With):
            yield from warning_marks(statement.body, names, own)


def _unconditional(
    call: ast.Call, parameters: set[str], texts: Mapping[str, ast.expr], own: Collection[str]
) -> Iterator[tuple[Any, ...]]:
    warned = _warned(call, texts)
    if warned is None:
        return
    message, removal = warned
    parameter = parameter_in(message, parameters) if message else None
    if parameter is not None and parameter not in own:
        yield make_mark("warning", message, parameter=parameter, removal=removal, line=call.lineno)
    elif not message or not own or concerns(message, own):
        name = next(iter(own), None)
        yield make_mark("warning", message, removal=removal, own=name, line=call.lineno)


def _conditional_marks(
    statement: ast.If, parameters: set[str], texts: Mapping[str, ast.expr], depth: int = 0
) -> Iterator[tuple[Any, ...]]:
    given = set(_given(statement.test, parameters))
    local = dict(texts)
    for inner in statement.body:
        if isinstance(inner, ast.Assign) and isinstance(inner.targets[0], ast.Name):
            local[inner.targets[0].id] = inner.value
        elif isinstance(inner, ast.Expr) and isinstance(inner.value, ast.Call) and given:
            message, removal = _warned(inner.value, local) or ("", None)
            words = re.findall(r"\w+", subject_of(message))
            name = parameter_in(message, given) or next((word for word in words if word in given), None)
            if name is not None:
                yield make_mark("warning", message, parameter=name, removal=removal, line=inner.lineno)
        elif isinstance(inner, ast.If) and depth < _DEEPEST:
            yield from _conditional_marks(inner, parameters, local, depth + 1)
    if len(statement.orelse) == 1 and isinstance(statement.orelse[0], ast.If) and depth < _DEEPEST:
        yield from _conditional_marks(statement.orelse[0], parameters, texts, depth + 1)


_DEEPEST = 20
"""Conditions in each other that are followed."""


def _given(test: ast.expr, parameters: set[str], depth: int = 0) -> Iterator[str]:
    """Parameters of which a condition asks whether the caller gave them, not which value they have."""
    if isinstance(test, ast.BoolOp) and depth < _DEEPEST:
        for value in test.values:
            yield from _given(value, parameters, depth + 1)
    elif isinstance(test, ast.Name) and test.id in parameters:
        yield test.id
    elif isinstance(test, ast.Compare) and len(test.ops) == 1:
        left, operator, right = test.left, test.ops[0], test.comparators[0]
        if isinstance(operator, ast.In) and isinstance(left, ast.Constant) and isinstance(right, ast.Name):
            if isinstance(left.value, str) and right.id in parameters:  # `"name" in kwargs`
                yield left.value
        elif isinstance(operator, ast.IsNot | ast.NotEq):
            if isinstance(left, ast.Name) and left.id in parameters:
                yield left.id
            elif isinstance(left, ast.Call) and isinstance(left.func, ast.Attribute) and left.args:
                owner, key = left.func.value, left.args[0]  # `kwargs.pop("name", None) is not None`
                taken = (
                    left.func.attr in ("pop", "get")
                    and isinstance(owner, ast.Name)
                    and owner.id in parameters
                )
                if taken and isinstance(key, ast.Constant) and isinstance(key.value, str):
                    yield key.value


_LOGGERS = ("logger", "logging", "log", "_logger", "LOGGER", "LOG", "_LOGGER")
_LOGGED = ("warning", "warn", "warning_once", "warning_advice", "warn_once", "warn_always", "log_first_n")
_WARNS = re.compile(r"^_?(?:warn|warnings_warn)$|^_?warn_|_warn$", re.IGNORECASE)
_SAYS_SO = re.compile(r"warn\w*deprecat|deprecat\w*warn|^_*deprecat(?:ed|ion|e)?$", re.IGNORECASE)


def _warned(call: ast.Call, texts: Mapping[str, ast.expr]) -> tuple[str, str | None] | None:
    """(message, announced removal) of a call that warns of an end; the message is "" where it cannot be read.

    None for other calls, those included that warn of a change of behaviour.
    """
    name = dotted_name(call.func)
    owner, _, last = (name or "").rpartition(".")
    lowered = last.lower()
    logged = last in _LOGGED and owner.rpartition(".")[2] in _LOGGERS
    said = "deprecat" in lowered and not _NOT_OF_THE_SYMBOL.search(last)
    if not logged and not said and not _WARNS.search(last):
        return None
    arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
    message = _message(arguments, texts)
    if said:
        return (message, None) if message or _SAYS_SO.search(last) else None
    categories = [_category(argument) for argument in arguments]
    ending = [name for name in categories if name and _WARNINGS.search(name)]
    sure = any(not name.endswith("FutureWarning") for name in ending)
    if not speaks_of_an_end(message) and (not sure or _CHANGES.search(message)):
        return None
    removed = next((found for name in ending if (found := _REMOVED_IN.match(name))), None)
    removal = ".".join(part for part in removed.groups() if part) if removed else None
    return message, removal


_CHANGES = re.compile(
    r"\b(?:will|would)\s+(?:not|no longer|change|return|raise|default|become|behave|always|in the future)\b"
    r"|\bwill be changed",
    re.IGNORECASE,
)


def _category(argument: ast.expr) -> str:
    node = argument.func if isinstance(argument, ast.Call) else argument
    return (dotted_name(node) or "").rpartition(".")[2]


def _message(arguments: Iterable[ast.expr], texts: Mapping[str, ast.expr]) -> str:
    """The longest text of the arguments: versions and names may stand before or after it."""
    return max((text for argument in arguments if (text := text_of(argument, texts))), key=len, default="")


_CHECKED = {"system_check_deprecated_details": False, "system_check_removed_details": True}
"""Class attributes that tell a framework's checks of an end -> whether the checks then fail."""


def checked_marks(body: Iterable[ast.stmt]) -> tuple[tuple[tuple[Any, ...], ...], str | None]:
    """(marks, message of a tombstone) of a class that tells them to its framework in a class attribute."""
    for statement in body:
        target = statement.targets[0] if isinstance(statement, ast.Assign) else None
        if not isinstance(target, ast.Name) or target.id not in _CHECKED:
            continue
        table = statement.value if isinstance(statement, ast.Assign) else None
        texts = [text_of(value) or "" for value in table.values] if isinstance(table, ast.Dict) else []
        message = " ".join(max(texts, key=len, default="").split()[:100])
        if _CHECKED[target.id]:
            return (), message[:500] or "its framework refuses it"
        # The hint stands beside the message.
        return (make_mark("warning", " ".join(texts), line=statement.lineno),), None
    return (), None


_SENTINEL = re.compile(r"^_?(?:deprecated|DEPRECATED|Deprecated)(?:_parameter|_param|_arg|_argument)?$")


def sentinel_marks(arguments: ast.arguments) -> Iterator[tuple[Any, ...]]:
    """Marks of parameters whose default says that nobody should give them: `sparse="deprecated"`."""
    if not arguments.defaults and not arguments.kw_defaults:
        return
    positional = [*arguments.posonlyargs, *arguments.args]
    pairs = [
        *zip(positional[len(positional) - len(arguments.defaults) :], arguments.defaults, strict=True),
        *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
    ]
    for argument, default in pairs:
        if isinstance(default, ast.Constant):
            last = default.value if isinstance(default.value, str) else ""
        else:
            last = (dotted_name(default) or "").rpartition(".")[2] if default is not None else ""
        if last and _SENTINEL.match(last):
            yield make_mark("default", None, parameter=argument.arg, line=argument.lineno)


_REMOVED_WORDS = re.compile(
    r"remov|deprecat|no longer|renamed|replaced|moved|dropped|deleted|expired|instead|discontinued",
    re.IGNORECASE,
)


def raised_message(body: list[ast.stmt], constants: Mapping[str, ast.expr] | None = None) -> str | None:
    """The message of a body that only raises because the name is gone, else None.

    `constants` are those of the module: the message may be one.  Abstract methods and
    operations that a class forbids raise too; only a message that speaks of removal makes
    a tombstone.
    """
    texts: dict[str, ast.expr] = {}
    for statement in body:
        if isinstance(statement, ast.Expr):
            continue
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            texts[statement.targets[0].id] = statement.value
            continue
        if isinstance(statement, ast.Import | ast.ImportFrom):
            continue
        if not isinstance(statement, ast.Raise) or statement.exc is None:
            return None
        message = (
            text_of(statement.exc, {**(constants or {}), **texts}) or expression_text(statement.exc) or ""
        )
        return " ".join(message.split())[:500] if _REMOVED_WORDS.search(message) else None
    return None
