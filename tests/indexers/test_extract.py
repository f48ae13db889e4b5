"""What one file says, read without running it."""

from __future__ import annotations

import textwrap
from typing import Any

import pytest

from apikb.indexers.extract import extract
from apikb.indexers.facts import Binding, ModuleFacts
from apikb.indexers.sources import SourceError
from apikb.kb.symbols import Parameter, Signature


def read(text: str, module: str = "m", *, is_init: bool = True, is_stub: bool = False) -> ModuleFacts:
    facts = extract(textwrap.dedent(text).encode(), module, is_init=is_init, is_stub=is_stub)
    assert ModuleFacts.load(facts.dump()) == facts._replace(texts=())
    return facts


def names(text: str) -> dict[str, Binding]:
    return {binding.name: binding for binding in read(text).bindings}


def served(text: str) -> dict[str, Binding]:
    return {binding.name: binding for binding in read(text).served}


def members(text: str, cls: str) -> dict[str, Binding]:
    return {binding.name: binding for binding in names(text)[cls].data.members}


def signature(binding: Binding) -> str:
    parameters, returns = binding.data.signature
    return str(Signature(tuple(Parameter._make(item) for item in parameters), returns))


@pytest.mark.parametrize(
    "written",
    [
        "(a, /, b, *, c=1)",
        "(*args, **kwargs)",
        "(a: int = 1, *args: str, key: dict[str, int] | None = None, **kw) -> list[int]",
        "(x=(1, 2), y=[], z={'a': 1}, s='it''s', t=-1, u=1e-05, v=..., w=lambda q: q + 1)",
        "(self, x: 'Quoted', y: Literal['a', 'b'] = 'a')",
        "(a, b=None, /)",
        "(x=a.b.c(1)[2:3], y=f'{z}!', n=not True, t=1 if x else 2)",
    ],
)
def test_signatures_are_those_that_python_shows(written: str) -> None:
    import ast

    tree = ast.parse(f"def f{written}: pass")
    expected = ast.unparse(tree.body[0]).removeprefix("def f").partition(":\n")[0]
    found = signature(names(f"def f{written}: pass")["f"])
    assert found.replace(" = ", "=") == expected.replace(" = ", "=")


@pytest.mark.parametrize(
    ("text", "present", "gone"),
    [
        ("def f(): pass\ndel f", (), ("f",)),
        ("import sys\nif sys.version_info >= (3, 8):\n    x = 1\nelse:\n    x = y = 2", ("x", "y"), ()),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from a import B", (), ("B",)),
        ("import typing as t\nif t.TYPE_CHECKING:\n    B = 1\nelse:\n    C = 2", ("C",), ("B",)),
        ("try:\n    import a\nexcept ImportError:\n    a = None", ("a",), ()),
        ("for name in ('p', 'q'):\n    globals()[name] = 1", ("p", "q"), ()),
        ("for i in range(3):\n    last = i", ("last", "i"), ()),
        ("with open('x') as f:\n    inside = 1", ("f", "inside"), ()),
        ("(a, b), *c = thing()", ("a", "b", "c"), ()),
        ("a = b = c = 1", ("a", "b", "c"), ()),
        ("if (n := 3) > 2:\n    pass", ("n",), ()),
        ("match x:\n    case 1:\n        one = 1\n    case _:\n        other = 2", ("one", "other"), ()),
        ("globals()['made'] = 1\nglobals().update(kept=2)", ("made", "kept"), ()),
        ("import sys\nsetattr(sys.modules[__name__], 'made', 1)", ("made",), ()),
        ("class C: pass\nC.added = 1", ("C",), ("added",)),
        ("def make():\n    globals()['made'] = 1\nmake()", ("made",), ()),
    ],
)
def test_what_a_scope_binds(text: str, present: tuple[str, ...], gone: tuple[str, ...]) -> None:
    found = names(text)
    assert [name for name in present if name not in found] == []
    assert [name for name in gone if name in found] == []


@pytest.mark.parametrize(
    "text",
    [
        "for n in compute():\n    globals()[n] = 1",
        "def make(x):\n    globals()[x] = 1\nmake(compute())",
        "exec(code)",
        "globals().update(compute())",
        "def __getattr__(name):\n    return compute(name)",
        "from other import __getattr__",
        "import sys\nsys.modules[__name__] = Wrapper(sys.modules[__name__])",
        "def __getattr__(name):\n    for module in MODULES:\n        if hasattr(module, name):\n"
        "            return getattr(module, name)\n    raise AttributeError(name)",
        "T = {'a': 1}\nT[compute()] = 2\ndef __getattr__(name):\n    if name in T:\n        return T[name]\n"
        "    raise AttributeError(name)",
        """
        def load(native):
            here = globals()
            for name, item in native.items():
                if name not in here:
                    here[name] = item
        load({})
        """,
    ],
)
def test_names_made_at_run_time_leave_the_module_open(text: str) -> None:
    assert read(text).opaque is not None


