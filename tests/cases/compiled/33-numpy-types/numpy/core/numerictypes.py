from builtins import float, int

from ._type_aliases import allTypes

__all__ = ["issctype"]


def issctype(rep): ...


for key in allTypes:
    globals()[key] = allTypes[key]
    __all__.append(key)

del key
