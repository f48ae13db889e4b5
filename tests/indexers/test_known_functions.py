"""Functions that were read before, word for word: what is known of them is what would be read again."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

import pytest

from apikb.indexers import definitions
from apikb.indexers.extract import extract
from apikb.indexers.facts import ModuleFacts

DOCUMENTED = '''
    def f(a, *, b: int = 1, **kwargs):
        """Do it."""
        c = kwargs.pop("c", None)
        return a, b, c
'''


@pytest.fixture(autouse=True)
def _nothing_known() -> Iterator[None]:
    definitions._known.clear()
    yield
    definitions._known.clear()


def _read(source: str, module: str = "pkg.a") -> ModuleFacts:
    return extract(textwrap.dedent(source).encode(), module, is_init=False)


def test_a_function_is_read_once_and_told_alike() -> None:
    first = _read(DOCUMENTED)
    (known,) = definitions._known.values()
    again = _read("\n\n" + DOCUMENTED, "pkg.b")
    assert again.bindings[0].data is known[0]
    assert again.bindings[0].data == first.bindings[0].data
    assert again.bindings[0].line == first.bindings[0].line + 2
    assert again.texts == first.texts == ((first.bindings[0].data.doc, "Do it."),)


def test_private_parameters_have_the_name_of_their_class() -> None:
    body = "    def f(self, __x): pass\n"
    names = [
        _read(f"class {name}:\n{body}").bindings[0].data.members[0].data.signature[0][1][0] for name in "AB"
    ]
    assert names == ["_A__x", "_B__x"]


@pytest.mark.parametrize(
    "source",
    [
        "@decorate\ndef f(a): pass\n",
        "def f(a):\n    warnings.warn('f is deprecated', DeprecationWarning)\n    return a\n",
        "def f(a='deprecated'): pass\n",
        "def f(a):\n    def inner(*args):\n        return a(*args)\n    return inner\n",
        "class A:\n    def __init__(self):\n        raise TypeError(TEXT)\n",
        "class A:\n    def __new__(cls): return B()\n",
        "class A:\n    def __call__(self, f): return f\n",
    ],
)
def test_what_rests_on_more_than_its_own_lines_is_read_every_time(source: str) -> None:
    facts = _read(source)
    assert facts.bindings
    assert not definitions._known


def test_a_stub_and_a_source_are_kept_apart() -> None:
    source = b"def f(a, __b): ...\n"
    extract(source, "pkg.a", is_init=False)
    before = len(definitions._known)
    extract(source, "pkg.a", is_init=False, is_stub=True)
    assert len(definitions._known) == before
