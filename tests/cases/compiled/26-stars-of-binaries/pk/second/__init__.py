from ..bare import *
