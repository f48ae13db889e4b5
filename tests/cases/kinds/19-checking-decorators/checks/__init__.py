"""Decorators of scikit-learn, SciPy and TensorFlow: most leave the parameters what they are."""

from .utils import (
    _deprecate_positional_args, _rename_parameter, deprecated, deprecated_args, doc_controls, tf_export,
    validate_params,
)


@validate_params({"alpha": [float], "missing": [int]})
def fit(X, *, alpha=1.0):
    return alpha


@_deprecate_positional_args(version="0.25")
def score(y_true, *, normalize=True):
    return normalize


@_deprecate_positional_args
def rank(y_true, *, ties=True):
    return ties


@_rename_parameter("x", "a", dep_version="1.9")
def spearman(a, b=None):
    return a


@deprecated("Use spearman instead.")
def rho(a, b=None):
    return a


@tf_export("math.total", v1=["total"])
@deprecated_args("2020-01-01", "Use axis instead", "reduction_indices", ("keep", None), squeeze_dims=None)
def total(value, axis=None, reduction_indices=None, keep=None, squeeze_dims=None):
    return value


@tf_export("Layer")
class Layer:
    @doc_controls
    def call(self, inputs, training=None):
        return inputs

    @deprecated()
    def apply(self, inputs):
        return inputs


class Estimator:
    @_deprecate_positional_args
    def __init__(self, n=1, *, tol=0.1):
        self.n = n

    @_rename_parameter("old_X", "X")
    def fit(self, X, y=None):
        return self
