"""Marks of deprecation: decorators, warnings in a body, docstring directives."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..kb.symbols import Deprecation
from .signatures import dotted_name, expression_text

HINTS = (
    "deprecat",
    "futurewarning",
    "no longer",
    "been removed",
    "was removed",
    "is removed",
    "renamed",
    "removed in",
    "now removed",
    "moved to",
    "replaced by",
)
"""A function none of whose lines holds one of these (in lower case) sets no mark; its body is not parsed."""

_WARNINGS = {
    "DeprecationWarning",
    "PendingDeprecationWarning",
    "FutureWarning",
    "VisibleDeprecationWarning",
    "Pandas4Warning",
    "Pandas5Warning",
}
_VERSION = r"v?(\d+(?:\.\d+)+(?:\.?(?:dev|rc|a|b|post)\d*)?)"
_SINCE = re.compile(rf"(?:deprecated|since|as of)(?:\s+[\w`'.]+){{0,5}}?\s+{_VERSION}", re.IGNORECASE)
_REMOVAL = re.compile(
    rf"(?:remov\w+|dropped|deleted|disappear|error|raise)[^.]{{0,60}}?\s{_VERSION}", re.IGNORECASE
)
_NAME = r"[`'\":]*(?:(?:func|class|meth|attr|mod|obj|ref):`)?~?([A-Za-z_][\w.]*\w|\w)(?:\([^)]*\))?[`'\"]*"
_REPLACEMENTS = [
    re.compile(rf"\buse\s+(?:the\s+)?{_NAME}(?:\s+\w+){{0,3}}\s+instead", re.IGNORECASE),
    re.compile(rf"(?:renamed|moved)\s+(?:to|into)\s+{_NAME}", re.IGNORECASE),
    re.compile(rf"(?:replaced\s+(?:by|with)|in\s+favou?r\s+of|superseded\s+by)\s+{_NAME}", re.IGNORECASE),
    re.compile(rf"instead(?:,)?\s+(?:please\s+)?use\s+{_NAME}", re.IGNORECASE),
    re.compile(rf"\b(?:please\s+use|switch\s+to|import)\s+{_NAME}", re.IGNORECASE),
]
_NOT_NAMES = {"the", "a", "an", "it", "this", "that", "from", "instead", "of", "in", "keyword", "of.", "use"}
_DIRECTIVE = re.compile(r"^([ \t]*)\.\.[ \t]*deprecated::[ \t]*(\S*)[ \t]*(.*)$", re.MULTILINE)
_FIELD = re.compile(
    r"^\s*(?::param(?:eter)?\s+(?:[\w.\[\]]+\s+)?(\*{0,2}\w+):|(\*{0,2}\w+)\s*(?:\([^)]*\))?\s*:)"
)


def replacement_in(message: str | None) -> str | None:
    """The name that a message tells to use, None where it names none."""
    for pattern in _REPLACEMENTS if message else ():
        found = pattern.search(message or "")
        if found and found.group(1).lower() not in _NOT_NAMES:
            return found.group(1)
    return None


def make_mark(mechanism: str, message: str | None, **known: Any) -> tuple[Any, ...]:
    """A plain `Deprecation`; what the caller does not know is read from the message."""
    text = " ".join(message.split())[:500] if message else None
    since, removal = _SINCE.search(text or ""), _REMOVAL.search(text or "")
    return tuple(
        Deprecation(
            mechanism,
            text,
            since=known.get("since") or (since.group(1) if since else None),
            removal=known.get("removal") or (removal.group(1) if removal else None),
            replacement=known.get("replacement") or replacement_in(text),
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
_PARAMETER_DECORATORS = {
    "deprecate_kwarg": (0, 1),
    "deprecated_argument": (0, 1),
    "deprecate_parameter": (0, 1),
    "rename_parameter": (1, 2),
    "delete_parameter": (1, None),
    "make_keyword_only": (None, None),
    "deprecate_kwargs": (None, None),
    "deprecate_nonkeyword_arguments": (None, None),
    "deprecate_positional_args": (None, None),
    "_deprecate_positional_args": (None, None),
    "deprecated_renamed_argument": (0, 1),
}


def decorator_marks(node: ast.expr) -> Iterator[tuple[Any, ...]]:
    """Marks that one decorator sets, on the symbol or on a parameter of it."""
    call = node if isinstance(node, ast.Call) else None
    name = dotted_name(call.func if call else node)
    last = name.rpartition(".")[2] if name else ""
    if last in _PARAMETER_DECORATORS:
        yield from _parameter_marks(call, last)
    elif "deprecat" in last.lower() or last in ("removed_in", "obsolete"):
        yield _symbol_mark(call, node.lineno)


def _parameter_marks(call: ast.Call | None, decorator: str) -> Iterator[tuple[Any, ...]]:
    old_at, new_at = _PARAMETER_DECORATORS[decorator]
    if call is None or old_at is None:
        return
    keywords = {keyword.arg: keyword.value for keyword in call.keywords}

    def argument(position: int | None, *names: str) -> str | None:
        for name in names:
            if name in keywords:
                return text_of(keywords[name])
        return text_of(call.args[position]) if position is not None and position < len(call.args) else None

    old = argument(old_at, "old_arg_name", "old_name", "old", "name", "deprecated_name", "kwarg_name")
    new = argument(new_at, "new_arg_name", "new_name", "new")
    since = argument(0 if old_at == 1 else 2, "since", "version")
    if old:
        message = f"parameter {old} is deprecated" + (f", use {new} instead" if new else "")
        yield make_mark("decorator", message, since=since, replacement=new, parameter=old, line=call.lineno)


def _symbol_mark(call: ast.Call | None, line: int) -> tuple[Any, ...]:
    if call is None:
        return make_mark("decorator", None, line=line)
    known: dict[str, Any] = {"line": line}
    texts: list[str] = []
    for argument in call.args:
        text = text_of(argument)
        if text is not None and re.fullmatch(_VERSION, text.strip()):
            known.setdefault("since", text.strip())
        elif text is not None:
            texts.append(text)
    for keyword in call.keywords:
        text = text_of(keyword.value) or dotted_name(keyword.value)
        if text is None or keyword.arg is None:
            continue
        if keyword.arg in _SINCE_WORDS:
            known["since"] = text
        elif keyword.arg in _REMOVAL_WORDS:
            known["removal"] = text
        elif keyword.arg in _REPLACEMENT_WORDS:
            known["replacement"] = text.strip("`").removesuffix("()") or None
        elif keyword.arg in ("message", "msg", "reason", "extra", "details", "warn_msg", "addendum"):
            texts.append(text)
    return make_mark("decorator", " ".join(texts) or None, **known)


# ---- bodies


def warning_marks(body: list[ast.stmt], parameters: Iterable[str]) -> Iterator[tuple[Any, ...]]:
    """Marks that a body sets by warning.

    An unconditional warning marks the symbol.  One under a condition marks a parameter
    where condition and message both name it, and nothing otherwise: a warning about some
    value or some platform says nothing about the symbol.
    """
    names = set(parameters)
    texts: dict[str, ast.expr] = {}
    for statement in body:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            texts[statement.targets[0].id] = statement.value
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            message = _warned(statement.value, texts)
            if message is not None:
                yield make_mark("warning", message, line=statement.lineno)
        elif isinstance(statement, ast.If):
            yield from _conditional_marks(statement, names, texts)
        elif isinstance(statement, ast.With):
            yield from warning_marks(statement.body, names)


def _conditional_marks(
    statement: ast.If, parameters: set[str], texts: Mapping[str, ast.expr]
) -> Iterator[tuple[Any, ...]]:
    tested = {node.id for node in ast.walk(statement.test) if isinstance(node, ast.Name)} & parameters
    tested |= {
        node.value
        for node in ast.walk(statement.test)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier()
    }
    local = dict(texts)
    for inner in statement.body:
        if isinstance(inner, ast.Assign) and isinstance(inner.targets[0], ast.Name):
            local[inner.targets[0].id] = inner.value
        if isinstance(inner, ast.Expr) and isinstance(inner.value, ast.Call):
            message = _warned(inner.value, local)
            for name in sorted(tested):
                if message and re.search(rf"\b{re.escape(name)}\b", message):
                    yield make_mark("warning", message, parameter=name, line=inner.lineno)
                    break


def _warned(call: ast.Call, texts: Mapping[str, ast.expr]) -> str | None:
    """The message of a call that warns of a deprecation, "" where it cannot be read, None for other calls."""
    name = dotted_name(call.func)
    last = name.rpartition(".")[2] if name else ""
    arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
    if last == "warn" or last.startswith("warn_") or last == "_warn":
        categories = {(dotted_name(argument) or "").rpartition(".")[2] for argument in arguments}
        message = next((text for text in (text_of(arg, texts) for arg in arguments) if text), "")
        marked = any(
            category in _WARNINGS
            or category.endswith("DeprecationWarning")
            or category.startswith("RemovedIn")
            for category in categories
        )
        made = any(
            isinstance(argument, ast.Call)
            and "Deprecat" in ((dotted_name(argument.func) or "").rpartition(".")[2])
            for argument in arguments
        )
        if marked or made or "deprecat" in last:
            return message
        return None
    if "deprecat" in last.lower() and last.lower() not in ("is_deprecated", "deprecated_call"):
        return next((text for text in (text_of(arg, texts) for arg in arguments) if text), "")
    return None


_REMOVED_WORDS = re.compile(
    r"remov|deprecat|no longer|renamed|replaced|moved|dropped|deleted|expired|instead|discontinued",
    re.IGNORECASE,
)


def raised_message(body: list[ast.stmt]) -> str | None:
    """The message of a body that only raises because the name is gone, else None.

    Abstract methods and operations that a class forbids raise too; only a message that
    speaks of removal makes a tombstone.
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
        message = text_of(statement.exc, texts) or expression_text(statement.exc) or ""
        return " ".join(message.split())[:500] if _REMOVED_WORDS.search(message) else None
    return None


