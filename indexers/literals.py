"""Names out of literal containers: what a table in a module's source lists, without running it."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping

from .signatures import dotted_name

Constants = Mapping[str, ast.expr]
"""Names of a scope and the expressions last assigned to them."""

_MAX_ITEMS = 20_000
_MAX_PAIRS = 2_000
_LONGEST = 4_000
"""Characters of a text that is put together."""
_FIELD = re.compile(r"\{\{|\}\}|\{(\w*)\}")


def string_items(node: ast.expr | None, constants: Constants, depth: int = 0) -> list[str] | None:
    """The strings that iterating over an expression gives, None where that cannot be read.

    A dictionary gives its keys, a comprehension over literals its elements.
    """
    if node is None or depth > 12:
        return None
    if isinstance(node, ast.Constant):
        return None
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return _sequence(node, constants, depth)
    if isinstance(node, ast.Dict):
        return _dictionary(node, constants, depth)
    if isinstance(node, ast.Name):
        return string_items(constants.get(node.id), constants, depth + 1)
    if isinstance(node, ast.IfExp):
        return _union(node.body, node.orelse, constants, depth)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.BitOr):
        return _concatenation(node, constants, depth)
    if isinstance(node, ast.Call):
        return _call(node, constants, depth)
    if isinstance(node, ast.DictComp):
        return _comprehension(node.key, node.generators, constants, depth)
    if isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp):
        return _comprehension(node.elt, node.generators, constants, depth)
    return None


def literal_strings(node: ast.expr) -> list[str] | None:
    """All strings in a literal, at any depth; None for anything that is more than literals.

    >>> literal_strings(ast.parse("[1, ('a', {'b': 'c'})]", mode="eval").body)
    ['a', 'b', 'c']
    """
    if isinstance(node, ast.Constant):
        return [node.value] if isinstance(node.value, str) else []
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        parts = list(node.elts)
    elif isinstance(node, ast.Dict) and None not in node.keys:
        parts = [
            part for pair in zip(node.keys, node.values, strict=True) for part in pair if part is not None
        ]
    else:
        return None
    found = [literal_strings(part) for part in parts]
    return None if None in found else [text for texts in found if texts is not None for text in texts]


def _sequence(node: ast.List | ast.Tuple | ast.Set, constants: Constants, depth: int) -> list[str] | None:
    items: list[str] = []
    for element in node.elts:
        if isinstance(element, ast.Starred):
            inner = string_items(element.value, constants, depth + 1)
            if inner is None:
                return None
            items.extend(inner)
        else:
            text = string_value(element, {})
            if text is None:
                return None
            items.append(text)
        if len(items) > _MAX_ITEMS:
            return None
    return items


def _dictionary(node: ast.Dict, constants: Constants, depth: int) -> list[str] | None:
    items: list[str] = []
    for key, value in zip(node.keys, node.values, strict=True):
        if key is None:
            inner = string_items(value, constants, depth + 1)
            if inner is None:
                return None
            items.extend(inner)
        elif (text := string_value(key, {})) is not None:
            items.append(text)
        else:
            return None
    return items


def _union(first: ast.expr, second: ast.expr, constants: Constants, depth: int) -> list[str] | None:
    """Both arms of a conditional expression; an arm that cannot be read leaves the other."""
    one = string_items(first, constants, depth + 1)
    two = string_items(second, constants, depth + 1)
    if one is None or two is None:
        return one if two is None else two
    return one + [item for item in two if item not in one]


def _concatenation(node: ast.BinOp, constants: Constants, depth: int) -> list[str] | None:
    left = string_items(node.left, constants, depth + 1)
    right = string_items(node.right, constants, depth + 1)
    return None if left is None or right is None else left + right


def _call(node: ast.Call, constants: Constants, depth: int) -> list[str] | None:
    name = dotted_name(node.func)
    if name in ("set", "list", "tuple", "frozenset", "sorted", "dict") and len(node.args) <= 1:
        items = string_items(node.args[0], constants, depth + 1) if node.args else []
        if items is None:
            return _pairs(node.args[0], constants, depth)
        if name == "sorted" and not node.keywords:
            return sorted(items)
        return items + [keyword.arg for keyword in node.keywords if keyword.arg and name == "dict"]
    if isinstance(node.func, ast.Attribute) and node.func.attr == "keys" and not node.args:
        return string_items(node.func.value, constants, depth + 1)
    if isinstance(node.func, ast.Attribute) and node.func.attr == "split" and not node.args:
        text = string_value(node.func.value, {})
        return None if text is None else text.split()
    return None


def _pairs(node: ast.expr, constants: Constants, depth: int) -> list[str] | None:
    """The first elements of a literal sequence of tuples: `dict([("a", 1), ...])`."""
    rows = _rows(node, constants, depth)
    if rows is None:
        return None
    keys = [string_value(row[0], {}) if row else None for row in rows]
    return None if None in keys else [key for key in keys if key is not None]


def _rows(node: ast.expr | None, constants: Constants, depth: int) -> list[list[ast.expr]] | None:
    """A literal sequence as rows of elements; a single value is a row of one."""
    if depth > 12:
        return None
    if isinstance(node, ast.Name):
        return _rows(constants.get(node.id), constants, depth + 1)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.args:
        table = node.func.value
        table = constants.get(table.id, table) if isinstance(table, ast.Name) else table
        if not isinstance(table, ast.Dict) or None in table.keys:
            return None
        keys = [key for key in table.keys if key is not None]
        if node.func.attr == "items":
            return [[key, value] for key, value in zip(keys, table.values, strict=True)]
        if node.func.attr == "keys":
            return [[key] for key in keys]
        return [[value] for value in table.values] if node.func.attr == "values" else None
    if isinstance(node, ast.Dict):
        return [[key] for key in node.keys if key is not None] if None not in node.keys else None
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return [
            list(element.elts) if isinstance(element, ast.Tuple | ast.List) else [element]
            for element in node.elts
        ]
    return None


def table_rows(node: ast.expr, constants: Constants) -> list[list[ast.expr]] | None:
    """A literal table as rows of elements: a sequence, a sum of sequences, the items of a dictionary."""
    named = constants.get(node.id, node) if isinstance(node, ast.Name) else node
    if isinstance(named, ast.Dict) and None not in named.keys:
        pairs = zip(named.keys, named.values, strict=True)
        return [[key, value] for key, value in pairs if key is not None]
    rows = _rows(node, constants, 0)
    if rows is None or any(row and isinstance(row[0], ast.Starred) for row in rows):
        strings = string_items(node, constants)
        rows = None if strings is None else [[ast.Constant(text)] for text in strings]
    return None if rows is None or len(rows) > _MAX_ITEMS else rows


Assignment = dict[str, ast.expr]


def loop_assignments(target: ast.expr, iterable: ast.expr, constants: Constants) -> list[Assignment] | None:
    """What a loop's targets are bound to in each round over a literal, None where that cannot be read."""
    names = [target] if isinstance(target, ast.Name) else getattr(target, "elts", None)
    if not names or not all(isinstance(name, ast.Name) for name in names):
        return None
    rows = _rows(iterable, constants, 0)
    if rows is None:
        strings = string_items(iterable, constants)
        rows = _numbers(iterable) if strings is None else [[ast.Constant(text)] for text in strings]
    if rows is None or len(rows) > _MAX_ITEMS:
        return None
    if isinstance(target, ast.Name):
        return [{target.id: row[0] if len(row) == 1 else ast.Tuple(row, ast.Load())} for row in rows]
    if any(len(row) != len(names) for row in rows):
        return None
    return [{name.id: value for name, value in zip(names, row, strict=True)} for row in rows]


