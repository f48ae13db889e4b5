"""Names that functions of a file write into its namespace, where all of them can be told.

def _initialize(g=globals()):
    manager = ResourceManager()
    g.update((name, getattr(manager, name)) for name in dir(manager) if not name.startswith("_"))

def _prepare():
    require = working_set.require
    globals().update(locals())
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from .definitions import Function
from .facts import AttributeFacts, Binding, ClassFacts
from .global_names import REASON, called_at_top, functions_of
from .patchers import READS_NAMESPACE
from .signatures import dotted_name
from .string_flow import StringFlow, Strings

if TYPE_CHECKING:
    from .scope import Scope

_MENTIONS = ("globals()", "sys.modules[__name__]")
_READS = frozenset(("__contains__", "copy", "get", "items", "keys", "values"))
_MOST = 2000


def written_globals(tree: ast.Module, scope: Scope) -> list[Binding] | None:
    """Bindings of the names that functions write into the module's namespace; None where these may be any."""
    called, functions = called_at_top(tree), functions_of(tree)
    found: dict[str, Binding] = {}
    ranges = [range(node.lineno, (node.end_lineno or node.lineno) + 1) for node in functions]
    for node in _functions_with(tree, scope.reader.bodies.lines):
        if not any(node.lineno in inside for inside in ranges):
            return None  # in a class that is not at the top
        if node not in functions or node.name == "__getattr__":
            continue  # part of another function
        names = _Written(node, scope.reader.bodies.body(node), scope.env).names()
        if names is None or len(names) > _MOST:
            return None
        ran = bool(node.decorator_list) or node.name in called
        for name, known in names.items():
            binding = known if ran and known is not None else Binding(name, "unknown", REASON)
            found.setdefault(name, binding._replace(line=node.lineno, via="dynamic"))
    return list(found.values())


