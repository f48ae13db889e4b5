"""Classes whose constructor a decorator generates from their fields: dataclasses and attrs."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from .facts import FieldFacts, GeneratedFacts
from .signatures import base_name, dotted_name, expression_text

if TYPE_CHECKING:
    from .scope import Scope

DATACLASS, CLASSIC, DEFINE = "dataclass", "attr.s", "define"
"""Three ways: dataclasses, `attr.s`, and `attrs.define` with its own defaults."""

TRANSFORM = "dataclass-transform"
"""Label of a class marked by `dataclass_transform`: its heirs get constructors in a way of its own."""

GENERATORS = {
    "dataclasses.dataclass": DATACLASS,
    "pydantic.dataclasses.dataclass": DATACLASS,
    **{f"attr.{name}": CLASSIC for name in ("s", "attrs", "attributes", "dataclass")},
    **{f"{top}.{name}": DEFINE for top in ("attr", "attrs") for name in ("define", "frozen", "mutable")},
}
"""Decorators by where they come from, and the way that each generates a constructor."""

_NAMES = {name.rpartition(".")[2]: way for name, way in GENERATORS.items()}
_FIELD_CALLS = {
    "dataclasses.field": DATACLASS, "pydantic.Field": DATACLASS, "pydantic.fields.Field": DATACLASS,
    "attr.ib": CLASSIC, "attr.attrib": CLASSIC, "attr.attr": CLASSIC,
    "attr.field": DEFINE, "attrs.field": DEFINE,
}  # fmt: skip
_FIELD_NAMES = {name.rpartition(".")[2]: way for name, way in reversed(_FIELD_CALLS.items())}
_FACTORIES = ("attr.Factory", "attrs.Factory")
_CLASS_VARIABLE = re.compile(r"['\"]?(?:\w+\.)*ClassVar\b")
_INIT_ONLY = re.compile(r"['\"]?(?:\w+\.)*InitVar\b")
_MADE, _NOTHING = "<factory>", "NOTHING"
"""What `inspect` shows for a default that a factory makes: of dataclasses, and of attrs."""


class Field(NamedTuple):
    """A statement of a class body that may be a field."""

    facts: FieldFacts
    annotated: bool
    called: bool
    """It is assigned from `field()` or its like."""


def generator_of(node: ast.ClassDef, scope: Scope) -> GeneratedFacts | None:
    """The decorator that may generate the constructor; which one it is, the release decides in the end."""
    for decorator in node.decorator_list:
        call = decorator if isinstance(decorator, ast.Call) else None
        name = dotted_name(call.func if call else decorator)
        if name is None or name.rpartition(".")[2] not in _NAMES:
            continue
        origin = scope.origin(name)
        if origin in GENERATORS or scope.inside(origin):
            return _generator(name, origin or name, call)
    return None


def _generator(name: str, origin: str, call: ast.Call | None) -> GeneratedFacts:
    keywords = {keyword.arg: keyword.value for keyword in call.keywords} if call is not None else {}
    way = GENERATORS.get(origin) or _NAMES[origin.rpartition(".")[2]]
    given = _flag(keywords.get("auto_attribs"))
    explicit = not given if given is not None else None
    if explicit is None and way == CLASSIC:
        explicit = not origin.endswith(".dataclass")
    return GeneratedFacts(
        name,
        way,
        init=_flag(keywords.get("init")) is not False,
        kw_only=_flag(keywords.get("kw_only")) is True,
        explicit=explicit if way != DATACLASS else False,
        overrides=way == CLASSIC and not _flag(keywords.get("auto_detect")),
    )


def _flag(node: ast.expr | None) -> bool | None:
    """True or False where that is written, None elsewhere."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, bool) else None


def these_of(node: ast.ClassDef, scope: Scope) -> list[Field] | None:
    """The fields of `attr.s(these={...})`, None where it is not used."""
    for decorator in node.decorator_list:
        for keyword in decorator.keywords if isinstance(decorator, ast.Call) else ():
            if keyword.arg == "these" and isinstance(keyword.value, ast.Dict):
                named = zip(keyword.value.keys, keyword.value.values, strict=True)
                return [
                    _field(key.value, "", value, scope, annotated=False)
                    for key, value in named
                    if isinstance(key, ast.Constant) and isinstance(key.value, str)
                ]
    return None


