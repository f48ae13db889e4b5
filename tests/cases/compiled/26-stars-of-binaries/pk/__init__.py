from .closed import *
