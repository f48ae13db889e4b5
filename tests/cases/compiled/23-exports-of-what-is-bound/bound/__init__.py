from . import closed
from .handed import *
