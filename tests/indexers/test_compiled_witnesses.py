"""The parts that witnesses of compiled symbols are read with."""

from __future__ import annotations

import ast
import textwrap

import pytest

from apikb.indexers.cython_includes import included_names, read_includes, resolve_include
from apikb.indexers.docstring_signatures import looks_callable, written_signature
from apikb.indexers.flags import Flags, note_flag, with_flags
from apikb.indexers.literals import string_value, table_value
from apikb.indexers.plain_signatures import plain_signature


@pytest.mark.parametrize(
    ("text", "name", "signature"),
    [
        ("a.sort(axis=-1, kind=None)\n\nSort.", "sort", "(axis=-1, kind=None)"),
        ("\n  array(object,\n        *, copy=True)", "array", "(object, *, copy=True)"),
        (".. function:: add(input, other)", "add", "(input, other)"),
        ("where(condition, [x, y])", "where", "(condition, x=..., y=...)"),
        ("f(x[, y[, z]])", "f", "(x, y=..., z=...)"),
        ("a.{name}(order='C')", "tobytes", "(order='C')"),
        ("dot(a, b) -> Tensor", "dot", "(a, b) -> Tensor"),
        ("dot(a, b) -> of what?", "dot", "(a, b)"),
        # No Python, or no signature of this function: nothing is told.
        ("concatenate((a1, a2, ...), axis=0)", "concatenate", None),
        ("addbmm(beta=1, input)", "addbmm", None),
        ("f(a, (b", "f", None),
        ("other(a)", "f", None),
        ("Sums up. f(a) is short for it.", "f", None),
        ("f(a=__import__('os'))", "f", "(a=__import__('os'))"),
        ("f(" + "(" * 400 + ")", "f", None),
    ],
)
def test_signatures_in_docstrings(text: str, name: str, signature: str | None) -> None:
    found = plain_signature(written_signature(text, name))
    assert (str(found) if found is not None else None) == signature


def test_what_looks_callable() -> None:
    described = "Adds.\n\n    Parameters\n    ----------\n    x : int\n"
    assert looks_callable(described, "add", member=False)
    assert not looks_callable(described, "ctypes", member=True)
    assert not looks_callable("The parameters.", "add", member=False)


def test_which_file_an_include_means() -> None:
    paths = ["p/a.pxi", "p/sub/a.pxi", "p/sub/b.pxi", "q/b.pxi", "q/only.pxi"]
    assert resolve_include("a.pxi", "p/sub/x.pyx", paths) == "p/sub/a.pxi"
    assert resolve_include("../a.pxi", "p/sub/x.pyx", paths) == "p/a.pxi"
    assert resolve_include("only.pxi", "p/x.pyx", paths) == "q/only.pxi"
    assert resolve_include("b.pxi", "p/x.pyx", paths) is None
    assert resolve_include("../../../etc/passwd", "p/x.pyx", paths) is None
    assert included_names(b"include 'a.pxi'\n# include 'no.pxi'\n  include \"b.pxi\"  # yes\n") == [
        "a.pxi",
        "b.pxi",
    ]


def test_includes_that_run_in_a_circle_end() -> None:
    contents = {"p/a.pxi": b"include 'b.pxi'\n", "p/b.pxi": b"include 'a.pxi'\n"}
    found = read_includes(
        {"p/x.pyx": b"include 'a.pxi'\n"}, list(contents), lambda paths: [(p, contents[p]) for p in paths]
    )
    assert found == {"p/x.pyx": {"a.pxi": contents["p/a.pxi"], "b.pxi": contents["p/b.pxi"]}}


def test_texts_of_tables_are_bounded() -> None:
    tree = ast.parse(
        textwrap.dedent("""
        "{:>999999999}".format("a")
        "{n} and {0}".format("b", n="a")
        "{n!r:{n}}".format(n="a")
        ("x" * 10).format()
        """)
    )
    values = [string_value(node.value, {}) for node in tree.body if isinstance(node, ast.Expr)]
    assert values == ["{:>999999999}", "a and b", "{n!r:{n}}".replace("{n}", "a"), None]


def test_a_table_that_holds_itself_has_no_value() -> None:
    table = ast.parse("{**T}", mode="eval").body
    assert table_value(table, "a", {"T": table}) is None


def test_flags() -> None:
    flags: Flags = {}
    true, false = ast.Constant(True), ast.Constant(False)
    note_flag(flags, "A", false, [])
    note_flag(flags, "B", true, ["c"])
    note_flag(flags, "B", false, ["not (c)"])
    note_flag(flags, "C", true, [])
    note_flag(flags, "C", false, ["not (c)"])
    note_flag(flags, "D", true, [])
    note_flag(flags, "D", ast.Name("f"), [])
    assert flags == {"A": False, "B": "c", "C": "c"}
    assert ast.unparse(with_flags(ast.parse("not A and D", mode="eval").body, flags)) == "not False and D"