def _numbers(node: ast.expr) -> list[list[ast.expr]] | None:
    """The rounds of `range(2, 7)`."""
    if not isinstance(node, ast.Call) or node.keywords or not 1 <= len(node.args) <= 2:
        return None
    ends = [end.value for end in node.args if isinstance(end, ast.Constant) and type(end.value) is int]
    called = isinstance(node.func, ast.Name) and node.func.id in ("range", "xrange")
    if not called or len(ends) != len(node.args):
        return None
    numbers = range(*ends)
    return [[ast.Constant(number)] for number in numbers] if len(numbers) <= _MAX_ITEMS else None


def _field(node: ast.expr, names: Mapping[str, ast.expr], depth: int) -> str | None:
    """What a field of a text is filled with: a text, or a number as it is written."""
    value = names.get(node.id) if isinstance(node, ast.Name) else node
    if isinstance(value, ast.Constant) and type(value.value) is int and abs(value.value) <= _MAX_ITEMS:
        return str(value.value)
    return string_value(node, names, depth)


def _comprehension(
    element: ast.expr, generators: list[ast.comprehension], constants: Constants, depth: int
) -> list[str] | None:
    if len(generators) != 1:
        return None
    generator = generators[0]
    rounds = loop_assignments(generator.target, generator.iter, constants)
    if rounds is None:
        return None
    values = [string_value(element, assignment) for assignment in rounds]
    return None if None in values else [value for value in values if value is not None]


def string_value(node: ast.expr, names: Mapping[str, ast.expr], depth: int = 0) -> str | None:
    """A string expression's value: constants, names, f-strings, sums and `format` of them."""
    if depth > 12:
        return None
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.Name):
        inner = names.get(node.id)
        if inner is None or isinstance(inner, ast.Name):
            return None
        return string_value(inner, {} if isinstance(inner, ast.Constant) else names, depth + 1)
    if isinstance(node, ast.JoinedStr):
        if any(isinstance(part, ast.FormattedValue) and part.format_spec is not None for part in node.values):
            return None
        parts = [
            _field(part.value if isinstance(part, ast.FormattedValue) else part, names, depth + 1)
            for part in node.values
        ]
        return None if None in parts else "".join(part for part in parts if part is not None)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = string_value(node.left, names, depth + 1), string_value(node.right, names, depth + 1)
        return None if left is None or right is None else left + right
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        return _percent(node, names)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
        return _formatted(node, node.func.value, names, depth)
    return None


