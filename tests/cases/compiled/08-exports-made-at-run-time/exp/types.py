from math import sqrt
__all__ = ["typecodes"]
typecodes = {}
allTypes = {}
def _fill():
    allTypes["float64"] = float
_fill()
for key in allTypes:
    globals()[key] = allTypes[key]
    __all__.append(key)
