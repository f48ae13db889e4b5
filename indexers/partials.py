"""`functools.partial` and its like: the signature that is left when some arguments are bound."""

from __future__ import annotations

import ast
from typing import Any

from ..kb.symbols import Parameter, ParameterKind, Signature
from .facts import PartialFacts
from .signatures import dotted_name, expression_text

PARTIALS = {"functools.partial": False, "functools.partialmethod": True}
"""Callables that bind arguments, and whether the first parameter, self, stays."""

_POSITIONAL = (ParameterKind.POSITIONAL_ONLY, ParameterKind.POSITIONAL_OR_KEYWORD)


def read_partial(call: ast.Call, *, method: bool) -> PartialFacts | None:
    """What `partial(f, 1, k=2)` binds, None where stars hide it or `f` has no name."""
    function = dotted_name(call.args[0]) if call.args else None
    starred = any(isinstance(argument, ast.Starred) for argument in call.args)
    if function is None or starred or any(keyword.arg is None for keyword in call.keywords):
        return None
    keywords = tuple(
        (keyword.arg or "", expression_text(keyword.value) or "...") for keyword in call.keywords
    )
    return PartialFacts(function, len(call.args) - 1, keywords, method)


def bound_signature(signature: Signature, facts: PartialFacts) -> Signature:
    """The signature that is left, as `inspect` shows it.

    A parameter that is bound by name stays with its new default, and it and all
    behind it are keywords.

    >>> a, b = (Parameter(name, "positional or keyword") for name in "ab")
    >>> str(bound_signature(Signature((a, b)), PartialFacts("f", 0, (("a", "1"),))))
    '(*, a=1, b)'
    """
    left = list(signature.parameters)
    kept = left[:1] if facts.method and left and left[0].kind in _POSITIONAL else []
    del left[: len(kept)]
    for _ in range(facts.positional):
        if left and left[0].kind in _POSITIONAL:
            del left[0]
    bound = dict(facts.keywords)
    found: list[Parameter] = []
    last: list[Parameter] = []
    for parameter in left:
        if parameter.name in bound and parameter.kind not in _STARRED:
            parameter = parameter._replace(default=bound[parameter.name])
            if parameter.kind == ParameterKind.POSITIONAL_OR_KEYWORD:
                last.append(parameter._replace(kind=ParameterKind.KEYWORD_ONLY.value))
                continue
        if last and parameter.kind == ParameterKind.VAR_POSITIONAL:
            continue
        if last and parameter.kind == ParameterKind.POSITIONAL_OR_KEYWORD:
            parameter = parameter._replace(kind=ParameterKind.KEYWORD_ONLY.value)
        (last if last else found).append(parameter)
    return signature._replace(parameters=(*kept, *found, *last))


_STARRED = (ParameterKind.VAR_POSITIONAL, ParameterKind.VAR_KEYWORD)


def plain_bound(signature: Any, facts: PartialFacts) -> Any:
    """The same for the plain pair of the facts."""
    if signature is None:
        return None
    parameters, returns = signature
    typed = Signature(tuple(Parameter._make(item) for item in parameters), returns)
    left = bound_signature(typed, facts)
    return tuple(tuple(parameter) for parameter in left.parameters), left.returns
