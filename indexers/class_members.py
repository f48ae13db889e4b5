"""The members of a class as its kind leaves them: what a body holds is not all that the class has."""

from __future__ import annotations

import ast
from collections.abc import Collection

from .constructors import TYPED_DICTS
from .facts import AttributeFacts, Binding, ClassFacts, FieldFacts, GeneratedFacts
from .generated import DATACLASS, is_init_only

_MADE = {DATACLASS: ("__dataclass_fields__", "__dataclass_params__", "__match_args__")}
_MADE_BY_ATTRS = ("__attrs_attrs__", "__match_args__")


def members_of(
    facts: ClassFacts, ancestors: Collection[str], generated: GeneratedFacts | None
) -> tuple[Binding, ...]:
    """The members of a class, given the names of its ancestors and its dataclass-like decorator.

    An enumeration drops what its `_ignore_` lists, keys of a TypedDict are no attributes, and neither is
    an `InitVar` without a default.
    """
    members = facts.members
    if any(name.startswith("enum.") for name in ancestors):
        dropped = _ignored(members)
        members = tuple(member for member in members if member.name not in dropped)
    if TYPED_DICTS & set(ancestors):
        members = tuple(member for member in members if not _is_annotation(member))
    if generated is not None:
        members = _of_generated(facts, members, generated)
    return members


def _is_annotation(member: Binding) -> bool:
    return member.form == "attr" and "annotated" in member.data.labels


def _ignored(members: tuple[Binding, ...]) -> set[str]:
    found = next((member for member in members if member.name == "_ignore_"), None)
    if found is None or found.form != "attr" or found.data.value is None:
        return set()
    try:
        value = ast.literal_eval(found.data.value)
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return set()
    words = value.replace(",", " ").split() if isinstance(value, str) else value
    listed = words if isinstance(words, list | tuple) else ()
    return {"_ignore_", *(word for word in listed if isinstance(word, str))}


def _of_generated(
    facts: ClassFacts, members: tuple[Binding, ...], generated: GeneratedFacts
) -> tuple[Binding, ...]:
    gone = set()
    for record in map(FieldFacts._make, facts.fields):
        if record.name == "*":
            gone.add("_")
        elif record.default is None and is_init_only(record):
            gone.add(record.name)
    kept = [member for member in members if not (member.name in gone and _is_annotation(member))]
    names = {member.name for member in kept}
    made = _MADE.get(generated.way, _MADE_BY_ATTRS)
    kept += [Binding(name, "attr", AttributeFacts(), via="generated") for name in made if name not in names]
    return tuple(kept)
