import os

# coding: latin-1
NAME = "é"

def late(x="é"):
    return x
