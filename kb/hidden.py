"""Small rules that folding and look-ups share: which state answers, and what cannot be seen below it."""

from __future__ import annotations

from .symbols import Kind, Status, SymbolState

CIRCLE = "aliases lead in a circle"
_ARTICLE: dict[str, str] = {Kind.FUNCTION: "a function", Kind.METHOD: "a method", Kind.ATTRIBUTE: "a value"}


def value_reason(path: str, state: SymbolState) -> str | None:
    """Values and functions may carry attributes that no class or module declares."""
    if state.status != Status.PRESENT or state.kind in (Kind.MODULE, Kind.CLASS):
        return None
    return f"{path} is {_ARTICLE.get(state.kind, 'a value')}: what is set on it cannot be seen"


def precedence(state: SymbolState) -> tuple[bool, bool]:
    """Of a member and a module at one path the member answers, unless nothing is known of it."""
    return (state.status == Status.UNKNOWN, state.kind == Kind.MODULE)
