"""Names that a module serves from tables: `_import_structure`, `lazy_loader.attach`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .facts import StarImport
from .literals import Constants, string_items, string_value
from .signatures import dotted_name

if TYPE_CHECKING:
    from .scope import Scope

UNREADABLE = "its table of lazily imported names cannot be read"
MADE_ELSEWHERE = "names are served by a __getattr__ made elsewhere"


def lazy_structure(scope: Scope, node: ast.Dict) -> None:
    for key, value in zip(node.keys, node.values, strict=True):
        module = string_value(key, {}) if key is not None else None
        if module is not None:
            lazy_names(scope, module, value)
        else:
            scope.opaque = UNREADABLE


def lazy_names(scope: Scope, module: str, value: ast.expr) -> None:
    copied = _names_of_module(value)
    if copied is not None:
        # With the lowest number: whatever the table names itself comes first.
        condition = " and ".join(scope.conditions) or None
        scope.stars.append(StarImport(copied, -1, condition, everything=True))
        return
    names = string_items(value, scope.constants)
    if names is None and (text := string_value(value, {})):
        names = [text]
    if names is None:
        scope.opaque = UNREADABLE
        return
    target = f"{scope.reader.package}.{module}"
    for name in names:
        scope.lazy.setdefault(name, (target, name))


def _names_of_module(value: ast.expr) -> str | None:
    """The module in `dir(module)` or `[name for name in dir(module) if ...]`."""
    if isinstance(value, ast.ListComp) and len(value.generators) == 1:
        target = value.generators[0].target
        if dotted_name(value.elt) != dotted_name(target):
            return None
        value = value.generators[0].iter
    if isinstance(value, ast.Call) and dotted_name(value.func) == "dir" and len(value.args) == 1:
        return dotted_name(value.args[0])
    return None


def lazy_loader(scope: Scope, names: list[str], call: ast.Call) -> bool:
    """`__getattr__, __dir__, __all__ = lazy_loader.attach(...)`."""
    function = (dotted_name(call.func) or "").rpartition(".")[2].lstrip("_")
    if "__getattr__" not in names:
        return False
    if function == "attach_stub":
        scope.stub_attached = True
        return True
    arguments = dict(zip(("module", "submodules", "submod_attrs"), call.args, strict=False))
    arguments.update({keyword.arg: keyword.value for keyword in call.keywords if keyword.arg})
    # Copies of the function are made by hand, under a name of their own.
    if function != "attach" and not {"submodules", "submod_attrs"} & {word.arg for word in call.keywords}:
        scope.opaque = MADE_ELSEWHERE
        return True
    package = scope.reader.package
    for name in string_items(arguments.get("submodules"), scope.constants) or ():
        scope.bind(name, "import", f"{package}.{name}", call.lineno, "lazy")
    table = arguments.get("submod_attrs")
    table = scope.constants.get(table.id) if isinstance(table, ast.Name) else table
    if isinstance(table, ast.Dict):
        lazy_structure(scope, table)
    elif table is not None and not (isinstance(table, ast.Constant) and table.value is None):
        scope.opaque = UNREADABLE
    return True


def lazy_extend(scope: Scope, call: ast.Call) -> None:
    """`_import_structure["module"].append("Name")`."""
    table = call.func.value if isinstance(call.func, ast.Attribute) else None
    if isinstance(table, ast.Subscript) and dotted_name(table.value) == "_import_structure":
        name = string_value(table.slice, {})
        if name is not None:
            lazy_names(scope, name, call.args[0])


def writes_back(call: ast.Call) -> bool:
    """`parts = LazyLoader("parts", globals(), "package.parts")`: once loaded, it writes this one name."""
    function = (dotted_name(call.func) or "").rpartition(".")[2].lstrip("_")
    return function == "LazyLoader" and bool(call.args) and string_value(call.args[0], {}) is not None


def loaded_module(value: ast.expr, constants: Constants) -> str | None:
    """The module that such a loader stands for."""
    if not isinstance(value, ast.Call) or len(value.args) < 3 or not writes_back(value):
        return None
    module = string_value(value.args[2], constants)
    return module if module is not None and all(map(str.isidentifier, module.split("."))) else None
