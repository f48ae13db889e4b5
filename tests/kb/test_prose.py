"""Docstrings for reading."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apikb.kb.prose import LONGEST_SUMMARY, clean, summary


@pytest.mark.parametrize(
    ("docstring", "text"),
    [
        ("Use :func:`~numpy.dot` or :meth:`.run`.", "Use `dot` or `run`."),
        ("See :ref:`the guide <guide>` and :py:class:`a.B`.", "See the guide and `a.B`."),
        ("See `the docs <https://x.invalid/y>`_ or `Other`_ [1]_.", "See the docs or Other [1]."),
        ("``x`` is **not** `y`, **kwargs is kept, 2**3 too.", "`x` is not `y`, **kwargs is kept, 2**3 too."),
        (r"Pass \*args and a\_b.", "Pass *args and a_b."),
        ("A.\n\n.. deprecated:: 1.2\n   Use b.\n   Really.\n\nB.", "A.\n\nB."),
        ("A.\n\n.. versionadded:: 1.2\n\nB.", "A.\n\nNew in version 1.2.\n\nB."),
        ("A.\n\n.. versionchanged:: 1.2\n   Faster.", "A.\n\nChanged in version 1.2.\n   Faster."),
        ("A.\n\n.. note:: Slow.\n   Very.", "A.\n\nNote: Slow.\n   Very."),
        ("A.\n\n.. currentmodule:: x\n.. _target:\n\nB.", "A.\n\nB."),
        ("So::\n\n    a::b = ``c``\n\nEnd.", "So:\n\n    a::b = ``c``\n\nEnd."),
        (">>> f('``x``')\n``x``\n\n``y``", ">>> f('``x``')\n``x``\n\n`y`"),
    ],
)
def test_markup_is_resolved_and_code_is_left(docstring: str, text: str) -> None:
    assert clean(docstring) == text


@pytest.mark.parametrize(
    ("docstring", "text"),
    [
        ("Do it\nwell.\n\nMore.", "Do it well."),
        ("add(x1, x2, /, out=None,\n    *, where=True)\n\nAdd them.", "Add them."),
        ("abs(input) -> Tensor\nIts size.", "Its size."),
        ("====\nFoo\n====\n\nFoo does it.", "Foo does it."),
        ("Foo\n---", "Foo"),
        (".. deprecated:: 1\n   Use b.\n\nDo it.", "Do it."),
        (":param x: it\n:returns: that", ""),
        ("Parameters\n----------\nx : int\n    It.", ""),
        (">>> f(1)\n1", ""),
        ("", ""),
    ],
)
def test_a_summary_is_the_first_sentence_there_is(docstring: str, text: str) -> None:
    assert summary(docstring) == text


def test_a_long_paragraph_is_cut_at_a_sentence() -> None:
    text = summary("One sentence that says it, e.g. this one. " * 20)
    assert len(text) <= LONGEST_SUMMARY and text.endswith("this one.")


@given(st.text(alphabet=".:`~ \n*_<>\\[]abc-=", max_size=120))
def test_any_text_is_cleaned_and_a_summary_is_one_line(text: str) -> None:
    assert "\n" not in summary(text)
    assert clean(text) == clean(text).strip()
