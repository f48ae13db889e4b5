from __future__ import annotations

import ast
import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apikb.indexers.sources import SourceError, decode_source, lexemes


@pytest.mark.parametrize(
    ("data", "text", "encoding", "note"),
    [
        (b"x = 1\n", "x = 1\n", "utf-8", None),
        ("é = 'ü'".encode(), "é = 'ü'", "utf-8", None),
        (codecs.BOM_UTF8 + b"x", "x", "utf-8", None),
        (codecs.BOM_UTF8 + b"# coding: latin-1\n\xc3\xa9", "# coding: latin-1\né", "utf-8", None),
        (b"# -*- coding: latin-1 -*-\n'\xe9'", "# -*- coding: latin-1 -*-\n'é'", "iso8859-1", None),
        (b"#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\n'\x80'", None, "cp1252", None),
        (b"# coding: euc-jp\n\xa4\xa2", "# coding: euc-jp\nあ", "euc_jp", None),
        (b"# coding: UTF-8-unix\n\xc3\xa9", "# coding: UTF-8-unix\né", "utf-8", None),
        (b"# coding: iso-8859-15-dos\n\xa4", "# coding: iso-8859-15-dos\n€", "iso8859-15", None),
        (b"# coding: utf_8_sig\n", None, "utf-8", None),
        (b"# coding: utf8\n", None, "utf-8", None),
        # The cookie counts in the first two lines only, and in the second only below a comment or nothing.
        (b"\n\n# coding: latin-1\n", None, "utf-8", None),
        (b"x = 1\n# coding: latin-1\n", None, "utf-8", None),
        (b"\r# coding: latin-1\r\xe9", "\n# coding: latin-1\né", "iso8859-1", None),
        (b"'\xe9'", "'é'", "iso8859-1", "not valid utf-8, read as iso8859-1"),
        (b"# coding: ascii\n\xc3\xa9", None, "utf-8", "not valid ascii, read as utf-8"),
        (b"# coding: klingon\n\xc3\xa9", None, "utf-8", "unknown encoding 'klingon', read as utf-8"),
        (b"# coding: zlib\nx", None, "utf-8", "'zlib' is not a text encoding, read as utf-8"),
        (b"# coding: ..os\nx", None, "utf-8", "unknown encoding '..os', read as utf-8"),
        (b"\xff\xfea\0b\0", "ab", "utf-16-le", "UTF-16, which Python itself does not read"),
        (b"\xfe\xff\0a", "a", "utf-16-be", "UTF-16, which Python itself does not read"),
    ],
)
def test_decoding(data: bytes, text: str | None, encoding: str, note: str | None) -> None:
    decoded = decode_source(data)
    assert (decoded.encoding, decoded.note) == (encoding, note)
    if text is not None:
        assert decoded.text == text


@pytest.mark.parametrize(
    "data", [b"x = 1\ny\0", b"\xff\xfe\0\0x\0\0\0", b"# coding: unicode_escape\n\n\\x00"]
)
def test_nul_is_refused_with_its_line(data: bytes) -> None:
    with pytest.raises(SourceError, match="NUL byte in line") as caught:
        decode_source(data)
    assert caught.value.reason.endswith("not a Python source file")


@pytest.mark.parametrize(
    "data",
    [
        b"a\r\nb\r\nc",
        b"a\rb\rc",
        b"a\n\x0cb\nc",
        b"a\n\x0c\nc",
        b"a\r\r\nc",
        b"'''\r\n\x0c'''\rc",
        b"a = '\x1c \xc2\x85'\nc",
    ],
)
def test_lines_are_counted_as_cpython_counts(data: bytes) -> None:
    text = decode_source(data).text
    tree, truth = ast.parse(text), ast.parse(data)
    assert [node.lineno for node in tree.body] == [node.lineno for node in truth.body]
    assert text.split("\n")[tree.body[-1].lineno - 1].endswith(("c", "c'"))


def test_lexemes_of_both_pythons() -> None:
    text = "x = ur'\\x' + `y` <> 0777L # it's\nb'''a'b''' \"open\nz"
    assert [(piece.kind, text[piece.start : piece.end]) for piece in lexemes(text)] == [
        ("name", "x"),
        ("op", "="),
        ("string", "ur'\\x'"),
        ("op", "+"),
        ("backquote", "`y`"),
        ("op", "<>"),
        ("number", "0777L"),
        ("comment", "# it's"),
        ("string", "b'''a'b'''"),
        ("string", '"open'),
        ("name", "z"),
    ]


@given(
    st.binary(max_size=200)
    | st.builds(lambda c, b: b"# coding: " + c + b"\n" + b, st.binary(max_size=12), st.binary())
)
def test_any_bytes_decode_or_are_refused(data: bytes) -> None:
    try:
        decoded = decode_source(data)
    except SourceError:
        return
    assert "\r" not in decoded.text
    assert "\0" not in decoded.text


@given(st.text(max_size=300))
def test_lexemes_cover_everything_but_whitespace(text: str) -> None:
    covered = {index for piece in lexemes(text) for index in range(piece.start, piece.end)}
    assert all(index in covered or character.isspace() for index, character in enumerate(text))
