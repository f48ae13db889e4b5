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
