"""Bytes of a source file to text whose line numbers are CPython's, and its lexical pieces."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import NamedTuple

from ..kb.errors import ApikbError


class SourceError(ApikbError):
    """A source file that cannot be read; `reason` says why, in words for the module's `detail`."""

    @property
    def reason(self) -> str:
        return self.message


class DecodedSource(NamedTuple):
    """Text with `\\n` as its only line break, the codec that gave it, and what had to be assumed.

    Count lines by `text.split("\\n")`: `str.splitlines` also breaks at form feeds,
    U+2028 and others that CPython's tokenizer takes for ordinary characters.
    """

    text: str
    encoding: str
    note: str | None = None


# PEP 263: "the first or second line must match the regular expression", and the second
# one counts only below a line that is blank or a comment.
_COOKIE = re.compile(rb"[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_BLANK = re.compile(rb"[ \t\f]*(?:#.*)?\Z")
_EMACS_EOL = re.compile(r"-(?:unix|dos|mac)\Z", re.IGNORECASE)
_UTF16_BOMS = ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


def decode_source(data: bytes) -> DecodedSource:
    """Decode a source file as CPython would, and a broken one as well as can be.

    Raises `SourceError` for text that holds a NUL: it is binary, or no Python source.

    >>> decode_source(b"# -*- coding: latin-1 -*-\\r\\nname = '\\xe9'\\r\\n")
    DecodedSource(text="# -*- coding: latin-1 -*-\\nname = 'é'\\n", encoding='iso8859-1', note=None)
    """
    decoded = _decode(data)
    if "\0" in decoded.text:
        line = decoded.text.count("\n", 0, decoded.text.index("\0")) + 1
        raise SourceError(f"NUL byte in line {line}: not a Python source file")
    return decoded


def _decode(data: bytes) -> DecodedSource:
    for mark, codec in _UTF16_BOMS:
        if data.startswith(mark):
            return _decode_utf16(data.removeprefix(mark), codec)
    body = data.removeprefix(codecs.BOM_UTF8)
    cookie = _cookie(body)
    if len(body) < len(data) or cookie is None:
        return _first_that_fits(body, "utf-8", None)
    codec, note = _resolve(cookie)
    return _first_that_fits(body, codec, note)


def _decode_utf16(body: bytes, codec: str) -> DecodedSource:
    """CPython refuses UTF-16, but editors on Windows did write it into sdists."""
    note = "UTF-16, which Python itself does not read"
    text = body.decode(codec, "replace")
    return DecodedSource(normalize_newlines(text), codec, note)


def _cookie(body: bytes) -> str | None:
    head = body[:4096].replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n", 2)
    for line in head[:2]:
        if match := _COOKIE.match(line):
            return match[1].decode("ascii", "replace")
        if not _BLANK.match(line):
            return None
    return None


def _resolve(cookie: str) -> tuple[str, str | None]:
    """The codec that a cookie means; editors append their line-ending style to the name."""
    name = _EMACS_EOL.sub("", cookie)
    try:
        info = codecs.lookup(name)
    except (LookupError, ValueError, ImportError):
        return "utf-8", f"unknown encoding {cookie!r}"
    # bytes-to-bytes codecs (hex, zlib, bz2) and rot13 are no encodings, and some of them inflate.
    if not getattr(info, "_is_text_encoding", True) or info.name == "undefined":
        return "utf-8", f"{cookie!r} is not a text encoding"
    return "utf-8" if info.name == "utf-8-sig" else info.name, None


def _first_that_fits(body: bytes, codec: str, note: str | None) -> DecodedSource:
    for candidate in dict.fromkeys((codec, "utf-8", "iso8859-1")):
        try:
            text = body.decode(candidate)
        except (UnicodeError, ValueError, OverflowError):
            continue
        if candidate != codec:
            note = f"{note}, " if note else f"not valid {codec}, "
            note += f"read as {candidate}"
        elif note:
            note += f", read as {candidate}"
        return DecodedSource(normalize_newlines(text), candidate, note)
    raise AssertionError("every byte string is valid latin-1")


def normalize_newlines(text: str) -> str:
    """CR LF and a bare CR end a line, as in CPython's tokenizer; nothing else does."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


class Lexeme(NamedTuple):
    """A piece of source, [start, end) in characters: comment, string, name, number, backquote or op."""

    kind: str
    start: int
    end: int


def _string_pattern(quote: str) -> str:
    triple, single = quote * 3, quote
    return (
        rf"{triple}[^{single}\\]*(?:(?:\\.|{single}(?!{single}{single}))[^{single}\\]*)*(?:{triple}|\Z)"
        rf"|{single}[^{single}\\\n]*(?:\\.[^{single}\\\n]*)*(?:{single}|(?=\n)|\Z)"
    )


# `fr"x"` and the `ur"x"` of Python 2 are one piece; an unfinished string ends with its line.
_LEXEME = re.compile(
    r"(?P<comment>\#[^\n]*)"
    rf"|(?P<string>[rRbBuUfFtTcC]{{0,3}}(?:{_string_pattern(chr(34))}|{_string_pattern(chr(39))}))"
    r"|(?P<name>[^\W\d]\w*)"
    r"|(?P<number>\d\w*(?:\.\w*)?|\.\d\w*)"
    r"|(?P<backquote>`[^`\n]*`)"
    r"|(?P<op><>|[^\s\w])",
    re.DOTALL,
)


def lexemes(text: str) -> Iterator[Lexeme]:
    """The pieces of Python (or Cython) text, whitespace left out; never raises.

    It does not look into f-strings, so the nested quotes of PEP 701 end one early.
    """
    for match in _LEXEME.finditer(text):
        kind = match.lastgroup
        assert kind is not None
        yield Lexeme(kind, match.start(), match.end())
