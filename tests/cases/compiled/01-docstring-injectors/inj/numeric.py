from ._core import hypot
ufunc = type(hypot)
other = type(hypot)