def _functions_with(tree: ast.Module, lines: Sequence[str]) -> Iterator[Function]:
    """The functions, however deep, that mention the namespace."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            text = "\n".join(lines[node.lineno - 1 : node.end_lineno])
            if any(mention in text for mention in _MENTIONS):
                yield node


class _Written:
    """One function: where it has the namespace, and what it does with it."""

    def __init__(self, node: Function, body: Sequence[ast.stmt], env: Mapping[str, Binding]) -> None:
        self.node = node
        self.body = body
        self.env = env
        self.flow = StringFlow(node, body, self._listed)
        self.holders = {name for name, value in _defaults(node) if _is_globals(value)}
        self.members: dict[str, Binding | None] = {}
        """What `dir()` of an object has listed."""

    def names(self) -> dict[str, Binding | None] | None:
        """The names with what is bound, None for a name that may be left out; or None for any name."""
        pairs = [pair for statement in self.body for pair in _with_parents(statement)]
        for node, parent in pairs:
            if _is_globals(node) and isinstance(parent, ast.Assign):
                if not all(isinstance(target, ast.Name) for target in parent.targets):
                    return None
                self.holders.update(target.id for target in parent.targets if isinstance(target, ast.Name))
        found: dict[str, Binding | None] = {}
        parents = {id(node): parent for node, parent in pairs}
        for node, parent in pairs:
            texts = self._used(node, parent, parents.get(id(parent)))
            if texts is None or (isinstance(node, ast.Call) and dotted_name(node.func) in ("exec", "eval")):
                return None
            for text in texts:
                found[text] = self.members.get(text, Binding(text, "attr", AttributeFacts()))
        return found

    def _used(self, node: ast.AST, parent: ast.AST | None, outer: ast.AST | None) -> frozenset[str] | None:
        """The names that one mention of the namespace writes; None where it is handed on."""
        if _is_module(node):
            return self._set_on_module(node, parent)
        loaded = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in self.holders
        if not loaded and not _is_globals(node):
            return frozenset()
        if isinstance(parent, ast.Compare) or (isinstance(parent, ast.Assign) and _is_globals(node)):
            return frozenset()
        if isinstance(parent, ast.Subscript):
            return self._texts(parent.slice) if isinstance(parent.ctx, ast.Store) else frozenset()
        if isinstance(parent, ast.Attribute) and isinstance(outer, ast.Call) and outer.func is parent:
            return self._method(parent.attr, outer)
        if isinstance(parent, ast.Call) and dotted_name(parent.func) in READS_NAMESPACE - {"eval"}:
            return frozenset()
        return None

    def _set_on_module(self, node: ast.AST, parent: ast.AST | None) -> frozenset[str] | None:
        if isinstance(parent, ast.Attribute):
            return frozenset() if isinstance(parent.ctx, ast.Load) and parent.attr != "__dict__" else None
        called = dotted_name(parent.func) if isinstance(parent, ast.Call) else None
        if isinstance(parent, ast.Call) and called == "setattr" and parent.args[0] is node:
            return self._texts(parent.args[1])
        return frozenset() if called in ("getattr", "hasattr") else None

    def _method(self, method: str, call: ast.Call) -> frozenset[str] | None:
        if method in _READS:
            return frozenset()
        if method in ("setdefault", "__setitem__") and call.args:
            return self._texts(call.args[0])
        if method != "update" or any(keyword.arg is None for keyword in call.keywords):
            return None
        words = frozenset(keyword.arg for keyword in call.keywords if keyword.arg)
        for argument in call.args:
            names = self._keys(argument)
            if names is None:
                return None
            words |= names
        return words

    def _keys(self, node: ast.expr) -> frozenset[str] | None:
        if isinstance(node, ast.Call) and dotted_name(node.func) == "locals" and not node.args:
            return frozenset(_locals(self.node, self.body))
        pair = node.elt if isinstance(node, ast.GeneratorExp | ast.ListComp) else None
        if isinstance(pair, ast.Tuple):
            return self._texts(pair.elts[0]) if len(pair.elts) == 2 else None
        return _plain(self.flow.keys(node))

    def _texts(self, node: ast.expr) -> frozenset[str] | None:
        return _plain(self.flow.strings(node))

    def _listed(self, call: ast.Call) -> Strings | None:
        """`dir(manager)`, where the function has made `manager` of a class whose members can all be told."""
        name = call.args[0].id if len(call.args) == 1 and isinstance(call.args[0], ast.Name) else None
        if dotted_name(call.func) != "dir" or name is None:
            return None
        made = [
            node.value
            for statement in self.body
            for node in ast.walk(statement)
            if isinstance(node, ast.Assign) and any(_is_name(target, name) for target in node.targets)
        ]
        if len(made) != 1 or not isinstance(made[0], ast.Call):
            return None
        members = _members(self.env, dotted_name(made[0].func))
        if members is None:
            return None
        members = {name: member for name, member in members.items() if name[:2] != "__"}
        for member in members.values():
            # Names that begin with an underscore are mostly passed over.
            self.members[member.name] = None if member.name.startswith("_") else _of_instance(member)
        return Strings(frozenset(members))


def _plain(strings: Strings | None) -> frozenset[str] | None:
    return None if strings is None or strings.given else strings.texts


def _members(env: Mapping[str, Binding], name: str | None, depth: int = 0) -> dict[str, Binding] | None:
    """The members of a class of the file, those of its ancestors too; None where others may hide."""
    binding = env.get(name or "")
    if binding is None or binding.form != "class" or depth > 8:
        return None
    facts: ClassFacts = binding.data
    if facts.opaque or facts.decorators or facts.metaclass:
        return None
    found: dict[str, Binding] = {}
    for base in facts.bases:
        inherited = {} if base == "object" else _members(env, base, depth + 1)
        if inherited is None:
            return None
        found.update(inherited)
    return {**found, **{member.name: member for member in facts.members}}


def _of_instance(member: Binding) -> Binding:
    """What an instance gives for a member of its class: a method without its first parameter."""
    if member.form != "def":
        return Binding(member.name, "attr", AttributeFacts())
    facts = member.data
    if "staticmethod" not in facts.labels and facts.signature is not None:
        parameters, returns = facts.signature
        facts = facts._replace(signature=(parameters[1:], returns))
    return Binding(member.name, "def", facts._replace(labels=()))


def _locals(node: Function, body: Sequence[ast.stmt]) -> Iterator[str]:
    """The local variables of a function; those of comprehensions and of functions in it are left out."""
    arguments = node.args
    starred = (argument for argument in (arguments.vararg, arguments.kwarg) if argument is not None)
    every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *starred)
    yield from (argument.arg for argument in every)
    pending: list[ast.AST] = list(body)
    inner = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
    while pending:
        part = pending.pop()
        if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield part.name
            continue
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            yield part.id
        elif isinstance(part, ast.Import | ast.ImportFrom):
            yield from ((alias.asname or alias.name).partition(".")[0] for alias in part.names)
        elif isinstance(part, ast.ExceptHandler) and part.name:
            yield part.name
        if not isinstance(part, inner):
            pending.extend(ast.iter_child_nodes(part))


def _defaults(node: Function) -> Iterator[tuple[str, ast.expr]]:
    arguments = [*node.args.posonlyargs, *node.args.args]
    defaults = node.args.defaults
    for argument, value in zip(arguments[len(arguments) - len(defaults) :], defaults, strict=True):
        yield argument.arg, value
    for argument, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True):
        if default is not None:
            yield argument.arg, default


def _with_parents(root: ast.AST) -> Iterator[tuple[ast.AST, ast.AST | None]]:
    pending: list[tuple[ast.AST, ast.AST | None]] = [(root, None)]
    while pending:
        node, parent = pending.pop()
        yield node, parent
        pending.extend((child, node) for child in ast.iter_child_nodes(node))


def _is_globals(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and dotted_name(node.func) == "globals" and not node.args


def _is_module(node: ast.AST) -> bool:
    """`sys.modules[__name__]`."""
    return (
        isinstance(node, ast.Subscript)
        and dotted_name(node.value) == "sys.modules"
        and _is_name(node.slice, "__name__")
    )


def _is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name
