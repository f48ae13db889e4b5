"""What stub files leave out, and what they hold for type checkers alone."""

from __future__ import annotations

import ast
import re

from ..kb.parameters import HIDDEN
from .facts import AttributeFacts, Binding

COMPILED = "a compiled class, whose stub may not list every name"
HANDED_ON = "its stub hands it on, and its module makes names at run time, which cannot be seen"
UNSOURCED = "it has no source, and its stub may not list every name"
EMPTY = "its stub does not say what it holds"
PARTIAL = "its stub says that it has more attributes (__getattr__)"

_TYPE_MAKERS = {"NewType", "ParamSpec", "TypeVar", "TypeVarTuple"}
_FIRST = -1
"""Number of a binding that all others of its module are stronger than."""
_TYPE = re.compile(r"[\w.]+\[|[\w.\[\], ]+ \| ")
"""A value that may be a name for a type, `Union[int, str]` or `int | str`; if it is public it may be real."""


def unlisted_members(node: ast.ClassDef) -> str | None:
    """Why a class of a stub may have members that the stub leaves out, None where nothing says so."""
    if any(isinstance(part, ast.FunctionDef) and part.name == "__getattr__" for part in node.body):
        return PARTIAL
    derived = any(not (isinstance(base, ast.Name) and base.id == "object") for base in node.bases)
    return None if derived or not all(_says_nothing(part) for part in node.body) else EMPTY


def _says_nothing(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Pass) or (
        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    )


def of_compiled(binding: Binding) -> Binding:
    """What a stub shows of a compiled object: a function may take, and a class may have, more than that."""
    if binding.form == "def":
        facts = binding.data
        return binding._replace(data=facts._replace(accepts=(*facts.accepts, HIDDEN)))
    if binding.form != "class":
        return binding
    members = tuple(map(of_compiled, binding.data.members))
    return binding._replace(
        data=binding.data._replace(members=members, opaque=binding.data.opaque or COMPILED)
    )


def is_made(binding: Binding) -> bool:
    """True for a name of a stub that is no type variable and no name for a type: its module may have it."""
    if binding.form != "attr":
        return binding.form in ("def", "class", "ref")
    facts: AttributeFacts = binding.data
    if (facts.calls or "").rpartition(".")[2] in _TYPE_MAKERS or "type-alias" in facts.labels:
        return False
    if facts.annotation is not None:
        return facts.annotation.rpartition(".")[2] != "TypeAlias"
    return not binding.name.startswith("_") or facts.value is None or _TYPE.match(facts.value) is None


def made_at_run_time(binding: Binding) -> Binding | None:
    """The binding of a stub for a name that its module makes by running code; None for what it does not."""
    private = binding.form == "ref" and binding.name.startswith("_")
    return of_compiled(binding)._replace(seq=_FIRST) if is_made(binding) and not private else None


def handed_on(binding: Binding) -> Binding | None:
    """The binding of a name that a stub takes from elsewhere: some platforms alone have it, or all."""
    if binding.form != "from" or binding.via != "reexport":
        return None
    return Binding(binding.name, "unknown", HANDED_ON, binding.line, _FIRST, "stub")
