"""One source file to facts, by the first parser that can read it.  Nothing of it is ever run."""

from __future__ import annotations

import ast
import gc
import re
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

from prune_source import prune_source

from .bodies import Bodies
from .colormaps import note_colormaps
from .definitions import docstring_of
from .deprecation_docs import docstring_marks, speaks
from .docstring_injectors import mentions
from .elsewhere import without_the_other
from .facts import Binding, ModuleFacts, StarImport
from .forwarding import NOTE as FORWARDS
from .forwarding import listed_modules, registers_modules
from .getattr_factories import Factory, factory_of, may_make_getattr, read_delegate
from .global_names import global_names
from .late_patches import note_late_patches
from .lazy import MADE_ELSEWHERE, UNREADABLE
from .legacy import parse_legacy
from .loops import LOOP_NAMES
from .marked_aliases import NOTE as MARKED_ALIASES
from .marked_aliases import has_marked_aliases
from .module_getattr import DYNAMIC, Served, read_getattr, serve_delegate
from .patchers import BARE_CALL, module_patchers, patchers, set_classes
from .replaced_modules import REPLACED, may_replace_itself, replaced_names
from .scope import FileReader, Scope
from .sources import SourceError, decode_source
from .written_globals import written_globals

_WRITES_GLOBALS = re.compile(
    r"^[ \t]+(?:globals\(\)\s*(?:\[[^\]\n]+\]\s*=[^=]|\.update\(|\.setdefault\()"
    r"|setattr\(\s*sys\.modules\[__name__\])",
    re.MULTILINE,
)
_ADDED_BY_BINARY = re.compile(
    r"#[^\n]*\b(?:added|injected|installed|set) (?:in|into|on|to) this module (?:by|from|in) (?:\w+ ){0,3}"
    r"(?:[\w/]+\.(?:c|cc|cpp|cu|cxx|rs)\b|C\+\+|C (?:code|extension)|Rust\b)"
)
ADDED_BY_BINARY = "a comment in it says that compiled code adds names to it"
DECLARED_CLASS = "a compiled class, of which its .pxd declares a part"
_SERVED_ELSEWHERE = (DYNAMIC, MADE_ELSEWHERE, UNREADABLE, REPLACED)
"""Reasons for which a module most likely serves what it imports for type checkers."""
_NAMES_GLOBALS = re.compile(r"^[ \t]+(\w+)[ \t]*=[ \t]*globals\(\)[ \t]*$", re.MULTILINE)
_PARSE_ERRORS = (SyntaxError, ValueError, RecursionError, MemoryError)


def extract(
    data: bytes,
    module: str,
    *,
    is_init: bool,
    is_stub: bool = False,
    suffix: str = ".py",
    pxd: bytes | None = None,
    included: Mapping[str, bytes] | None = None,
    outline: bool = False,
) -> ModuleFacts:
    """Facts of one file.

    `module` is its dotted name, which its relative imports are resolved against.  An `outline` tells
    which names a Python file binds and to what kind of thing, and nothing of its functions and classes.
    Raises `SourceError` with the reason where no parser can make sense of it.
    """
    text = decode_source(data).text
    if suffix == ".pxd":
        from .cython import declared_skeleton

        declared = declared_skeleton(text)
        facts = _read(declared, text, module, "cython", is_init=is_init, is_stub=False, pruned=False)
        return facts._replace(bindings=tuple(_partly_declared(binding) for binding in facts.bindings))
    if suffix == ".pyx":
        from .cython import cython_skeleton

        texts = {name: decode_source(part).text for name, part in (included or {}).items()}
        tree: ast.Module = cython_skeleton(text, decode_source(pxd).text if pxd is not None else None, texts)
        return _read(tree, text, module, "cython", is_init=is_init, is_stub=False, pruned=False)
    with warnings.catch_warnings():
        # Invalid escapes in somebody else's strings are none of the user's business.
        warnings.simplefilter("ignore")
        tree, parser, pruned = _parse(text, prune=not is_stub)
    try:
        return _read(
            tree, text, module, parser, is_init=is_init, is_stub=is_stub, pruned=pruned, outline=outline
        )
    except RecursionError as error:
        raise SourceError("nested too deep") from error


