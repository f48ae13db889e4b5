"""Expressions as text: the short way gives what griffe gives, or nothing."""

from __future__ import annotations

import ast
import sysconfig
from pathlib import Path

import pytest

from apikb.indexers.signatures import _compound_text, plain_text, signature_of

_STDLIB = Path(sysconfig.get_paths()["stdlib"])
_FILES = (
    "argparse.py",
    "asyncio/tasks.py",
    "ctypes/__init__.py",
    "dis.py",
    "enum.py",
    "opcode.py",
    "typing.py",
)
PLAIN = [
    "a", "a.b.c", "1", "-1", "1.5", "1j", "None", "...", "'x'", "b'x'", "'\\n\"'", "a[b]", "a.b[c.d]",
    "a[b, c]", "a[b,]", "a[()]", "a[b[c, d], e]", "a[...]", "a[b, ...]", "Callable[[int, str], None]",
    "Literal['a', 1]", "Optional[Union[str, List[int]]]", "a | b", "a | b | None", "a[b] | None",
    "a[b | c, d]",
    "list[int | str] | None", "[]", "[1]", "[1, 'a', None]", "()", "(1,)", "(1, 2)", "(1, (2, 3))",
    "a['b c']", "'a' | None",
]  # fmt: skip
OTHER = [
    "a | (b | c)", "a + b", "f(x)", "(a if b else c)", "lambda: 0", "{1: 2}", "{1}", "a[1:2]", "a[*b]",
    "not a",
    "(a | b)[c]", "1 .real", "f().x", "'a'[0]", "-a", "a | -1", "f'{a}'", "[*a]", "a | f(x)", str(1 << 80),
]  # fmt: skip


def _node(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


@pytest.mark.parametrize("text", PLAIN)
def test_plain_expressions_are_written_as_griffe_writes_them(text: str) -> None:
    assert plain_text(_node(text)) == _compound_text(_node(text))


@pytest.mark.parametrize("text", OTHER)
def test_other_expressions_are_left_to_griffe(text: str) -> None:
    assert plain_text(_node(text)) is None


@pytest.mark.parametrize("file", _FILES)
def test_every_expression_of_real_files(file: str) -> None:
    nodes = [
        node for node in ast.walk(ast.parse((_STDLIB / file).read_bytes())) if isinstance(node, ast.expr)
    ]
    texts = [(plain_text(node), node) for node in nodes if not isinstance(node, ast.Starred | ast.Slice)]
    wrong = [(text, _compound_text(node)) for text, node in texts if text not in (None, _compound_text(node))]
    assert not wrong
    assert sum(text is not None for text, _ in texts) > len(texts) / 2


def test_a_nest_is_left_to_the_guard_against_deep_ones() -> None:
    assert plain_text(_node("a" + "[a" * 50 + "]" * 50)) is None


def test_parameters_in_their_order_with_their_defaults() -> None:
    function = ast.parse("def f(a, b: int, /, c=1, *d: str, e, g: x.y = None, **h) -> a | b: ...").body[0]
    assert isinstance(function, ast.FunctionDef)
    assert signature_of(function.args, function.returns) == (
        (
            ("a", "positional-only", None, None),
            ("b", "positional-only", None, "int"),
            ("c", "positional or keyword", "1", None),
            ("d", "variadic positional", None, "str"),
            ("e", "keyword-only", None, None),
            ("g", "keyword-only", "None", "x.y"),
            ("h", "variadic keyword", None, None),
        ),
        "a | b",
    )
