import re

from . import names
from .names import *

__all__ = names.__all__


def own(): ...