def _partly_declared(binding: Binding) -> Binding:
    """A `.pxd` has neither the constructors of classes nor their other Python methods."""
    if binding.form != "class":
        return binding
    facts = binding.data
    return binding._replace(data=facts._replace(labels=(*facts.labels, "compiled"), opaque=DECLARED_CLASS))


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
    tree: ast.Module,
    text: str,
    module: str,
    parser: str,
    *,
    is_init: bool,
    is_stub: bool,
    pruned: bool,
    outline: bool = False,
) -> ModuleFacts:
    bodies = Bodies(text, pruned=pruned)
    reader = FileReader(module, bodies, is_init=is_init, is_stub=is_stub, tree=tree, outline=outline)
    if ":=" in text:
        reader.notes.add("walrus")
    if is_init and "." not in module and registers_modules(text):
        reader.notes.add(FORWARDS)
        reader.notes.update(listed_modules(tree, text, module))
    reader.injects = mentions(text)
    scope = Scope(reader)
    scope.run(tree.body)
    served, bindings_served = _served(scope)
    for binding in bindings_served:
        scope.dead.pop(binding.name, None)  # what is served is stronger than a branch that is not taken
    if may_replace_itself(text):
        replaced, reason = replaced_names(tree, scope.constants, bodies, reader.package)
        bindings_served += tuple(replaced)
        scope.opaque = scope.opaque or reason
    scope.finish()
    if module.startswith("matplotlib."):
        note_colormaps(tree, scope)
    if not outline:
        scope.open_classes(set_classes(tree, text))
        scope.open_called_setters(text)
    if not is_stub and not outline:
        note_late_patches(tree, scope)
    may_write = "globals()" in text or "sys.modules[__name__]" in text
    written: list[Binding] | None = []
    if scope.opaque is None and may_write and _writes_in_function(tree, text):
        written = written_globals(tree, scope)
        scope.opaque = LOOP_NAMES if written is None else None
    via = "cython" if parser == "cython" else None
    bindings = tuple(scope.env.values())
    bindings += tuple(binding for binding in written or () if binding.name not in scope.env)
    if "global " in text and scope.opaque is None:
        bindings += tuple(global_names(tree, text, bodies, set(scope.env) | scope.deleted | set(scope.lazy)))
    if via is not None:
        bindings = tuple(
            binding._replace(via=via) if binding.via == "definition" else binding for binding in bindings
        )
    if has_marked_aliases(bindings):
        reader.notes.add(MARKED_ALIASES)
    if scope.opaque is None and "this module" in text and _ADDED_BY_BINARY.search(text):
        scope.opaque = ADDED_BY_BINARY
    docstring = docstring_of(tree.body)
    doc = reader.docstrings.keep(docstring)
    opaque = scope.opaque or served.opaque or _partly_read(tree)
    facts = ModuleFacts(
        parser=parser,
        bindings=bindings,
        stars=tuple(scope.stars),
        exports=tuple(scope.exports) or None,
        served=bindings_served,
        opaque=opaque,
        factories=_factories(scope, tree, text),
        getattr_factory=served.factory,
        deleted=tuple(sorted(scope.deleted)),
        typing_only=() if opaque in _SERVED_ELSEWHERE else tuple(sorted(scope.typing_only)),
        stub_attached=scope.stub_attached,
        errors=getattr(tree, "errors", 0),
        doc=doc,
        notes=tuple(sorted(reader.notes)),
        raises=scope.raises if not bindings or scope.raises else None,
        deprecations=(*scope.marks, *_module_marks(tree, module)),
        patches=tuple(reader.patches),
        setter_calls=tuple(reader.setter_calls),
        injected=tuple(reader.injections),
        attached=tuple(reader.attached),
        texts=tuple(reader.docstrings.texts.items()),
        patchers=()
        if outline
        else (*patchers(text, bodies.lines, scope.functions), *module_patchers(tree, text, bodies)),
    )
    return without_the_other(facts, scope.guarded)


