"""Decorators that rename, remove, or restrict parameters, as matplotlib writes them."""

from . import _api
from ._api import define_aliases


@_api.rename_parameter("3.5", "s", "string")
def text(x, y, string=""):
    return string


@_api.make_keyword_only("3.4", "marker")
def scatter(x, y, size=1, marker="o", color=None):
    return x


@_api.delete_parameter("3.3", "quality", alternative="pil_kwargs")
def save(name, quality=None, pil_kwargs=None):
    return name


@define_aliases({"linewidth": ["lw"], "color": ["c"]})
class Line:
    def get_linewidth(self):
        return 1

    def set_linewidth(self, w):
        self.w = w

    def get_color(self):
        return ""

    def set_color(self, color):
        self.color = color


@_api.adds_data()
def bar(x, height, *, width=1):
    return x


def rename_parameter(since, old, new):
    """A near miss: it is only called so."""
    return lambda func: func


@rename_parameter("3.5", "a", "b")
def untouched(b=1):
    return b
