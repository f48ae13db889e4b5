"""Version directives: what they are about is told by their place."""

from __future__ import annotations

import inspect

import pytest

from apikb.kb.claims import Carrier, claimed_version, subjects
from apikb.kb.directives import directives


def found(docstring: str) -> list[tuple[str, ...]]:
    return [(item.place, *item.names) for item in directives(inspect.cleandoc(docstring))]


NUMPYDOC = """Do it.

    {title}
    {line}
    a : int
        A number.
    *args, **kwargs
        More.

        .. versionadded:: 1.2

    {after}
    """


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Parameters", ("parameter", "args", "kwargs")),
        ("Other Parameters", ("parameter", "args", "kwargs")),
        ("Attributes", ("attribute", "args", "kwargs")),
        ("Returns", ("elsewhere",)),
        ("Raises", ("elsewhere",)),
    ],
)
def test_sections_of_numpydoc(title: str, expected: tuple[str, ...]) -> None:
    assert found(NUMPYDOC.format(title=title, line="-" * len(title), after="")) == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Do it.\n\n.. deprecated:: 1.2", [("object",)]),
        ("Do it.\n\n.. note::\n\n   .. deprecated:: 1.2", [("object",)]),
        (":param a: A.\n\n    .. versionadded:: 1.2", [("parameter", "a")]),
        (":param list[int] a:\n  A.\n\n  .. versionadded:: 1.2", [("parameter", "a")]),
        (":ivar a: A.\n    .. versionadded:: 1.2", [("attribute", "a")]),
        (":param a: A.\n\n.. versionadded:: 1.2", [("object",)]),
        (":returns: A.\n\n    .. versionadded:: 1.2", [("elsewhere",)]),
        ("Args:\n  a, b (int): A.\n\n    .. versionadded:: 1.2", [("parameter", "a", "b")]),
        ("Attributes:\n  a: A.\n    .. versionadded:: 1.2", [("attribute", "a")]),
        ("Yields:\n  a: A.\n    .. versionadded:: 1.2", [("elsewhere",)]),
        (
            "Parameters\n----------\na : {'x'}\n    - 'x' is new\n\n      .. versionadded:: 1.2",
            [("elsewhere",)],
        ),
        ("Parameters\n----------\n`a` : int\n    A.\n    .. versionadded:: 1.2", [("parameter", "a")]),
        ("As in::\n\n    .. versionadded:: 1.2", []),
        (".. code-block:: rst\n\n   .. versionadded:: 1.2", []),
        ("Write ``.. versionadded:: 1.2`` there.", []),
        (">>> f()\n.. versionadded:: 1.2", []),
        (".. versionadded: 1.2", []),
        ("", []),
    ],
)
def test_places(text: str, expected: list[tuple[str, ...]]) -> None:
    assert [(item.place, *item.names) for item in directives(text)] == expected


def loose(text: str) -> bool:
    (item,) = directives(text)
    return item.loose


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Do it.\n\n.. versionadded:: 1.2\n\nMore.", False),
        ("Do it.\n\nNotes\n-----\n.. versionadded:: 1.2", False),
        ("Do it.\n\nNotes\n-----\n.. versionadded:: 1.2\n\nIt broadcasts.", True),
        ("Do it.\n\nNotes\n-----\nIt broadcasts.\n\n.. versionadded:: 1.2", True),
        ("Parameters\n----------\na : int\n    A.\n\n    .. versionadded:: 1.2", False),
        ("Parameters\n----------\na : int\n    .. versionadded:: 1.2\n\n    A tuple is one, too.", True),
        ("=====\nTitle\n=====\n\n.. versionadded:: 1.2", False),
        ("Title\n=====\n\nChapter\n-------\n\n.. versionadded:: 1.2", True),
    ],
)
def test_what_may_be_about_a_part_only(text: str, expected: bool) -> None:
    assert loose(text) is expected


def test_the_text_is_what_is_set_in() -> None:
    (item,) = directives("Do it.\n\n.. deprecated:: 1.2.\n   Use\n   that.\n\n   Or this.\n\nMore.")
    assert (item.version, item.text, item.line) == ("1.2", "Use that. Or this.", 3)


def test_many_directives_are_bounded() -> None:
    assert len(list(directives(".. versionadded:: 1.2\n" * 50_000))) <= 300


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("0.20", "0.20"),
        ("v1.2", "1.2"),
        ("1.2.0rc1", "1.2.0rc1"),
        ("2.0 (unreleased)", "2.0"),
        ("NEXT", "None"),
    ],
)
def test_versions_as_they_are_written(text: str, version: str) -> None:
    assert str(claimed_version(text)) == version


def test_paths_of_one_object_are_one_subject() -> None:
    carriers = [
        Carrier("p.f", "aa", 5),
        Carrier("p._core.f", "aa", 5),
        Carrier("p.core.f", "bb", 2),
        Carrier("p.A.m", "cc", 5, 2),
        Carrier("p.B.m", "cc", 5, 2),
    ]
    made = subjects(carriers, {"p.f": "p._core.f"}, [], lambda path: 1 if "._" in path else 0)
    assert [(item.name, item.paths) for item in made] == [
        ("p.A.m", ["p.A.m"]),
        ("p.B.m", ["p.B.m"]),
        ("p.f", ["p._core.f", "p.core.f", "p.f"]),
    ]
