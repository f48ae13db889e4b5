"""Names of code in a question, and what code imports."""

from __future__ import annotations

import re
from collections.abc import Iterator

_NAME = r"[A-Za-z_]\w*"
_PATH = rf"{_NAME}(?:\.{_NAME})*"
_TICKED = re.compile(rf"`~?({_PATH})(?:\(.*?\))?`")
_CALLED = re.compile(rf"({_PATH})\(")
_DOTTED = re.compile(rf"(?<![\w.])({_NAME}(?:\.{_NAME})+)(?!\w)")
_SNAKE = re.compile(r"(?<![\w.])([A-Za-z]\w*_\w+)(?![\w.(])")
_WHOLE = re.compile(rf"\s*({_PATH})(?:\(\))?\s*")
_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+([A-Za-z_][\w.]*)[ \t]+import\b|import[ \t]+([^\n#;]+))", re.MULTILINE
)


def mentions(query: str) -> tuple[str, ...]:
    """Dotted paths and names that are written as code, each once, in the order of their forms.

    A plain word in a sentence is none, even where some symbol has its name.

    >>> mentions("replace `df.append` by concat()"), mentions("sum of rows"), mentions("one_hot")
    (('df.append', 'concat'), (), ('one_hot',))
    """
    whole = _WHOLE.fullmatch(query)
    if whole is not None:
        return (whole[1],)
    found: dict[str, None] = {}
    for form in (_TICKED, _CALLED, _DOTTED, _SNAKE):
        found.update(dict.fromkeys(match[1] for match in form.finditer(query)))
    return tuple(found)


def imported(code: str) -> frozenset[str]:
    """Top-level names that code imports; read as text, for snippets seldom parse.

    >>> sorted(imported("import numpy as np, torch.nn\\nfrom sklearn.svm import SVC"))
    ['numpy', 'sklearn', 'torch']
    """
    return frozenset(_imported(code))


def _imported(code: str) -> Iterator[str]:
    for source, names in _IMPORT.findall(code):
        for name in [source] if source else names.split(","):
            top = name.split(" as ")[0].strip().partition(".")[0]
            if top.isidentifier():
                yield top
