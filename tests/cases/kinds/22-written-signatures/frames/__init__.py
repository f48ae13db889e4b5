"""Functions whose decorators write a signature."""

from ._decorators import deprecate_nonkeyword_arguments
from .lookalike import deprecate_nonkeyword_arguments as only_warns

ALLOWED = ["objs"]


@deprecate_nonkeyword_arguments(version=None, allowed_args=["objs"])
def concat(objs, axis=0, join="outer"):
    return objs


@deprecate_nonkeyword_arguments(None)
def defaults(objs, keys, axis=0):
    return objs


class Frame:
    @deprecate_nonkeyword_arguments(version=None, allowed_args=["self", "labels"], name="Frame.drop")
    def drop(self, labels=None, axis=0, *args, inplace=False, **kwargs):
        return labels

    @only_warns(version=None, allowed_args=["self"])
    def clip(self, lower=None, upper=None):
        """A near miss: the signature stays what it is."""
        return lower


@deprecate_nonkeyword_arguments(version=None, allowed_args=[*ALLOWED, "axis"][:1])
def computed(objs, axis=0):
    """A near miss for us: the list is computed, and the signature stays as it is written."""
    return objs
