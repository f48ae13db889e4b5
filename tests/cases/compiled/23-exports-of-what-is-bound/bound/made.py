import math


class Curve:
    def height(self): ...


class Straight_gen(Curve): ...


def collect(pairs):
    return [name for name, value in pairs if isinstance(value, Curve)]


straight = Straight_gen()
objects = collect(list(globals().items()))
__all__ = objects + ["Curve"]
