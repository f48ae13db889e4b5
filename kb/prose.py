"""Docstrings as text for reading: markup of Sphinx resolved, what is a fact elsewhere left out.  Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from .directives import literal_lines

LONGEST_SUMMARY = 240
"""Characters; a first paragraph that is longer is cut at the end of a sentence."""

_ROLE = re.compile(r":(?:[A-Za-z]\w*[-:.+])*[A-Za-z]\w*:`([^`]+)`")
_TARGETED = re.compile(r"(?s)^(.*?)\s*<([^<>]*)>$")
_LINK = re.compile(r"`([^`<]+?)\s*<[^`<>]+>`_{1,2}")
_REFERENCE = re.compile(r"`([^`]+)`__?(?!\w)")
_LITERAL = re.compile(r"``(.+?)``")
_BOLD = re.compile(r"(?<![\w*\\])\*\*([^\s*](?:[^*\n]*[^\s*])?)\*\*(?![\w*])")
_ESCAPE = re.compile(r"\\([*_`|\\ ])")
_FOOTNOTE = re.compile(r"(\[[\w#*]+\])_(?!\w)")
_DIRECTIVE = re.compile(r"^( *)\.\.[ ]+([\w:.+-]+?)::(?:[ ]+(.*))?$")
_TARGET = re.compile(r"^ *\.\.[ ]+_[^:]*:.*$")
_OPTION = re.compile(r"^ *:[\w-]+:(?: .*)?$")
_UNDERLINE = re.compile(r" *([-=~^\"'+*#`.])\1{2,} *$")
_SIGNATURE = re.compile(
    r"(?s)(?:[\w.]+ *= *)?[A-Za-z_][\w.]*\(.*\)(?: *(?:->|=>|:|--) *[\w.\[\], |*()]+)?\.?$"
)
_SENTENCE = re.compile(r"[.!?](?=\s)(?<!e\.g\.)(?<!i\.e\.)(?<!vs\.)(?<!cf\.)(?<!etc\.)")
_FIELD = re.compile(r" *[:@]\w+[^:\n]*:(?:\s|$)")

_ADMONITIONS = {
    "note": "Note", "warning": "Warning", "seealso": "See also", "tip": "Tip", "important": "Important",
    "caution": "Caution", "danger": "Danger", "attention": "Attention", "hint": "Hint", "error": "Error",
    "todo": "To do",
}  # fmt: skip
_TITLED = {"admonition", "rubric", "topic", "sidebar", "title"}
_DROPPED = {
    "deprecated", "deprecated-removed", "index", "currentmodule", "module", "moduleauthor", "sectionauthor",
    "autosummary", "automodule", "autoclass", "automethod", "autofunction", "autoattribute", "autodata",
    "include", "literalinclude", "figure", "image", "toctree", "only", "highlight", "minigallery", "contents",
    "tabularcolumns", "testsetup", "testcleanup", "raw",
}  # fmt: skip
"""With their blocks: facts that the store has, things that only a renderer has, other files."""
_CHANGES = {"versionadded": "New in version", "versionchanged": "Changed in version"}


def clean(docstring: str) -> str:
    r"""A docstring for reading.  Code, literal blocks and tables stay as they are.

    >>> print(clean("Do :func:`~a.b.c` with ``x``.\n\n.. deprecated:: 1.2\n   Use d.\n\n.. note:: Slow."))
    Do `c` with `x`.
    <BLANKLINE>
    Note: Slow.
    """
    if "`" not in docstring and ".. " not in docstring and "::" not in docstring and "**" not in docstring:
        return _without_escapes(docstring).strip()
    lines = docstring.split("\n")
    literal = literal_lines(lines)
    told: list[str] = []
    text: list[str] = []
    for number, line in _shown(lines, literal):
        if number in literal:
            told += _resolved(text)
            text = []
            told.append(line)
        else:
            text.append(line)
    told += _resolved(text)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(told)).strip()


def _resolved(lines: Sequence[str]) -> list[str]:
    """Inline markup of running text, which may go on in the next line."""
    return _inline("\n".join(lines)).split("\n") if lines else []


def _shown(lines: Sequence[str], literal: set[int]) -> Iterator[tuple[int, str]]:
    """Lines with directives resolved, as (number in the docstring, text)."""
    number = 0
    while number < len(lines):
        line = lines[number]
        directive = _DIRECTIVE.match(line) if number not in literal or ".. " in line else None
        if directive is not None:
            name = directive.group(2).rpartition(":")[2].lower()
            if name in _DROPPED:
                number = _after_block(lines, number)
                continue
            yield number, _heading(name, directive)
            number += 1
            while number < len(lines) and _OPTION.match(lines[number]):
                number += 1
            continue
        if number not in literal:
            if _TARGET.match(line):
                number += 1
                continue
            line = _without_colon(line)
        yield number, line
        number += 1


def _heading(name: str, directive: re.Match[str]) -> str:
    """What a directive says where its block begins."""
    indent, rest = directive.group(1), (directive.group(3) or "").strip()
    if name in _ADMONITIONS:
        return f"{indent}{_ADMONITIONS[name]}: {rest}".rstrip()
    if name in _CHANGES:
        version, _, text = rest.partition(" ")
        return f"{indent}{_CHANGES[name]} {version.rstrip('.:')}{f': {text}' if text else '.'}"
    return f"{indent}{rest}" if name in _TITLED else ""


def _after_block(lines: Sequence[str], number: int) -> int:
    indent = len(lines[number]) - len(lines[number].lstrip(" "))
    end = number + 1
    for at in range(number + 1, len(lines)):
        bare = lines[at].lstrip(" ")
        if bare:
            if len(lines[at]) - len(bare) <= indent:
                break
            end = at + 1
    return end


def _without_colon(line: str) -> str:
    """`Example::` opens a literal block and reads as `Example:`; a line of nothing else says nothing."""
    bare = line.rstrip()
    if not bare.endswith("::"):
        return line
    return "" if bare.strip() == "::" else bare[:-2].rstrip() + ":"


def _inline(text: str) -> str:
    if "`" in text:
        text = _ROLE.sub(_role_text, text)
        text = _LINK.sub(r"\1", text)
        text = _LITERAL.sub(r"`\1`", text)
        text = _REFERENCE.sub(r"\1", text)
    if "]_" in text:
        text = _FOOTNOTE.sub(r"\1", text)
    if "**" in text:
        text = _BOLD.sub(r"\1", text)
    return _without_escapes(text)


def _role_text(found: re.Match[str]) -> str:
    content = found.group(1).strip()
    targeted = _TARGETED.match(content)
    if targeted is not None and targeted.group(1):
        return targeted.group(1)
    content = content.strip("<>").lstrip("!")
    shown = content[1:].rpartition(".")[2] if content.startswith("~") else content.lstrip(".")
    return f"`{shown}`"


def _without_escapes(text: str) -> str:
    return _ESCAPE.sub(r"\1", text) if "\\" in text else text


def summary(docstring: str) -> str:
    r"""What a docstring says in short, in one line: its first paragraph that is a sentence.

    A signature, a title's line, directives and fields above it are passed over.  Empty where there is none.

    >>> summary("abs(input, *, out=None) -> Tensor\n\nComputes the absolute value\nof each element.\n\nMore.")
    'Computes the absolute value of each element.'
    """
    return summary_of(clean(docstring))


def summary_of(cleaned: str) -> str:
    """The same of a text that `clean` made."""
    titles: list[str] = []
    for paragraph in re.split(r"\n\s*\n", cleaned[:4000]):
        lines = [line for line in paragraph.split("\n") if line.strip()]
        while len(lines) > 1 and _SIGNATURE.match(lines[0].strip()):
            lines = lines[1:]
        if not lines or _is_no_sentence(lines):
            continue
        if any(map(_UNDERLINE.match, lines)):
            titles += [line.strip() for line in lines if not _UNDERLINE.match(line)][:1]
            lines = _below_title(lines)
            if not lines:
                continue
        if _is_section(titles):
            break
        return _cut(" ".join(" ".join(lines).split()))
    return _cut(titles[0]) if titles and not _is_section(titles[:1]) else ""


_SECTIONS = {
    "parameters", "returns", "return", "examples", "example", "see also", "notes", "attributes", "raises",
    "yields", "references", "methods", "other parameters", "args", "arguments", "usage", "warnings",
}  # fmt: skip


def _is_section(titles: Sequence[str]) -> bool:
    return bool(titles) and titles[-1].lower().rstrip(":") in _SECTIONS


def _below_title(lines: list[str]) -> list[str]:
    last = max(number for number, line in enumerate(lines) if _UNDERLINE.match(line))
    return lines[last + 1 :]


def _is_no_sentence(lines: Sequence[str]) -> bool:
    text = "\n".join(line.strip() for line in lines)
    if _SIGNATURE.match(text) or _FIELD.match(lines[0]):
        return True
    return text.startswith((">>>", "```", "..")) or not re.search(r"[^\W\d_]", text)


def _cut(text: str) -> str:
    if len(text) <= LONGEST_SUMMARY:
        return text
    ends = [found.end() for found in _SENTENCE.finditer(text, 20, LONGEST_SUMMARY)]
    if ends:
        return text[: ends[-1]]
    return text[:LONGEST_SUMMARY].rpartition(" ")[0] + " …"
