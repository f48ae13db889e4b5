from ._c import *
OWN = 1
