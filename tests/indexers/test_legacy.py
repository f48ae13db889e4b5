from __future__ import annotations

import ast
import contextlib
import random
import sys
import sysconfig
import textwrap
import warnings
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apikb.indexers.legacy import MAX_BLOCKS, expand_mixed_tabs, modernize, normalize_new_syntax, parse_legacy
from apikb.indexers.sources import SourceError, decode_source


def unparse(text: str) -> str:
    return ast.unparse(parse_legacy(textwrap.dedent(text)))


def functions(tree: ast.AST) -> dict[str, Any]:
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    return {node.name: node for node in ast.walk(tree) if isinstance(node, kinds)}


# (source, what unparse makes of it)
PYTHON_2 = [
    ("print 'a', b\nprint >>f, c,\nprint\n", "print('a', b)\nprint(c)\nprint"),
    ("exec 'y' in d\nx = 1", "exec('y', d)\nx = 1"),
    ("x = `y` + 1", "x = `y` + 1"),
    ("def f((a, (b,\n c)), d=0777): pass", "def f((a, (b, c)), d=511):\n    pass"),
    ("def f(n=10L, s=ur'\\x', t=UR''): pass", "def f(n=10L, s=ur'\\x', t=UR''):\n    pass"),
    ("x = [0777, 1L, 00, 0xFFL, 0]", "x = [511, 1L, 0, 0xFFL, 0]"),
    ("raise E, 'text', tb", "raise E('text')"),
    ("x = a <> b", "x = a != b"),
    ("f = lambda (a, b): a\ny = 1", "f = lambda (a, b): a\ny = 1"),
    ("def f(async=True, await=1): pass", "def f(async=True, await=1):\n    pass"),
    ("self.async = await\ny.async.z", "self.async = await\ny.async.z"),
    ("def f(True=True, g=None): print g", "def f(True=True, g=None):\n    print(g)"),
    ("True = 1\nFalse = 0", "True = 1\nFalse = 0"),
    ("def f():\n\tif a:\n        \tprint b\n        c\n", "def f():\n    if a:\n        print(b)\n    c"),
    ("class A:\n  'doc'\n  x = 1L\n  y[0] += 0x1L", 'class A:\n    """doc"""\n    x = 1L\n    y[0] += 0x1L'),
    ("import a; print a; b = 1", "import a\nprint(a)\nb = 1"),
    ("@d(1L)\n@e\nclass A(B, object): print 1", "@d(1L)\n@e\nclass A(B, object):\n    print(1)"),
]
NEW = [
    ("type X[T] = list[T]\n", "X = list[T]"),
    ("type = 3\ntype (x)", "type = 3\ntype(x)"),
    (
        "class Box[T: (int, str), *Ts, **P](Base[T], metaclass=M): ...",
        "class Box(Base[T], metaclass=M):\n    ...",
    ),
    (
        "def f[T](a: T, /, *b: T, c: T = 1, **d: T) -> T: ...",
        "def f(a: T, /, *b: T, c: T=1, **d: T) -> T:\n    ...",
    ),
    ("async def f[T](): ...", "async def f():\n    ..."),
    ("class A:\n  @d\n  def f[T](self): ...", "class A:\n\n    @d\n    def f(self):\n        ..."),
    ("try: pass\nexcept A, B: pass\nx = 1", "try:\n    pass\nexcept (A, B):\n    pass\nx = 1"),
    ("type X = int\ntry: pass\nexcept* V: pass", "X = int\ntry:\n    pass\nexcept* V:\n    pass"),
]


@pytest.mark.parametrize(("source", "expected"), PYTHON_2 + NEW)
def test_conversion(source: str, expected: str) -> None:
    assert ast.unparse(parse_legacy(source)) == expected
    assert ast.unparse(parse_legacy(source, chunks=False)) == expected


