"""Near miss: a star import alone forwards no modules."""
from plain_core import *
