"""Classes that a call makes: `namedtuple("P", "x y")`, `Enum("Color", "RED")`, `TypedDict("M", {...})`.

What can be read of the fields becomes members and parameters; where they are computed, the class is open.
"""

from __future__ import annotations

import ast
import keyword
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from .facts import AttributeFacts, Binding, ClassFacts, FieldFacts, GeneratedFacts
from .generated import CLASSIC, DATACLASS, Field, read_field
from .literals import string_value, table_rows
from .signatures import dotted_name, expression_text

if TYPE_CHECKING:
    from .scope import Scope

COMPUTED = "its members are computed at run time"
NAMED_TUPLE, TYPED_DICT = "typing.NamedTuple", "typing.TypedDict"
_ENUMS = {f"enum.{name}" for name in ("Enum", "IntEnum", "Flag", "IntFlag", "StrEnum", "ReprEnum")}
_MAKERS = {
    "collections.namedtuple": "namedtuple",
    **{f"{top}.NamedTuple": "NamedTuple" for top in ("typing", "typing_extensions")},
    **{f"{top}.TypedDict": "TypedDict" for top in ("typing", "typing_extensions", "mypy_extensions")},
    "dataclasses.make_dataclass": "make_dataclass",
    "attr.make_class": "make_class",
    "attrs.make_class": "make_class",
    **dict.fromkeys(_ENUMS, "enum"),
}
LAST_NAMES = {name.rpartition(".")[2] for name in _MAKERS}
"""What a call that may make a class is called, whatever it was imported as part of."""


class _Cell(NamedTuple):
    """One field or member as the call lists it."""

    name: str
    annotation: str = ""
    default: str | None = None


def read_called_class(call: ast.Call, scope: Scope) -> ClassFacts | None:
    """The class that a call makes, None where it is no call of a known maker of classes."""
    callee = dotted_name(call.func)
    kind = _MAKERS.get(scope.origin(callee) or "") if callee is not None else None
    if kind is None or callee is None or not (call.args or call.keywords):
        return None
    if kind == "enum":
        return _enum(call, callee, scope)
    cells = _CELLS[kind](call, scope)
    if kind == "TypedDict":
        return _of((TYPED_DICT,), cells, attributes=False)
    if kind in ("namedtuple", "NamedTuple"):
        return _of((NAMED_TUPLE,), cells)
    way = DATACLASS if kind == "make_dataclass" else CLASSIC
    made = _of((), cells)
    origin = "dataclasses.dataclass" if way == DATACLASS else "attr.s"
    fields = [facts for facts in made.fields if not _is_class_variable(facts)]
    return made._replace(
        dataclass=GeneratedFacts(origin, way, True, False, False, False), fields=tuple(fields)
    )


def _of(bases: tuple[str, ...], cells: list[_Cell] | None, *, attributes: bool = True) -> ClassFacts:
    listed = list({cell.name: cell for cell in cells or ()}.values())
    members = [
        Binding(cell.name, "attr", AttributeFacts(None, cell.annotation or None, ("annotated",)))
        for cell in listed
    ]
    return ClassFacts(
        bases=bases,
        metaclass=None,
        decorators=(),
        members=tuple(members) if attributes else (),
        fields=tuple(FieldFacts(cell.name, cell.annotation, cell.default, True, None) for cell in listed),
        opaque=COMPUTED if cells is None else None,
    )


def _is_class_variable(facts: FieldFacts) -> bool:
    return "ClassVar" in facts.annotation


def _argument(call: ast.Call, position: int, name: str) -> ast.expr | None:
    if any(isinstance(argument, ast.Starred) for argument in call.args[: position + 1]):
        return None
    if position < len(call.args):
        return call.args[position]
    return next((given.value for given in call.keywords if given.arg == name), None)


# ---- enumerations


def _enum(call: ast.Call, callee: str, scope: Scope) -> ClassFacts | None:
    names = _argument(call, 1, "names")
    if names is None:
        return None  # a look-up by value
    listed = _words(names, scope)
    members = [Binding(name, "attr", AttributeFacts()) for name in dict.fromkeys(listed or ())]
    return ClassFacts((callee,), None, (), tuple(members), opaque=COMPUTED if listed is None else None)


def _words(node: ast.expr, scope: Scope) -> list[str] | None:
    """Names in a string, in a sequence of strings or of pairs, or as the keys of a dictionary."""
    text = string_value(node, scope.constants)
    if text is not None:
        return text.replace(",", " ").split()
    rows = table_rows(node, scope.constants)
    if rows is None:
        return None
    names = [string_value(row[0], {}) if row else None for row in rows]
    return None if None in names else [name for name in names if name is not None]


# ---- tuples, dictionaries, dataclasses


def _namedtuple(call: ast.Call, scope: Scope) -> list[_Cell] | None:
    given = _argument(call, 1, "field_names")
    names = _words(given, scope) if given is not None else None
    rename = next((known.value for known in call.keywords if known.arg == "rename"), None)
    if names is None or any(known.arg is None for known in call.keywords):
        return None
    if rename is not None:
        if not isinstance(rename, ast.Constant):
            return None
        names = _renamed(names) if rename.value else names
    defaults = _defaults(next((known.value for known in call.keywords if known.arg == "defaults"), None))
    first = len(names) - len(defaults)
    return [
        _Cell(name, "", defaults[number - first] if number >= first else None)
        for number, name in enumerate(names)
    ]


