"""Whether a text is Python, and whether it looks like an example.  Nothing is run.  Pure."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Sequence
from functools import lru_cache

_KEPT = 8192
"""Texts that are remembered: the releases of one docstring lie side by side and share most examples."""
_ERRORS = (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError)
_SAYS_SOMETHING = (
    ast.Call, ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.With,
    ast.AsyncWith, ast.For, ast.AsyncFor, ast.Await, ast.Raise, ast.Subscript, ast.Lambda, ast.Delete,
)  # fmt: skip
"""A sentence, a formula or a table may happen to be an expression; it holds none of these."""
_BROKEN_CODE = re.compile(
    r"from [\w.]+ import\b|import \w|(?:async )?def \w+ ?\(|class \w+.*: *$|(?:async )?with .+: *$|"
    r"(?:async )?for .+ in .+: *$|if .+: *$|try: *$|return [\w.]+\(|print (?:[\"']|[\w.]+(?:[(\[,%]|$))|"
    r"@\w[\w.]*(?:\(.*)?$|[A-Za-z_][\w.\[\]'\", ]* = [\w.]+\("
)
"""What a block of code begins with that no parser of this Python accepts: old syntax, an elision."""


@lru_cache(_KEPT)
def compiles(code: str) -> bool:
    r"""Whether the Python that runs this accepts a text as a program (`await` on its top level included).

    >>> compiles("x = f(1)"), compiles("print 'x'"), compiles("await f()"), compiles("f(\n")
    (True, False, True, False)
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(code, "<example>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    except _ERRORS:
        return False
    return bool(code.strip())


@lru_cache(_KEPT)
def does_something(code: str) -> bool:
    """Whether a text is Python that uses something, and not a word, a number or a formula.

    >>> [does_something(code) for code in ("f(x)", "import os", "x", "a = b + c", "See also.")]
    [True, True, False, False, False]
    """
    if not compiles(code):
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = compile(code, "<example>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT | ast.PyCF_ONLY_AST)
    except _ERRORS:
        return False
    return any(isinstance(node, _SAYS_SOMETHING) for node in ast.walk(tree))


def looks_like_code(code: str) -> bool:
    """Whether an unmarked block is an example: Python that uses something, or what was meant to be.

    >>> looks_like_code("print the value"), looks_like_code("$ pip install x"), looks_like_code("a | b | c")
    (False, False, False)
    >>> looks_like_code("print f(1)"), looks_like_code("import x\\nprint x.y")
    (True, True)
    """
    if does_something(code):
        return True
    first = next((line for line in code.split("\n") if line.strip() and not line.startswith("#")), "")
    return bool(_BROKEN_CODE.match(first))


def dedented(lines: Sequence[str]) -> str:
    r"""Lines as one text without their common indent and without blank lines at the ends.

    >>> dedented(["", "    a", "      b", ""])
    'a\n  b'
    """
    margin = min((len(line) - len(bare) for line in lines if (bare := line.lstrip())), default=0)
    return "\n".join(line[margin:].rstrip() for line in lines).strip("\n")
