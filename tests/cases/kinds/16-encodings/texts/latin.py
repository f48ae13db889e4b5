# -*- coding: latin-1 -*-
NAME = "café"

def accentée(x="é"):
    return x
