"""Names that code at import sets without binding them: there, or unknown, never absent."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from test_namespaces import signature, states

HELPERS = """
def _install(cls, methods):
    for name, method in methods.items():
        setattr(cls, name, method)
def add_arithmetic(cls):
    methods = {"add": cls, "sub": cls}
    methods["div"] = cls
    _install(cls, methods)
def add_computed(cls):
    for op in cls.ops:
        setattr(cls, f"r{op}", cls)
def inherit_names(names, delegate):
    def wrapper(cls):
        for name in names:
            setattr(cls, name, getattr(delegate, name))
        return cls
    return wrapper
def register(cls):
    REGISTRY[cls.__name__] = cls
    return cls
def mark(cls):
    cls.__doc__ = "marked"
    return cls
"""


def test_a_helper_that_is_given_only_the_class_sets_what_it_spells() -> None:
    code = "from . import h\nclass Frame: pass\nh.add_arithmetic(Frame)"
    found = states({"p/__init__.py": "", "p/h.py": HELPERS, "p/a.py": code})
    assert {path for path in found if path.startswith("p.a.Frame.")} == {
        "p.a.Frame.add", "p.a.Frame.sub", "p.a.Frame.div",
    }  # fmt: skip
    assert found["p.a.Frame.add"].via == "dynamic"
    assert found["p.a.Frame"].opaque is None, "a name that the helper does not spell is absent"


def test_a_helper_that_puts_names_together_leaves_the_class_open() -> None:
    found = states({"p/h.py": HELPERS, "p/a.py": "from p import h\nclass Frame: pass\nh.add_computed(Frame)"})
    assert found["p.a.Frame"].opaque == "h.add_computed sets attributes on it"


def test_a_decorator_that_sets_attributes_opens_the_class_and_what_it_lists_is_there() -> None:
    code = (
        "from p.h import inherit_names\n@inherit_names(['ceil', 'floor'] + more, 1)\n"
        "class Frame:\n    def floor(self, x): ..."
    )
    found = states({"p/h.py": HELPERS, "p/a.py": code})
    assert found["p.a.Frame"].opaque == "inherit_names sets attributes on it"
    assert found["p.a.Frame.ceil"].via == "dynamic"
    assert signature(found["p.a.Frame.floor"]) == "(self, x)"


@pytest.mark.parametrize("name", ["register", "mark", "unknown_elsewhere"])
def test_decorators_that_set_nothing_leave_the_class_closed(name: str) -> None:
    found = states({"p/h.py": HELPERS, "p/a.py": f"from p.h import {name}\n@{name}\nclass Frame: pass"})
    assert found["p.a.Frame"].opaque is None
    assert not [path for path in found if path.startswith("p.a.Frame.")]


def test_a_name_of_another_project_with_a_fallback_has_the_members_of_the_fallback() -> None:
    code = (
        "try:\n    from blinker import Namespace\n    here = blinker.version\n"
        "except ImportError:\n    class Namespace:\n        def signal(self): ...\n    here = None\n"
    )
    found = states({"p.py": code})
    assert found["p.Namespace"].kind == "class"
    assert found["p.Namespace"].opaque is not None, "the other Namespace may have more"
    assert signature(found["p.Namespace.signal"]) == "(self)"
    assert found["p.here"].kind == "attribute"


def test_a_module_of_the_standard_library_wins_over_its_fallback() -> None:
    found = states(
        {
            "p.py": "try:\n    import ssl\nexcept ImportError:\n    ssl = None\n"
            "try:\n    from urllib import quote\nexcept ImportError:\n    from urllib.parse import quote\n"
        }
    )
    assert (found["p.ssl"].kind, found["p.ssl"].target) == ("module", "ssl")
    assert (found["p.quote"].kind, found["p.quote"].target) == ("function", "urllib.parse.quote")


def test_names_that_are_bound_on_the_way() -> None:
    code = (
        "from __future__ import annotations\nstr = str\nLIMIT = 1\n"
        "class C:\n    LIMIT = LIMIT\n"
        "class D: pass\nD = outer(inner(D), 1)\n"
        "for package in ('a', 'b'):\n    locals()[package] = 1\n    for mod in (1, 2):\n        kept = mod\n"
    )
    found = states({"p.py": code})
    assert (found["p.annotations"].visibility, found["p.str"].kind) == ("private", "class")
    assert found["p.C.LIMIT"].kind == "attribute"
    assert found["p.D"].kind == "class"
    assert {"p.a", "p.b", "p.package", "p.mod", "p.kept"} <= found.keys()


def test_exports_that_a_loop_adds_cannot_be_read() -> None:
    code = "__all__ = []\nfor key in table():\n    globals()[key] = 1\n    __all__.append(key)\n"
    found = states({"p/__init__.py": "from .a import *", "p/a.py": code})
    assert found["p"].opaque is not None


def test_functions_in_a_class_are_methods() -> None:
    found = states({"p.py": "def f(self): ...\nclass C:\n    g = f\n    h = staticmethod(f)\n"})
    assert found["p.C.g"].kind == found["p.C.h"].kind == "method"
    assert found["p.f"].kind == "function"


@pytest.mark.parametrize(
    ("code", "opened"),
    [
        ("from x import clone\n__all__ = clone('numpy', globals())", True),
        ("def fill(space):\n    space['a'] = 1\nfill(globals())", True),
        ("def look(space):\n    return sorted(space)\nnames = look(globals())", False),
        ("names = sorted(globals())", False),
        ("__all__ = []\ndef add(f):\n    setattr(here, f.__name__, f)\n    __all__.append(f.__name__)", True),
        ("__all__ = []\ndef add(f):\n    __all__.append(f.__name__)\n    return f", False),
    ],
)
def test_a_module_whose_namespace_is_handed_out_is_open(code: str, opened: bool) -> None:
    assert (states({"p.py": code})["p"].opaque is not None) is opened


def test_a_class_that_functions_of_its_module_set_attributes_on_is_open() -> None:
    code = (
        "class Load: ...\nclass Other: ...\nclass option:\n"
        "    def __call__(self, f):\n        setattr(Load, f.__name__, f)\n"
        "        setattr(Other, 'named', f)\n"
    )
    found = states({"p.py": code})
    assert found["p.Load"].opaque == "functions of its module set attributes on it"
    assert found["p.Other"].opaque is None
