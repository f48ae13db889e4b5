"""A second package at the top of the same release."""

from frames._decorators import add_data


class Axes3D:
    @add_data(replace_names=["xs"])
    def scatter(self, xs, ys, **kwargs):
        return xs

    def stem(self, xs, **kwargs):
        """A near miss: nothing is added."""
        return xs
