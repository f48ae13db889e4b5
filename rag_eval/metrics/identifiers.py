"""The names in Python code as the tokenizer of CPython 3.11 tells them, on any interpreter.

The published scores were computed with the pure-Python `tokenize` of 3.11.  That of 3.12 is another one:
it takes f-strings apart (PEP 701) and raises where the old one went on.  What counts here is which NAME
tokens come, in which order, and whether the tokenizer raises at the end; so this follows its rules and
leaves out all else.  Two ways lead there: one regular expression over the whole text where the text holds
nothing unusual, and line by line, state by state, where it does (a backslash at the end of a line, a
carriage return, a form feed, an encoding cookie).  Tests hold both against the tokenizer itself.
"""

from __future__ import annotations

import codecs
import re

_DIGITS = r"[0-9](?:_?[0-9])*"
_EXPONENT = rf"[eE][-+]?{_DIGITS}"
_FLOAT = rf"(?:(?:{_DIGITS}\.(?:{_DIGITS})?|\.{_DIGITS})(?:{_EXPONENT})?|{_DIGITS}{_EXPONENT})"  # 1. .5 1e3
_INTEGER = r"(?:0[xX](?:_?[0-9a-fA-F])+|0[bB](?:_?[01])+|0[oO](?:_?[0-7])+|0(?:_?0)*|[1-9](?:_?[0-9])*)"
_NUMBER = rf"(?:{_DIGITS}[jJ]|{_FLOAT}[jJ]|{_FLOAT}|{_INTEGER})"
_PREFIX = r"(?:[bB][rR]?|[rR][bBfF]?|[fF][rR]?|[uU])?"
_SINGLE = r"[^\n'\\]*+(?:\\.[^\n'\\]*+)*+"
_DOUBLE = r'[^\n"\\]*+(?:\\.[^\n"\\]*+)*+'
_STRING = rf"(?:{_PREFIX}(?:(?!''')'{_SINGLE}'|(?!\"\"\")\"{_DOUBLE}\"))"
_TRIPLE = (
    r"(?:" + _PREFIX + r"(?:'''[^'\\]*+(?:(?:\\[\s\S]|'(?!''))[^'\\]*+)*+'''"
    r'|"""[^"\\]*+(?:(?:\\[\s\S]|"(?!""))[^"\\]*+)*+"""))'
)  # fmt: skip
_OPENER = rf"{_PREFIX}(?:'''|\"\"\")"

_PLAIN = re.compile(
    # A name, a bracket, or the indentation of a line with code, behind whatever holds no name.
    rf"[^\w\n()\[\]{{}}'\"#.]*+(?:([^\W\d]\w*+(?!['\"])|[()\[\]{{}}]|\n[ \t]*+(?![\#\n]|\Z))"
    rf"|\.\.\.|\.(?![0-9])|{_STRING}|{_NUMBER}|\#[^\n]*+|{_TRIPLE}"
    # A triple quote that nothing closes; a name after which a string comes; a quote that nothing closes.
    rf"|({_OPENER})|(\w+)|[\n'\"])"
)
_WORD = re.compile(r"\w+")
_NOT_SIMPLE = re.compile(r"['\"#\n]|(?<!\w)[0-9][0-9_]*\.?[A-Za-z_]")
_FIRST = re.compile(r"[ \t]*+(?![#\n]|\Z)")
_UNUSUAL = re.compile(r"\\\n|[\r\f\ufeff]|coding[:=]|[\ud800-\udfff]")
_TAB = 8


def identifiers(code: str) -> list[str] | None:
    """All names and keywords of a text in order; None where the tokenizer raises.

    It raises where brackets do not balance, a triple-quoted string or a continued line does not end, or a
    line is dedented to no level; an encoding cookie that names none raises `LookupError` here.

    >>> identifiers("y = f'{a}' if b else c(1j)")
    ['y', 'if', 'b', 'else', 'c']
    >>> identifiers("foo(a,") is None
    True
    """
    if _UNUSUAL.search(code) is not None:
        return _Lines(code).names()
    if code.isascii() and _NOT_SIMPLE.search(code) is None:
        return _of_simple_line(code)
    names: list[str] = []
    level = 0
    indents = [0]
    if (first := _FIRST.match(code)) is not None and first.end():
        indents.append(_column(first.group()))
    for token, opener, word in _PLAIN.findall(code):
        if not token:
            if opener:
                return None
            if word and word[0].isidentifier():
                names.append(word)
        elif token in "([{":
            level += 1
        elif token in ")]}":
            level -= 1
        elif token[0] == "\n":
            if level == 0 and not _indent(indents, _column(token[1:])):
                return None
        elif token[0].isidentifier():
            names.append(token)
    return names if level == 0 else None


def _of_simple_line(code: str) -> list[str] | None:
    """Of one line of ASCII without strings and comments, where a word is a name or all digits."""
    count = code.count
    if count("(") + count("[") + count("{") != count(")") + count("]") + count("}"):
        return None
    return [word for word in _WORD.findall(code) if word.isidentifier()]