def test_comma_except_binds_a_name() -> None:
    (statement,) = parse_legacy("try: print 1\nexcept (A, B), error: pass\nexcept C, e: pass").body
    assert isinstance(statement, ast.Try)
    assert [handler.name for handler in statement.handlers] == ["error", "e"]


def test_type_alias_is_marked_on_every_interpreter() -> None:
    (alias,) = parse_legacy("type Pair[T] = tuple[T, T]").body
    assert isinstance(alias, ast.Assign)
    assert alias._type_alias is True  # type: ignore[attr-defined]
    assert (alias.lineno, alias.end_lineno) == (1, 1)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="PEP 695 needs 3.12")
def test_native_trees_are_brought_into_the_same_form() -> None:
    source = "if x:\n    type Pair[T] = tuple[T, T]\nclass Box[T]: ..."
    module = ast.parse(source)
    normalize_new_syntax(module)
    assert ast.dump(module) == ast.dump(parse_legacy(source))


def test_lines_and_docstrings_stay_true() -> None:
    source = textwrap.dedent(
        """\
        '''module'''
        print 1

        @deco
        class A(B):
            '''class'''
            x = \\
                3

            def f(self, (a, b)=(1, 2)):
                u'''function'''
                self.y = 1L
                print self

            # trailing comment
        """
    )
    module = parse_legacy(source)
    found = functions(module)
    assert ast.get_docstring(module) == "module"
    assert ast.get_docstring(found["A"]) == "class"
    assert ast.get_docstring(found["f"]) == "function"
    assert (found["A"].lineno, found["A"].end_lineno) == (5, 13)
    assert (found["f"].lineno, found["f"].col_offset, found["f"].end_lineno) == (10, 4, 13)
    assert [arg.arg for arg in found["f"].args.args] == ["self", "(a, b)"]
    assert module.errors == 0


def test_bodies_keep_what_deprecations_are_read_from() -> None:
    text = unparse(
        """
        def f(a):
            print "old"
            if a is None:
                warnings.warn("f is deprecated", DeprecationWarning)
            else:
                self.x, self.y = 1L, 2
            names.append(`a`)
            global g
            raise NotImplementedError, "gone"
        """
    )
    for part in (
        "warnings.warn('f is deprecated', DeprecationWarning)",
        "self.x, self.y = (1L, 2)",
        "names.append(`a`)",
        "global g",
        "raise NotImplementedError('gone')",
    ):
        assert part in text


def test_a_broken_file_keeps_the_definitions_around() -> None:
    module = parse_legacy(
        "import os\ndef a(): pass\nclass B:\n    def c(self): pass\n    x = = 3 $\n"
        "    def d(self, y=1): pass\ndef e(): return (\n"
    )
    assert {"a", "B", "c", "d", "e"} <= set(functions(module))
    assert module.errors > 0
    assert 5 in module.error_lines


def test_mixed_tabs_leave_strings_alone() -> None:
    text = "if a:\n    b = '''\n\tx\n'''\n\tc = 1\n"
    assert expand_mixed_tabs(text) == "if a:\n    b = '''\n\tx\n'''\n        c = 1\n"
    assert expand_mixed_tabs("if a:\n\tb\n") == "if a:\n\tb\n"


def test_modernize_leaves_strings_and_numbers_of_python_3() -> None:
    text = "x = '10L `a` <>' + 0x1F + 1.0e3 + 0o17 + 0 + async_ if True == 1 else None"
    assert modernize(text) == (text, {})


# ------------------------------------------------------------------ limits


@pytest.mark.parametrize(
    "expression",
    [
        "+".join(["a"] * 20_000),
        "-" * 20_000 + "1",
        "(" * 20_000 + ")" * 20_000,
        "[" * 20_000,
        "a" + ".b" * 20_000,
        "f" + "()" * 20_000,
        "not " * 20_000 + "x",
        "lambda: " * 20_000 + "x",
    ],
    ids=lambda text: text[:8],
)
def test_deep_expressions_become_text(expression: str) -> None:
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(50_000)  # as in the worker processes: the C stack must not be the limit
    try:
        module = parse_legacy(f"print 1\nx = {expression}\ndef f(a={expression}): pass\ndef g(): pass\n")
    finally:
        sys.setrecursionlimit(limit)
    assert isinstance(module.body[0], ast.Expr)


