"""Text and code as terms for the lexical index."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator

_WORD = re.compile(r"[^\W_]+(?:_+[^\W_]+)*")
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_LONGEST = 64
"""Longer words are noise: base64, hashes."""

_STOP_WORDS = """
a an and are as at be been being but by can do does each for from get give given had has have how i
if in into is it its let like may me my need needs no not of on one only or our should so some such
than that the their them then there these they this those to up use used uses using want was we were
what when where which while will with would you your
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())
"""They say nothing of what is looked for."""

_local = threading.local()


def _stem(word: str) -> str:
    """The Porter 2 stem.  A stemmer may not be shared by threads."""
    stemmer = getattr(_local, "stemmer", None)
    if stemmer is None:
        from Stemmer import Stemmer

        stemmer = _local.stemmer = Stemmer("english")
    stem: str = stemmer.stemWord(word)
    return stem


def terms(text: str) -> Iterator[str]:
    """Stems of the words of a text; a name is told whole and in its parts.

    >>> list(terms("add rows to a DataFrame")), list(terms("read_csv"))
    (['add', 'row', 'dataframe', 'data', 'frame'], ['read_csv', 'read', 'csv'])
    """
    for found in _WORD.finditer(text):
        word = found[0]
        if len(word) > _LONGEST:
            continue
        lower = word.lower()
        # Case tells where a part begins in ASCII names; other scripts have no such habit.
        parts = _PART.findall(word) if word.isascii() else word.split("_")
        if len(parts) == 1:
            if lower not in STOP_WORDS:
                yield _stem(lower)
            continue
        yield lower
        for part in parts:
            if len(part) > 1 and (low := part.lower()) not in STOP_WORDS:
                yield _stem(low)
