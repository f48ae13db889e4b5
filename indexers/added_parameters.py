"""Parameters that the code of a decorator adds to the signature of a function that it is given.

inspect.Parameter("data", inspect.Parameter.KEYWORD_ONLY, default=None)

if "axis" not in parameters:
    parameters.append(_axis_parameter)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..kb.symbols import ParameterKind
from .signatures import dotted_name, signature_of

if TYPE_CHECKING:
    from .scope import Scope

Added = tuple[Any, str, Any, None]
"""A plain parameter.

Its name may be (position, name), and its default (position, name, text): what an argument of the
decorator says, and what it is without.
"""

_KINDS = {
    "KEYWORD_ONLY": ParameterKind.KEYWORD_ONLY.value,
    "VAR_KEYWORD": ParameterKind.VAR_KEYWORD.value,
    "POSITIONAL_OR_KEYWORD": ParameterKind.POSITIONAL_OR_KEYWORD.value,
}


class Factory(NamedTuple):
    """The outermost function of a decorator: the parameters that its uses give values to, and where it is."""

    positions: dict[str, int]
    """-1 for keywords."""
    defaults: dict[str, str | None]
    scope: Scope

    @classmethod
    def of(cls, node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope) -> Factory:
        names = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)]
        positions = dict(zip(names, range(len(names)), strict=True))
        positions.update((argument.arg, -1) for argument in node.args.kwonlyargs)
        defaults = {name: default for name, _, default, _ in signature_of(node.args)[0]}
        return cls(positions, defaults, scope)


def added_parameters(nodes: Sequence[ast.AST], factory: Factory) -> tuple[list[Added], bool]:
    """The parameters that code adds; True where it adds others, too, whose names cannot be told."""
    found: list[Added] = []
    hidden = False
    for node in nodes:
        if isinstance(node, ast.If):
            found += _added_unless_there(node, nodes, factory)
            continue
        made = _made(node)
        if made is None:
            continue
        name, kind, default = made
        shown = ast.unparse(default) if default is not None else None
        if isinstance(name, ast.Constant) and isinstance(name.value, str) and kind is not None:
            found.append((name.value, kind, shown, None))
        elif isinstance(name, ast.Name) and name.id in factory.positions and kind is not None:
            found.append(((factory.positions[name.id], name.id), kind, shown, None))
        else:
            hidden = True
    return found, hidden


def _made(node: ast.AST | None) -> tuple[ast.expr | None, str | None, ast.expr | None] | None:
    """(name, kind, default) of `inspect.Parameter(...)`, None for anything else."""
    if not isinstance(node, ast.Call) or (dotted_name(node.func) or "").rpartition(".")[2] != "Parameter":
        return None
    given = {keyword.arg: keyword.value for keyword in node.keywords}
    name = node.args[0] if node.args else given.get("name")
    kind = node.args[1] if len(node.args) > 1 else given.get("kind")
    return name, _KINDS.get((dotted_name(kind) or "").rpartition(".")[2]), given.get("default")


def _added_unless_there(node: ast.If, nodes: Sequence[ast.AST], factory: Factory) -> Iterator[Added]:
    """`if "axis" not in parameters: parameters.append(p)`, where `p` is made elsewhere in the file."""
    test, first = node.test, node.body[0]
    if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], ast.NotIn):
        return
    name = test.left.value if isinstance(test.left, ast.Constant) else None
    call = first.value if isinstance(first, ast.Expr) and isinstance(first.value, ast.Call) else None
    if not isinstance(name, str) or call is None or not call.args or not isinstance(call.args[0], ast.Name):
        return
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "append":
        return
    made = _made(factory.scope.constants.get(call.args[0].id))
    if made is not None and made[1] is not None:
        yield name, made[1], ast.unparse(made[2]) if made[2] is not None else None, None
    elif made is None:
        yield from _by_helper(name, call.args[0].id, nodes, factory)


def _by_helper(name: str, variable: str, nodes: Sequence[ast.AST], factory: Factory) -> Iterator[Added]:
    """`doc, p = make(default)`: a function of the file makes it, with the default that it is given."""
    for node in nodes:
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
            continue
        targets = [inner.id for inner in ast.walk(node.targets[0]) if isinstance(inner, ast.Name)]
        given = node.value.args[0] if node.value.args else None
        if variable not in targets or not isinstance(given, ast.Name) or given.id not in factory.positions:
            continue
        helper = _text_of(dotted_name(node.value.func), factory.scope)
        if "Parameter(" in helper and "KEYWORD_ONLY" in helper and "default=" in helper:
            default = (factory.positions[given.id], given.id, factory.defaults.get(given.id))
            yield name, ParameterKind.KEYWORD_ONLY.value, default, None
            return


def _text_of(function: str | None, scope: Scope) -> str:
    lines = scope.reader.bodies.lines
    spans = (span for span in scope.functions if span.name == function)
    return "\n".join(line for span in spans for line in lines[span.first - 1 : span.last])