def _formatted(node: ast.Call, template: ast.expr, names: Mapping[str, ast.expr], depth: int) -> str | None:
    """`"{n} {}".format(a, n=b)` where all fields are plain: a width could make it endless."""
    text = string_value(template, names, depth + 1)
    given: list[tuple[str, ast.expr]] = [(str(at), value) for at, value in enumerate(node.args)]
    given += [(word.arg, word.value) for word in node.keywords if word.arg]
    values = {name: _field(value, names, depth + 1) for name, value in given}
    if text is None or len(text) > _LONGEST or None in values.values():
        return None
    numbers = iter(range(len(node.args)))

    def fill(field: re.Match[str]) -> str:
        if field[0] in ("{{", "}}"):
            return field[0][0]
        value = values.get(field[1] or str(next(numbers, -1)))
        return field[0] if value is None else value[:_LONGEST]

    return _FIELD.sub(fill, text)[:_LONGEST]


def _percent(node: ast.BinOp, names: Mapping[str, ast.expr]) -> str | None:
    template = string_value(node.left, names)
    value = _field(node.right, names, 0)
    if template is None or value is None or template.count("%") != 1:
        return None
    mark = "%d" if value.lstrip("-").isdigit() and "%d" in template else "%s"
    return template.replace(mark, value) if mark in template else None


UNREADABLE = ast.Constant(None)
"""In place of a container that has been changed in a way that cannot be followed."""


def settled(node: ast.expr, constants: Constants) -> ast.expr:
    """A comprehension as the strings that it gives now: what it iterates over may be deleted later."""
    if isinstance(node, ast.DictComp):
        return _settled_table(node, constants) or node
    if isinstance(node, ast.ListComp | ast.SetComp):
        items = string_items(node, constants)
        if items is not None:
            return ast.List([ast.Constant(item) for item in items], ast.Load())
    return node


def _settled_table(node: ast.DictComp, constants: Constants) -> ast.expr | None:
    """A comprehension's pairs, with the values that are texts."""
    if len(node.generators) != 1:
        return None
    generator = node.generators[0]
    rounds = loop_assignments(generator.target, generator.iter, constants)
    if rounds is None or len(rounds) > _MAX_PAIRS:
        items = string_items(node, constants)
        return None if items is None else ast.List([ast.Constant(item) for item in items], ast.Load())
    keys: list[ast.expr | None] = []
    values: list[ast.expr] = []
    for assignment in rounds:
        names = {**constants, **assignment}
        key = string_value(node.key, names)
        if key is None:
            return None
        keys.append(ast.Constant(key))
        values.append(_settled_value(node.value, names, set(assignment)))
    return ast.Dict(keys, values)


def _settled_value(node: ast.expr, names: Constants, targets: set[str]) -> ast.expr:
    """A value of one round: texts as they are then, the loop's names as what they are bound to."""
    if isinstance(node, ast.Tuple | ast.List):
        return ast.Tuple([_settled_value(element, names, targets) for element in node.elts], ast.Load())
    text = string_value(node, names)
    if text is not None:
        return ast.Constant(text)
    if isinstance(node, ast.Name) and node.id in targets:
        return names[node.id]
    return (
        UNREADABLE
        if any(isinstance(part, ast.Name) and part.id in targets for part in ast.walk(node))
        else node
    )


def table_value(node: ast.expr | None, key: str, constants: Constants, depth: int = 0) -> ast.expr | None:
    """The expression that a literal table holds for a key; the last one counts."""
    if depth > 12:
        return None
    if isinstance(node, ast.Name):
        return table_value(constants.get(node.id), key, constants, depth + 1)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        right = table_value(node.right, key, constants, depth + 1)
        return right if right is not None else table_value(node.left, key, constants, depth + 1)
    found = None
    if isinstance(node, ast.Dict):
        for name, value in zip(node.keys, node.values, strict=True):
            if name is None:
                inner = table_value(value, key, constants, depth + 1)
                found = inner if inner is not None else found
            elif string_value(name, {}) == key:
                found = value
    return None if found is UNREADABLE else found


def grown(container: ast.expr, addition: ast.expr, constants: Constants) -> ast.expr:
    """A container after `.update(addition)`, `.extend(addition)` or `+= addition`."""
    addition = settled(addition, constants)
    if string_items(container, constants) is None or string_items(addition, constants) is None:
        return UNREADABLE
    return ast.Dict(keys=[None, None], values=[container, addition])


def string_table(node: ast.expr | None, constants: Constants) -> dict[str, str]:
    """The pairs of a literal dictionary whose keys and values are both strings or names; may be partial."""
    if isinstance(node, ast.Name):
        node = constants.get(node.id)
    table: dict[str, str] = {}
    if isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                table.update(string_table(value, constants))
                continue
            name = string_value(key, {})
            target = string_value(value, {}) or dotted_name(value)
            if name is not None and target is not None:
                table[name] = target
    return table
