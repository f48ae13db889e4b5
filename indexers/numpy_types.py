"""The names of NumPy's scalar types, which a loop over a table of its C module puts into `numerictypes`.

    for key in allTypes:
        globals()[key] = allTypes[key]
        __all__.append(key)

The keys of that table are the names of C types, kinds with a number of bits, and a few other names for them.
They have been the same kinds of names in every release, so that no other name can come out of the loop.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .facts import CANDIDATE, AttributeFacts, Binding

if TYPE_CHECKING:
    from .scope import Scope

REASON = "NumPy's table of scalar types may have it, which a C module makes"
MODULES = ("numpy.core.numerictypes", "numpy._core.numerictypes")
_TABLE = "allTypes"
_ALWAYS = (
    "str_ byte ubyte short ushort intc uintc intp uintp int_ uint longlong ulonglong single double "
    "longdouble "
    "csingle cdouble clongdouble bool_ object_ void int8 int16 int32 int64 uint8 uint16 uint32 uint64 "
    "float32 float64 complex64 complex128 "
    "generic number integer signedinteger unsignedinteger inexact floating complexfloating flexible character"
)
"""Those that every release has, on every platform."""
_SOMETIMES = "long ulong half bytes_"
_ONCE = "float_ complex_ string_ unicode_ cfloat singlecomplex longfloat clongfloat longcomplex"
"""Those that every release before 2.0 has, and none since."""
_ONCE_SOMETIMES = "bool8 int0 uint0 string unicode datetime timedelta"
"""Those that no release from 2.0 on has."""
_PYTHON_NAMES = "bool bytes complex float int object str"
"""Left out of the table before 2.0, so as not to hide those of Python."""
_KINDS = "bool int uint float complex object string bytes str unicode void datetime timedelta"
_BITS = (0, 8, 16, 32, 64, 80, 96, 128, 160, 192, 256, 512)


def type_names(module: str) -> tuple[str, ...]:
    """Every name that the table may have, sorted; none for another module.

    >>> "float96" in type_names("numpy.core.numerictypes")
    True
    >>> "float" in type_names("numpy.core.numerictypes"), "float" in type_names("numpy._core.numerictypes")
    (False, True)
    """
    if module not in MODULES:
        return ()
    newer = module == MODULES[1]
    names = {f"{kind}{bits}" for kind in _KINDS.split() for bits in _BITS if bits or not newer}
    once = f"{_ONCE} {_ONCE_SOMETIMES}".split()
    names = names.difference(once).union(_PYTHON_NAMES.split()) if newer else names.union(once)
    names.update(f"{_ALWAYS} {_SOMETIMES}".split())
    return tuple(sorted(names))


def read_type_loop(scope: Scope, node: ast.For | ast.AsyncFor, keys: list[ast.expr]) -> bool:
    """Bind what the loop over the table may make, and export it; False for any other loop."""
    target = node.target.id if isinstance(node.target, ast.Name) else None
    names = type_names(scope.reader.module) if scope.kind == "module" else ()
    table = isinstance(node.iter, ast.Name) and node.iter.id == _TABLE
    if not names or not table or not all(isinstance(key, ast.Name) and key.id == target for key in keys):
        return False
    always = set((_ALWAYS if scope.reader.module == MODULES[1] else f"{_ALWAYS} {_ONCE}").split())
    for name in names:
        if name not in scope.env:
            form, data = ("attr", AttributeFacts()) if name in always else ("unknown", REASON)
            scope.env[name] = Binding(name, form, data, node.lineno, CANDIDATE, "dynamic")
    scope.exports.append(("add", names))
    return True
