"""Docstrings: the text that Python would show, once, under a hash of that very text."""

from __future__ import annotations

import inspect
import textwrap

import pytest

from apikb.indexers.assemble import Assembler
from apikb.indexers.docstrings import LONGEST, Docstrings, clean
from apikb.indexers.extract import extract
from apikb.indexers.facts import ModuleFacts
from apikb.indexers.namespaces import ModuleEntry, Release


def read(text: str, module: str = "m") -> ModuleFacts:
    return extract(textwrap.dedent(text).encode("utf-8", "surrogatepass"), module, is_init=False)


def docs(facts: ModuleFacts) -> dict[str, str | None]:
    """Name to docstring, members included."""
    texts = dict(facts.texts)
    found = {"": texts.get(facts.doc or "")}
    for binding in facts.bindings:
        found[binding.name] = texts.get(binding.data.doc or "")
        for member in binding.data.members if binding.form == "class" else ():
            found[f"{binding.name}.{member.name}"] = texts.get(member.data.doc or "")
    return found


def test_every_definition_has_its_own() -> None:
    found = docs(
        read(
            '''
            """The module."""
            def f():
                """Of f."""
            async def g():
                "Of g"
            class C:
                """Of C.

                Text.
                    Set in.
                """
                def __init__(self):
                    """Of the constructor."""
                @property
                def p(self):
                    """Of p."""
            '''
        )
    )
    assert found == {
        "": "The module.",
        "f": "Of f.",
        "g": "Of g",
        "C": "Of C.\n\nText.\n    Set in.",
        "C.__init__": "Of the constructor.",
        "C.p": "Of p.",
    }


@pytest.mark.parametrize(
    ("literal", "text"),
    [
        ('"one" " two"', "one two"),
        (r'"tab\there\x21"', "tab     here!"),
        (r'r"raw\n"', r"raw\n"),
        ('u"old"', "old"),
        ('f"computed {1}"', None),
        ('"a" + "b"', None),
        ('b"bytes"', None),
        ('""', None),
        ('"   "', None),
        (r'"\ud800 alone"', r"\ud800 alone"),
        (r'"nul\0"', "nul\0"),
    ],
)
def test_a_literal_is_decoded_as_python_does(literal: str, text: str | None) -> None:
    assert docs(read(f"def f():\n    {literal}\n    return 1\n"))["f"] == text


def test_python_2_sources_have_docstrings_too() -> None:
    assert docs(read('def f():\n    """Of f."""\n    print "x"\n'))["f"] == "Of f."


def test_the_text_is_that_of_inspect() -> None:
    text = "\n    First.\n\n\tWith a tab.\n      Deeper.   \n    "
    assert clean(text) == inspect.cleandoc(text)


def test_white_space_makes_another_text() -> None:
    """Indentation has a meaning: texts that differ in it alone may not share a name."""
    kept = Docstrings()
    assert kept.keep("a\n\n    b\n  c") != kept.keep("a\n\n  b\n  c")
    assert len(kept.texts) == 2


def test_a_text_is_bounded() -> None:
    kept = Docstrings()
    name = kept.keep("é" * 10 * LONGEST)
    assert name is not None
    assert len(kept.texts[name].encode()) == LONGEST


def test_a_docstring_that_is_assigned() -> None:
    found = docs(
        read(
            '''
            TEXT = "Named."
            def f(): ...
            f.__doc__ = "Assigned."
            def g():
                """Old."""
            g.__doc__ = TEXT
            def h():
                """Old."""
            h.__doc__ = h.__doc__ % 1
            class C:
                def m(self): ...
                m.__doc__ = "In the body."
            '''
        )
    )
    assert found["f"] == "Assigned."
    assert found["g"] == "Named."
    assert found["h"] == "Old."
    assert found["C.m"] == "In the body."


def assembled(**sources: str) -> dict[str, str | None]:
    """Symbol to docstring of a release of the package `p`."""
    entries, texts = [], {}
    for name, source in sources.items():
        module = "p" if name == "p" else f"p.{name}"
        facts = extract(textwrap.dedent(source).encode(), module, is_init=name == "p")
        texts.update(facts.texts)
        entry = ModuleEntry(module, f"{module}.py", is_init=name == "p")
        entry.facts, entry.key = ModuleFacts.load(facts.dump()), facts.dump()
        entries.append(entry)
    rows = [row for _, block in Assembler(Release(entries), set()).blocks() if block for row in block.rows]
    return {row.symbol: texts.get(row.state.doc or "") for row in rows}


def test_a_docstring_from_elsewhere_belongs_to_the_object_and_its_aliases() -> None:
    found = assembled(
        p="from .core import f, C\n",
        core="def f(): ...\nclass C:\n    def m(self): ...\n    def own(self):\n        '''Own.'''\n",
        docs=(
            "from .core import f, C\nf.__doc__ = 'Of f.'\n"
            "C.m.__doc__ = 'Of m.'\nC.own.__doc__ = 'Not this.'\n"
        ),
    )
    assert found["p.core.f"] == found["p.f"] == "Of f."
    assert found["p.core.C.m"] == "Of m."
    assert found["p.core.C.own"] == "Own."


def test_a_change_elsewhere_makes_another_block() -> None:
    core = "def f(): ...\n"

    def digests(text: str) -> set[bytes]:
        entries = []
        for name, source in (("p.core", core), ("p.docs", f"from .core import f\nf.__doc__ = {text!r}\n")):
            facts = extract(source.encode(), name, is_init=False)
            entry = ModuleEntry(name, f"{name}.py")
            entry.facts, entry.key = facts, facts.dump()
            entries.append(entry)
        blocks = Assembler(Release(entries), set()).blocks()
        return {digest for digest, block in blocks if block and block.file == "p.core.py"}

    assert digests("One.") != digests("Two.")
