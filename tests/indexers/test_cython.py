from __future__ import annotations

import ast
import contextlib
import textwrap
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apikb.indexers.cython import cython_skeleton
from apikb.indexers.legacy import Module
from apikb.indexers.sources import SourceError


def skeleton(text: str, pxd: str | None = None) -> Module:
    return cython_skeleton(textwrap.dedent(text), textwrap.dedent(pxd) if pxd is not None else None)


def visible(module: ast.Module) -> str:
    """The tree as text, without the Pass statements that stand for what was dropped."""
    lines = ast.unparse(module).split("\n")
    return "\n".join(line for line in lines if line.strip() not in ("pass", ""))


def named(tree: ast.AST) -> dict[str, Any]:
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    return {node.name: node for node in ast.walk(tree) if isinstance(node, kinds)}


GOLD = """\
# cython: language_level=3
from libc.stdlib cimport malloc
cimport numpy as np

cdef int _secret(int x) nogil: return x
cpdef double align(double a, int[:] b=None, bint strict=True) except -1:
    \"\"\"align doc\"\"\"
    return a
cdef class GoldParse:
    cdef public list words
    cdef readonly int length
    cdef int hidden
    def __init__(self, doc, annot_tuples=None, **kw): self.hidden = 1
    @classmethod
    def from_docs(cls, docs, *, int n=0): pass
    cdef int internal(self): return 1
    property is_proj:
        def __get__(self): return True
"""
GOLD_PXD = """\
cdef class GoldParse:
    cdef public list words
    cdef readonly int length
    cdef readonly object late
    cdef int hidden
    cdef int internal(self)
"""


def test_a_module_and_its_declarations() -> None:
    module = cython_skeleton(GOLD, GOLD_PXD)
    found = named(module)
    assert set(found) == {"align", "GoldParse", "__init__", "from_docs", "is_proj"}
    assert ast.unparse(found["align"].args) == "a: double, b: int[:]=None, strict: bint=True"
    assert found["align"].returns is None
    assert ast.get_docstring(found["align"]) == "align doc"
    assert ast.unparse(found["from_docs"].args) == "cls, docs, *, n: int=0"
    assert ast.unparse(found["is_proj"].decorator_list[0]) == "property"
    assert [found[name].lineno for name in ("align", "GoldParse", "from_docs", "is_proj")] == [6, 9, 15, 17]
    attributes = {
        node.target.id: getattr(node, "_readonly", False)
        for node in found["GoldParse"].body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }
    assert attributes == {"words": False, "length": True, "late": True}
    assert "hidden" not in ast.unparse(module)
    assert (module.errors, module.error_lines, module.includes) == (0, [], [])


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("double a", "a: double"),
        ("int[:] b=None", "b: int[:]=None"),
        ("const double[:, ::1] x", "x: const double[:, ::1]"),
        ("np.ndarray[DTYPE_t, ndim=2] X not None", "X: np.ndarray[DTYPE_t, ndim=2]"),
        ("list x or None = (1, 2)", "x: list=(1, 2)"),
        ("object, bint strict=True", "object, strict: bint=True"),
        ("x, /, object y, *, z=1", "x, /, y: object, *, z=1"),
        ("const char *s, char** t", "s: const char *, t: char**"),
        ("unsigned int n=0", "n: unsigned int=0"),
        ("int a[3], double (*f)(int)", "a: int[3], f: double (*)(int)"),
        ("x: int = 3, str y='=,)'", "x: int=3, y: str='=,)'"),
        ("vector[int]& v, *args, **kw", "v: vector[int]&, *args, **kw"),
        ("(int, int) pair", "pair: (int, int)"),
        ("void *p=NULL, size_t n=<size_t>-1", "p: void *=NULL, n: size_t=<size_t>-1"),
    ],
)
@pytest.mark.parametrize("start", ["def", "cpdef", "cpdef inline double", "cpdef np.ndarray[double, ndim=2]"])
def test_typed_arguments(start: str, arguments: str, expected: str) -> None:
    module = cython_skeleton(f"{start} f({arguments}) noexcept: return g(<int>1)\n")
    assert ast.unparse(named(module)["f"].args) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("include 'a.pxi'\nfrom x cimport (y,\n  z)\nfrom q import r\n", "from q import r"),
        ("DEF N = 3\nIF N == 3:\n  x = 1\nELIF M:\n  x = 2\nELSE:\n  x = 3", None),
        ("cdef extern from 'a.h' nogil:\n    struct X:\n        int y\n    int f(int)\nx = 1", "x = 1"),
        ("ctypedef fused T:\n    int\n    double\nctypedef int I\ndef f(T x): pass", "def f(x: T):"),
        (
            "cdef struct S:\n    int a\ncdef enum E:\n    A\ncdef object o = f(1)\ncdef int x, y = 2\nz = 1",
            "z = 1",
        ),
        (
            "cpdef enum E:\n    A = 1\n    B, C\n    D 'x' = 4",
            "class E:\n    A = 1\n    B: int\n    C: int\n    D = 4\nA = E.A\nB = E.B\nC = E.C\nD = E.D",
        ),
        ("cpdef enum:\n    A = 1\n    B\nx = 1", "A = 1\nB = ...\nx = 1"),
        (
            "cdef extern from 'x.h':\n    cpdef enum E:\n        A\n    int f()",
            "class E:\n    A: int\nA = E.A",
        ),
        ("cpdef enum class E:\n    A", "class E:\n    A: int"),
        (
            "cdef:\n    int a\n    class A:\n        pass\n    int f(int x):\n        return 1\nx = 1",
            "class A:\nx = 1",
        ),
        (
            "cdef class A(B, C):\n    cdef public:\n        int x, y\n    cdef int z\n",
            "class A(B, C):\n    x: int\n    y: int",
        ),
        ("cdef public class A [object X, type Y]:\n    x = 1\ncdef class F\n", "class A:\n    x = 1"),
        ("@d\ncdef int f(): pass\n@e\ndef g(): pass", "@e\ndef g():"),
        ("cdef int f(\n    int x,  # a\n    int y):\n    return x\n\nx = 1", "x = 1"),
        ("cdef int f(int x, \\\n   int y): return 1\nx = \\\n  1", "x = 1"),
        (
            "x = 'cdef int f()'\n'''\ncdef class A:\n'''\n# cdef\n",
            "x = 'cdef int f()'\n'\\ncdef class A:\\n'",
        ),
        ("cdef class A:\n  def __cinit__(self, int x): self.y = x\n  def __dealloc__(self): pass", None),
        (
            "cdef class A:\n  @staticmethod\n  cdef A make(): pass\n  @property\n  def x(self): return 1",
            None,
        ),
        ("class A:\n    def f(self, x):\n        self.y = <int>x\n        self.z = &x", None),
    ],
)
def test_statements(source: str, expected: str | None) -> None:
    module = cython_skeleton(source)
    if expected is not None:
        assert visible(module) == expected
    assert module.errors == 0


