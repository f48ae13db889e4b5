"""Decorators that keep an old name of a parameter alive, as pandas and scikit-image write them."""

from ._decorators import deprecate_kwarg, deprecate_multichannel_kwarg, remove_arg
from .lookalike import deprecate_kwarg as same_name


class Frame:
    @deprecate_kwarg(old_arg_name="line_terminator", new_arg_name="lineterminator")
    def to_csv(self, path=None, lineterminator=None):
        return path

    @deprecate_kwarg("old", "new", mapping={"yes": True, "no": False})
    @deprecate_kwarg("gone", None)
    def both(self, new=None, **extra):
        return new


@deprecate_kwarg({"selem": "footprint"}, deprecated_version="1.0", removed_version="3.0")
def erode(image, footprint=None):
    return image


@deprecate_kwarg(kwarg_mapping={"im": "image", "neighbours": "connectivity"}, removed_version="1.0")
def label(image, connectivity=1):
    return image


@deprecate_multichannel_kwarg()
def gaussian(image, sigma=1, channel_axis=None):
    return image


@remove_arg("cval", changed_version="0.20")
def pad(image, mode="edge", cval=0):
    return image


@same_name("old", "new")
def untouched(new=1):
    """A near miss: a decorator of that name which does nothing to parameters."""
    return new
