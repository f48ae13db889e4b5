"""How many tokens a text has, for budgets: by a plain rule, or by a tokenizer that the caller names."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from ..kb.errors import ApikbError

CountTokens = Callable[[str], int]

_PIECE = re.compile(r"[A-Za-z]{1,5}|[0-9]{1,3}|\n\s*|[^\sA-Za-z0-9]")


def count_pieces(text: str) -> int:
    r"""Count by a rule that needs no tokenizer and gives the same everywhere.

    A piece is up to five ASCII letters, up to three digits, a line break with the white space after it, or
    any other character that is no white space.  It is a rule of thumb, not the count of any model.

    >>> count_pieces("DataFrame.append(1, x)\n")
    11
    """
    return sum(1 for _ in _PIECE.finditer(text))


def token_counter(name: str | None = None) -> CountTokens:
    """The counter that a name stands for: none for the plain rule, `tiktoken:NAME`, `hf:PATH-OR-NAME`.

    Raises ApikbError where there is no such counter, its library is not installed, or it cannot be loaded.
    """
    if name is None or name == "plain":
        return count_pieces
    kind, _, which = name.partition(":")
    if kind not in TOKENIZERS or not which:
        known = ", ".join(["plain", *(f"{kind}:..." for kind in TOKENIZERS)])
        raise ApikbError(
            f"{name!r} is not a tokenizer", hint=f"one of: {known}; such as tiktoken:cl100k_base"
        )
    try:
        return TOKENIZERS[kind](which)
    except ApikbError:
        raise
    except Exception as error:  # Whatever a foreign library raises for a name that it cannot load.
        reason = (str(error) or type(error).__name__).splitlines()[0]
        raise ApikbError(
            f"the tokenizer {name} cannot be loaded: {reason}", hint="leave it out to count by the plain rule"
        ) from error


def _library(module: str, name: str) -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        raise ApikbError(
            f"{name} needs {module}, which is not installed", hint=f"pip install {module}"
        ) from error


def _tiktoken(which: str) -> CountTokens:
    encoding = _library("tiktoken", f"tiktoken:{which}").get_encoding(which)
    # A docstring that holds the text of a control token is text.
    return lambda text: len(encoding.encode(text, disallowed_special=()))


def _hugging_face(which: str) -> CountTokens:
    tokenizer = _library("tokenizers", f"hf:{which}").Tokenizer
    path = Path(which)
    if path.is_dir():
        path = path / "tokenizer.json"
    loaded = tokenizer.from_file(str(path)) if path.is_file() else tokenizer.from_pretrained(which)
    return lambda text: len(loaded.encode(text, add_special_tokens=False).ids)


TOKENIZERS: dict[str, Callable[[str], CountTokens]] = {"tiktoken": _tiktoken, "hf": _hugging_face}
"""Kind -> what loads a counter of that kind by its name."""