def _column(space: str) -> int:
    if "\t" not in space and "\f" not in space:
        return len(space)
    column = 0
    for character in space:
        if character == "\t":
            column = (column // _TAB + 1) * _TAB
        else:
            column = 0 if character == "\f" else column + 1
    return column


def _indent(indents: list[int], column: int) -> bool:
    """Take in the indentation of a statement; False where it dedents to no level."""
    if column > indents[-1]:
        indents.append(column)
    while column < indents[-1]:
        if column not in indents:
            return False
        indents.pop()
    return True


# ---- the unusual, line by line

_COOKIE = re.compile(r"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)", re.ASCII)
_BLANK = re.compile(r"^[ \t\f]*(?:[#\r\n]|$)", re.ASCII)
_SPACE = re.compile(r"[ \f\t]*")
_TOKEN = re.compile(
    rf"[ \f\t]*(\\\r?\n|\Z|\#[^\r\n]*|{_OPENER}|{_NUMBER}|\r?\n|\.\.\.|[^\w\s'\"\#\\$?!`]"
    rf"|{_PREFIX}'[^\n'\\]*(?:\\.[^\n'\\]*)*(?:'|\\\r?\n)"
    rf"|{_PREFIX}\"[^\n\"\\]*(?:\\.[^\n\"\\]*)*(?:\"|\\\r?\n)|\w+)"
)
_ENDS = {
    "'": re.compile(r"[^'\\]*(?:\\.[^'\\]*)*'"),
    '"': re.compile(r'[^"\\]*(?:\\.[^"\\]*)*"'),
    "'''": re.compile(r"[^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*'''"),
    '"""': re.compile(r'[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*"""'),
}


class _Lines:
    """The states of the tokenizer: in a string, at a new statement, in a continued one."""

    def __init__(self, code: str) -> None:
        self._lines = _decoded(code)
        self._names: list[str] = []
        self._indents = [0]
        self._level = 0
        self._continued = False
        self._end: re.Pattern[str] | None = None
        self._needs_backslash = False

    def names(self) -> list[str] | None:
        """All names, or None where the tokenizer raises."""
        for line in self._lines:
            start = 0
            if self._end is not None:
                start = self._after_string(line)
            elif self._level == 0 and not self._continued:
                blank = _SPACE.match(line)
                assert blank is not None
                start = blank.end()
                if start == len(line):
                    return self._names  # Nothing but white space, without a newline: the last line.
                if line[start] in "#\r\n":
                    continue
                if not _indent(self._indents, _column(line[:start])):
                    return None
            self._continued = False
            if start >= 0:
                self._statement(line, start)
        unfinished = self._end is not None or self._level != 0 or self._continued
        return None if unfinished else self._names

    def _after_string(self, line: str) -> int:
        """Where a string of an earlier line ends, -1 where it does not."""
        assert self._end is not None
        match = self._end.match(line)
        if match is not None:
            self._end, self._needs_backslash = None, False
            return match.end()
        if self._needs_backslash and not line.endswith(("\\\n", "\\\r\n")):
            self._end = None  # An error token swallows the line.
        return -1

    def _statement(self, line: str, place: int) -> None:
        while place < len(line):
            match = _TOKEN.match(line, place)
            if match is None:
                place += 1
                continue
            token, place = match[1], match.end()
            if not token:
                continue
            if token.endswith(("'''", '"""')) and len(token.lstrip("bBrRuUfF")) == 3:
                closed = _ENDS[token[-3:]].match(line, place)
                if closed is None:
                    # The tokenizer forgets that the last string of one line needed none: left as it is.
                    self._end = _ENDS[token[-3:]]
                    return
                place = closed.end()
            elif token[0] == "\\":
                self._continued = True
            elif "\n" in token and token[0] not in "\r\n":
                self._end, self._needs_backslash = _ENDS[token.lstrip("bBrRuUfF")[0]], True
                return
            elif token in "([{":
                self._level += 1
            elif token in ")]}":
                self._level -= 1
            elif token[-1] not in "'\"" and token[0].isidentifier():
                self._names.append(token)


def _decoded(code: str) -> list[str]:
    """The lines as the tokenizer decodes them: a cookie in the first two says how.

    Raises `LookupError` (of which `UnicodeError` is none) where it raises before the first token.
    """
    raw = code.encode()
    encoding = "utf-8"
    marked = raw.startswith(codecs.BOM_UTF8)
    lines = [line + b"\n" for line in raw.removeprefix(codecs.BOM_UTF8).split(b"\n")]
    lines[-1] = lines[-1][:-1]
    lines = lines if lines[-1] else lines[:-1]
    for line in lines[:2]:
        cookie = _COOKIE.match(line.decode())
        if cookie is not None:
            encoding = codecs.lookup(cookie[1]).name
            if marked and encoding != "utf-8":
                raise LookupError("a byte order mark and another encoding")
            break
        if not _BLANK.match(line.decode()):
            break
    return [line.decode(encoding) for line in lines]
