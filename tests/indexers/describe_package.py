"""What Python itself says of paths of a package; run in a process of its own, since it imports the package.

Reads {"folder", "modules", "paths", "calls"} as JSON from standard input and writes {path: [kind, signature]}
(null where nothing is bound there) and, for each call, whether Python takes its arguments.
"""

from __future__ import annotations

import importlib
import inspect
import json
import sys
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any


def kind_of(value: Any, owner: Any) -> str:
    """The kind of a value as the knowledge base names kinds."""
    if isinstance(value, ModuleType):
        return "module"
    if inspect.isclass(value):
        return "class"
    if isinstance(value, property) or not callable(value):
        return "attribute"
    if inspect.isclass(owner) and hasattr(type(value), "value") and isinstance(value, owner):
        return "attribute"
    return "method" if inspect.isclass(owner) else "function"


def described(path: str) -> list[str | None] | None:
    """[kind, signature] of a dotted path, None where Python binds nothing there."""
    parts = path.split(".")
    owner, value = None, importlib.import_module(parts[0])
    for at, part in enumerate(parts[1:], 1):
        try:
            owner, value = value, getattr(value, part)
        except AttributeError:
            if not isinstance(value, ModuleType):
                return None
            try:
                owner, value = value, importlib.import_module(".".join(parts[: at + 1]))
            except ImportError:
                return None
    try:
        signature = str(inspect.signature(value)) if callable(value) else None
    except (TypeError, ValueError):
        signature = None
    return [kind_of(value, owner), signature]


def is_taken(call: str) -> bool:
    """True where a call of something in the package does not fail over its arguments or attributes."""
    namespace = {name: importlib.import_module(name) for name in [call.partition(".")[0]]}
    try:
        eval(call, namespace)
    except (AttributeError, TypeError):
        return False
    return True


def main() -> None:
    """Answer the question on standard input."""
    asked = json.load(sys.stdin)
    sys.path[:0] = asked["folders"]
    sys.dont_write_bytecode = True
    warnings.simplefilter("ignore")
    for module in asked["modules"]:
        importlib.import_module(module)
    found = {path: described(path) for path in asked["paths"]}
    json.dump({"paths": found, "calls": {call: is_taken(call) for call in asked["calls"]}}, sys.stdout)


if __name__ == "__main__":
    assert Path(sys.argv[0]).name
    main()