def _renamed(names: list[str]) -> list[str]:
    """As `rename=True` does it: what can be no field is called by its place."""
    seen: set[str] = set()
    result = []
    for number, name in enumerate(names):
        bad = not name.isidentifier() or keyword.iskeyword(name) or name.startswith("_") or name in seen
        result.append(f"_{number}" if bad else name)
        seen.add(name)
    return result


def _defaults(node: ast.expr | None) -> list[str]:
    """Texts of the defaults of the last fields; `(None,) * 3` is written often."""
    if isinstance(node, ast.List | ast.Tuple):
        return [expression_text(element) or "..." for element in node.elts]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        for sequence, count in ((node.left, node.right), (node.right, node.left)):
            if isinstance(count, ast.Constant) and isinstance(count.value, int) and 0 <= count.value <= 255:
                return _defaults(sequence) * count.value
    return []


def _typed(call: ast.Call, scope: Scope) -> list[_Cell] | None:
    """`NamedTuple("P", [("x", int)])` and `NamedTuple("P", x=int)`."""
    fields = _argument(call, 1, "fields")
    if fields is None:
        return [_Cell(known.arg, _text(known.value)) for known in call.keywords if known.arg]
    rows = table_rows(fields, scope.constants)
    return None if rows is None else _cells(rows)


def _cells(rows: Iterable[list[ast.expr]]) -> list[_Cell] | None:
    cells = []
    for row in rows:
        name = string_value(row[0], {}) if row else None
        if name is None:
            return None
        cells.append(_Cell(name, _text(row[1]) if len(row) > 1 else ""))
    return cells


def _dictionary(call: ast.Call, scope: Scope) -> list[_Cell] | None:
    """`TypedDict("M", {"x": int}, total=False)` and `TypedDict("M", x=int)`."""
    fields = _argument(call, 1, "fields")
    if fields is None:
        given = [(known.arg, known.value) for known in call.keywords if known.arg != "total"]
        return [_Cell(name, _text(value)) for name, value in given if name is not None]
    table = scope.constants.get(fields.id, fields) if isinstance(fields, ast.Name) else fields
    if not isinstance(table, ast.Dict) or None in table.keys:
        return None
    rows = [[key, value] for key, value in zip(table.keys, table.values, strict=True) if key is not None]
    return _cells(rows)


def _fields(call: ast.Call, scope: Scope) -> list[_Cell] | None:
    """`make_dataclass("D", ["x", ("y", int), ("z", int, field(default=1))])`, `make_class("C", ["x"])`."""
    listed = _argument(call, 1, "fields") or _argument(call, 1, "attrs")
    if listed is None:
        return None
    if isinstance(listed, ast.Dict):
        pairs = zip(listed.keys, listed.values, strict=True)
        rows = [[key, ast.Constant(None), value] for key, value in pairs if key is not None]
    else:
        found = table_rows(listed, scope.constants)
        if found is None:
            return None
        rows = found
    cells = []
    for row in rows:
        name = string_value(row[0], {}) if row else None
        if name is None:
            return None
        field = _as_field(name, row, scope)
        cells.append(_Cell(field.facts.name, field.facts.annotation, field.facts.default))
    return cells


def _as_field(name: str, row: list[ast.expr], scope: Scope) -> Field:
    annotation = row[1] if len(row) > 1 else ast.Constant(None)
    statement = ast.AnnAssign(ast.Name(name), annotation, row[2] if len(row) > 2 else None, 1)
    field = read_field(statement, scope)
    facts = field.facts if field is not None else FieldFacts(name, "", None, True, None)
    plain = len(row) < 2 or (isinstance(annotation, ast.Constant) and annotation.value is None)
    return Field(facts._replace(annotation="") if plain else facts, True, False)


def _text(node: ast.expr) -> str:
    return expression_text(node) or ""


_CELLS = {
    "namedtuple": _namedtuple,
    "NamedTuple": _typed,
    "TypedDict": _dictionary,
    "make_dataclass": _fields,
    "make_class": _fields,
}


# ---- as a base class


def called_bases(
    node: ast.ClassDef, scope: Scope
) -> tuple[list[ast.expr], ClassFacts | None, ast.expr | None]:
    """The bases of a class, what a call among them makes, and the metaclass that `with_metaclass` names."""
    bases: list[ast.expr] = []
    made: ClassFacts | None = None
    metaclass: ast.expr | None = None
    for base in node.bases:
        found = read_called_class(base, scope) if isinstance(base, ast.Call) else None
        if found is not None and made is None and found.bases and found.dataclass is None:
            made = found
            bases.extend(_names(found.bases))
        elif isinstance(base, ast.Call) and (dotted_name(base.func) or "").endswith("with_metaclass"):
            metaclass, inner = (base.args[0], base.args[1:]) if base.args else (None, [])
            bases.extend(inner)
        else:
            bases.append(base)
    return bases, made, metaclass


def _names(dotted: Iterable[str | None]) -> list[ast.expr]:
    return [ast.parse(name, mode="eval").body for name in dotted if name is not None]
