"""Marks of deprecation in docstrings: the directive, and plain sentences that open a paragraph."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

from ..kb.deprecation_text import LONGEST, names_in
from ..kb.directives import directives
from ..kb.symbols import Deprecation
from .deprecations import make_mark

_LOOSE = re.compile(r"^( *)\.\.[ ]*deprecated::[ ]*", re.MULTILINE)
"""Sphinx would show the line as it is where spaces are missing; it says the same."""
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
    for mark in _directives(doc, line):
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


def _directives(doc: str, line: int) -> Iterator[tuple[Any, ...]]:
    """Marks of directives; those that stand deeper, in a note for example, are about that text."""
    cleaned = _LOOSE.sub(r"\1.. deprecated:: ", inspect.cleandoc(doc))
    lines = cleaned.split("\n")
    # `cleandoc` takes away empty lines above the first one that says something.
    above = doc[: len(doc) - len(doc.lstrip())].count("\n")
    for found in directives(cleaned):
        deep = lines[found.line - 1].startswith(" ")
        if found.kind != "deprecated" or found.place not in ("object", "parameter"):
            continue
        if found.place == "object" and deep:
            continue
        since: str | None = found.version or None
        text = found.text
        if since and not since[:1].isdigit() and not since.startswith("v"):
            since, text = None, f"{since} {text}"
        for parameter in found.names or (None,):
            at = line + above + found.line - 1
            yield make_mark("docstring", text, since=since, parameter=parameter, line=at)


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
