"""Hostile and odd decorators: bounded, never fatal."""

from __future__ import annotations

import pytest

from apikb.indexers.assemble import Assembler
from apikb.indexers.extract import extract
from apikb.indexers.facts import ModuleFacts
from apikb.indexers.namespaces import ModuleEntry, Release


def signatures(**sources: str) -> dict[str, str]:
    """Signature by path of what a release of these modules says."""
    entries = []
    for name, text in sources.items():
        facts = ModuleFacts.load(extract(text.encode(), f"p.{name}", is_init=False).dump())
        entries.append(ModuleEntry(f"p.{name}", f"p/{name}.py", name.encode(), facts))
    rows = [row for _, block in Assembler(Release(entries), set()).blocks() if block for row in block.rows]
    return {row.symbol: str(row.state.signature) for row in rows}


NESTED = "\n".join([
    "def d(f):",
    *(f"{' ' * depth}def d{depth}(f):" for depth in range(1, 60)),
    f"{' ' * 60}return f",
    " return d1",
    "@d",
    "def g(x): ...",
])  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "@f\ndef f(x): ...\n",
        "from .b import g\n@g\ndef f(x): ...\n",
        "f = partial(f, 1)\nfrom functools import partial\nf = partial(f, 1)\n",
        "from functools import partial\nf = partial(g, 1)\ng = partial(f, 1)\n",
        "from functools import partial\nf = partial(f.x.y, *f)\n",
        "from collections import namedtuple\nP = namedtuple(*x)\nQ = namedtuple('Q', P, rename=1 / 0)\n",
        "from collections import namedtuple\nP = namedtuple()\nQ = namedtuple('Q', Q)\n",
        "from enum import Enum\nE = Enum('E', E)\nF = Enum(names=F, value='F')\n",
        "from enum import Enum\nclass E(Enum):\n    _ignore_ = [[]] * 10 ** 9\n    a = 1\n",
        "from dataclasses import dataclass\n@dataclass\nclass D(D):\n    x: 'D' = D\n",
        "@C\nclass C:\n    def __call__(self, *a, **k): ...\n    __signature__ = C\n@C\ndef f(x): ...\n",
        NESTED,
    ],
)
def test_circles_and_nonsense_end(text: str) -> None:
    signatures(a=text, b="from .a import f as g\n")


def test_a_decorator_of_another_file_decides() -> None:
    using = "from .b import deco\n@deco\ndef f(x): ...\n"
    plain = "def deco(f):\n    def inner(a, *, b=1):\n        return f(a)\n    return inner\n"
    wraps = "import functools\n" + plain.replace("    def inner", "    @functools.wraps(f)\n    def inner")
    assert signatures(a=using, b=plain)["p.a.f"] == "(a, *, b=1)"
    assert signatures(a=using, b=wraps)["p.a.f"] == "(x)"
    assert signatures(a=using, b="def deco(f):\n    return f\n")["p.a.f"] == "(x)"
