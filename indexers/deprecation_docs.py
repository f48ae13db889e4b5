"""Marks of deprecation in docstrings: the directive, and plain sentences that open a paragraph."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ..kb.deprecation_text import LONGEST, names_in
from ..kb.symbols import Deprecation
from .deprecations import make_mark

_DIRECTIVE = re.compile(r"^([ \t]*)\.\.[ \t]*deprecated::[ \t]*(\S*)[ \t]*(.*)$", re.MULTILINE)
_FIELD = re.compile(
    r"^\s*(?::param(?:eter)?\s+(?:[\w.\[\]]+\s+)?(\*{0,2}\w+):|(\*{0,2}\w+)\s*(?:\([^)]*\))?\s*:)"
)
_ADMONITION = re.compile(
    r"^\s*(?:\.\.\s*(?:warning|note|caution|attention|important|danger|admonition)::|!!!\s*\w+)\s*(?P<rest>.*)$",
    re.IGNORECASE,
)
_SECTION = re.compile(
    r"^\s*(?:parameters|other parameters|args|arguments|attributes|methods|returns?|raises|yields|examples?"
    r"|keyword args|keyword arguments)\s*:{0,2}\s*$",
    re.IGNORECASE,
)
_DECLARED = re.compile(
    r"(?:^|[.!]\s+)(?:(?:warning|note|important)s?\s*:\s*)?[*_\[(]{0,3}(?:"
    r"(?:this|the)\s+(?:function|class|method|module|package|property|attribute|api|operator|decorator|alias"
    r"|context manager|context-manager)\s+(?:is|has been|was)\s+(?:now\s+|being\s+)?deprecated"
    r"|(?P<subject>\S{1,120})\s+(?:is|has been|was)\s+(?:now\s+|being\s+)?deprecated"
    r"|deprecated(?=[\s:.!,*\])]))",
    re.IGNORECASE,
)
_MOST_LINES = 60
"""A docstring that declares its object deprecated says so near its top."""


def docstring_marks(doc: str, line: int, own: str | None = None) -> Iterator[tuple[Any, ...]]:
    """Marks of a docstring that starts at `line` and belongs to an object named `own`.

    `.. deprecated::` at the docstring's own indent is about the symbol, deeper about the parameter under
    which it stands.  Without one, a paragraph does that opens with "This function is deprecated", "`own`
    is deprecated" or "Deprecated:", or an admonition that does.
    """
    expanded = doc.expandtabs()
    lines = expanded.splitlines()
    indents = [len(text) - len(text.lstrip()) for text in lines[1:] if text.strip()]
    base = min(indents, default=0)
    whole = False
    for mark in _directives(expanded, lines, base, line):
        whole = whole or Deprecation._make(mark).parameter is None
        yield mark
    if not whole:
        yield from _declaration(lines[:_MOST_LINES], base, line, own)


def speaks(doc: str | None) -> bool:
    """Whether a docstring has the word at all; most have not."""
    return doc is not None and ("eprecated" in doc or "EPRECATED" in doc)


def attached_marks(doc: str, own: str) -> tuple[tuple[Any, ...], ...]:
    """The marks of a docstring that some code gives to an object named `own`."""
    return tuple(docstring_marks(doc, 0, own)) if speaks(doc) else ()


def _directives(expanded: str, lines: list[str], base: int, line: int) -> Iterator[tuple[Any, ...]]:
    for found in _DIRECTIVE.finditer(expanded):
        at = expanded.count("\n", 0, found.start())
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


def _declaration(lines: list[str], base: int, line: int, own: str | None) -> Iterator[tuple[Any, ...]]:
    for at, text in _paragraphs(lines, base):
        found = _DECLARED.search(text[:LONGEST])
        if found is None or not _is_about(found, text, own, first=at == 0):
            continue
        said = text[found.start() :].lstrip(".!*_[( ")
        yield make_mark("docstring", said, own=own, line=line + at)
        return


def _is_about(found: re.Match[str], text: str, own: str | None, *, first: bool) -> bool:
    subject = found["subject"]
    if subject is not None:
        named = [name.rpartition(".")[2] for name in names_in(f" {subject} ")] or [
            subject.strip("`'\"*()[]:")
        ]
        return own is not None and own in named
    bare = found.group().lstrip(".! *_[(").lower().startswith("deprecated")
    # "Deprecated" alone opens a paragraph; inside a sentence it is about anything.
    return not bare or found.start() == 0


def _paragraphs(lines: list[str], base: int) -> Iterator[tuple[int, str]]:
    """(line, text) of paragraphs at the docstring's own indent, and of those in admonitions there."""
    opened: list[str] = []
    start, inside = 0, False
    for at, text in enumerate([*lines, ""]):
        indent = len(text) - len(text.lstrip()) if at else base
        if _SECTION.match(text):
            break
        admonition = _ADMONITION.match(text) if indent <= base else None
        if admonition is not None or not text.strip():
            if opened:
                yield start, " ".join(opened)
            opened = [admonition["rest"]] if admonition is not None and admonition["rest"] else []
            start, inside = at, admonition is not None or inside
        elif indent <= base or inside or opened:
            if not opened:
                start = at
                inside = inside and indent > base
            opened.append(text.strip())
    if opened:
        yield start, " ".join(opened)
