"""Version directives of docstrings, and what each is about, told by its place.  Pure.

It lies in `kb` because it reads stored texts, not sources, and because the audit, which may not know the
indexers, rests on it.  Docstrings are text of the field's three styles (numpydoc, Google, Sphinx fields);
places that are no statement of their own (literal blocks, code, doctests, comments, prose) are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

_DIRECTIVE = re.compile(r"^( *)\.\.[ ]+(versionadded|versionchanged|deprecated)::(?:[ ]+(.*))?$")
_MARKUP = re.compile(r"^ *\.\.[ ]+([\w:.+-]+?)::(?: |$)")
_LITERAL = {
    "code", "code-block", "sourcecode", "parsed-literal", "literalinclude", "doctest", "testcode",
    "testoutput", "testsetup", "ipython", "plot", "math", "graphviz", "digraph", "raw", "productionlist",
    "prompt", "jupyter-execute",
}  # fmt: skip
_BULLET = re.compile(r"^ *(?:[-*+•]|\(?\w{1,2}[.)])[ ]")
_UNDERLINE = re.compile(r"^ *([-=~^\"'+*#])\1{2,} *$")
_FIELD = re.compile(r"^ *[:@](\w+)(?:[ ]+([^:]*))?:")
_GOOGLE = re.compile(r"^ *([A-Z][A-Za-z]+(?: [A-Za-z]+)?) *: *$")
_GOOGLE_ITEM = re.compile(r"^ *(\*{0,2}\w+(?: *, *\*{0,2}\w+)*) *(?:\([^:]*\))? *:")

_SECTIONS = {
    "parameters": "parameter", "other parameters": "parameter", "optional parameters": "parameter",
    "args": "parameter", "arguments": "parameter", "params": "parameter", "keyword args": "parameter",
    "keyword arguments": "parameter", "keywords": "parameter", "kwargs": "parameter",
    "attributes": "attribute", "methods": "attribute", "properties": "attribute",
}  # fmt: skip
_PROSE = {
    "notes",
    "note",
    "examples",
    "example",
    "warnings",
    "references",
    "see also",
    "returns",
    "yields",
    "raises",
}
_FIELDS = {
    "param": "parameter", "parameter": "parameter", "arg": "parameter", "argument": "parameter",
    "key": "parameter", "keyword": "parameter", "kwarg": "parameter", "type": "parameter",
    "ivar": "attribute", "cvar": "attribute", "var": "attribute", "attribute": "attribute",
}  # fmt: skip


_MOST = 300
"""Directives that are read of one docstring; each looks back through the lines above it."""


class Directive(NamedTuple):
    """One directive.

    `place` is `object`, `parameter`, `attribute` (then `names` says which) or `elsewhere`: a returned value,
    an item of a list, an exception.
    """

    kind: str
    version: str
    text: str
    line: int
    """1-based in the docstring."""
    place: str = "object"
    names: tuple[str, ...] = ()
    loose: bool = False
    """It stands among other text of its section or parameter, and may be about that alone."""


def directives(docstring: str) -> Iterator[Directive]:
    r"""All version directives of a cleaned docstring, in their order.

    >>> for found in directives('''Do it.
    ...
    ... Parameters
    ... ----------
    ... a, b : int
    ...     Numbers.
    ...
    ...     .. versionadded:: 1.2
    ...
    ... .. versionchanged:: 1.3
    ...    Do it faster.
    ... '''):
    ...     print(found.kind, found.version, found.place, *found.names, found.text)
    versionadded 1.2 parameter a b
    versionchanged 1.3 object Do it faster.
    """
    if "::" not in docstring:
        return
    lines = docstring.split("\n")
    hidden = literal_lines(lines)
    found_lines = [
        number for number, line in enumerate(lines) if number not in hidden and _DIRECTIVE.match(line)
    ]
    for number in found_lines[:_MOST]:
        found = _DIRECTIVE.match(lines[number])
        assert found is not None
        version, _, rest = (found.group(3) or "").strip().partition(" ")
        text = [rest, *_block(lines, number)]
        place, names = _place(lines, number)
        body = " ".join(" ".join(text).split())
        loose = _is_loose(lines, number, place)
        yield Directive(found.group(2), version.rstrip(".,:;"), body, number + 1, place, names, loose)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _block(lines: Sequence[str], number: int) -> Iterator[str]:
    """The lines below one that are deeper, blank ones left out."""
    indent = _indent(lines[number])
    for line in lines[number + 1 :]:
        if line.strip():
            if _indent(line) <= indent:
                return
            yield line


def literal_lines(lines: Sequence[str]) -> set[int]:
    """The lines of literal blocks, code, doctests, fences and comments."""
    hidden: set[int] = set()
    until: int | None = None
    """Deeper lines than this are literal."""
    fence = doctest = False
    for number, line in enumerate(lines):
        bare = line.strip()
        if bare.startswith(("```", "~~~")) and not _UNDERLINE.match(line):
            fence = not fence
            hidden.add(number)
            continue
        doctest = bool(bare) and (doctest or bare.startswith(">>> "))
        if until is not None and bare and _indent(line) <= until:
            until = None
        if fence or doctest or until is not None:
            hidden.add(number)
        elif _opens_literal(line, bare):
            until = _indent(line)
    return hidden


def _opens_literal(line: str, bare: str) -> bool:
    if bare.startswith(".."):
        markup = _MARKUP.match(line)
        if markup is not None:
            return markup.group(1).rpartition(":")[2] in _LITERAL
        # A comment; `.. _target:`, `.. [1]` and `.. |name|` are none, and have no block of ours.
        return bare == ".." or bare.startswith(".. ")
    return bare.endswith("::")


def _place(lines: Sequence[str], number: int) -> tuple[str, tuple[str, ...]]:
    """What a directive is about: what its innermost enclosing item is."""
    above = list(_ancestors(lines, number))
    items = [at for at, outer in zip_longest(above, above[1:]) if _is_item(lines, at, outer)]
    if not items:
        return "object", ()
    item = items[0]
    line = lines[item]
    if _BULLET.match(line):
        return "elsewhere", ()
    field = _FIELD.match(line)
    if field is not None:
        return _named(_FIELDS.get(field.group(1).lower()), _field_names(field.group(2) or ""))
    if len(items) > 1 and (header := _GOOGLE.match(lines[items[1]])):
        names = _GOOGLE_ITEM.match(line)
        return _named(_SECTIONS.get(header.group(1).lower()), _names(names.group(1) if names else ""))
    section = _section(lines, item)
    if len(items) == 1 and section is not None:
        return _named(_SECTIONS.get(section), _names(re.split(r" *:|\(", line, maxsplit=1)[0]))
    return "elsewhere", ()


def _is_loose(lines: Sequence[str], number: int, place: str) -> bool:
    """True where other text of a section is around it, or more of a parameter's text follows."""
    if place != "object":
        return _goes_on(lines, number)
    section = _section(lines, number)
    if section is None:
        return False
    if section in _PROSE:
        return _goes_on(lines, number) or not _is_first(lines, number)
    # A chapter of a long docstring; what stands below the title of all of it is about all of it.
    opening = next(line.strip().lower() for line in lines if line.strip() and not _UNDERLINE.match(line))
    return section != opening


