import warnings


def old(a, b=1, c=None):
    """Was always there.

    Parameters
    ----------
    a, b : int
        Numbers.
    c : int, optional
        Another one.

        .. versionadded:: 1.1

    .. versionadded:: 0.9
    """


class Model:
    """Fits."""

    def fit(self, x):
        """Fit it."""

    def gone(self):
        """Go.

        .. deprecated:: 1.1
            Use :meth:`fit` instead.
        """
        warnings.warn("gone is deprecated, use fit instead", DeprecationWarning)


def new(x):
    """Is new.

    .. versionadded:: 1.1.0rc1
    """


def marked():
    """Nothing is said here."""
    warnings.warn("marked is deprecated", DeprecationWarning)
