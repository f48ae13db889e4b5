"""What texts about deprecations say, as real libraries write them, and texts that only look like it."""

from __future__ import annotations

import time

import pytest

from apikb.kb.deprecation_text import (
    concerns,
    name_in,
    parameter_in,
    removal_in,
    replacement_in,
    since_in,
    speaks_of_an_end,
)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("`alltrue` is deprecated as of NumPy 1.25.0. Please use `all` instead.", "all"),
        ("iteritems is deprecated and will be removed in a future version. Use .items instead.", "items"),
        ("Please create a mask and filter using `.loc` instead", "loc"),
        ("Use :meth:`DataFrame.sort_index`", "DataFrame.sort_index"),
        (
            "`torch.svd` is deprecated in favor of :func:`torch.linalg.svd` and will be removed",
            "torch.linalg.svd",
        ),
        ("Please use the equivalent `freeze_feature_encoder` method instead.", "freeze_feature_encoder"),
        ("Please use BeitImageProcessor instead.", "BeitImageProcessor"),
        ("Deprecated in favor of operator or tf.math.divide.", "tf.math.divide"),
        (
            "Please use `RatioUniforms` from the `scipy.stats.sampling` namespace.",
            "scipy.stats.sampling.RatioUniforms",
        ),
        ("Use `tf.cast` instead.", "tf.cast"),
        ("use either DataFrame.fillna or DataFrame.replace instead", "DataFrame.fillna"),
        ("Function foo has been moved from `a.b` to `c.d.foo`.", "c.d.foo"),
        ("PandasArray has been renamed NumpyExtensionArray. Use that instead.", "NumpyExtensionArray"),
        ("find_cores is renamed core_number", "core_number"),
        ("'shape' argument should be used instead of 'dims'", "shape"),
        ("Please import polyfit from numpy.polynomial.polynomial", "numpy.polynomial.polynomial.polyfit"),
        ("Importing from a.b is deprecated since 1.15.0, import from a.c instead", "a.c"),
        ("The flag 'flag' is now called 'shrink'!", "shrink"),
        ("WSGIDispatch is deprecated, please use WSGITransport", "WSGITransport"),
        ("TimeSeries is deprecated. Please use Series", "Series"),
        ("errors is deprecated in favor of on_error='raise|ignore'", "on_error"),
        ("f was replaced by `g(x, y)`, see https://example.invalid/use/h instead", "g"),
        ("parameter rotation is deprecated. You can use .loc[labels.map(crit)] as a replacement", "loc"),
        ("Consider using nx.nx_agraph.read_dot instead.", "nx.nx_agraph.read_dot"),
        ("Use of `a.b` is deprecated, use `c.d` instead.", "c.d"),
        ("Using 'p' is deprecated and will be removed in 0.14, use epsilon instead.", "epsilon"),
        ("`f` is deprecated since 1.4, use g instead", "g"),
        ("Instead of `f`, please use `g`.", "g"),
        # near misses
        ("Use of `X` is deprecated.", None),
        ("Using 'class_weight' as a parameter of fit is deprecated.", None),
        ("Do not use `x`.", None),
        ("If you use `x` you will see this.", None),
        ("Please use keyword arguments instead.", None),
        ("Use `None` instead.", None),
        ("Use `offset + other` instead", None),
        ("Use an array with a string dtype instead.", None),
        ("Use something else instead of `f`.", None),
        ("See https://example.invalid/use/this for details.", None),
        ("Use your own printing function instead.", None),
        ("`close` is deprecated on memmap arrays. Use del", None),
        ("`f` is deprecated and will be removed in 2.0.", None),
        ("", None),
        (None, None),
    ],
)
def test_replacement(text: str | None, name: str | None) -> None:
    assert replacement_in(text) == name


def test_what_is_deprecated_is_not_its_own_replacement() -> None:
    assert replacement_in("Use f instead of calling it. `f` was renamed to `g`.", "f") == "g"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("``matplotlib.colormaps[name]`` or ``matplotlib.colormaps.get_cmap()``", "matplotlib.colormaps"),
        (".Axes.set_title", "Axes.set_title"),
        ("langchain_openai.ChatOpenAI", "langchain_openai.ChatOpenAI"),
        ("invoke", "invoke"),
        ("the `pattern` parameter", "pattern"),
        ("Please use `a.b` for that.", "a.b"),
    ],
)
def test_what_an_alternative_opens_with(text: str, name: str) -> None:
    assert name_in(text) == name


@pytest.mark.parametrize(
    ("text", "since", "removal"),
    [
        ("deprecated in 0.22 and will be removed in version 0.24", "0.22", "0.24"),
        ("is deprecated since version 1.9 and is now removed", "1.9", None),
        ("is deprecated and will be removed in 3.0", None, "3.0"),
        ("The method is deprecated and will be removed in version 5 of Transformers.", None, "5"),
        ("is deprecated as of NumPy 1.25.0, and will be removed in NumPy 2.0.", "1.25.0", "2.0"),
        ("Will be removed in Click 8.1.", None, "8.1"),
        ("is deprecated and will be removed in a future version", None, None),
        ("deprecated, needs Python 3", None, None),
    ],
)
def test_versions(text: str, since: str | None, removal: str | None) -> None:
    assert (since_in(text), removal_in(text)) == (since, removal)


@pytest.mark.parametrize(
    ("text", "own", "mine"),
    [
        ("`f` is deprecated", "f", True),
        ("pkg.mod.f() is deprecated in favor of g", "f", True),
        ("This function is deprecated.", "f", True),
        ("{...} is deprecated", "f", True),
        ("The class BeitFeatureExtractor is deprecated", "__init__", True),
        ("Use of `f` is deprecated", "f", True),
        ("find_by_* commands are deprecated.", "find_by_id", True),
        ("find_by_* commands are deprecated.", "find", False),
        ("Deprecated, use g.", "f", True),
        # about something else
        ("`g` is deprecated", "f", False),
        ("Support for Python 2 is deprecated", "f", False),
        ("Passing a list is deprecated", "f", False),
        ("The default value is deprecated", "f", False),
        ("The `{...}` argument is deprecated", "f", False),
        ("other.thing_ is deprecated", "f", False),
    ],
)
def test_what_a_text_is_about(text: str, own: str, mine: bool) -> None:
    assert concerns(text, (own,)) is mine


@pytest.mark.parametrize(
    ("text", "parameter"),
    [
        ("`size` is deprecated, use `vector_size`", "size"),
        ("The size argument is deprecated", "size"),
        ("The function is deprecated, and so is size", None),
        ("`other` is deprecated, set size", None),
    ],
)
def test_which_parameter_a_text_is_about(text: str, parameter: str | None) -> None:
    assert parameter_in(text, {"size", "vector_size"}) == parameter


def test_a_change_of_behaviour_is_no_end() -> None:
    assert not speaks_of_an_end("The default of `copy` will change from True to False")
    assert speaks_of_an_end("`copy` will be removed in 3.0")


@pytest.mark.parametrize(
    "text",
    ["use " * 5000, "use a" + ".a" * 5000, "import " + "x " * 5000, "`" * 10000, "renamed from " + "(" * 9000,
     "switch to " * 1000, "use the the the the the " * 500, "[" * 9000 + " instead"],
)  # fmt: skip
def test_hostile_texts_cost_little(text: str) -> None:
    started = time.process_time()
    for asked in (replacement_in, since_in, removal_in, speaks_of_an_end, name_in):
        asked(text)
    concerns(text, ("f",))
    parameter_in(text, ("f",))
    assert time.process_time() - started < 1
