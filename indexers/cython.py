"""What Python code can see of a Cython module, as an `ast` tree.

The text is rewritten to Python line by line, so that every line number stays true:
`cdef` parts are blanked, typed arguments become annotations, public attributes become
annotated names.  Types and defaults that Python cannot express become an `ast.Name`
whose id is the text as written.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping

from .cython_rewrite import Rewriter
from .cython_tree import merge
from .legacy import Module
from .sources import SourceError


def cython_skeleton(text: str, pxd: str | None = None, included: Mapping[str, str] | None = None) -> Module:
    """The visible part of a `.pyx` file, with the declarations of the `.pxd` of the same name.

    `included` has the texts of files that it includes, by the names that it gives them; what
    they hold stands at the line of the `include` statement.

    Besides the marks of `Module`, attributes that cannot be set carry `_readonly`, and
    nodes that only the `.pxd` has carry `_pxd_line`, their line there (their `lineno` is
    that of the class, or 1).  A `__cinit__` is given as `__init__` where there is none.

    Raises `SourceError` for a NUL; what cannot be parsed is left out and counted in `errors`.

    >>> import ast
    >>> print(ast.unparse(cython_skeleton("cpdef int twice(int x, list l=None) except -1: return 2 * x")))
    def twice(x: int, l: list=None):
        return 2 * x
    """
    included = included or {}
    if any("\0" in part for part in (text, pxd or "", *included.values())):
        raise SourceError("NUL byte: not a Cython source file")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if pxd is None:
            return Rewriter(text, included=included).module()
        declared = Rewriter(pxd, included=included)
        declarations = declared.module()
        module = Rewriter(text, frozenset(declared.declared), included=included).module()
    merge(module, declarations, declared.enum_lines)
    return module


def declared_skeleton(pxd: str) -> Module:
    """What a `.pxd` shows of a module whose source is not there: classes, their public attributes, `cpdef`s.

    Raises as `cython_skeleton` does.

    >>> import ast
    >>> print(ast.unparse(declared_skeleton("cpdef int twice(int x)\\ncdef int hidden(int x)")))
    def twice(x: int):
        ...
    pass
    """
    if "\0" in pxd:
        raise SourceError("NUL byte: not a Cython source file")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Rewriter(pxd, declares=True).module()
