"""Modules that put another object in their own place, and the tables that they hand to it.

`Wrapper(__name__, {".utils": ["escape"]})`, `recreate_module(__name__, by_module={"pkg.app": ["App"]})`,
and `sys.modules["pkg"] = module("pkg")` of a class with `__getattr__`.  Tables are known by their form:
from modules of the own package to lists of names.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .deprecations import make_mark, warning_marks
from .facts import Binding
from .literals import Constants, string_items, string_value
from .signatures import dotted_name

if TYPE_CHECKING:
    from .bodies import Bodies

REPLACED = "the module replaces itself in sys.modules"

_HANDS_ITSELF = re.compile(r"\(\s*(?:#[^\n]*\n\s*)?__name__\s*,")
_MOST_NAMES = 20_000


def may_replace_itself(text: str) -> bool:
    """True where a file may hand tables to what takes its place."""
    return "ModuleType" in text or ("__name__" in text and _HANDS_ITSELF.search(text) is not None)


def replaced_names(
    tree: ast.Module, constants: Constants, bodies: Bodies, package: str
) -> tuple[list[Binding], str | None]:
    """(what the tables serve, why there may be other names; None where the file does not tell so)."""
    wrappers = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef) and _wraps(node)}
    bindings: dict[str, Binding] = {}
    opaque = None
    for call in _calls(tree):
        callee = wrappers.get(dotted_name(call.func) or "")
        named = bool(call.args) and _names_module(call.args[0], package)
        if not named:
            continue
        arguments = [*call.args[1:], *(word.value for word in call.keywords)]
        if callee is not None:
            opaque = REPLACED
            # Its own methods read tables of the module.
            arguments += [value for value in constants.values() if isinstance(value, ast.Dict)]
        mark = _mark(callee, bodies)
        for argument in arguments:
            for binding in _table(argument, constants, package, call.lineno, mark):
                if len(bindings) < _MOST_NAMES:
                    bindings.setdefault(binding.name, binding)
    return list(bindings.values()), opaque


def _wraps(node: ast.ClassDef) -> bool:
    """A kind of module that serves names."""
    return any((dotted_name(base) or "").rpartition(".")[2] == "ModuleType" for base in node.bases) and any(
        isinstance(member, ast.FunctionDef) and member.name == "__getattr__" for member in node.body
    )


def _calls(tree: ast.Module) -> Iterator[ast.Call]:
    for statement in tree.body:
        if isinstance(statement, ast.Expr | ast.Assign) and isinstance(statement.value, ast.Call):
            yield statement.value


def _names_module(node: ast.expr, package: str) -> bool:
    return dotted_name(node) == "__name__" or (isinstance(node, ast.Constant) and node.value == package)


def _mark(wrapper: ast.ClassDef | None, bodies: Bodies) -> tuple[Any, ...] | None:
    """The warning with which the wrapper's `__getattr__` serves names."""
    for member in wrapper.body if wrapper is not None else ():
        if isinstance(member, ast.FunctionDef) and member.name == "__getattr__":
            for node in (node for part in bodies.body(member) for node in ast.walk(part)):
                if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
                    found = next(warning_marks([node], ()), None)
                    if found is not None:
                        return found
    return None


def _table(
    node: ast.expr, constants: Constants, package: str, line: int, mark: tuple[Any, ...] | None
) -> Iterator[Binding]:
    """Names by module, or modules by name; nothing where anything in the table is neither."""
    if isinstance(node, ast.Name):
        node = constants.get(node.id, node)
    if not isinstance(node, ast.Dict):
        return
    found: list[Binding] = []
    for key, value in zip(node.keys, node.values, strict=True):
        text = string_value(key, {}) if key is not None else None
        served = _entry(text, value, constants, package, line, mark) if text else None
        if served is None:
            return
        found += served
    yield from found


def _entry(
    key: str, value: ast.expr, constants: Constants, package: str, line: int, mark: tuple[Any, ...] | None
) -> list[Binding] | None:
    direct = string_value(value, {})
    if direct is not None:  # `{"task": "pkg.task"}`
        named = direct.rpartition(".")[2] == key and _own_module(direct, package) == direct
        return [Binding(key, "import", direct, line, via="lazy")] if named else None
    module, names = _own_module(key, package), string_items(value, constants)
    if module is None or names is None or not all(map(str.isidentifier, names)):
        return None
    if module == package:  # `{".": ["exceptions"]}`
        return [Binding(name, "import", f"{module}.{name}", line, via="lazy") for name in names]
    return [
        Binding(name, "from", (module, name), line, via="lazy", deprecations=_told(mark, module, name))
        for name in names
    ]


def _own_module(text: str, package: str) -> str | None:
    """The absolute name of a module of the package; None for what is none."""
    path = f"{package}{text}".rstrip(".") if text.startswith(".") else text
    inside = path == package or path.startswith(package.partition(".")[0] + ".")
    return path if inside and all(map(str.isidentifier, path.split("."))) else None


def _told(mark: tuple[Any, ...] | None, module: str, name: str) -> tuple[tuple[Any, ...], ...]:
    if mark is None:
        return ()
    return (make_mark("getattr", None, replacement=f"{module}.{name}", line=mark[-1]),)
