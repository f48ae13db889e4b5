"""Modules whose content has gone to another distribution, and that say so by an ImportError of their own.

try:
    from lxml_html_clean import *
except ImportError:
    raise ImportError("lxml.html.clean is now a separate project") from None
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from .deprecations import text_of
from .facts import Binding, ModuleFacts
from .signatures import dotted_name, expression_text

if TYPE_CHECKING:
    from .scope import FileReader

_IMPORT_ERRORS = frozenset({"ImportError", "ModuleNotFoundError"})
_LONGEST = 500
"""Characters of a message that are kept."""


def import_refusal(node: ast.Raise, constants: Mapping[str, ast.expr]) -> str | None:
    """The message of a statement that makes its module impossible to import; None for any other error."""
    error = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
    if node.exc is None or error is None or dotted_name(error) not in _IMPORT_ERRORS:
        return None
    message = text_of(node.exc, dict(constants)) or expression_text(node.exc) or "it raises ImportError"
    return " ".join(message.split())[:_LONGEST]


def guarded_imports(node: ast.Try, reader: FileReader) -> Iterator[tuple[str, str]]:
    """(module of another distribution, message) of imports that are tried, and raise a new ImportError."""
    message = next(filter(None, map(_refusal, node.handlers)), None)
    if message is None:
        return
    for statement in node.body:
        for module in _imported(statement, reader):
            if _top(module) not in (_top(reader.module), "?") and not _is_standard(module):
                yield module, message


def _refusal(handler: ast.ExceptHandler) -> str | None:
    last = handler.body[-1] if handler.body else None
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    caught = {dotted_name(kind) if kind is not None else None for kind in kinds}
    if not caught & {*_IMPORT_ERRORS, "Exception", None} or not isinstance(last, ast.Raise):
        return None
    return import_refusal(last, {})


def _imported(statement: ast.stmt, reader: FileReader) -> Iterator[str]:
    if isinstance(statement, ast.ImportFrom):
        yield reader.absolute(statement.module, statement.level)
    elif isinstance(statement, ast.Import):
        yield from (alias.name for alias in statement.names)


def without_the_other(facts: ModuleFacts, guarded: Mapping[str, str]) -> ModuleFacts:
    """Facts of a module that holds nothing but what it takes from distributions that may be missing.

    What it takes, and what it lists, may be there: that is for the other distribution to say.  A module
    that defines something itself needs the other one; its names are its own.
    """
    if not guarded or not all(_is_taken(binding, guarded) for binding in facts.bindings):
        return facts
    if not all(star.module in guarded for star in facts.stars):
        return facts
    module, said = next(iter(guarded.items()))
    reason = f"it comes from {module}, another distribution, if that is installed; else: {said}"
    own = tuple(binding for binding in facts.bindings if _is_known(binding))
    names = {binding.name: binding.line for binding in facts.bindings if not _is_known(binding)}
    for _, items in facts.exports or ():
        names.update((item, 0) for item in items if isinstance(item, str) and item not in names)
    taken = tuple(Binding(name, "unknown", reason, line) for name, line in names.items())
    return facts._replace(bindings=(*own, *taken), opaque=facts.opaque or reason)


def _is_taken(binding: Binding, guarded: Mapping[str, str]) -> bool:
    if _is_known(binding):
        return True
    if binding.form == "from":
        return binding.data[0] in guarded
    return binding.form == "import" and any(_top(module) == _top(binding.data) for module in guarded)


def _is_known(binding: Binding) -> bool:
    """What comes from the standard library is there, whatever else is installed."""
    module = binding.data[0] if binding.form == "from" else binding.data
    return binding.form in ("from", "import") and (module == "__future__" or _is_standard(module))


def _is_standard(module: str) -> bool:
    return _top(module) in sys.stdlib_module_names


def _top(module: str) -> str:
    return module.partition(".")[0]
