from .types import *
from .listed import *
