"""Marks of deprecation as real libraries set them, each kind with what only looks like it."""

from __future__ import annotations

import textwrap
from typing import Any

import pytest

from apikb.indexers.extract import extract
from apikb.kb.marks import combined
from apikb.kb.symbols import Deprecation


def bindings(text: str) -> dict[str, Any]:
    facts = extract(textwrap.dedent(text).encode(), "pkg.mod", is_init=False)
    return {binding.name: binding for binding in facts.bindings}


def marks(text: str, name: str = "f") -> list[Deprecation]:
    """All marks of a binding of the file, or with `Class.member` of one of a class."""
    owner, _, member = name.partition(".")
    binding = bindings(text)[owner]
    if member:
        binding = next(inner for inner in binding.data.members if inner.name == member)
    own = getattr(binding.data, "deprecations", ())
    return [Deprecation._make(mark) for mark in (*binding.deprecations, *own)]


def whole(text: str, name: str = "f") -> Deprecation | None:
    return combined(marks(text, name))


@pytest.mark.parametrize(
    ("decorator", "since", "removal", "replacement"),
    [
        ("@typing_extensions.deprecated('Use `g` instead.')", None, None, "g"),
        ("@warnings.deprecated('f is deprecated, use m.g', category=FutureWarning)", None, None, "m.g"),
        ("@_deprecated('`f` is deprecated in favour of `g` and will be removed in SciPy 1.14.0')",
         None, "1.14.0", "g"),
        ("@deprecated('f was renamed to `g` in 1.0 and will be removed in 1.2')", None, "1.2", "g"),
        ("@_api.deprecated('3.7', alternative='``matplotlib.colormaps[name]``', pending=True)",
         "3.7", None, "matplotlib.colormaps"),
        ("@deprecation.deprecated('2018-01-01', 'Use `tf.cast` instead.')", None, None, "tf.cast"),
        ("@deprecated(date=None, instructions='Use `tf.cast` instead.')", None, None, "tf.cast"),
        ("@util.deprecated('1.4', 'The f method is deprecated, use Connection.execute()')",
         "1.4", None, "Connection.execute"),
        ("@deprecated(since='0.1', removal='1.0', alternative_import='langchain_openai.ChatOpenAI', "
         "alternative='other')", "0.1", "1.0", "langchain_openai.ChatOpenAI"),
        ("@np.deprecate(message='Use `numpy.prod`.', new_name='prod')", None, None, "prod"),
        ("@deprecated", None, None, None),
    ],
)  # fmt: skip
def test_decorators(decorator: str, since: str | None, removal: str | None, replacement: str | None) -> None:
    (mark,) = marks(f"{decorator}\ndef f(): ...\n")
    assert mark.mechanism == "decorator"
    assert (mark.since, mark.removal, mark.replacement, mark.parameter) == (since, removal, replacement, None)


@pytest.mark.parametrize(
    "decorator",
    [
        "@deprecation.deprecated_endpoints('divide')",
        "@deprecation.deprecated_arg_values(None, 'use x', a=1)",
        "@deprecated_cli_option('--x')",
        "@is_deprecated",
        "@suppress_deprecation_check",
    ],
)
def test_decorators_that_are_not_about_the_symbol(decorator: str) -> None:
    assert not [mark for mark in marks(f"{decorator}\ndef f(a): ...\n") if mark.parameter is None]


@pytest.mark.parametrize(
    ("value", "target", "replacement"),
    [
        ("deprecation.deprecated(None, 'Use `tf.math.argmax` instead.')(argmax)", "argmax", "tf.math.argmax"),
        ("np.deprecate(g, message='use `scipy.g`')", "g", "scipy.g"),
        ("deprecate('f', g, '0.24')", "g", "g"),
        ("_deprecated_alias(g)", "g", "g"),
    ],
)
def test_names_made_by_a_deprecator(value: str, target: str, replacement: str) -> None:
    binding = bindings(f"def g(): ...\nf = {value}\n")["f"]
    assert (binding.form, binding.data) == ("ref", target)
    (mark,) = marks(f"def g(): ...\nf = {value}\n")
    assert mark.replacement == replacement


def test_a_definition_that_is_wrapped_under_its_own_name_stays_one() -> None:
    text = "def f(a, b): ...\nf = deprecated('Use `g`.')(f)\n"
    assert bindings(text)["f"].form == "def"
    assert [mark.replacement for mark in marks(text)] == ["g"]


@pytest.mark.parametrize("value", ["deprecated_table()", "undo_deprecated", "make('deprecated')"])
def test_values_that_only_sound_like_it(value: str) -> None:
    assert marks(f"f = {value}\n") == []


