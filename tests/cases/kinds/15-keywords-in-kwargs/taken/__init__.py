"""Keywords that a function takes out of its `**kwargs` by name."""


def popping(x, **kwargs):
    loc = kwargs.pop("loc", None)
    scale = kwargs.pop('scale', 1)
    if kwargs:
        raise TypeError(f"unexpected {sorted(kwargs)}")
    return x, loc, scale


def other_name(x, **options):
    limit = options.get("limit", 3)
    return x, limit


def computed(x, **kwargs):
    for name in ("a", "b"):
        kwargs.pop(name, None)
    return x


class Artist:
    def __init__(self, **kwargs):
        self.alpha = kwargs.pop("alpha", 1)

    def draw(self, **kw):
        return kw.pop("colour", "red")


def near_miss(x, settings):
    """A near miss: `settings.pop("inside")` takes from an ordinary parameter."""
    return settings.pop("inside", x)


def docstring_only(x, **kwargs):
    """Call `kwargs.pop("told", None)` yourself.

    # kwargs.pop("remarked")
    """
    # kwargs.pop("commented", None)
    return x


def nested(**kwargs):
    def inner(**kwargs):
        return kwargs.pop("deeper", None)

    return inner


def raising(x, **extra):
    old = extra.pop("old", None)  # a remark
    if old is not None:
        raise TypeError("`old` is removed, use `new` instead")

    older = extra.pop("older", None)

    if older:
        raise TypeError("`older` is removed")
    if extra.pop("oldest", None) is not None:
        raise TypeError("`oldest` is removed")
    return x


def asking(x, **extra):
    """Near misses: it raises for some values, for a missing one, or together with another one."""
    old = extra.pop("old", None)
    if old is not None and old < 0:
        raise ValueError("old must be positive")
    both = extra.pop("both", None)
    if both is not None:
        if x is None:
            raise TypeError("one of them")
    needed = extra.pop("needed", None)
    if needed is None:
        raise TypeError("it is needed")
    return x
