"""Classmethods that set what they are given (pandas before 1.1), and near misses."""

import functools


class Generic:
    @classmethod
    def _setup_axes(cls, axes, docs=None, extra=None):
        cls._AXIS_NAMES = dict(enumerate(axes))

        def set_axis(a, i):
            setattr(cls, a, property(lambda self: i))

        for i, a in cls._AXIS_NAMES.items():
            set_axis(a, i)
        if extra is not None:
            for key, value in extra.items():
                setattr(cls, key, value)

    @classmethod
    def _create_indexer(cls, name, indexer):
        if getattr(cls, name, None) is None:
            setattr(cls, name, property(functools.partial(indexer, name)))

    def plain(self): ...


class Frame(Generic):
    def head(self): ...


Frame._setup_axes(["index", "columns"], docs={"index": "The rows."}, extra={"ready": 1})


class Bare(Generic):
    pass


class Joined(Generic):
    """A near miss: the names that it is given are put together."""


Joined._setup_axes([word + "es" for word in "axis index".split()])


class Prefixed:
    """A near miss: the classmethod puts its names together."""

    @classmethod
    def _add(cls, names):
        for name in names:
            setattr(cls, "get_" + name, name)


Prefixed._add(["value"])


class Called:
    """A near miss: a function calls the classmethod too, with what cannot be seen."""

    @classmethod
    def _give(cls, name):
        setattr(cls, name, 1)


def give(name):
    Called._give(name)


give("given")
