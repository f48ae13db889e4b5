"""What signatures accept, parameter by parameter.  Pure."""

from __future__ import annotations

from functools import cache

from .symbols import Parameter, ParameterKind, SymbolState

HIDDEN = "**"
"""Among the names that a state accepts: there are others that cannot be seen."""

REFUSED = "!"
"""Before a name among those that a state accepts: it is taken out of `**kwargs` only to raise."""

_STARRED = (ParameterKind.VAR_POSITIONAL, ParameterKind.VAR_KEYWORD)


def accepted(state: SymbolState) -> dict[str, Parameter]:
    """The parameters by name: of the signature, of its variants, and those that it takes besides."""
    found: dict[str, Parameter] = {}
    if state.signature is not None:
        for parameter in state.signature.parameters:
            found[parameter.name] = parameter
    for variant in state.variants:
        for parameter in variant_parameters(variant):
            found.setdefault(parameter.name, parameter)
    for name in state.accepts:
        if name != HIDDEN and not name.startswith(REFUSED):
            found.setdefault(name, Parameter(name, ParameterKind.KEYWORD_ONLY))
    for mark in state.deprecations:
        if mark.parameter is not None:
            found.setdefault(mark.parameter, Parameter(mark.parameter, ParameterKind.KEYWORD_ONLY))
    return found


def swallows(state: SymbolState) -> bool:
    """True where `**kwargs`, or a decorator, may accept names that cannot be seen."""
    if HIDDEN in state.accepts:
        return True
    if state.signature is None:
        return not state.variants
    return any(parameter.kind == ParameterKind.VAR_KEYWORD for parameter in state.signature.parameters)


def refused(state: SymbolState) -> frozenset[str]:
    """Keywords that it raises for."""
    return frozenset(name[len(REFUSED) :] for name in state.accepts if name.startswith(REFUSED))


@cache
def variant_parameters(text: str) -> tuple[Parameter, ...]:
    """Read the parameters of a signature that is only text; nothing where it cannot be read.

    >>> [parameter.name for parameter in variant_parameters("(x, *, out=None) -> int")]
    ['x', 'out']
    """
    import ast

    try:
        tree = ast.parse(f"def f{text[text.index('(') :]}: ...")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    definition = tree.body[0]
    if not isinstance(definition, ast.FunctionDef):
        return ()
    given = definition.args
    return (
        *(Parameter(item.arg, ParameterKind.POSITIONAL_ONLY) for item in given.posonlyargs),
        *(Parameter(item.arg, ParameterKind.POSITIONAL_OR_KEYWORD) for item in given.args),
        *(Parameter(item.arg, ParameterKind.KEYWORD_ONLY) for item in given.kwonlyargs),
    )


def is_starred(parameter: Parameter) -> bool:
    """True for `*args` and `**kwargs`."""
    return parameter.kind in _STARRED
