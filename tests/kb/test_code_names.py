"""The API that code uses, resolved through its imports."""

from __future__ import annotations

import ast

import pytest

from apikb.kb.code_names import Call, called_names, parse, uses


def paths(code: str, *tops: str) -> list[str]:
    return [use.path + ("()" if use.call else "") for use in uses(ast.parse(code), tops)]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("import lib as l\nl.a.b(1)", ["lib.a.b()"]),
        ("import lib.sub\nlib.sub.f()", ["lib.sub.f()"]),
        ("from lib import f as g\ng()", ["lib.f", "lib.f()"]),
        ("from lib import *\nlib.x", ["lib.x"]),
        ("lib.f", ["lib.f"]),  # As pieces of code leave imports out.
        ("lib = 1\nlib.f()", []),
        ("def lib(): pass\nlib.f()", []),
        ("def f(lib): lib.f()", []),
        ("import other\nother.f()", []),
        ("from . import lib2\nlib2.f()", []),
        ("@lib.mark.skip\ndef f(): pass", ["lib.mark.skip"]),
        ("class A(lib.Base): pass", ["lib.Base"]),
        ("lib.x = 1", []),  # Sets, and does not use.
        ("f(lib.g(lib.h))", ["lib.g()", "lib.h"]),
        ("import lib\nt = lib.Table()\nt.add(1)", ["lib.Table()", "lib.Table.add()"]),
        ("import lib\nt = lib.Table()\nt = 1\nt.add(1)", ["lib.Table()"]),
        ("lib.Table().add(1)", ["lib.Table.add()", "lib.Table()"]),
    ],
)
def test_uses(code: str, expected: list[str]) -> None:
    assert sorted(paths(code, "lib")) == sorted(expected)


def test_calls_and_lines() -> None:
    first, second = uses(ast.parse("lib.f(1, *a, k=2)\nlib.g(x=1, **b)"), {"lib"})
    assert (first.line, first.call) == (1, Call(2, ("k",), True))
    assert (second.line, second.call) == (2, Call(0, ("x",), True))
    (third,) = uses(ast.parse("lib.f(1, k=2)"), {"lib"})
    assert third.call == Call(1, ("k",), False)


def test_usual_abbreviations() -> None:
    assert paths("np.zeros(1)", "numpy") == ["numpy.zeros()"]
    assert paths("np.zeros(1)", "pandas") == []


def test_what_is_not_python() -> None:
    assert parse("f(x) = 1") is None and parse("(" * 500 + ")" * 500) is None
    assert called_names("f(x) = 1", {"lib"}) is None
    assert called_names("lib.f().g()", {"lib"}) == {"lib.f"}
