from .inner import *
