"""Signatures that docstrings of compiled functions start with: `a.sort(axis=-1, kind=None)`."""

from __future__ import annotations

import ast
import re
from typing import Any

from .signatures import signature_of

_SECTION = re.compile(
    r"^[ \t]*(?:Parameters|Returns|Args|Arguments)[ \t]*:?[ \t]*\n[ \t]*(?:-{3,}|\S)", re.MULTILINE
)
_DIRECTIVE = re.compile(r"\A\.\. (?:py:)?(?:function|method)::\s*")
_PLACEHOLDER = r"\{\w*\}|%(?:\(\w+\))?s"
"""Where one text serves several functions, their names are filled in."""
_LONGEST = 600
_CLOSING = {")": "(", "]": "[", "}": "{"}

PlainSignature = tuple[Any, Any]


def _head(text: str, name: str) -> str | None:
    """What follows `name` or `owner.name` at the start of a text, from its bracket on."""
    start = _DIRECTIVE.sub("", text.lstrip()[:_LONGEST])
    match = re.match(rf"(?:\w+\.)*(?:{re.escape(name)}|{_PLACEHOLDER})(?=\()", start)
    return start[match.end() :] if match else None


def looks_callable(text: str, name: str, *, member: bool) -> bool:
    """A text that starts with a call, or that describes parameters; of a member only the first counts."""
    if _head(text, name) is not None:
        return True
    return not member and _SECTION.search(text) is not None


def written_signature(text: str, name: str) -> PlainSignature | None:
    """The signature that a text starts with, None where it has none or writes it in no Python.

    >>> written_signature("dot(a, b, out=None) -> Tensor", "dot")[1]
    'Tensor'
    >>> [p[0::2] for p in written_signature("arange(stop[, step], dtype=None)", "arange")[0]]
    [('stop', None), ('step', '...'), ('dtype', 'None')]
    >>> written_signature("Sum of elements.", "sum") is None
    True
    """
    rest = _head(text, name)
    inner = _within_brackets(rest) if rest is not None else None
    if rest is None or inner is None:
        return None
    after = re.match(r"[ \t]*->[ \t]*([^\n]+)", rest[len(inner) + 2 :])
    returns = f" -> {after[1].strip().rstrip('.,:')}" if after else ""
    for arguments in dict.fromkeys((inner, _without_optional_brackets(inner))):
        for arrow in dict.fromkeys((returns, "")):
            node = _parsed(f"def f({' '.join(arguments.split())}){arrow}: pass")
            if node is not None:
                return signature_of(node.args, node.returns)
    return None


def _parsed(source: str) -> ast.FunctionDef | None:
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    only = body[0] if len(body) == 1 else None
    return only if isinstance(only, ast.FunctionDef) else None


def _within_brackets(text: str) -> str | None:
    """What stands between the bracket that a text starts with and the one that closes it."""
    open_: list[str] = []
    for at, character in enumerate(text):
        if character in "([{":
            open_.append(character)
        elif character in _CLOSING:
            if not open_ or open_.pop() != _CLOSING[character]:
                return None
            if not open_:
                return text[1:at]
    return None


def _without_optional_brackets(arguments: str) -> str:
    """`stop[, step]` as `stop, step=...`: the old way to write that an argument may be left out."""
    depth = 0
    parts: list[str] = []
    word_starts_inside = False
    current = ""

    def close() -> None:
        nonlocal current
        name = current.strip()
        if name:
            parts.append(f"{name}=..." if word_starts_inside and re.fullmatch(r"\w+", name) else name)
        current = ""

    for character in arguments:
        if character == "," and depth >= 0:
            close()
        elif character == "[" and "=" not in current:
            depth += 1
        elif character == "]" and "=" not in current:
            if current.strip():
                word_starts_inside = depth > 0
                close()
            depth -= 1
        else:
            if not current.strip():
                word_starts_inside = depth > 0
            current += character
    close()
    return ", ".join(parts)
