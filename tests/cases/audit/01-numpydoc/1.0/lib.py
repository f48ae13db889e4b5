def old(a, b=1):
    """Was always there.

    .. versionadded:: 0.9
    """


class Model:
    """Fits."""

    def fit(self, x):
        """Fit it."""

    def gone(self):
        """Go."""
