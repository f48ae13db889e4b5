"""A near miss: a table of the same name, of which nothing is known."""

from ._tables import allTypes

for key in allTypes:
    globals()[key] = allTypes[key]
