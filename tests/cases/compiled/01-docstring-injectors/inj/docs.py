"""Docstrings of compiled objects."""
from inj.lib import add_newdoc, add_note

add_newdoc("inj._core", "array", """
    array(data, dtype=None, *, copy=True)

    An array.
    """)
add_newdoc("inj._core", "arange", """arange([start,] stop[, step,], dtype=None)""")
add_newdoc("inj._core", "full", """full(shape[, value])""")
add_newdoc("inj._core", "ndarray", "ndarray(shape, order=None)")
add_newdoc("inj._core", "ndarray", ("sort", """
    a.sort(axis=-1)

    Sort in place.
    """))
add_newdoc("inj._core", "ndarray", [("T", "The transpose."), ("item", "a.item(*args)")])
shared = "a.{name}(order='C')"
add_newdoc("inj._core", "ndarray", ("tobytes", shared.format(name="tobytes")))
add_newdoc("inj._core", "hypot", """
    The length of the third side.

    Parameters
    ----------
    x, y : array_like
    """)
add_newdoc("inj._core", "version", "The version of the library.")
add_newdoc("inj.numeric", "ufunc", ("reduce", "reduce(array, axis=0)"))
# Not an injector: nothing must be there for it to work.
add_note("inj._core", "ghost", "ghost(x)")
