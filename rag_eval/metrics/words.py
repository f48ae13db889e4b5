r"""Does a name stand in a text as `re` sees words, without compiling a pattern for every task."""

from __future__ import annotations

import warnings


def has_word(text: str, name: str) -> bool:
    r"""What `re.search(rf"\b{re.escape(name)}\b", text)` finds, for any name.

    >>> has_word("df.append(x)", "append"), has_word("df.appended", "append"), has_word("a.b(", "b(")
    (True, False, False)
    """
    if not name:
        return any(map(_is_word, text))
    inner_left, inner_right = _is_word(name[0]), _is_word(name[-1])
    start = text.find(name)
    while start >= 0:
        end = start + len(name)
        left = start > 0 and _is_word(text[start - 1])
        right = end < len(text) and _is_word(text[end])
        if left != inner_left and right != inner_right:
            return True
        start = text.find(name, start + 1)
    return False


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def compiles(program: str) -> bool:
    """Whether the interpreter that runs takes a text for a program, scopes and all (`return` has its place).

    The published scripts asked their own interpreter too: f-strings of 3.12 fail on 3.11.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(program, "<string>", "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
            return False
    return True