@pytest.mark.parametrize(
    ("statement", "removal", "replacement"),
    [
        ("warnings.warn('f is deprecated. Use n.interpolate instead.')", None, "n.interpolate"),
        ("warnings.warn('pkg.f() is deprecated in favor of str().', RemovedInLib40Warning)", "4.0", "str"),
        ("warnings.warn(f'{name} is deprecated, use `g`', FutureWarning)", None, "g"),
        ("warn_deprecated('Use g instead', version='1.4')", None, "g"),
        ("_deprecation('`f` is deprecated; use `g`')", None, "g"),
        ("logger.warning_once('`f` is deprecated. Use `g`.')", None, "g"),
        (
            "msg = 'f is deprecated, use `g`.'\n    warnings.warn(msg, DeprecationWarning, stacklevel=2)",
            None,
            "g",
        ),
    ],
)
def test_warnings_about_the_function_itself(
    statement: str, removal: str | None, replacement: str | None
) -> None:
    (mark,) = marks(f"def f(a):\n    {statement}\n    return a\n")
    assert (mark.mechanism, mark.parameter) == ("warning", None)
    assert (mark.removal, mark.replacement) == (removal, replacement)


@pytest.mark.parametrize(
    "statement",
    [
        "warnings.warn('The default of q will change in a future version', FutureWarning)  # deprecat",
        "warnings.warn('Support for Python 2 is deprecated', DeprecationWarning)",
        "warnings.warn('`other` is deprecated', DeprecationWarning)",
        "warnings.warn('careful, deprecation ahead', UserWarning) if a else None",
        "logger.info('`f` is deprecated')",
        "f'deprecated'",
        "_check_deprecated_params(a)",
        "if a == 'x':\n        warnings.warn('a=\"x\" is deprecated', FutureWarning)",
        "if PY2:\n        warnings.warn('f is deprecated', DeprecationWarning)",
    ],
)
def test_warnings_about_something_else(statement: str) -> None:
    assert marks(f"def f(a):\n    {statement}\n    return a\n") == []


@pytest.mark.parametrize(
    "condition",
    ["old is not None", "old is not _NoValue", "old != 'deprecated'", "old",
     "new is None and old is not None", "'old' in kwargs", "kwargs.pop('old', None) is not None"],
)  # fmt: skip
def test_a_parameter_that_warns_when_it_is_given(condition: str) -> None:
    text = f"""
        def f(a, new=None, old=None, **kwargs):
            if {condition}:
                warnings.warn("`old` was renamed to `new` in 1.2 and will be removed in 1.4", FutureWarning)
    """
    (mark,) = marks(text)
    assert (mark.parameter, mark.removal, mark.replacement) == ("old", "1.4", "new")


def test_a_default_that_says_so() -> None:
    text = """
        def f(a, b="deprecated", *, c=_api.deprecation._deprecated_parameter, d="warn", e=deprecated_names):
            '''Do.

            Parameters
            ----------
            b : int
                .. deprecated:: 1.2
                    Use `a`.
            '''
    """
    assert {(mark.parameter, mark.mechanism) for mark in marks(text)} == {
        ("b", "default"), ("b", "docstring"), ("c", "default"),
    }  # fmt: skip
    mark = combined(marks(text), "b")
    assert mark is not None
    assert (mark.mechanism, mark.since, mark.replacement) == ("docstring", "1.2", "a")


def test_a_class_is_marked_by_what_its_constructor_warns_of() -> None:
    text = """
        class OldExtractor(Base):
            def __init__(self, *args):
                warnings.warn(
                    "The class OldExtractor is deprecated and will be removed in version 5 of Lib. Please"
                    " use NewProcessor instead.", FutureWarning)
            def freeze(self):
                warnings.warn(
                    "The method `freeze` is deprecated. Please use the equivalent `stop` method instead.",
                    FutureWarning)
        class Near:
            def __init__(self, size):
                warnings.warn("The `size` argument is deprecated", FutureWarning)
    """
    found = whole(text, "OldExtractor")
    assert found is not None
    assert (found.removal, found.replacement) == ("5", "NewProcessor")
    member = whole(text, "OldExtractor.freeze")
    assert member is not None and member.replacement == "stop"
    assert [mark.parameter for mark in marks(text, "Near")] == ["size"]