def chosen_fields(
    generated: GeneratedFacts | None, found: Iterable[Field], body: list[ast.stmt]
) -> tuple[FieldFacts, ...]:
    """The fields that the decorator takes: those annotated, or only those made by `attr.ib()`."""
    fields = list(found)
    if generated is None or generated.way == DATACLASS:
        return tuple(field.facts for field in fields if field.annotated)
    explicit = generated.explicit
    if explicit is None:
        explicit = any(field.called and not field.annotated for field in fields)
    chosen = [field.facts for field in fields if (field.called if explicit else field.annotated)]
    made = _default_makers(body)
    return tuple(
        facts._replace(default=_NOTHING) if facts.name in made and facts.default is None else facts
        for facts in chosen
    )


def _default_makers(body: list[ast.stmt]) -> set[str]:
    """Fields whose default a method of the class makes: `@x.default`."""
    names = set()
    for statement in body:
        for decorator in statement.decorator_list if isinstance(statement, ast.FunctionDef) else ():
            owner, _, last = (dotted_name(decorator) or "").rpartition(".")
            if last == "default":
                names.add(owner)
    return names


def read_field(statement: ast.Assign | ast.AnnAssign, scope: Scope) -> Field | None:
    """A class body's statement as a field, None where it can be none."""
    if isinstance(statement, ast.Assign):
        target = statement.targets[0]
        if not isinstance(statement.value, ast.Call) or not isinstance(target, ast.Name):
            return None
        field = _field(target.id, "", statement.value, scope, annotated=False)
        return field if field.called else None
    if not isinstance(statement.target, ast.Name):
        return None
    annotation = expression_text(statement.annotation) or ""
    if (base_name(statement.annotation) or "").rpartition(".")[2] == "KW_ONLY":
        return Field(FieldFacts("*", "", None, False, True), True, False)
    if _CLASS_VARIABLE.match(annotation):
        return None
    return _field(statement.target.id, annotation, statement.value, scope, annotated=True)


def is_init_only(facts: FieldFacts) -> bool:
    """An `InitVar` is a parameter, and no attribute unless it has a default."""
    return _INIT_ONLY.match(facts.annotation) is not None


def _field(name: str, annotation: str, value: ast.expr | None, scope: Scope, *, annotated: bool) -> Field:
    callee = dotted_name(value.func) if isinstance(value, ast.Call) else None
    origin = scope.origin(callee) if callee is not None else None
    if origin in _FACTORIES:
        return Field(FieldFacts(name, annotation, _NOTHING, True, None), annotated, False)
    way = _FIELD_CALLS.get(origin or "")
    if way is None and callee is not None and scope.inside(origin):
        way = _FIELD_NAMES.get(callee.rpartition(".")[2])
    if way is None or not isinstance(value, ast.Call):
        return Field(FieldFacts(name, annotation, expression_text(value), True, None), annotated, False)
    return Field(_called_field(name, annotation, value, way, scope), annotated, True)


def _called_field(name: str, annotation: str, call: ast.Call, way: str, scope: Scope) -> FieldFacts:
    facts = FieldFacts(name, annotation, None, True, None)
    made = _MADE if way == DATACLASS else _NOTHING
    if call.args and way == CLASSIC:
        facts = facts._replace(default=_default(call.args[0], scope))
    for keyword in call.keywords:
        value = keyword.value
        if keyword.arg == "default":
            facts = facts._replace(default=_default(value, scope))
        elif keyword.arg in ("default_factory", "factory"):
            facts = facts._replace(default=made)
        elif keyword.arg == "init":
            facts = facts._replace(init=_flag(value) is not False)
        elif keyword.arg == "kw_only":
            facts = facts._replace(kw_only=_flag(value))
        elif keyword.arg == "converter" and not _is_none(value):
            facts = facts._replace(annotation="")
        elif keyword.arg == "alias" and isinstance(value, ast.Constant) and isinstance(value.value, str):
            facts = facts._replace(alias=value.value)
    return facts


def _default(value: ast.expr, scope: Scope) -> str | None:
    if isinstance(value, ast.Call) and scope.origin(dotted_name(value.func)) in _FACTORIES:
        return _NOTHING
    return None if (dotted_name(value) or "").rpartition(".")[2] == "NOTHING" else expression_text(value)


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