# ---- docstrings


def docstring_marks(doc: str, line: int) -> Iterator[tuple[Any, ...]]:
    """Marks by `.. deprecated::`, at the docstring's own indent for the symbol, deeper for a parameter."""
    lines = doc.expandtabs().splitlines()
    indents = [len(text) - len(text.lstrip()) for text in lines[1:] if text.strip()]
    base = min(indents, default=0)
    for found in _DIRECTIVE.finditer(doc.expandtabs()):
        at = doc.expandtabs().count("\n", 0, found.start())
        indent = len(found.group(1))
        body = [found.group(3)]
        for text in lines[at + 1 :]:
            if text.strip() and len(text) - len(text.lstrip()) <= indent:
                break
            body.append(text.strip())
        parameter = _field_above(lines, at, indent) if at and indent > base else None
        if indent > base and parameter is None and at:
            continue
        since = found.group(2).rstrip(".,:;") or None
        if since and not since[:1].isdigit() and not since.startswith("v"):
            body.insert(0, since)
            since = None
        yield make_mark("docstring", " ".join(body), since=since, parameter=parameter, line=line + at)


def _field_above(lines: list[str], at: int, indent: int) -> str | None:
    for text in reversed(lines[:at]):
        if text.strip() and len(text) - len(text.lstrip()) < indent:
            found = _FIELD.match(text)
            return (found.group(1) or found.group(2)).lstrip("*") if found else None
    return None
