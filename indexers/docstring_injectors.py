"""Calls that give docstrings to compiled objects: each names a symbol that is there when the call is made.

`add_newdoc("pkg.core", "ndarray", ("sort", "a.sort(axis=-1) ..."))`, `add_docstr(pkg.add, "add(a, b) ...")`,
and functions of the same file around them.  The first line of the text often is the signature.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from .bodies import Bodies
from .docstring_signatures import looks_callable, written_signature
from .facts import Injection
from .literals import Constants, string_value
from .signatures import dotted_name

if TYPE_CHECKING:
    from .scope import Scope

HINTS = ("add_newdoc", "add_docstr")
"""A file that holds none of these words calls no injector."""
_BY_NAME = {"add_newdoc"}
"""(module, name, text), or (name, text) for a name of the enclosing package."""
_BY_OBJECT = {"add_docstr", "_add_docstr", "add_docstring", "_add_newdoc_ufunc"}
"""(object, text)."""
_FORMATTING = {"format", "strip", "lstrip", "rstrip", "replace", "expandtabs", "dedent"}


class Injector(NamedTuple):
    """A function of the file that gives its last argument as docstring to `owner.<first argument>`."""

    owner: str
    """Absolute dotted name."""


def injector_of(
    node: ast.FunctionDef | ast.AsyncFunctionDef, bodies: Bodies, scope: Scope
) -> Injector | None:
    """What a function does with its first parameter, where it hands it on to an injector."""
    if not node.args.args or len(node.args.args) < 2:
        return None
    first = node.args.args[0].arg
    for statement in bodies.body(node):
        for call in ast.walk(statement):
            if isinstance(call, ast.Call) and (owner := _handed_on(call, first, scope)):
                return Injector(owner)
    return None


def _handed_on(call: ast.Call, parameter: str, scope: Scope) -> str | None:
    """The owner in `add_docstr(getattr(owner, parameter), ...)` or `add_newdoc("owner", parameter, ...)`."""
    function = _last(call.func)
    if function in _BY_NAME and len(call.args) == 3 and dotted_name(call.args[1]) == parameter:
        return string_value(call.args[0], scope.constants)
    if function in _BY_OBJECT and call.args and isinstance(call.args[0], ast.Call):
        inner = call.args[0]
        if (
            _last(inner.func) == "getattr"
            and len(inner.args) >= 2
            and dotted_name(inner.args[1]) == parameter
        ):
            return _absolute(inner.args[0], scope)
    return None


def read_injection(scope: Scope, call: ast.Call) -> bool:
    """Note what a call says about a symbol of another module; False where it is no injector."""
    function = dotted_name(call.func) or ""
    arguments = [*call.args, *(keyword.value for keyword in call.keywords if keyword.arg is not None)]
    if len(arguments) < 2:
        return False
    injector = scope.injectors.get(function)
    if injector is not None:
        name = string_value(arguments[0], scope.constants)
        _note(scope, f"{injector.owner}.{name}" if name else None, arguments[-1], call.lineno)
        return True
    last = function.rpartition(".")[2]
    if last in _BY_OBJECT:
        _note(scope, _object(arguments[0], scope), arguments[1], call.lineno)
        return True
    if last not in _BY_NAME:
        return False
    names = [string_value(argument, scope.constants) for argument in arguments[:2]]
    if len(arguments) >= 3 and names[0] and names[1]:
        _note(scope, ".".join(filter(None, names)), arguments[2], call.lineno)
    elif len(arguments) == 2 and names[0] and scope.reader.package:
        _note(scope, f"{scope.reader.package}.{names[0]}", arguments[1], call.lineno)
    return True


def _note(scope: Scope, path: str | None, text: ast.expr, line: int) -> None:
    """Note the text, or the texts of members: `(name, text)` pairs."""
    if path is None or not all(part.isidentifier() for part in path.split(".")):
        return
    if isinstance(text, ast.List):
        for element in text.elts:
            if isinstance(element, ast.Tuple):
                _note(scope, path, element, line)
        return
    if isinstance(text, ast.Tuple):
        name = string_value(text.elts[0], scope.constants) if len(text.elts) == 2 else None
        if name is not None and name.isidentifier():
            _add(scope, f"{path}.{name}", text.elts[1], line, member=True)
        return
    _add(scope, path, text, line, member=False)


def _add(scope: Scope, path: str, text: ast.expr, line: int, *, member: bool) -> None:
    words = leading_text(text, scope.constants) or ""
    name = path.rpartition(".")[2]
    signature = written_signature(words, name)
    scope.reader.injections.append(
        Injection(path, looks_callable(words, name, member=member), signature, member, line)
    )
    if (whole := string_value(text, scope.constants)) is not None:
        owner, _, last = path.rpartition(".")
        if member:
            owner, _, inner = owner.rpartition(".")
            last = f"{inner}.{last}"
        scope.reader.attach(owner, last, whole)


def leading_text(node: ast.expr | None, constants: Constants, depth: int = 0) -> str | None:
    """The literal that a text starts with: `"...".format(...)`, `"..." + tail`, `dedent("...")`."""
    if depth > 8:
        return None
    if isinstance(node, ast.Name):
        return leading_text(constants.get(node.id), constants, depth + 1)
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.BinOp):
        return leading_text(node.left, constants, depth + 1)
    if isinstance(node, ast.JoinedStr):
        return leading_text(node.values[0], constants, depth + 1) if node.values else None
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute) and node.func.attr in _FORMATTING:
            inner = leading_text(node.func.value, constants, depth + 1)
            if inner is not None:
                return inner
        if node.args and _last(node.func) == "dedent":
            return leading_text(node.args[0], constants, depth + 1)
    return None


def injected_function(call: ast.Call, constants: Constants) -> tuple[str, str] | None:
    """(name, leading text) of `f = _add_docstr(pkg.f, "...")`, which gives the object back."""
    if _last(call.func) not in _BY_OBJECT or len(call.args) != 2:
        return None
    name = (dotted_name(call.args[0]) or "").rpartition(".")[2]
    text = leading_text(call.args[1], constants)
    return (name, text) if name and text else None


def _object(node: ast.expr, scope: Scope) -> str | None:
    """The absolute name of an object: a dotted expression, or `getattr(owner, "name")`."""
    if isinstance(node, ast.Call) and _last(node.func) == "getattr" and len(node.args) >= 2:
        owner, name = _absolute(node.args[0], scope), string_value(node.args[1], scope.constants)
        return f"{owner}.{name}" if owner and name else None
    return _absolute(node, scope)


def _absolute(node: ast.expr, scope: Scope) -> str | None:
    """A dotted expression with its first name, an imported one, written out."""
    dotted = dotted_name(node)
    if dotted is None:
        return None
    head, _, rest = dotted.partition(".")
    binding = scope.env.get(head)
    if binding is None or binding.form not in ("import", "from"):
        return f"{scope.reader.module}.{dotted}"
    known = binding.data if binding.form == "import" else ".".join(binding.data)
    return f"{known}.{rest}" if rest else str(known)


def _last(node: ast.expr) -> str:
    return (dotted_name(node) or "").rpartition(".")[2]


def mentions(text: str) -> bool:
    """True where a file may call an injector."""
    return any(hint in text for hint in HINTS)
