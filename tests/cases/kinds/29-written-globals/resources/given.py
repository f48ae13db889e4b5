"""A near miss: the names are given by callers."""


def _declare(**kw):
    globals().update(kw)


_declare(first=1)
