from ..listed import *
