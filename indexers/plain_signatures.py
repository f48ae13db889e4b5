"""The plain signatures of facts as those of symbols."""

from __future__ import annotations

from typing import Any

from ..kb.symbols import Parameter, ParameterKind, Signature


def drop_first(signature: Signature) -> Signature:
    """A signature as a bound call sees it."""
    first = signature.parameters[:1]
    if first and first[0].kind in (ParameterKind.VAR_POSITIONAL, ParameterKind.VAR_KEYWORD):
        return signature
    return signature._replace(parameters=signature.parameters[1:])


def plain_signature(signature: Any) -> Signature | None:
    """The facts' plain pair as a `Signature`."""
    if signature is None:
        return None
    parameters, returns = signature
    return Signature(tuple(Parameter._make(item) for item in parameters), returns)
