"""The names and calls in code of other languages, by the lexers of Pygments (`pip install 'apikb[eval]'`).

A lexer knows no scopes and never refuses a text, so nothing is checked for being a program.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from ...kb.errors import ApikbError

if TYPE_CHECKING:
    from pygments.lexer import Lexer

LANGUAGES = {
    "c#": "csharp",
    "csharp": "csharp",
    "java": "java",
    "javascript": "javascript",
    "js": "javascript",
}
"""A language as rows write it -> the name of its lexer."""

_PAIRS = {"(": ")", "[": "]", "{": "}"}


class Token(NamedTuple):
    """A piece of code that is neither white space nor comment."""

    text: str
    """Of a string two quotes, whatever it holds."""
    line: int
    """1-based."""
    is_name: bool


class LexedCall(NamedTuple):
    """A name with parentheses behind it."""

    name: str
    line: int
    arguments: int


@cache
def _lexer(language: str) -> Lexer:
    try:
        from pygments.lexers import get_lexer_by_name
    except ImportError as error:
        raise ApikbError(
            f"scoring {language} needs Pygments", hint="install it: pip install 'apikb[eval]'"
        ) from error
    name = LANGUAGES.get(language)
    if name is None:
        known = ", ".join(("python", *sorted(set(LANGUAGES.values()))))
        raise ApikbError(f"no lexer is known for the language {language!r}; known are {known}")
    return get_lexer_by_name(name, stripnl=False)


def tokens(code: str, language: str) -> list[Token]:
    """The tokens of code in order.  Raises `ApikbError` for another language, or without Pygments."""
    from pygments.token import Comment, Name, String, Whitespace

    found: list[Token] = []
    line = 1
    for kind, text in _lexer(language.lower()).get_tokens(code):
        if text.strip() and kind not in Comment and kind not in Whitespace:
            # Lexers hand on strings in pieces: what stands in them is no code.
            found.append(Token('""' if kind in String else text, line, kind in Name))
        line += text.count("\n")
    return found


def names(code: str, language: str) -> list[str]:
    """The names of code, without keywords.

    >>> names("var x = foo.bar(1); // baz", "javascript")
    ['x', 'foo', 'bar']
    """
    return [token.text.lstrip(".") for token in tokens(code, language) if token.is_name]


def calls(code: str, language: str) -> Iterator[LexedCall]:
    """The calls in code, in order.

    >>> list(calls("a.f(g(1, 2), [3, 4])", "java"))
    [LexedCall(name='f', line=1, arguments=2), LexedCall(name='g', line=1, arguments=2)]
    """
    found = tokens(code, language)
    pieces = [piece for token in found for piece in _pieces(token)]
    for place, (name, after) in enumerate(pairwise(pieces)):
        if name.is_name and after.text == "(":
            yield LexedCall(name.text.lstrip("."), name.line, _arguments(pieces[place + 2 :]))


def _pieces(token: Token) -> Iterator[Token]:
    """Lexers may hand on several marks as one token: `);`."""
    if token.is_name or token.text.isalnum():
        yield token
    else:
        for mark in token.text:
            yield Token(mark, token.line, False)


def _arguments(pieces: Sequence[Token]) -> int:
    """How many arguments stand before the parenthesis closes."""
    depth, commas, empty = 0, 0, True
    for piece in pieces:
        if depth == 0 and piece.text == ")":
            break
        empty = False
        depth += (piece.text in _PAIRS) - (piece.text in _PAIRS.values())
        commas += depth == 0 and piece.text == ","
    return 0 if empty else commas + 1
