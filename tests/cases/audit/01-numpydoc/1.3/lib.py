def old(a, b=2, c=None, *, d=0):
    """Was always there, and the docs are short now."""


def faster():
    """Does it in another way.

    .. versionadded:: 1.2 (unreleased)

    .. versionchanged:: 1.3
       Does it faster.

    .. deprecated:: 1.4
    """
