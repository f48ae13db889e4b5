"""From what a model says to the output that is scored, as VersiCode's scripts do it."""

from __future__ import annotations

START, END = "<start>", "<end>"
NO_ANSWER = "no_answer"
"""What stands for an output without both marks."""


def clean(raw: str) -> str:
    r"""The text between the first `<start>` and the first `<end>`, without fences, not stripped.

    An `<end>` before the `<start>` leaves nothing.

    >>> clean("So: <start>\n```python\nx = 1\n```<end> <start>y<end>"), clean("x = 1")
    ('\n\nx = 1\n', 'no_answer')
    """
    if START not in raw or END not in raw:
        return NO_ANSWER
    return without_fences(raw[raw.find(START) + len(START) : raw.find(END)])


def without_fences(text: str) -> str:
    """The text without the marks of fenced code; those of other languages leave their name behind."""
    return text.replace("```python", "").replace("```", "")


def before_comma(raw: str) -> str:
    """What the scripts for chat models keep of a completion for one token: all before the first comma.

    A name in front of a comma loses its `<end>` with it, and so is no answer.
    """
    return raw.partition(",")[0]
