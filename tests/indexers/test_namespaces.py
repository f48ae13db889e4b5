"""What names of a release lead to, on modules small enough to see at a glance."""

from __future__ import annotations

from typing import Any

import pytest

from apikb.indexers.assemble import Assembler
from apikb.indexers.extract import extract
from apikb.indexers.namespaces import ModuleEntry, Release
from apikb.kb.symbols import SymbolState


def entries(sources: dict[str, str]) -> list[ModuleEntry]:
    """Modules by file name: `p/__init__.py`, `p/a.py`, `p/a.pyi`; an empty `.so` is a compiled module."""
    found: dict[str, ModuleEntry] = {}
    for path, text in sources.items():
        stem, _, suffix = path.partition(".")
        is_init = stem.endswith("__init__")
        module = stem.removesuffix("/__init__").replace("/", ".")
        entry = found.setdefault(module, ModuleEntry(module, "", is_init=is_init))
        entry.key += text.encode()
        if suffix == "so":
            entry.path, entry.opaque = path, "a compiled extension without stub or source"
            continue
        facts = extract(text.encode(), module, is_init=is_init, is_stub=suffix == "pyi")
        if suffix == "pyi":
            entry.stub, entry.stub_path = facts, path
        else:
            entry.facts, entry.path = facts, path
    return list(found.values())


def states(sources: dict[str, str]) -> dict[str, SymbolState]:
    """Every path with its state; a member wins over a module of the same path."""
    found: dict[str, SymbolState] = {}
    for _, block in Assembler(Release(entries(sources)), set()).blocks():
        assert block is not None
        for row in block.rows:
            if row.symbol not in found or row.state.kind != "module":
                found[row.symbol] = row.state
    return found


def signature(state: SymbolState) -> str:
    return str(state.signature)


def test_a_chain_of_star_imports_ends_at_the_definition() -> None:
    found = states(
        {
            "p/__init__.py": "from .a import *",
            "p/a/__init__.py": "from .b import *\n__all__ = ['f']",
            "p/a/b.py": "__all__ = ['f', 'g']\ndef f(x): pass\ndef g(): pass",
        }
    )
    assert found["p.f"].target == "p.a.b.f"
    assert signature(found["p.f"]) == "(x)"
    assert found["p.f"].visibility == "exported"
    assert "p.g" not in found
    assert found["p.a.g"].visibility == "private"


def test_a_star_import_of_an_unreadable_module_makes_the_importer_opaque() -> None:
    found = states({"p/__init__.py": "from ._c import *", "p/_c.so": ""})
    assert found["p"].opaque is not None and "p._c" in found["p"].opaque


def test_a_star_import_of_a_static_list_is_closed_even_if_the_module_is_not() -> None:
    found = states(
        {
            "p/__init__.py": "from .a import *",
            "p/a.py": "__all__ = ['f']\nfor n in names(): globals()[n] = make(n)",
        }
    )
    assert found["p"].opaque is None
    assert found["p.a"].opaque is not None
    assert found["p.a.f"].via == "dynamic"
    assert "p.f" in found


@pytest.mark.parametrize(
    "text",
    [
        "from .a import f\n",
        "try:\n    from .a import f\nexcept ImportError:\n    f = None\n",
        "if True:\n    from .a import f\n",
        "from .a import f as f\n",
    ],
)
def test_ways_of_importing_a_function(text: str) -> None:
    found = states({"p/__init__.py": text, "p/a.py": "def f(x, /, *, y=1): pass"})
    assert found["p.f"].kind == "function"
    assert signature(found["p.f"]) == "(x, /, *, y=1)"
    assert found["p.f"].visibility == "exported"


def test_members_that_are_other_names_of_something_are_followed() -> None:
    found = states(
        {
            "p/__init__.py": "from .a import C\nmake = C.make\nout = C.outside\n",
            "p/a.py": "from .b import helper\nclass C:\n    make = helper\n"
            "    from json import dumps as outside\n",
            "p/b.py": "def helper(x): pass",
        }
    )
    assert found["p.make"].target == "p.b.helper"
    assert found["p.a.C.make"].target == "p.b.helper"
    assert found["p.out"].target == "json.dumps"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("import p.a\nx = x.y()", "x"),
        ("from . import x", "x"),
        ("from .a import x", "x"),
        ("x = y\ny = x", "x"),
        ("from p import *\n", "p"),
    ],
)
def test_circles_end(text: str, name: str) -> None:
    found = states({"p/__init__.py": text, "p/a.py": "from . import x"})
    assert found["p"].kind == "module"


