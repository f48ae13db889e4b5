"""A near miss: another module that takes the names of a table."""

from matplotlib._cm import datad as _colormaps

globals().update(_colormaps)
