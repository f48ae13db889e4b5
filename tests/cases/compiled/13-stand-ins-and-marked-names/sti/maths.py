from .generated import *
from .marks import deprecated

arg_max = deprecated(None, "Use `sti.argmax` instead")(arg_max)