def test_a_long_elif_chain() -> None:
    source = "if a == 0: print 0\n" + "".join(f"elif a == {i}: x{i} = 1\n" for i in range(1, 1200))
    node: Any = parse_legacy(source + "else: y = 1\n").body[0]
    length = 0
    while isinstance(node, ast.If):
        node, length = node.orelse[0], length + 1
    assert length == 1200
    assert ast.unparse(node) == "y = 1"


def test_deep_blocks_are_refused() -> None:
    source = (
        "".join(" " * i + "if x:\n" for i in range(MAX_BLOCKS + 50)) + " " * (MAX_BLOCKS + 50) + "print 1\n"
    )
    with pytest.raises(SourceError, match=r"nested"):
        parse_legacy(source)


# ------------------------------------------------------------------ against CPython


def facts(body: list[ast.stmt], path: str = "") -> list[tuple[object, ...]]:
    """What the visitor reads, of every statement at module and class level and in compound statements."""
    found: list[tuple[object, ...]] = []
    for node in body:
        kind = type(node).__name__
        place = (kind, path, node.lineno, node.end_lineno)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            decorators = [ast.unparse(d) for d in node.decorator_list]
            if isinstance(node, ast.ClassDef):
                header = [ast.unparse(part) for part in [*node.bases, *node.keywords]]
            else:
                header = [ast.unparse(node.args), node.returns and ast.unparse(node.returns)]
            found.append((*place, node.name, decorators, header, ast.get_docstring(node, clean=False)))
            found += facts(node.body, f"{path}{node.name}.")
        elif hasattr(node, "body") or hasattr(node, "cases"):
            found.append(place)
            for name in ("body", "handlers", "orelse", "finalbody", "cases"):
                for inner in getattr(node, name, []):
                    inner_body = inner.body if name in ("handlers", "cases") else [inner]
                    found += facts(inner_body, path)
        else:
            found.append((*place, node.col_offset, node.end_col_offset, ast.unparse(node)))
    return found


STDLIB = Path(sysconfig.get_paths()["stdlib"])
SAMPLE = sorted(p for p in STDLIB.glob("*.py") if p.stat().st_size < 120_000)
SAMPLE = random.Random(695).sample(SAMPLE, min(40, len(SAMPLE)))


@pytest.mark.parametrize("path", SAMPLE, ids=lambda p: p.name)
def test_ordinary_files_read_like_cpython_reads_them(path: Path) -> None:
    text = decode_source(path.read_bytes()).text
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        truth = ast.parse(text)
    normalize_new_syntax(truth)
    module = parse_legacy(text, chunks=False)
    assert facts(module.body) == facts(truth.body)
    assert ast.get_docstring(module) == ast.get_docstring(truth)
    assert module.errors == 0


SEEDS = [source for source, _ in PYTHON_2 + NEW] + [SAMPLE[0].read_text("utf-8", "replace")[:3000]]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.sampled_from(SEEDS),
    st.lists(st.tuples(st.integers(0, 3000), st.text(max_size=4), st.integers(0, 9)), max_size=6),
)
def test_mutated_sources_never_raise(source: str, edits: list[tuple[int, str, int]]) -> None:
    for at, new, gone in edits:
        at %= len(source) + 1
        source = source[:at] + new + source[at + gone :]
    for chunks in (True, False):
        try:
            module = parse_legacy(source.replace("\r", "\n"), chunks=chunks)
        except SourceError:
            continue
        ast.unparse(module)


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=400))
def test_random_bytes_never_raise(data: bytes) -> None:
    with contextlib.suppress(SourceError):
        parse_legacy(decode_source(data).text)
