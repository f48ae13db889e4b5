"""One source file to facts, by the first parser that can read it.  Nothing of it is ever run."""

from __future__ import annotations

import ast
import gc
import re
import warnings

from prune_source import prune_source

from .bodies import Bodies
from .definitions import docstring_hash, docstring_of
from .facts import Binding, ModuleFacts
from .legacy import parse_legacy
from .loops import LOOP_NAMES
from .module_getattr import DYNAMIC, read_getattr
from .scope import FileReader, Scope
from .sources import SourceError, decode_source

_WRITES_GLOBALS = re.compile(
    r"^[ \t]+(?:globals\(\)\s*(?:\[[^\]\n]+\]\s*=[^=]|\.update\(|\.setdefault\()"
    r"|setattr\(\s*sys\.modules\[__name__\])",
    re.MULTILINE,
)
_PARSE_ERRORS = (SyntaxError, ValueError, RecursionError, MemoryError)


def extract(
    data: bytes,
    module: str,
    *,
    is_init: bool,
    is_stub: bool = False,
    suffix: str = ".py",
    pxd: bytes | None = None,
) -> ModuleFacts:
    """Facts of one file.

    `module` is its dotted name, which its relative imports are resolved against.
    Raises `SourceError` with the reason where no parser can make sense of it.
    """
    text = decode_source(data).text
    if suffix == ".pyx":
        from .cython import cython_skeleton

        tree: ast.Module = cython_skeleton(text, decode_source(pxd).text if pxd is not None else None)
        return _read(tree, text, module, "cython", is_init=is_init, is_stub=False, pruned=False)
    with warnings.catch_warnings():
        # Invalid escapes in somebody else's strings are none of the user's business.
        warnings.simplefilter("ignore")
        tree, parser, pruned = _parse(text, prune=not is_stub)
    try:
        return _read(tree, text, module, parser, is_init=is_init, is_stub=is_stub, pruned=pruned)
    except RecursionError as error:
        raise SourceError("nested too deep") from error


def _parse(text: str, *, prune: bool) -> tuple[ast.Module, str, bool]:
    """(tree, parser, whether function bodies are pruned)."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        shorter = _pruned(text) if prune else None
        try:
            return ast.parse(shorter if shorter is not None else text), "ast", shorter is not None
        except _PARSE_ERRORS:
            return parse_legacy(text), "tree-sitter", False
    finally:
        if collecting:
            gc.enable()


def _pruned(text: str) -> str | None:
    try:
        return prune_source(text)
    except Exception:
        return None


def _read(
    tree: ast.Module, text: str, module: str, parser: str, *, is_init: bool, is_stub: bool, pruned: bool
) -> ModuleFacts:
    bodies = Bodies(text, pruned=pruned)
    reader = FileReader(module, bodies, is_init=is_init, is_stub=is_stub)
    if ":=" in text:
        reader.notes.add("walrus")
    scope = Scope(reader)
    scope.run(tree.body)
    served, opaque = _served(scope)
    scope.finish()
    if scope.opaque is None and _WRITES_GLOBALS.search(text) and _writes_in_function(tree, text):
        scope.opaque = LOOP_NAMES
    via = "cython" if parser == "cython" else None
    bindings = tuple(scope.env.values())
    if via is not None:
        bindings = tuple(
            binding._replace(via=via) if binding.via == "definition" else binding for binding in bindings
        )
    return ModuleFacts(
        parser=parser,
        bindings=bindings,
        stars=tuple(scope.stars),
        exports=tuple(scope.exports) or None,
        served=served,
        opaque=scope.opaque or opaque or _partly_read(tree),
        deleted=tuple(sorted(scope.deleted)),
        typing_only=tuple(sorted(scope.typing_only)),
        stub_attached=scope.stub_attached,
        errors=getattr(tree, "errors", 0),
        namespace=scope.namespace,
        doc=docstring_hash(docstring_of(tree.body)),
        notes=tuple(sorted(reader.notes)),
        raises=scope.raises if not bindings or scope.raises else None,
        deprecations=tuple(scope.marks),
    )


def _partly_read(tree: ast.Module) -> str | None:
    """A file that was read around its syntax errors may bind more than was seen."""
    errors = getattr(tree, "errors", 0)
    if errors:
        return f"{errors} places of its source could not be parsed"
    included = getattr(tree, "includes", None)
    return f"it includes {', '.join(included)}, which is not read" if included else None


def _writes_in_function(tree: ast.Module, text: str) -> bool:
    """Names made inside functions, which the top level may call; loops at the top level are read as such."""
    lines = [text.count("\n", 0, match.start()) + 1 for match in _WRITES_GLOBALS.finditer(text)]
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return any(node.lineno < line <= (node.end_lineno or 0) for node in functions for line in lines)


def _served(scope: Scope) -> tuple[tuple[Binding, ...], str | None]:
    """Bindings that `__getattr__` or a lazy table serves, and why there may be more."""
    served = [Binding(name, "from", target, via="lazy") for name, target in scope.lazy.items()]
    node = scope.getattr_node
    if node is None:
        elsewhere = "__getattr__" in scope.env and scope.kind == "module"
        return tuple(served), DYNAMIC if elsewhere else None
    parameter = node.args.args[0].arg if node.args.args else "name"

    def local_scope(body: list[ast.stmt]) -> dict[str, Binding]:
        inner = Scope(scope.reader, "local")
        inner.run(body)
        return inner.env

    body = scope.reader.bodies.body(node)
    result = read_getattr(body, parameter, scope.constants, local_scope, scope.class_attributes)
    return (*served, *result.bindings.values()), result.opaque
