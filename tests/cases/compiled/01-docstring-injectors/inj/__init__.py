from ._core import *
from . import docs, extra_docs
from .functional import convolve
