from ._fast import crunch, Engine as Motor
from .use import *
try:
    from ._fast import maybe
except ImportError:
    maybe = None