def _goes_on(lines: Sequence[str], number: int) -> bool:
    """True where a paragraph of the same depth follows, which is neither a directive nor a title."""
    indent = _indent(lines[number])
    for at in range(number + 1, len(lines)):
        line = lines[at]
        if line.strip() and _indent(line) <= indent:
            title = at + 1 < len(lines) and bool(_UNDERLINE.match(lines[at + 1]))
            return _indent(line) == indent and not (title or _MARKUP.match(line) or _FIELD.match(line))
    return False


def _is_first(lines: Sequence[str], number: int) -> bool:
    """True right below the title of a section."""
    for above in range(number - 1, 0, -1):
        if lines[above].strip():
            return bool(_UNDERLINE.match(lines[above]))
    return True


def _named(place: str | None, names: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    return (place, names) if place is not None and names else ("elsewhere", ())


def _ancestors(lines: Sequence[str], number: int) -> Iterator[int]:
    """The lines that a line is below, innermost first."""
    indent = _indent(lines[number])
    for at in range(number - 1, -1, -1):
        if not indent:
            return
        if lines[at].strip() and _indent(lines[at]) < indent:
            indent = _indent(lines[at])
            yield at


def _is_item(lines: Sequence[str], at: int, outer: int | None) -> bool:
    """False for a paragraph or a directive above a block that is merely set in; `outer` encloses the line."""
    line = lines[at]
    if _MARKUP.match(line):
        return False
    if _BULLET.match(line) or _FIELD.match(line) or _GOOGLE.match(line):
        return True
    if outer is not None and _GOOGLE.match(lines[outer]):
        return True
    if _section(lines, at) in _SECTIONS and not _indent(line):
        return True
    return bool(at + 1 < len(lines) and lines[at + 1].strip())


def _section(lines: Sequence[str], at: int) -> str | None:
    """The title of the numpydoc section that a line is in."""
    for above in range(at - 1, 0, -1):
        if _UNDERLINE.match(lines[above]) and lines[above - 1].strip():
            return lines[above - 1].strip().lower()
    return None


def _names(text: str) -> tuple[str, ...]:
    """Names of an item's head, stars and quotes left out; none where one is no name."""
    names = [part.strip().replace("\\", "").strip("*`'\"") for part in text.split(",")]
    return tuple(names) if all(name.isidentifier() for name in names) else ()


def _field_names(text: str) -> tuple[str, ...]:
    """The name in `:param int name:`."""
    return _names(text.split()[-1]) if text.split() else ()
