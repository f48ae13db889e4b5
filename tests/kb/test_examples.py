"""Code examples of docstrings: every way in which docs mark them, and what is no example."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apikb.kb.examples import Example, examples_of

NUMPY = """Stack arrays.

.. versionadded:: 1.10

Parameters
----------
a : array::
    not code

Examples
--------
Make two.

>>> a = np.array([1])
>>> b = np.array(
...     [2])

>>> np.stack((a, b))  # doctest: +NORMALIZE_WHITESPACE
array([[1],
       [2]])
<BLANKLINE>
>>> a.shape
(1,)

Along another axis:

>>> for x in a:
...     print(x)
...
1
"""


def codes(docstring: str) -> list[str]:
    return [example.code for example in examples_of(docstring)]


def test_doctests_keep_their_preparation_and_their_output() -> None:
    first, second = examples_of(NUMPY)
    assert first.code == "a = np.array([1])\nb = np.array(\n    [2])\nnp.stack((a, b))\na.shape"
    assert first.output == "array([[1],\n       [2]])\n\n(1,)"
    assert (first.kind, first.compiles) == ("doctest", True)
    assert (second.code, second.output) == ("for x in a:\n    print(x)", "1")


@pytest.mark.parametrize(
    ("docstring", "kind", "code"),
    [
        ("Do.\n\nExample::\n\n    do(1)\n\n    do(2)\n\nMore.", "literal", "do(1)\n\ndo(2)"),
        ("Do.\n\n::\n\n    with a.b() as c:\n        c.d()", "literal", "with a.b() as c:\n    c.d()"),
        ("Do.\n\n.. code-block:: python\n   :linenos:\n\n   x = 1", "directive", "x = 1"),
        ("Do.\n\n.. testcode::\n\n   import x", "directive", "import x"),
        ("Do.\n\n.. plot::\n    :context: close-figs\n\n    plt.plot(1)", "directive", "plt.plot(1)"),
        ("Do.\n\n```python\nx = 1\n```\nmore", "fence", "x = 1"),
        ("Do.\n\n```\nx = f(1)\n```\nmore", "fence", "x = f(1)"),
        ("Do.\n\n~~~ {.python}\nx = f(1)\n~~~", "fence", "x = f(1)"),
        ("Do.\n\nArgs:\n    x: it\n\nExample:\n    y = f(x)\n\n    g(y)\n", "section", "y = f(x)\n\ng(y)"),
        ("Do.\n\nUsage:\n\nq = f(1)\nq.g()\n\nIt returns f(x) of that.", "section", "q = f(1)\nq.g()"),
        ("Do.\n\nExamples\n--------\nOne way:\n\nf(1)\n\nNotes\n-----\nf(2)", "section", "f(1)"),
        ("Do.\n\n**Example:**\n\n    f(1)", "section", "f(1)"),
        ("For example, this\ncode does it:\n\n    f(1)\n    g(2)\n", "section", "f(1)\ng(2)"),
        ("Do.\n\nIn [1]: f(1)\nOut[1]: 2", "doctest", "f(1)"),
        (">>>f(1)\n2", "doctest", "f(1)"),
        (">>>  f(1)\n>>>  g(2)\n2", "doctest", "f(1)\ng(2)"),
        (">>> # doctest: +SKIP\n>>> f(1)  # xdoctest: +SKIP\n2", "doctest", "f(1)"),
        ("```\n>>> f(1)\n2\n```", "doctest", "f(1)"),
    ],
)
def test_every_kind(docstring: str, kind: str, code: str) -> None:
    assert [(example.kind, example.code) for example in examples_of(docstring)] == [(kind, code)]


@pytest.mark.parametrize(
    "docstring",
    [
        "Do it.",
        "Run it::\n\n    $ pip install x\n",
        ".. code-block:: bash\n\n   f(1)\n",
        "```json\n[1]\n```",
        "```\na | b\n```",
        ".. math::\n\n   f(x)\n",
        "The formula::\n\n    y = a * x + b\n",
        "Defined as::\n\n    a\n    b\n",
        "Example: none.",
        "Examples of this are rare.",
        "Title\n~~~~~\nText f(x).\n\n~~~~~",
        "a::\n",
        "",
    ],
)
def test_what_is_no_example(docstring: str) -> None:
    assert examples_of(docstring) == []


def test_old_code_is_kept_and_marked() -> None:
    assert examples_of(">>> print 'a'\na") == [Example("print 'a'", "a", False, "doctest")]
    assert [e.compiles for e in examples_of("So::\n\n    import x\n    print x.y\n")] == [False]
    assert [e.compiles for e in examples_of("So::\n\n    return f(1)\n\n    for x in y:\n")] == [False]


def test_a_statement_broken_without_dots_gets_the_lines_below_it() -> None:
    text = ">>> A = f(([3.0, 1.0]),\n          shape=(3, 4))\n>>> A\n<A>"
    assert examples_of(text) == [
        Example("A = f(([3.0, 1.0]),\n          shape=(3, 4))\nA", "<A>", True, "doctest")
    ]


def test_output_ends_where_text_further_left_begins() -> None:
    first, second = examples_of("x\n    >>> f(1)\n    1\nText.\n    >>> g(1)\n    2")
    assert (first.output, second.output) == ("1", "2")


def test_nothing_is_told_twice() -> None:
    text = "Example::\n\n    >>> f(1)\n    1\n\n.. code-block:: python\n\n    >>> g(1)\n    2\n"
    assert codes(text) == ["f(1)", "g(1)"]


def test_hostile_text_is_only_text() -> None:
    deep = ">>> " + "(" * 5000 + "\n>>> " + "f(" * 500 + ")" * 500
    assert [example.compiles for example in examples_of(deep)] == [False]
    assert examples_of(">>> f(1)\n1\x00\ud800")[0].output == "1\x00\ud800"


_PIECES = st.sampled_from(
    [
        *(">>> f(1)", "...     x", "1", "", "::", "    f(2)", "Example:", "Examples", "--------", "```"),
        *("```python", ".. code-block:: python", "   :x:", ".. plot::", "In [1]: f(3)", "Out[1]: 2", "text."),
        *("\t>>> g()", "Usage::"),
    ]
)


@given(st.lists(_PIECES, max_size=14).map("\n".join))
def test_any_text_is_read_and_code_is_part_of_it(text: str) -> None:
    found = examples_of(text)
    assert found == examples_of(text)
    lines = " ".join(text.split())
    for example in found:
        assert example.code.strip()
        assert all(line.strip() in lines for line in example.code.split("\n"))


@given(st.text(alphabet=">.:`~ \n\tabInOut[]()1=#", max_size=80))
def test_no_text_makes_it_fail(text: str) -> None:
    examples_of(text)
