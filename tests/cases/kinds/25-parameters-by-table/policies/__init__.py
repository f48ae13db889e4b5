"""Functions that get `axis`, `nan_policy` and an old name of a parameter from decorators."""

from ._policy import axis_policy, no_policy, renamed

AXIS = 2


@axis_policy(len)
def mean(a, *, weights=None):
    return a


@axis_policy(len, default_axis=None)
def rank(*samples, nan_policy="omit"):
    return samples


@axis_policy(len, AXIS)
def spread(a):
    return a


@renamed("seed", position_num=1)
def draw(n, rng=None):
    return n


@no_policy(len)
def near(a):
    """A near miss: the table of parameters is built and not used."""
    return a
