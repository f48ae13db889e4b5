"""Symbol states as compact JSON text, exactly reversible."""

from __future__ import annotations

import json

from .symbols import Deprecation, Parameter, Signature, SymbolState

_FIELDS = SymbolState._fields
_DEFAULTS = SymbolState()


def encode_state(state: SymbolState) -> str:
    """Write what differs from the default state."""
    data = {
        name: value for name, value, usual in zip(_FIELDS, state, _DEFAULTS, strict=True) if value != usual
    }
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def decode_state(text: str) -> SymbolState:
    """Read back what `encode_state` wrote.

    >>> state = SymbolState(kind="function", signature=Signature((Parameter("x", "keyword-only"),)))
    >>> decode_state(encode_state(state)) == state
    True
    """
    data = json.loads(text)
    signature = data.get("signature")
    if signature is not None:
        parameters, returns = signature
        data["signature"] = Signature(tuple(Parameter(*item) for item in parameters), returns)
    if "deprecations" in data:
        data["deprecations"] = tuple(Deprecation(*item) for item in data["deprecations"])
    for name in ("variants", "labels", "mro", "removed_names", "accepts"):
        if name in data:
            data[name] = tuple(data[name])
    return SymbolState(**data)