def test_a_relative_import_beyond_the_top_is_unknown_not_an_error() -> None:
    assert "p.x" in states({"p/__init__.py": "from ...far import x"})


def test_implicit_relative_imports_only_in_python_2_sources() -> None:
    old = {"p/__init__.py": "from a import f\nprint 'x'", "p/a.py": "def f(x): pass"}
    assert states(old)["p.f"].target == "p.a.f"
    new = {"p/__init__.py": "from a import f", "p/a.py": "def f(x): pass"}
    assert states(new)["p.f"].target == "a.f"


def test_stub_only_functions_and_overloads() -> None:
    found = states(
        {
            "p/__init__.py": "from ._c import add, C",
            "p/_c.so": "",
            "p/_c.pyi": "from typing import overload\n@overload\ndef add(a: int) -> int: ...\n@overload\n"
            "def add(a: str) -> str: ...\nclass C:\n    def m(self, x: int) -> None: ...\n",
        }
    )
    assert found["p.add"].kind == "function"
    assert len(found["p.add"].variants) == 2
    assert signature(found["p._c.C.m"]) == "(self, x: int) -> None"
    assert "p._c.overload" not in found


def test_constructors() -> None:
    found = states(
        {
            "p.py": "class A:\n    def __init__(self, a, *, b=1): pass\nclass B(A): pass\n"
            "class C(Outside): pass\nclass D: pass\nclass E:\n    def __new__(cls, x): pass\n"
        }
    )
    assert signature(found["p.A"]) == "(a, *, b=1)"
    assert signature(found["p.B"]) == "(a, *, b=1)"
    assert found["p.C"].signature is None
    assert signature(found["p.D"]) == "()"
    assert signature(found["p.E"]) == "(x)"


def test_the_method_resolution_order_is_that_of_python() -> None:
    text = (
        "class O: pass\nclass A(O): pass\nclass B(O): pass\nclass C(A, B): pass\n"
        "class D(B): pass\nclass E(C, D): pass\n"
    )
    scope: dict[str, Any] = {}
    exec(text, scope)
    expected = tuple(f"p.{item.__name__}" for item in scope["E"].__mro__[1:-1])
    assert states({"p.py": text})["p.E"].mro == expected


def test_a_block_is_known_again_only_if_nothing_that_it_takes_has_changed() -> None:
    base = {"p/__init__.py": "from .a import f", "p/a.py": "def f(x): pass", "p/b.py": "y = 1"}
    known: set[bytes] = set()
    list(Assembler(Release(entries(base)), known).blocks())
    again = dict(Assembler(Release(entries(base)), known).blocks())
    assert all(block is None for block in again.values())
    changed = {**base, "p/a.py": "def f(x, y): pass"}
    rows = [block for _, block in Assembler(Release(entries(changed)), known).blocks() if block is not None]
    assert {block.file for block in rows} == {"p/__init__.py", "p/a.py"}
    assert not any(row.symbol == "p" for block in rows for row in block.rows)


def test_a_stub_beside_source_only_fills_what_an_open_module_leaves_unsaid() -> None:
    closed = {
        "p/__init__.py": "from .a import *",
        "p/__init__.pyi": "def f(x: int) -> int: ...\ndef extra() -> int: ...",
        "p/a.py": "def f(x): pass",
    }
    found = states(closed)
    assert found["p.f"].target == "p.a.f"
    assert "p.extra" not in found
    opened = states({**closed, "p/__init__.py": "from .a import *\nexec(code)"})
    assert opened["p.f"].target == "p.a.f"
    assert opened["p.extra"].via == "stub"


def test_a_submodule_under_its_own_name_is_one_row_and_its_file_the_evidence() -> None:
    sources = {
        "p/__init__.py": "from p import sub as sub\nfrom . import other",
        "p/sub.py": "",
        "p/other.py": "",
    }
    rows = [
        (row.symbol, block.file)
        for _, block in Assembler(Release(entries(sources)), set()).blocks()
        if block is not None
        for row in block.rows
    ]
    assert sorted(rows) == [("p", "p/__init__.py"), ("p.other", "p/other.py"), ("p.sub", "p/sub.py")]