@pytest.mark.parametrize(
    ("doc", "replacement"),
    [
        ("Do.\n\n    .. warning::\n\n        :func:`pkg.f` is deprecated in favor of :func:`pkg.linalg.g`\n"
         "        and will be removed.\n    ", "pkg.linalg.g"),
        ("Do.\n\n    .. warning:: This function is deprecated in favor of :func:`pkg.g`.\n    ", "pkg.g"),
        ("Deprecated: use `g`.", "g"),
        ("DEPRECATED. Please use pkg.g instead.", "pkg.g"),
        ("(deprecated) Use :meth:`g` instead.", "g"),
        ("Do.\n\n    This function is deprecated. Use `g`.\n    ", "g"),
        ("Do.\n\n    .. note:: Deprecated in 1.7, use `g`.\n\n    Parameters\n    ----------\n    ", "g"),
        ("Do.\n\n    .. deprecated:: 1.2\n       Use `g`.\n    ", "g"),
        ("Do.\n\n    ..deprecated::1.2\n       Use `g`.\n    ", "g"),
    ],
)  # fmt: skip
def test_docstrings(doc: str, replacement: str) -> None:
    (mark,) = marks(f'def f(a):\n    """{doc}"""\n')
    assert (mark.mechanism, mark.parameter, mark.replacement) == ("docstring", None, replacement)


@pytest.mark.parametrize(
    "doc",
    [
        "Talks of deprecated things.",
        "Do.\n\n    The `other` function is deprecated.\n    ",
        "Do.\n\n    .. warning:: `other` is deprecated.\n    ",
        "Do.\n\n    Args:\n        a: This function is deprecated here.\n    ",
        "Do.\n\n    Using lists is deprecated.\n    ",
        "Mark a function as deprecated.",
        "Do.\n\n    More.\n\n        This function is deprecated.\n    ",
        "Do.\n\n    .. note::\n\n       Of lists.\n\n       .. deprecated:: 1.2\n          Use tuples.\n    ",
        "Do.\n\n    Returns\n    -------\n    a : int\n        A.\n\n        .. deprecated:: 1.2\n    ",
        "Do.\n\n    Write::\n\n        .. deprecated:: 1.2\n    ",
    ],
)
def test_docstrings_about_something_else(doc: str) -> None:
    assert marks(f'def f(a):\n    """{doc}"""\n') == []


def test_a_directive_below_two_parameters_is_about_both() -> None:
    doc = "\n\n    Do.\n\n    Parameters\n    ----------\n    a, b : int\n\n        .. deprecated:: 1.2\n    "
    found = marks(f'def f(a, b):\n    """{doc}"""\n')
    assert [(mark.parameter, mark.since, mark.line) for mark in found] == [("a", "1.2", 10), ("b", "1.2", 10)]


def test_docstrings_that_are_given_to_a_name() -> None:
    text = """
        def _impl():
            '''Do.

            .. warning:: :func:`pkg.mod.f` is deprecated in favor of :func:`pkg.g`.
            '''
        f = dispatch(if_true=_impl)
        f.__doc__ = _impl.__doc__
        h = dispatch()
        h.__doc__ = "Deprecated: use `g`."
    """
    assert [mark.replacement for mark in marks(text)] == ["pkg.g"]
    assert [mark.replacement for mark in marks(text, "h")] == ["g"]
    assert marks(text, "_impl") == []


def test_a_module() -> None:
    def found(text: str) -> list[str | None]:
        facts = extract(text.encode(), "pkg.old", is_init=False)
        return [Deprecation._make(mark).replacement for mark in facts.deprecations]

    assert found("import warnings\nwarnings.warn('pkg.old is deprecated, use pkg.new', FutureWarning)\n") == [
        "pkg.new"
    ]
    assert found('"""Old.\n\n.. deprecated:: 1.0\n    Use `pkg.new`.\n"""\n') == ["pkg.new"]
    assert found("import warnings\nwarnings.warn('Python 2 support is deprecated', FutureWarning)\n") == []
    assert found("import warnings\nwarnings.warn('pkg.other is deprecated', FutureWarning)\n") == []


def test_a_class_that_tells_its_framework() -> None:
    text = """
        class Old(Field):
            system_check_deprecated_details = {
                "msg": "pkg.Old is deprecated. Support for it will be removed in 4.0.",
                "hint": "Use pkg.New instead.",
            }
        class Gone(Field):
            system_check_removed_details = {"msg": "pkg.Gone is removed.", "hint": "Use pkg.New instead."}
    """
    (mark,) = marks(text, "Old")
    assert (mark.removal, mark.replacement) == ("4.0", "pkg.New")
    assert bindings(text)["Gone"].data.raises
    assert bindings(text)["Old"].data.raises is None


def test_long_messages_are_cut() -> None:
    (mark,) = marks(f"@deprecated('use `g` instead. {'x' * 100_000}')\ndef f(): ...\n")
    assert mark.message is not None and len(mark.message) <= 500
    assert mark.replacement == "g"
