try:
    from ._c import *
except ImportError:
    OWN = 2
