"""The names in code, as the tokenizer of CPython 3.11 tells them, on whatever interpreter runs."""

from __future__ import annotations

import io
import json
import os
import random
import sys
import tokenize
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apikb.rag_eval.metrics.identifiers import _Lines, identifiers

CASES = [
    ("", []),
    ("x = f(a)", ["x", "f", "a"]),
    ("for x in y: pass", ["for", "x", "in", "y", "pass"]),
    ("f(a", None),
    ("a)", None),
    ("a)(", ["a"]),
    ("# f(a", []),
    ("x = '('", ["x"]),
    ("x = ')' # (", ["x"]),
    ("f'{a}' b", ["b"]),
    ("rb'a' Rb\"b\" bu'c'", ["bu"]),
    ("print'a'", ["print"]),
    ("'abc", ["abc"]),
    ("f'abc d", ["f", "abc", "d"]),
    ("''' a", None),
    ("x''' a '''y", ["x", "y"]),
    ("'''a''''b", ["b"]),
    ("'''\na\n'''\nb", ["b"]),
    ("'' '''a\\''' b''' c", ["c"]),
    ("1e5 1j 0xff 1_000 1if x", ["if", "x"]),
    ("1.e5 1.real .5e3 ...5.e3 0b2 1_", ["real", "b2", "_"]),
    ("if a:\n    b\nc", ["if", "a", "b", "c"]),
    ("if a:\n    b\n  c", None),
    ("if a:\n\tb\n        c", ["if", "a", "b", "c"]),
    ("  a\nb", ["a", "b"]),
    ("f(\n  a,\n b)", ["f", "a", "b"]),
    ("if a:\n    b\n  # c\n\n    d", ["if", "a", "b", "d"]),
    ("a \\\n  b", ["a", "b"]),
    ("a \\\n", None),
    ("a \\", ["a"]),
    ("'a\\\nb' c", ["c"]),
    ("'a\\\nb\nc", ["c"]),
    ("'a\\\n", None),
    ("a\r\nb", ["a", "b"]),
    ("\ra\nb", ["b"]),
    ("é = ² + ٣", ["é"]),
    ("a $ b ? `c`", ["a", "b", "c"]),
    ("\ufeffa", ["a"]),
    ("# coding: utf-8\na", ["a"]),
    ("# coding: latin-1\né", ["Ã"]),
    ("a\u2028b", ["a", "b"]),
    ("\fa\n\fb", ["a", "b"]),
    ("f(a\n    ", None),
    ("a\0b", ["a", "b"]),
]


@pytest.mark.parametrize(("code", "names"), CASES)
def test_names(code: str, names: list[str] | None) -> None:
    assert identifiers(code) == names
    assert _Lines(code).names() == names, "line by line"


@pytest.mark.parametrize("code", ["# coding: nonsense\na", "\ufeff# coding: latin-1\na"])
def test_a_cookie_that_cannot_be(code: str) -> None:
    with pytest.raises(LookupError):
        identifiers(code)


# ---- against the tokenizer itself

as_3_11 = pytest.mark.skipif(sys.version_info >= (3, 12), reason="its tokenizer is another one")
EARLY = "raises before the first token"


def reference(code: str) -> list[str] | str | None:
    try:
        tokens = tokenize.tokenize(io.BytesIO(code.encode()).readline)
    except (SyntaxError, UnicodeError):
        return EARLY
    try:
        return [token.string for token in tokens if token.type == tokenize.NAME]
    except Exception:
        return None


def ours(code: str) -> list[str] | str | None:
    try:
        return identifiers(code)
    except (LookupError, ValueError):
        return EARLY


def line_by_line(code: str) -> list[str] | str | None:
    try:
        return _Lines(code).names()
    except (LookupError, ValueError):
        return EARLY


PIECES = [
    "'", '"', "'''", '"""', "\\", "\n", "\\\n", "\r\n", "\r", "\f", " ", "  ", "\t", "#", "(", ")", "[", "]",
    "{", "}", "a", "b", "rb", "f", "fr", "u", "x1", "_", "1", "0", ".", "...", "e", "j", "0x", "1e5", "1_0",
    "é", "²", "٣", "$", "?", "!", "->", ":=", "=", "coding:", "latin-1", "\ufeff", "# coding: utf-8\n", "\0",
    "if", "\u2028", "`", "@", "\n    ", "\n  ",
]  # fmt: skip


@as_3_11
@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
@settings(max_examples=1000, deadline=None)
def test_any_text(code: str) -> None:
    expected = reference(code)
    assert ours(code) == expected
    assert line_by_line(code) == expected


SHARED = os.environ.get("APIKB_SHARED")


@as_3_11
@pytest.mark.skipif(SHARED is None, reason="APIKB_SHARED names no real code")
def test_real_code() -> None:
    """A sample of real texts, prose among them, whole and by line."""
    texts: list[str] = []
    for name in ("versicode_stackoverflow_line", "gitchameleon", "versicode_library_source_metadata"):
        for line in (Path(SHARED or "") / f"data/{name}.jsonl").read_text(encoding="utf-8").splitlines():
            texts += [value for value in json.loads(line).values() if isinstance(value, str)]
    chosen = random.Random(11).sample(texts, 1500)
    lines = "\n".join(chosen[:500]).split("\n")
    for text in (*chosen, *lines):
        assert ours(text) == reference(text), text
