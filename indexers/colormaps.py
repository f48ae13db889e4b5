"""The names of Matplotlib's colour maps, which `matplotlib.cm` puts into its own namespace.

    globals().update(_colormaps)

They are the keys of the tables `datad` and `cmaps` of the modules beside it, those that `cm` gives by
literals, and the same with `_r` for the reversed map; so it has been in every release.  The file of a table
notes its keys, and `bind_colormaps` brings them together.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from .facts import CANDIDATE, AttributeFacts, Binding
from .signatures import dotted_name

if TYPE_CHECKING:
    from .namespaces import Release
    from .scope import Scope

MODULE = "matplotlib.cm"
_TABLES = ("matplotlib._cm", "matplotlib._cm_listed")
_NAMES = ("datad", "cmaps")
_COPIED = "copies colour maps"
"""The note of `matplotlib.cm` that says so."""
_NAMED = "colour map: "
"""Begins a note of one name."""
_HIDDEN = "colour maps with names that are computed"


def copies_colormaps(scope: Scope, call: ast.Call) -> bool:
    """Note that `globals().update(_colormaps)` was read; False for any other module or call."""
    name = dotted_name(call.args[0]) if len(call.args) == 1 and not call.keywords else None
    if scope.reader.module != MODULE or scope.kind != "module" or name not in ("_colormaps", "cmap_d"):
        return False
    scope.reader.notes.add(_COPIED)
    return True


def note_colormaps(tree: ast.Module, scope: Scope) -> None:
    """Note the names that a file gives to colour maps."""
    module, notes = scope.reader.module, scope.reader.notes
    if module == MODULE and _COPIED in notes:
        makers = [node for node in tree.body if isinstance(node, ast.FunctionDef) and "_cmap_" in node.name]
        for maker in makers:
            body = ast.Module(scope.reader.bodies.body(maker), [])
            notes.update(_NAMED + name for name in _literal_keys(body))
    elif module in _TABLES:
        for statement in tree.body:
            found = _table_keys(statement)
            notes.update([_HIDDEN] if found is None else (_NAMED + name for name in found))


def _table_keys(statement: ast.stmt) -> list[str] | None:
    """The keys that a statement gives one of the tables; None where they are computed."""
    if isinstance(statement, ast.For):
        stores = [inner for inner in ast.walk(statement) if isinstance(inner, ast.Subscript)]
        stored = any(isinstance(inner.ctx, ast.Store) and _is_table(inner.value) for inner in stores)
        return _first_of_pairs(statement.iter) if stored else []
    if not isinstance(statement, ast.Assign):
        return []
    target, value = statement.targets[0], statement.value
    if isinstance(target, ast.Subscript) and _is_table(target.value):
        return _texts([target.slice])
    if not _is_table(target):
        return []
    if isinstance(value, ast.DictComp):
        return _first_of_pairs(value.generators[0].iter)
    return _texts(value.keys) if isinstance(value, ast.Dict) else None


def _is_table(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in _NAMES


def _first_of_pairs(node: ast.expr) -> list[str] | None:
    rows = node.elts if isinstance(node, ast.List | ast.Tuple) else [node]
    return _texts([row.elts[0] if isinstance(row, ast.Tuple) and row.elts else row for row in rows])


def _texts(nodes: list[ast.expr] | list[ast.expr | None]) -> list[str] | None:
    found = [node.value if isinstance(node, ast.Constant) else None for node in nodes]
    return (
        [text for text in found if isinstance(text, str)] if all(isinstance(t, str) for t in found) else None
    )


def _literal_keys(tree: ast.AST) -> Iterator[str]:
    """The keys of dictionaries, and those that are assigned to, where they are spelled."""
    for node in ast.walk(tree):
        keys: list[ast.expr | None] = []
        if isinstance(node, ast.Dict):
            keys = list(node.keys)
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            keys = [node.slice]
        yield from (key.value for key in keys if isinstance(key, ast.Constant) and isinstance(key.value, str))


def bind_colormaps(release: Release) -> None:
    """Bind the names in `matplotlib.cm`; it stays open where some of them cannot be told."""
    entry = release.modules.get(MODULE)
    if entry is None or entry.facts is None or _COPIED not in entry.facts.notes:
        return
    tables = [release.modules[module].facts for module in _TABLES if module in release.modules]
    notes = [note for facts in (entry.facts, *tables) if facts is not None for note in facts.notes]
    bases = {note.removeprefix(_NAMED) for note in notes if note.startswith(_NAMED)}
    if not bases or _HIDDEN in notes or None in tables:
        entry.facts = entry.facts._replace(opaque=entry.facts.opaque or _HIDDEN)
    names = release.namespace(MODULE)
    for name in sorted(name + end for name in bases for end in ("", "_r") if name.isidentifier()):
        names.setdefault(name, Binding(name, "attr", AttributeFacts(), 0, CANDIDATE, "dynamic"))
    entry.key = hashlib.blake2b(entry.key + repr(sorted(bases)).encode(), digest_size=16).digest()