@pytest.mark.parametrize(
    "text",
    [
        "x = globals()['y']",
        "def f():\n    return globals()['y']",
        "def __getattr__(name):\n    raise AttributeError(name)",
        "T = {'a': 1}\nT.update({'b': 2})\nT['c'] = 3\ndef __getattr__(name):\n    if name in T:\n"
        "        return T[name]\n    raise AttributeError(name)",
        "class C:\n    def __getattr__(self, name):\n        return 1",
        "def decorate(cls):\n    setattr(cls, 'x', 1)\n    return cls",
        """
        def show():
            here = globals()
            return here["x"]
        """,
    ],
)
def test_near_misses_leave_it_closed(text: str) -> None:
    assert read(text).opaque is None


def test_a_module_getattr_with_growing_tables() -> None:
    found = served(
        """
        _info = [("float", "use float"), ("int", "use int")]
        _former = {}
        _former.update({n: msg for n, msg in _info})
        _former["long"] = "gone"
        del _info
        _values = {"one": 1}
        def __getattr__(name):
            try:
                value = _values[name]
            except KeyError:
                pass
            else:
                warnings.warn("one is deprecated, use 1 instead", DeprecationWarning)
                return value
            if name in _former:
                raise AttributeError(_former[name])
            if name == "testing":
                import m.testing as testing
                return testing
            raise AttributeError(name)
        """
    )
    assert {name: binding.form for name, binding in found.items()} == {
        "one": "attr", "float": "raises", "int": "raises", "long": "raises", "testing": "import",
    }  # fmt: skip
    assert found["one"].deprecations[0][1] == "one is deprecated, use 1 instead"


def test_the_first_branch_for_a_name_decides() -> None:
    found = served(
        """
        def __getattr__(name):
            if name == "escape":
                from html import escape
                return escape
            if name == "escape":
                return Markup
            raise AttributeError(name)
        """
    )
    assert found["escape"].data == ("html", "escape")
    assert "Markup" not in found


def test_enumerations_served_and_copied() -> None:
    text = """
        import sys
        class Filter(IntEnum):
            NEAREST = 0
            LANCZOS = 1
        def __getattr__(name):
            old = {"ANTIALIAS": "LANCZOS"}
            if name in old:
                deprecate(name, 10)
                return Filter[old[name]]
            for enum in (Filter,):
                if name in enum.__members__:
                    return enum[name]
            raise AttributeError(name)
        module = sys.modules[__name__]
        for enum in (Filter,):
            for item in enum:
                setattr(module, item.name, item.value)
    """
    assert served(text)["ANTIALIAS"].data == "Filter.LANCZOS"
    assert names(text)["NEAREST"].data == "Filter.NEAREST"
    assert read(text).opaque is None


def test_exports() -> None:
    facts = read(
        "__all__ = ['a'] + sub.__all__\n__all__ += ['b']\n__all__.extend(x for x in y)\n__all__.remove('a')"
    )
    assert facts.exports == (
        ("set", ("a", ("ref", "sub"))),
        ("add", ("b",)),
        ("add", (None,)),
        ("remove", ("a",)),
    )


def test_a_function_that_extends_the_exports() -> None:
    text = """
        __all__ = []
        def extend_all(module):
            for name in getattr(module, "__all__"):
                __all__.append(name)
        extend_all(umath)
    """
    assert read(text).exports == (("set", ()), ("add", (("ref", "umath"),)))


# ---- classes


def test_attributes_that_methods_set() -> None:
    found = members(
        '''
        class C:
            """Not code: self.doc = 1"""
            def __init__(self, x): self.a = x; self.b: int = 2
            def fit(self):
                """Neither:
                    self.text = 1
                """
                self.coef_ = 1
                self.c, self.d = 1, 2
                self.e += 1
                if self.f == 3: pass
                self.g.h = 4
                self.i[0] = 5
            class Inner:
                def __init__(self): self.inner = 1
        ''',
        "C",
    )
    assert {name for name in found if not name.startswith("__")} == {
        "a",
        "b",
        "fit",
        "coef_",
        "c",
        "d",
        "Inner",
    }
    assert "instance" in found["coef_"].data.labels


def test_properties() -> None:
    found = members(
        """
        class C:
            @property
            def width(self) -> int: ...
            @width.setter
            def width(self, value): ...
            @functools.cached_property
            def area(self): ...
            size = property(get, set_)
            @classmethod
            def make(cls): ...
            alias = make
        """,
        "C",
    )
    assert found["width"].data.labels == ("property", "settable")
    assert found["width"].data.annotation == "int"
    assert found["area"].data.labels == ("cached", "property")
    assert found["size"].data.labels == ("property", "settable")
    assert found["make"].data.labels == ("classmethod",)
    assert found["alias"].via == "alias:make"


# ---- deprecations and tombstones


def marks(text: str) -> Any:
    return names(text)["f"].data.deprecations


