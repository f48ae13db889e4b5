"""Names with two underscores, inside classes and outside."""


class Context:
    __limit = 3

    def invoke(__self, __callback, *args, **kwargs):
        return __callback(*args, **kwargs)

    def __secret(self):
        return 1

    def __len__(self):
        return self.__limit

    revealed = __secret


class _Hidden:
    def first(self, __first=None, /, *clauses, **__options):
        return __first


class __:
    """A near miss: there is no name to put before."""

    def same(self, __x=1):
        return 1


def outside(__x, y=2):
    """A near miss: outside of a class names stay what they are."""
    return y