def test_conditional_compilation_keeps_both_branches() -> None:
    (statement,) = cython_skeleton("IF UNAME == 'x':\n  import a\nELSE:\n  import b\n").body
    assert isinstance(statement, ast.If)
    assert ast.unparse(statement.body + statement.orelse) == "import a\nimport b"  # type: ignore[arg-type]


def test_constructors_and_c_members() -> None:
    text = visible(
        skeleton("""
        cdef class A:
            cdef int y
            def __cinit__(self, int x): self.y = x
        class B:
            def __init__(self): self.y = <int>1
    """)
    )
    assert text.count("def __init__") == 2
    assert "__cinit__" not in text
    assert text.count("self.y") == 1


def test_property_blocks() -> None:
    module = skeleton("""
        cdef class A:
            property p:
                "doc"
                def __get__(self): return 1
                def __set__(self, int value): pass
            property q:
                def __set__(self, value): pass
    """)
    (owner,) = [node for node in module.body if isinstance(node, ast.ClassDef)]
    found = [(n.name, ast.unparse(n.decorator_list[0]), ast.get_docstring(n)) for n in owner.body]  # type: ignore[attr-defined]
    assert found == [("p", "property", "doc"), ("p", "p.setter", None), ("q", "q.setter", None)]


def test_the_pxd_makes_functions_visible_and_adds_enums() -> None:
    module = skeleton(
        "cdef int f(int x): return x\ncdef int g(int x): return x\ncdef class A:\n    cdef h(self): pass\n",
        "cpdef int f(int x)\ncdef int g(int x)\ncdef class A:\n    cpdef h(self)\ncpdef enum E:\n    ONE\n",
    )
    assert set(named(module)) == {"f", "A", "h", "E"}
    assert named(module)["E"]._pxd_line == 5


def test_bodies_full_of_c_do_not_hide_what_follows() -> None:
    module = skeleton("""
        def f(int n):
            cdef int* p = <int*>malloc(sizeof(int) * n)
            cdef int i
            for i from 0 <= i < n:
                p[i] = (<int>n) & 3
            if p == NULL: raise MemoryError, "no"
            with nogil:
                g(&p[0], <double**> p)
            try:
                print n
            except ValueError, e:
                free(<void *?>p)
        def g(list l): return l
        broken = = 1
        def h(): pass
    """)
    assert set(named(module)) == {"f", "g", "h"}
    assert "raise MemoryError('no')" in ast.unparse(module)
    assert (module.errors, module.error_lines) == (1, [15])


def test_an_unclosed_bracket_does_not_swallow_the_file() -> None:
    module = skeleton("x = f(\ndef g(int a): pass\ncdef class A:\n    cdef readonly int b\n")
    assert {"g", "A"} <= set(named(module))


def test_includes_are_told() -> None:
    assert cython_skeleton("include \"a.pxi\"\ninclude 'b/c.pxi'  # why\n").includes == ["a.pxi", "b/c.pxi"]


def test_nul_is_refused() -> None:
    with pytest.raises(SourceError, match="NUL"):
        cython_skeleton("x\0")


SEEDS = [GOLD, GOLD_PXD, Path(__file__).read_text("utf-8")[2000:6000]]


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(SEEDS),
    st.lists(
        st.tuples(st.integers(0, 4000), st.text("abc \n\t()[]:=*<>&,'\"\\#@", max_size=4), st.integers(0, 9)),
        max_size=8,
    ),
    st.booleans(),
)
def test_mutated_sources_never_raise(source: str, edits: list[tuple[int, str, int]], declared: bool) -> None:
    for at, new, gone in edits:
        at %= len(source) + 1
        source = source[:at] + new + source[at + gone :]
    try:
        module = cython_skeleton(source, GOLD_PXD if declared else source)
    except SourceError:
        return
    ast.unparse(module)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=200), st.text(max_size=50))
def test_any_text_never_raises(source: str, pxd: str) -> None:
    with contextlib.suppress(SourceError):
        cython_skeleton(source, pxd)
