import warnings


def old(a, b=2, c=None, *, d=0):
    """Was always there.

    Parameters
    ----------
    a, b : int
        Numbers.

        .. versionchanged:: 1.2
           The default of `b` is 2.
    c : int, optional
        Another one.

        .. versionadded:: 1.1
        .. versionchanged:: 1.1
           It is checked.

    d : {'fast', 'exact'}
        How.

        .. versionadded:: 1.1

        .. versionadded:: 1.2
           'exact'
    **options
        Swallowed.

        .. versionadded:: 1.2

    .. versionadded:: 0.9
    """


class Model:
    """Fits.

    Attributes
    ----------
    coef_ : array
        The result.

        .. versionadded:: 1.2
    bias_ : float
        Not there at all.

        .. versionadded:: 1.2
    """

    coef_ = None

    def fit(self, x):
        """Fit it.

        .. versionadded:: 1.1
        """

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


def late():
    """Was announced for the release before.

    .. versionadded:: v1.1
    """


def marked():
    """Nothing is said here."""
    warnings.warn("marked is deprecated", DeprecationWarning)


def faster():
    """Does it in another way.

    .. versionadded:: 1.2

    .. versionchanged:: 1.3
       Does it faster.

    .. deprecated:: 1.4
    """