@pytest.mark.parametrize(
    ("text", "since", "removal", "replacement"),
    [
        ("@deprecated('1.2', alternative='g', removal='2.0')\ndef f(): pass", "1.2", "2.0", "g"),
        ("@cbook.deprecated('2.2')\ndef f(): pass", "2.2", None, None),
        (
            "def f():\n    warnings.warn('f is deprecated since 1.4 and will be removed in 2.0, '"
            "'use g instead', DeprecationWarning)",
            "1.4", "2.0", "g",
        ),
        (
            "def f():\n    '''Doc.\n\n    .. deprecated:: 3.1\n        Use :func:`m.g` instead.\n    '''",
            "3.1", None, "m.g",
        ),
    ],
)  # fmt: skip
def test_marks(text: str, since: str | None, removal: str | None, replacement: str | None) -> None:
    (mark,) = marks(text)
    assert (mark[2], mark[3], mark[4], mark[5]) == (since, removal, replacement, None)


def test_a_warning_under_a_condition_marks_the_parameter_that_it_names() -> None:
    (mark,) = marks(
        "def f(a, old=None):\n    if old is not None:\n"
        "        warnings.warn('The old argument is deprecated', FutureWarning)\n    return a"
    )
    assert mark[5] == "old"


@pytest.mark.parametrize(
    "text",
    [
        "def f(x):\n    if x:\n        warnings.warn('this value is deprecated', DeprecationWarning)",
        "def f():\n    warnings.warn('careful', UserWarning)  # not deprecated",
        "def f():\n    '''Talks of deprecated things.'''",
        "def f():\n    return is_deprecated('x')",
    ],
)
def test_what_is_no_mark(text: str) -> None:
    assert marks(text) == ()


def test_a_function_that_only_raises_because_it_is_gone() -> None:
    gone = names("def f(x):\n    'Doc.'\n    raise RuntimeError('f was removed in 2.0')")["f"]
    assert gone.data.raises == "f was removed in 2.0"
    abstract = names("def f(x):\n    raise NotImplementedError('to be overridden, not removed')\n")["f"]
    kept = names("def f(x):\n    if x:\n        raise ValueError('was removed')\n    return 1")["f"]
    forbidden = names("def f(x):\n    raise TypeError('this list cannot grow')")["f"]
    assert kept.data.raises is None
    assert forbidden.data.raises is None
    assert abstract.data.raises is None


def test_a_module_that_only_raises() -> None:
    assert read("raise ImportError('m has been removed; use n')").raises == "m has been removed; use n"


# ---- hostile and odd sources


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "(" * 5_000 + "1" + ")" * 5_000 + "\ndef f(): pass\n",
        "x = " + "+".join(["1"] * 20_000) + "\ndef f(): pass\n",
        "x = " + "-" * 20_000 + "1\ndef f(): pass\n",
        "x = a" + ".b" * 20_000 + "\ndef f(): pass\n",
        "def f(): pass\nif a: pass\n" + "".join(f"elif x == {n}: pass\n" for n in range(1_200)),
    ],
    ids=["parentheses", "sum", "signs", "attributes", "elif"],
)
def test_deep_sources_are_read_or_refused_never_fatal(text: str) -> None:
    try:
        facts = read(text)
    except SourceError:
        return
    assert "f" in {binding.name for binding in facts.bindings} or facts.opaque


@pytest.mark.parametrize("data", [b"\x00\x00", b"\xff\xfe\x00", b"def f(:\n", b"\x89PNG\r\n\x1a\n" * 50])
def test_what_is_no_source_is_refused_or_opaque(data: bytes) -> None:
    try:
        facts = extract(data, "m", is_init=False)
    except SourceError as error:
        assert error.reason
        return
    assert facts.opaque is not None


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbfdef f(): pass\n",
        b"# -*- coding: latin-1 -*-\nx = '\xe9'\ndef f(): pass\n",
        b"x = 1\rdef f(): pass\r",
        b"\x0cdef f(): pass\n",
    ],
    ids=["bom", "latin-1", "bare CR", "form feed"],
)
def test_encodings_and_odd_whitespace(data: bytes) -> None:
    assert "f" in {binding.name for binding in extract(data, "m", is_init=False).bindings}


def test_the_message_of_a_name_that_raises_is_read_through_its_variable() -> None:
    found = served(
        '''
        def __getattr__(name):
            if name == "load_boston":
                msg = textwrap.dedent("""
                    `load_boston` has been removed.
                """)
                raise ImportError(msg)
            raise AttributeError(name)
        '''
    )
    assert found["load_boston"].data == "`load_boston` has been removed."


def test_the_message_of_a_class_that_raises_may_be_a_constant_of_the_module() -> None:
    found = names(
        """
        REMOVED_MESSAGE = "A has been removed, use B"
        WRONG = "not here"
        class A:
            def __init__(self, *args):
                raise NotImplementedError(REMOVED_MESSAGE)
        class Abstract:
            def __init__(self):  # no longer done
                raise NotImplementedError(WRONG)
        """
    )
    assert found["A"].data.raises == "A has been removed, use B"
    assert found["Abstract"].data.raises is None
