"""What differs between two states of a symbol, parameter by parameter, and what breaks callers.  Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from .parameters import is_starred
from .symbols import Parameter, ParameterKind, SymbolState


class Difference(NamedTuple):
    """One difference as text, and whether calls that worked may fail."""

    text: str
    breaking: bool


_POSITIONAL = (ParameterKind.POSITIONAL_ONLY, ParameterKind.POSITIONAL_OR_KEYWORD)
_KEYWORD = (ParameterKind.POSITIONAL_OR_KEYWORD, ParameterKind.KEYWORD_ONLY)


def describe_signatures(before: SymbolState, after: SymbolState) -> list[str]:
    """The differences of two signatures as text."""
    return [difference.text for difference in compare_signatures(before, after)]


def compare_signatures(before: SymbolState, after: SymbolState) -> list[Difference]:
    """All differences of two signatures; none where one of them is not known."""
    if before.signature is None or after.signature is None or before.signature == after.signature:
        return []
    old = {parameter.name: parameter for parameter in before.signature.parameters}
    new = {parameter.name: parameter for parameter in after.signature.parameters}
    kept = {mark.parameter for mark in after.deprecations if mark.parameter is not None}
    found = [*_removed(old, new, kept), *_altered(old, new), *_moved(old, new), *_added(old, new)]
    if before.signature.returns != after.signature.returns:
        returns = f"returns: {before.signature.returns} -> {after.signature.returns}"
        found.append(Difference(returns, False))
    return found


def _removed(old: dict[str, Parameter], new: dict[str, Parameter], kept: set[str]) -> Iterator[Difference]:
    keywords = any(parameter.kind == ParameterKind.VAR_KEYWORD for parameter in new.values())
    for name, parameter in old.items():
        if name in new:
            continue
        if name in kept:
            yield Difference(f"parameter {name}: no longer in the signature, still accepted", False)
        else:
            yield Difference(
                f"parameter {_written(parameter)}: removed", not keywords or is_starred(parameter)
            )


def _added(old: dict[str, Parameter], new: dict[str, Parameter]) -> Iterator[Difference]:
    for name, parameter in new.items():
        if name in old:
            continue
        required = parameter.default is None and not is_starred(parameter)
        yield Difference(
            f"parameter {_written(parameter)}: added{', required' if required else ''}", required
        )


def _written(parameter: Parameter) -> str:
    stars = {ParameterKind.VAR_POSITIONAL: "*", ParameterKind.VAR_KEYWORD: "**"}
    return stars.get(ParameterKind(parameter.kind), "") + parameter.name


def _altered(old: dict[str, Parameter], new: dict[str, Parameter]) -> Iterator[Difference]:
    for name, before in old.items():
        after = new.get(name)
        if after is None or after == before:
            continue
        if before.kind != after.kind:
            yield Difference(f"parameter {name}: {before.kind} -> {after.kind}", _kind_breaks(before, after))
        if before.default != after.default:
            yield _default(name, before, after)
        if before.annotation != after.annotation:
            yield Difference(f"parameter {name}: type {before.annotation} -> {after.annotation}", False)


def _kind_breaks(before: Parameter, after: Parameter) -> bool:
    lost_position = before.kind in _POSITIONAL and after.kind not in _POSITIONAL
    lost_keyword = before.kind in _KEYWORD and after.kind not in _KEYWORD
    return lost_position or lost_keyword or is_starred(before) != is_starred(after)


def _default(name: str, before: Parameter, after: Parameter) -> Difference:
    if after.default is None:
        return Difference(f"parameter {name}: default {before.default} removed, now required", True)
    if before.default is None:
        return Difference(f"parameter {name}: default {after.default} added", False)
    return Difference(f"parameter {name}: default {before.default} -> {after.default}", False)


def _moved(old: dict[str, Parameter], new: dict[str, Parameter]) -> Iterator[Difference]:
    """A call by position means another parameter where the order of those that both have is not the same,
    or where a new one stands before one that was there."""
    before = [name for name, parameter in old.items() if parameter.kind in _POSITIONAL]
    after = [name for name, parameter in new.items() if parameter.kind in _POSITIONAL]
    common = set(before) & set(after)
    for name in (name for name in before if name in common):
        was, now = before.index(name), after.index(name)
        if was != now:
            yield Difference(f"parameter {name}: position {was + 1} -> {now + 1}", True)
