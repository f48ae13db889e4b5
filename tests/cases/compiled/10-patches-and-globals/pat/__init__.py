from .tensor import Tensor
from . import more
from .tools import *