def _module_marks(tree: ast.Module, module: str) -> Iterator[tuple[Any, ...]]:
    """What the module's own docstring says of it."""
    doc = docstring_of(tree.body)
    if doc is not None and speaks(doc):
        yield from docstring_marks(doc, tree.body[0].lineno, module.rpartition(".")[2])


def _partly_read(tree: ast.Module) -> str | None:
    """A file that was read around its syntax errors may bind more than was seen."""
    errors = getattr(tree, "errors", 0)
    if errors:
        return f"{errors} places of its source could not be parsed"
    included = getattr(tree, "includes", None)
    return f"it includes {', '.join(included)}, which is not read" if included else None


def _writes_in_function(tree: ast.Module, text: str) -> bool:
    """Names made inside functions, which the top level may call; loops at the top level are read as such."""
    writes = [*_WRITES_GLOBALS.finditer(text), *_writes_by_another_name(text)]
    lines = [text.count("\n", 0, match.start()) + 1 for match in writes]
    functions = [
        node
        for node in ast.walk(tree)
        # A module's `__getattr__` keeps what it serves: names that are read there.
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name != "__getattr__"
    ]
    return any(node.lineno < line <= (node.end_lineno or 0) for node in functions for line in lines)


def _writes_by_another_name(text: str) -> Iterator[re.Match[str]]:
    """`names = globals()`, and later `names[key] = value`."""
    for match in _NAMES_GLOBALS.finditer(text):
        name = match[1]
        written = rf"\b{name}(?:\[[^\]\n]+\]\s*=[^=]|\.update\(|\.setdefault\()|\bexec\([^\n]*\b{name}\b"
        if re.search(written, text[match.end() :]):
            yield match


def _served(scope: Scope) -> tuple[Served, tuple[Binding, ...]]:
    """What `__getattr__` does, and all bindings that it or a lazy table serves."""
    tables = [Binding(name, "from", target, via="lazy") for name, target in scope.lazy.items()]
    node = scope.getattr_node
    result = Served()
    if node is not None:
        parameter = node.args.args[0].arg if node.args.args else "name"
        result = _followed(scope, scope.reader.bodies.body(node), parameter)
    elif scope.kind == "module" and "__getattr__" in scope.env:
        made = scope.constants.get("__getattr__")
        members = _class_getattr(scope.env["__getattr__"])
        delegate = read_delegate(made, scope.constants) if isinstance(made, ast.Call) else None
        if delegate is not None:
            serve_delegate(result, delegate, scope.env["__getattr__"].line)
        elif members is not None:
            result.bindings.update(members)
        else:
            result.opaque = DYNAMIC
    for module, marks in result.forwards:
        scope.stars.append(StarImport(module, -1, None, everything=True, marks=marks))
    return result, (*tables, *result.bindings.values())


def _class_getattr(binding: Binding) -> dict[str, Binding] | None:
    """What `@caching_module_getattr class __getattr__` serves: the properties of the class (Matplotlib)."""
    decorators = binding.data.decorators if binding.form == "class" else ()
    if not any(name.removesuffix(BARE_CALL).endswith("caching_module_getattr") for name in decorators):
        return None
    members: tuple[Binding, ...] = binding.data.members
    return {
        member.name: member._replace(via="getattr")
        for member in members
        if member.form == "attr" and member.name[:2] != "__"
    }


def _followed(scope: Scope, body: list[ast.stmt], parameter: str) -> Served:
    def local_scope(statements: list[ast.stmt]) -> dict[str, Binding]:
        inner = Scope(scope.reader, "local")
        inner.run(statements)
        return inner.env

    package = scope.reader.package
    return read_getattr(body, parameter, scope.constants, local_scope, scope.class_attributes, package)


def _factories(scope: Scope, tree: ast.Module, text: str) -> tuple[Factory, ...]:
    """Functions of the file that make the `__getattr__`s of other modules."""
    if not may_make_getattr(text):
        return ()

    def follow(body: list[ast.stmt], variable: str) -> tuple[dict[str, Binding], str | None]:
        result = _followed(scope, body, variable)
        return result.bindings, result.opaque

    nodes = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    found = (factory_of(node, scope.reader.bodies, follow) for node in nodes)
    return tuple(factory for factory in found if factory is not None)
