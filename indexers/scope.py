"""One scope, statement by statement: what its names are bound to in the end.

Statements are followed in order, as Python would run them: the last binding wins,
`del` removes, a branch that a current CPython on Linux does not take binds nothing
(but is remembered, because a name that only exists elsewhere is not absent), and
branches that cannot be decided are followed both.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Callable
from typing import Any

from . import definitions as d
from .bodies import Bodies, without_docstring
from .branches import condition_text, is_type_checking, verdict
from .called_classes import called_bases
from .class_bodies import (
    ALIASES,
    add_aliases,
    class_setter,
    instance_attributes,
    note_setter_calls,
)
from .colormaps import copies_colormaps
from .deprecation_docs import attached_marks
from .deprecations import checked_marks, raised_message, warning_marks, wrapped_by_deprecator
from .docstring_injectors import Injector, injector_of, read_injection
from .docstrings import Docstrings
from .elsewhere import guarded_imports, import_refusal
from .exports import added_exports, export_call, export_items
from .facts import (
    CHAINED,
    AttributeFacts,
    Binding,
    ClassFacts,
    FunctionFacts,
    GivenName,
    Injection,
    StarImport,
)
from .flags import Flags, injected_flag, note_flag, with_flags
from .generated import TRANSFORM, Field, chosen_fields, generator_of, read_field, these_of
from .lazy import lazy_extend, lazy_loader, lazy_names, lazy_structure, loaded_module, writes_back
from .literals import UNREADABLE, grown, settled, string_items, string_value
from .loops import (
    LOOP_NAMES,
    is_globals,
    is_namespace,
    is_this_module,
    names_of,
    names_this_module,
    namespace_owner,
    read_loop,
)
from .mangling import mangled_members
from .metaclasses import HANDED, Added, read_metaclass
from .patched_members import note_on_registered, note_patch, note_registration
from .patchers import BARE_CALL, READS_NAMESPACE, Span, listed_names, writes_mapping
from .plain_signatures import plain_signature
from .replaced_modules import REPLACED
from .signatures import base_name, dotted_name, expression_text
from .stubs import unlisted_members

SET_AT_RUN_TIME = "attributes are set on the class at run time"
_GROWING = {"update", "extend", "append", "add", "setdefault"}
_KNOWN_STARS = {"typing", "enum", "collections", "dataclasses", "functools", "attr", "attrs"}
"""Modules of which a star import is as good as a list of names."""
_NO_FUNCTION_FACTS = FunctionFacts(None)
_NO_CLASS_FACTS = ClassFacts((), None, (), ())
_IMPORT_ERRORS = {"ImportError", "ModuleNotFoundError", "Exception", "BaseException", "AttributeError", ""}


class FileReader:
    """What all scopes of one file share."""

    def __init__(
        self,
        module: str,
        bodies: Bodies,
        *,
        is_init: bool,
        is_stub: bool,
        tree: ast.Module | None = None,
        outline: bool = False,
    ) -> None:
        self.module = module
        self.tree = tree or ast.Module([], [])
        self.outline = outline
        """Nothing is wanted of functions and classes but that they are there."""
        self.package = module if is_init else module.rpartition(".")[0]
        self.is_init = is_init
        self.is_stub = is_stub
        self.bodies = bodies
        self.docstrings = Docstrings()
        self.attached: list[tuple[str, str, str, tuple[Any, ...]]] = []
        self.injects = False
        """True where the file may give docstrings to compiled objects."""
        self.injections: list[Injection] = []
        self.patches: list[tuple[str, Binding]] = []
        self.setter_calls: list[tuple[Any, ...]] = []
        self._count = 0
        self.notes: set[str] = set()

    def methods(self, name: str) -> list[tuple[d.Function, list[ast.stmt]]]:
        """The methods of a name that the classes at the top of the file have, with their bodies."""
        classes = (node for node in self.tree.body if isinstance(node, ast.ClassDef))
        return [
            (method, self.bodies.body(method))
            for node in classes
            for method in node.body
            if isinstance(method, ast.FunctionDef) and method.name == name
        ]

    def next(self) -> int:
        self._count += 1
        return self._count

    def attach(self, module: str, dotted: str, text: str) -> None:
        """Note a docstring that this file gives to something, here or in another module.

        It becomes the docstring of what `dotted` leads to in `module`, if that has none of its own.
        """
        name = self.docstrings.keep(text)
        if name is not None:
            marks = attached_marks(text, dotted.rpartition(".")[2])
            self.attached.append((module, dotted, name, marks))

    def absolute(self, module: str | None, level: int) -> str:
        """The absolute name of an import; a level beyond the top gives a name that no module has."""
        if not level:
            return module or ""
        parts = self.package.split(".") if self.package else []
        keep = len(parts) - (level - 1)
        if keep < 1:
            return "?." + (module or "")
        return ".".join([*parts[:keep], *([module] if module else [])])


class Scope:
    """A module, a class body, or the local names of a module `__getattr__` branch."""

    def __init__(self, reader: FileReader, kind: str = "module") -> None:
        self.reader = reader
        self.kind = kind
        self.class_name: str | None = None
        """The class whose body it is."""
        self.env: dict[str, Binding] = {}
        self.dead: dict[str, Binding] = {}
        self.typing_only: set[str] = set()
        self.constants: dict[str, ast.expr] = {}
        self.flags: Flags = {}
        self.overloads: dict[str, list[FunctionFacts]] = {}
        self.overload_lines: dict[str, int] = {}
        self.stars: list[StarImport] = []
        self.exports: list[tuple[Any, ...]] = []
        self.deleted: set[str] = set()
        self.set_members: list[Binding] = []
        """Members that classmethods set by name."""
        self.setters: dict[str, tuple[GivenName, ...]] = {}
        """Classmethods that set what they are given, by name."""
        self.outer: Scope | None = None
        """Where names are looked up that this scope does not bind."""
        self.fields: list[Field] = []
        self.lazy: dict[str, tuple[str, str]] = {}
        self.getattr_node: d.Function | None = None
        self.export_functions: dict[str, bool] = {}
        """Functions that add to `__all__`; True where they add that of the module that they are given."""
        self.injectors: dict[str, Injector] = {}
        """Functions that give docstrings to compiled objects."""
        self.functions: list[Span] = []
        self.exporting: set[str] = set()
        self.opaque: str | None = None
        self.stub_attached = False
        self.conditions: list[str] = []
        self.raises: str | None = None
        self.decided = 0
        """How many branches deep it is that only this platform and this Python take."""
        self.guarded: dict[str, str] = {}
        """Modules of other distributions, without which the module raises an ImportError; what that says."""
        self.marks: list[tuple[Any, ...]] = []

    @property
    def is_class(self) -> bool:
        return self.kind == "class"

    def origin(self, dotted: str | None) -> str | None:
        """The absolute path that a dotted name was imported as; None where this file, or nobody, says it."""
        if dotted is None:
            return None
        head, _, rest = dotted.partition(".")
        scope: Scope | None = self
        while scope is not None:
            binding = scope.env.get(head)
            if binding is not None:
                if binding.form not in ("import", "from"):
                    return None
                source = binding.data if binding.form == "import" else ".".join(binding.data)
                return f"{source}.{rest}" if rest else source
            star = next((star.module for star in reversed(scope.stars) if star.module in _KNOWN_STARS), None)
            if star is not None or scope.stars:
                return f"{star}.{dotted}" if star is not None and head[:1] != "_" else None
            scope = scope.outer
        return f"builtins.{dotted}"

    def inside(self, origin: str | None) -> bool:
        """True where a path may lead to something that the package itself defines."""
        return origin is None or origin.partition(".")[0] in (self.reader.module.partition(".")[0], "?")

    # ---- running statements

    def run(self, body: list[ast.stmt]) -> None:
        for statement in body:
            handler = _STATEMENTS.get(type(statement))
            if handler is not None:
                handler(self, statement)

    def finish(self) -> None:
        """Settle what only the end of the scope decides."""
        for name, signatures in self.overloads.items():
            # Overloads without an implementation (a stub): the function is real all the same.
            first = signatures[0]
            texts = tuple(_signature_text(facts) for facts in signatures)
            line = self.overload_lines[name]
            self.bind(name, "def", first._replace(overloads=texts, labels=("overload",)), line)
        for name, binding in self.dead.items():
            known = self.env.get(name)
            if known is None and name not in self.deleted:
                self.env[name] = binding
            elif known is not None and known.form == binding.form == "def" and known.data != binding.data:
                self.env[name] = known._replace(others=(*known.others, binding._replace(others=())))
        self.typing_only -= self.env.keys()
        self.deleted -= self.env.keys()
        for span in self.functions:
            # Nothing here calls it: code elsewhere adds names to this module through it.
            if self.export_functions.get(span.name) is not None and span.name not in self.exporting:
                if "setattr(" in "\n".join(self.reader.bodies.lines[span.first : span.last]):
                    self.opaque = LOOP_NAMES

    def bind(
        self, name: str, form: str, data: Any, line: int, via: str = "definition", marks: tuple[Any, ...] = ()
    ) -> None:
        condition = " and ".join(self.conditions) if self.conditions else None
        via = "stub" if self.reader.is_stub and via == "definition" else via
        self.env[name] = Binding(name, form, data, line, self.reader.next(), via, condition, (), marks)

    # ---- branches

    def _branches(self, branches: list[tuple[str | None, list[ast.stmt]]]) -> None:
        """Follow branches that cannot be decided, each from the same start, and join what they bind."""
        base = self.env
        ends: list[tuple[str | None, dict[str, Binding]]] = []
        for condition, body in branches:
            self.env = dict(base)
            if condition:
                self.conditions.append(condition)
            self.run(body)
            if condition:
                self.conditions.pop()
            ends.append((condition, self.env))
        self.env = _join(base, ends)

    def _dead_branch(self, body: list[ast.stmt], condition: str, *, typing: bool) -> None:
        """Follow a branch that is not taken, and remember the names that only it binds."""
        shadow = Scope(self.reader, self.kind)
        shadow.outer = self
        shadow.constants = dict(self.constants)
        shadow.conditions = [condition]
        shadow.run(body)
        names = {**shadow.dead, **shadow.env}
        if typing:
            self.typing_only.update(names)
            return
        for name, binding in names.items():
            self.dead.setdefault(name, binding)

    def _if(self, node: ast.If) -> None:
        _walrus(self, node.test)
        test = with_flags(node.test, self.flags)
        decided = verdict(test)
        if decided is None:
            self._branches(
                [(condition_text(test), node.body), (condition_text(test, negated=True), node.orelse)]
            )
            return
        taken, other = (node.body, node.orelse) if decided else (node.orelse, node.body)
        self.decided += 1
        self.run(taken)
        self.decided -= 1
        if other:
            typing = is_type_checking(node.test)
            self._dead_branch(other, condition_text(node.test, negated=decided), typing=typing)

    def _try(self, node: ast.Try) -> None:
        flag = injected_flag(node)
        if flag is not None:
            self.run(flag)
            return
        handlers = [handler for handler in node.handlers if not _reraises(handler)]
        importing = any(_handled(handler) & _IMPORT_ERRORS for handler in handlers)
        if not handlers:
            if self.kind == "module":
                self.guarded.update(guarded_imports(node, self.reader))
            self.run(node.body)
            self.run(node.orelse)
        else:
            success = _success_text(node.body) if importing else "no exception is raised"
            branches: list[tuple[str | None, list[ast.stmt]]] = [(success, [*node.body, *node.orelse])]
            branches += [(f"not ({success})", handler.body) for handler in handlers]
            before = len(self.stars)
            self._branches(branches)
            self.stars[before:] = [
                star._replace(seq=-1) if (star.condition or "").endswith(f"not ({success})") else star
                for star in self.stars[before:]
            ]
        self.run(node.finalbody)

    def class_attributes(self, name: str) -> list[str] | None:
        """Public attributes that the body of a class of this scope assigns, None for any other name."""
        binding = self.env.get(name)
        if binding is None or binding.form != "class":
            return None
        return [
            member.name for member in binding.data.members if member.form == "attr" and member.name[0] != "_"
        ]

    # ---- imports

    def _import(self, node: ast.Import) -> None:
        for alias in node.names:
            if alias.asname:
                self.bind(alias.asname, "import", alias.name, node.lineno, "import")
            else:
                head = alias.name.partition(".")[0]
                self.bind(head, "import", head, node.lineno, "import")
                self._submodule(alias.name, node.lineno)

    def _import_from(self, node: ast.ImportFrom) -> None:
        module = self.reader.absolute(node.module, node.level)
        if module == "__future__":
            self.reader.notes.update(f"future:{alias.name}" for alias in node.names)
            for alias in node.names:
                self.bind(alias.asname or alias.name, "from", (module, alias.name), node.lineno, "import")
            return
        self._submodule(module, node.lineno)
        for alias in node.names:
            if alias.name == "*":
                condition = " and ".join(self.conditions) or None
                if self.kind == "module":
                    self.stars.append(StarImport(module, self.reader.next(), condition))
                continue
            via = "reexport" if alias.asname == alias.name else "import"
            self.bind(alias.asname or alias.name, "from", (module, alias.name), node.lineno, via)

    def _submodule(self, module: str, line: int) -> None:
        """Importing `package.sub` inside the package binds `sub` in it, before anything else happens."""
        package = self.reader.package
        if self.kind != "module" or not self.reader.is_init or not module.startswith(f"{package}."):
            return
        name = module[len(package) + 1 :].partition(".")[0]
        if name not in self.env:
            self.bind(name, "import", f"{package}.{name}", line, "submodule")

    # ---- definitions

    def _function(self, node: d.Function) -> None:
        if self.kind == "module" and node.name == "__getattr__":
            self.getattr_node = node
            return
        if self.kind == "module":
            self.functions.append(Span(node.name, node.lineno, node.end_lineno or node.lineno))
        if self.kind == "module" and (added := added_exports(node, self.reader.bodies)) is not None:
            self.export_functions[node.name] = added
        if self.reader.injects and self.kind == "module":
            injector = injector_of(node, self.reader.bodies, self)
            if injector is not None:
                self.injectors[node.name] = injector
        accessor = d.accessor_of(node)
        if accessor is not None and node.name in self.env:
            self.env[node.name] = d.with_label(self.env[node.name], accessor)
            return
        if self.reader.outline:
            self.bind(node.name, "def", _NO_FUNCTION_FACTS, node.lineno)
            return
        form, data = d.read_function(node, self)
        if form == "attr":
            facts, marks = data
            self.bind(node.name, form, facts, node.lineno, marks=marks)
            return
        if "overload" in data.labels:
            self.overloads.setdefault(node.name, []).append(data)
            self.overload_lines.setdefault(node.name, node.lineno)
            return
        pending = self.overloads.pop(node.name, None)
        if pending:
            data = data._replace(overloads=tuple(_signature_text(facts) for facts in pending))
        self.bind(node.name, form, data, node.lineno)
        setter = class_setter(node, self) if self.is_class else None
        if setter is not None:
            self.set_members.extend(setter.members)
            if setter.computed:
                self.opaque = SET_AT_RUN_TIME
            if setter.given:
                self.setters[node.name] = setter.given

    def _class(self, node: ast.ClassDef) -> None:
        if self.reader.outline:
            self.bind(node.name, "class", _NO_CLASS_FACTS, node.lineno)
            return
        inner = Scope(self.reader, "class")
        inner.class_name = node.name
        inner.constants = dict(self.constants) if self.kind == "module" else {}
        inner.flags = dict(self.flags) if self.kind == "module" else {}
        inner.outer = self.outer if self.is_class else self
        generated = generator_of(node, self)
        bases, called, metaclass = called_bases(node, self)
        inner.run(node.body)
        inner.finish()
        instance_attributes(inner, node)
        made = read_metaclass(node, self.reader.bodies, self.reader.methods)
        for name in sorted(made.names) if made is not None else ():
            if name not in inner.env:
                inner.bind(name, "attr", AttributeFacts(None, None, ("instance",)), node.lineno)
        these = these_of(node, self) if generated is not None else None
        if these is not None:
            inner.take_fields(these, node.lineno)
        aliased = add_aliases(inner, node)
        for member in inner.set_members:
            inner.env.setdefault(member.name, member)
        for member in called.members if called is not None else ():
            inner.env.setdefault(member.name, member._replace(line=node.lineno))
        marks, _ = d.definition_marks(node, self.reader.bodies, self.constants)
        told, refused = checked_marks(node.body)
        init = inner.env.get("__init__") or inner.env.get("__new__")
        init_facts = init.data if init is not None and init.form == "def" else None
        metaclass = next((k.value for k in node.keywords if k.arg == "metaclass"), metaclass)
        if init_facts is not None:
            marks = (*marks, *init_facts.deprecations)
        marks = (*marks, *told)
        hidden = unlisted_members(node) if self.reader.is_stub else None
        facts = ClassFacts(
            bases=tuple(base_name(base) for base in bases),
            metaclass=dotted_name(metaclass),
            decorators=tuple(
                name if isinstance(decorator, ast.Call) else name + BARE_CALL
                for name, decorator in d.named_decorators(node)
                if not (aliased and name.rpartition(".")[2] == ALIASES)
            ),
            given=tuple(
                (name, names)
                for name, decorator in d.named_decorators(node)
                if (names := listed_names(decorator))
            ),
            members=mangled_members(inner.env.values(), node.name),
            fields=called.fields if called is not None else chosen_fields(generated, inner.fields, node.body),
            dataclass=generated,
            labels=_class_labels(node, made, compiled=hidden is not None),
            deprecations=marks,
            raises=refused or (init_facts.raises if init_facts is not None else None),
            opaque=inner.opaque or hidden or (called.opaque if called is not None else None),
            deleted=tuple(sorted(inner.deleted)),
            setters=tuple(inner.setters.items()),
            doc=self.reader.docstrings.keep(d.docstring_of(node.body)),
        )
        self.bind(node.name, "class", facts, node.lineno)

    def patch_class(self, name: str, change: Callable[[ClassFacts], ClassFacts]) -> None:
        binding = self.env[name]
        self.env[name] = binding._replace(data=change(binding.data))

    def open_called_setters(self, text: str) -> None:
        """Classes whose setters the file calls elsewhere than in statements that were read."""
        known = {(method, line) for _, method, _, line in self.reader.setter_calls}
        for name, binding in list(self.env.items()):
            methods = [method for method, _ in binding.data.setters] if binding.form == "class" else []
            for method in methods:
                found = re.finditer(rf"\.{re.escape(method)}\b", text)
                lines = {text.count("\n", 0, match.start()) + 1 for match in found}
                if any((method, line) not in known for line in lines):
                    self.patch_class(
                        name, lambda facts: facts._replace(opaque=facts.opaque or SET_AT_RUN_TIME)
                    )

    def open_classes(self, names: set[str]) -> None:
        """Functions of the file set attributes on them, under names that only the run tells."""
        reason = "functions of its module set attributes on it"
        for name in sorted(names & self.env.keys()):
            if self.env[name].form == "class":
                self.patch_class(name, lambda facts: facts._replace(opaque=facts.opaque or reason))

    def add_member(self, owner: str, name: str, value: ast.expr | None, line: int) -> None:
        form, data = (
            d.read_value(name, value, None, self) if value is not None else ("attr", AttributeFacts())
        )
        member = Binding(name, form, data, line, self.reader.next())
        self.patch_class(
            owner,
            lambda facts: facts._replace(
                members=(*(known for known in facts.members if known.name != name), member)
            ),
        )

    # ---- assignments

    def _assign(self, node: ast.Assign) -> None:
        _walrus(self, node.value)
        self._gives_namespace(node.value)
        if self.is_class:
            self._field(node)
        if getattr(node, "_type_alias", False) and isinstance(node.targets[0], ast.Name):
            # `type X = ...`, read by the fallback parser on an interpreter that does not know it.
            facts = AttributeFacts(expression_text(node.value), None, ("type-alias",))
            self.bind(node.targets[0].id, "attr", facts, node.lineno)
            return
        for target in node.targets:
            self._assign_to(target, node.value, node.lineno)

    def _assign_to(self, target: ast.expr, value: ast.expr, line: int) -> None:
        if isinstance(target, ast.Name):
            self.assign_name(target.id, value, line)
        elif isinstance(target, ast.Tuple | ast.List):
            self._assign_tuple(target, value, line)
        elif isinstance(target, ast.Attribute):
            self._assign_attribute(target, value, line)
        elif isinstance(target, ast.Subscript):
            self._assign_item(target, value, line)

    def assign_name(self, name: str, value: ast.expr, line: int) -> None:
        if name == "__all__" and self.kind == "module":
            self.exports.append(("set", export_items(self, value)))
            self.constants[name] = value
            return
        self.constants[name] = settled(value, self.constants)
        note_flag(self.flags, name, value, self.conditions)
        if name == "_import_structure" and isinstance(value, ast.Dict):
            lazy_structure(self, value)
        wrapped = wrapped_by_deprecator(value, name, self.constants)
        if wrapped is not None:
            self._deprecated_name(name, *wrapped, line)
            return
        if isinstance(value, ast.Call) and name in self.env and _wraps(value, name):
            # `f = decorate(f)` leaves the definition what it is.
            known = self.env[name]
            if known.form == "def":
                self.env[name] = known._replace(data=d.wrapped(known.data, value, self))
            return
        if name == "__slots__":
            self._slots(value, line)
        loaded = loaded_module(value, self.constants)
        form, data = ("import", loaded) if loaded is not None else d.read_value(name, value, None, self)
        if form == "ref" and data == name:
            if name not in self.env and self.is_class:
                # `LIMIT = LIMIT`: the module's, as a member
                self.bind(name, "attr", AttributeFacts(name), line)
            elif name not in self.env and hasattr(builtins, name):
                self.bind(name, "from", ("builtins", name), line, "import")
            return
        if form == "ref" and isinstance(value, ast.Name) and self._copy(name, data, line):
            return
        self.bind(name, form, data, line)

    def _deprecated_name(self, name: str, target: str, mark: tuple[Any, ...], line: int) -> None:
        """`name = deprecated("...")(target)`: another name of the target, or the same one, with a mark."""
        if target.partition(".")[0] == name:
            known = self.env.get(name)
            if known is None and len(self.stars) == 1 and target == name:
                # The only module whose names were imported before, all of them.
                source = (self.stars[0].module, name)
                known = Binding(name, "from", source, line, self.reader.next(), "import")
            if known is not None:
                self.env[name] = known._replace(deprecations=(*known.deprecations, mark))
        else:
            self.bind(name, "ref", target, line, marks=(mark,))

    def _copy(self, name: str, source: str, line: int) -> bool:
        """`node = nodes` inside a class: the same object under another name."""
        known = self.env.get(source)
        if not self.is_class or known is None:
            return False
        self.env[name] = known._replace(
            name=name, line=line, seq=self.reader.next(), via=f"alias:{_original(known, source)}"
        )
        return True

    def _assign_tuple(self, target: ast.Tuple | ast.List, value: ast.expr, line: int) -> None:
        names = [element.id for element in target.elts if isinstance(element, ast.Name)]
        if isinstance(value, ast.Call) and lazy_loader(self, names, value):
            return
        values = value.elts if isinstance(value, ast.Tuple | ast.List) else None
        starred = any(isinstance(element, ast.Starred) for element in target.elts)
        for at, element in enumerate(target.elts):
            inner = element.value if isinstance(element, ast.Starred) else element
            matched = (
                values[at] if values is not None and len(values) == len(target.elts) and not starred else None
            )
            if matched is not None:
                self._assign_to(inner, matched, line)
            elif isinstance(inner, ast.Name):
                self.bind(inner.id, "attr", AttributeFacts(), line)
            elif isinstance(inner, ast.Tuple | ast.List):
                self._assign_tuple(inner, value, line)

    def _assign_attribute(self, target: ast.Attribute, value: ast.expr, line: int) -> None:
        owner = dotted_name(target.value)
        if target.attr == "__doc__":
            self._document(owner, string_value(value, self.constants) or self._docstring_at(value))
        elif owner in self.env and self.env[owner].form == "class":
            self.add_member(owner, target.attr, value, line)
        elif owner is not None:
            note_patch(self, owner, target.attr, value, line)
        elif is_this_module(target.value):
            self.assign_name(target.attr, value, line)
        else:
            note_on_registered(self, target.value, target.attr, value, line)

    def _docstring_at(self, value: ast.expr) -> str | None:
        """The text of `g.__doc__`, where the file defines `g`."""
        if not isinstance(value, ast.Attribute) or value.attr != "__doc__":
            return None
        binding = self.env.get(dotted_name(value.value) or "")
        name = getattr(binding.data, "doc", None) if binding is not None else None
        return self.reader.docstrings.texts.get(name) if name is not None else None

    def _document(self, owner: str | None, text: str | None) -> None:
        """`f.__doc__ = "..."`; a text that is computed says nothing."""
        if owner is None or text is None:
            return
        binding = self.env.get(owner)
        if binding is not None and binding.form in ("def", "attr", "class"):
            self.env[owner] = binding._replace(
                data=binding.data._replace(doc=self.reader.docstrings.keep(text)),
                deprecations=(*binding.deprecations, *attached_marks(text, owner)),
            )
        elif self.kind == "module" and owner.partition(".")[0] in self.env:
            self.reader.attach(self.reader.module, owner, text)

    def _assign_item(self, target: ast.Subscript, value: ast.expr, line: int) -> None:
        owner = target.value
        name = string_value(target.slice, self.constants)
        other = namespace_owner(owner)
        if other is not None:
            note_patch(self, other, name, value, line)
        elif is_namespace(self, owner):
            if name is not None:
                self.assign_name(name, value, line)
            else:
                self.opaque = LOOP_NAMES
        elif dotted_name(owner) == "_import_structure" and name is not None:
            lazy_names(self, name, value)
        elif dotted_name(owner) == "sys.modules" and isinstance(target.slice, ast.Name):
            self._replaced_module(value)
        elif dotted_name(owner) == "sys.modules":
            note_registration(self, target.slice, value, line)
        elif isinstance(owner, ast.Name) and owner.id in self.constants:
            added = ast.Dict([ast.Constant(name)], [value]) if name is not None else None
            self._grow(owner.id, added)

    def _replaced_module(self, value: ast.expr) -> None:
        """`sys.modules[__name__] = something`: names come from it, some of which may be listed."""
        if not self.lazy and not self.env.get("_import_structure"):
            self.opaque = REPLACED

    def _annotated(self, node: ast.AnnAssign) -> None:
        if self.is_class:
            self._field(node)
        if not isinstance(node.target, ast.Name):
            if node.value is not None:
                self._assign_to(node.target, node.value, node.lineno)
            return
        name = node.target.id
        if name == "__all__" and node.value is not None:
            self.assign_name(name, node.value, node.lineno)
            return
        if node.value is not None:
            self.constants[name] = node.value
        elif self.kind == "module" and not self.reader.is_stub:
            if name not in self.env:
                self.bind(
                    name, "unknown", "annotated without a value; code elsewhere may bind it", node.lineno
                )
            return
        form, data = d.read_value(name, node.value, node.annotation, self)
        if form == "attr" and node.value is None:
            data = data._replace(labels=("annotated",))
        if getattr(node, "_readonly", False):
            data = data._replace(labels=("readonly",))
        self.bind(name, form, data, node.lineno)

    def _type_alias(self, node: Any) -> None:
        self.bind(
            node.name.id,
            "attr",
            AttributeFacts(expression_text(node.value), None, ("type-alias",)),
            node.lineno,
        )

    def _augmented(self, node: ast.AugAssign) -> None:
        name = dotted_name(node.target)
        if name == "__all__" and self.kind == "module":
            kind = "add" if isinstance(node.op, ast.Add | ast.BitOr) else "?"
            self.exports.append((kind, export_items(self, node.value)))
        elif name in self.constants:
            self._grow(name, node.value)

    def _grow(self, name: str, addition: ast.expr | None) -> None:
        """A table of names that is added to; None where what is added cannot be read."""
        known = self.constants[name]
        self.constants[name] = grown(known, addition, self.constants) if addition is not None else UNREADABLE

    def take_fields(self, fields: list[Field], line: int) -> None:
        """The fields that a decorator is given: they take the place of those in the body."""
        self.fields = fields
        for field in fields:
            if field.facts.name not in self.env:
                self.bind(field.facts.name, "attr", AttributeFacts(None, None, ("annotated",)), line)

    def _field(self, node: ast.Assign | ast.AnnAssign) -> None:
        found = read_field(node, self)
        if found is not None:
            name = found.facts.name
            self.fields = [known for known in self.fields if known.facts.name != name or name == "*"]
            self.fields.append(found)

    def _slots(self, value: ast.expr, line: int) -> None:
        names = string_items(value, self.constants)
        if names is None and (text := string_value(value, {})):
            names = [text]
        for name in names or ():
            if self.is_class and name not in self.env:
                self.bind(name, "attr", AttributeFacts(None, None, ("instance",)), line)

    def _delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            for name in names_of(target):
                self.env.pop(name, None)
                self.constants.pop(name, None)
                self.deleted.add(name)

    # ---- exports and lazy names

    # ---- calls and the rest

    def _expression(self, node: ast.Expr) -> None:
        value = node.value
        _walrus(self, value)
        if not isinstance(value, ast.Call):
            return
        note_setter_calls(self, value, [{}])
        callee = dotted_name(value.func)
        if self.reader.injects and self.kind == "module" and read_injection(self, value):
            return
        if callee is not None and self.kind == "module":
            self._given_classes(callee, value)
        self._gives_namespace(value)
        method = value.func.attr if isinstance(value.func, ast.Attribute) else None
        owner = dotted_name(value.func.value) if isinstance(value.func, ast.Attribute) else None
        if owner == "__all__" and value.args:
            export_call(self, method or "", value.args[0])
        elif owner is None and method in ("append", "extend") and value.args:
            lazy_extend(self, value)
        elif callee == "setattr" and len(value.args) == 3:
            self._setattr(value, node.lineno)
        elif callee in ("exec", "eval", "execfile") and self.kind == "module":
            self.opaque = LOOP_NAMES
        elif isinstance(value.func, ast.Attribute) and self._writes_namespace(value, node.lineno):
            return
        elif owner in self.constants and method in _GROWING and value.args:
            one = method in ("append", "add", "setdefault")
            self._grow(owner, ast.List([value.args[0]], ast.Load()) if one else value.args[0])
        elif callee in self.export_functions and self.kind == "module":
            self._called_export_function(callee, value)
        elif (
            method in ("pop", "__delitem__")
            and isinstance(value.func, ast.Attribute)
            and is_globals(value.func.value)
        ):
            name = string_value(value.args[0], {}) if value.args else None
            if name:
                self.env.pop(name, None)
        elif self.kind == "module":
            module = self.reader.module
            self.marks.extend(warning_marks([node], (), (module.rpartition(".")[2], module)))

    def _gives_namespace(self, call: ast.expr) -> None:
        """`clone_module("numpy", globals())`: what has the namespace can write into it."""
        if self.kind != "module" or not isinstance(call, ast.Call):
            return
        given = [*call.args, *(keyword.value for keyword in call.keywords)]
        if not any(isinstance(item, ast.Call) and dotted_name(item.func) == "globals" for item in given):
            return
        callee = dotted_name(call.func)
        if writes_back(call):
            return
        own = [span for span in self.functions if span.name == callee]
        bodies = ["\n".join(self.reader.bodies.lines[span.first : span.last]) for span in own]
        if callee not in READS_NAMESPACE and all(writes_mapping(body) for body in bodies):
            self.opaque = LOOP_NAMES

    def _given_classes(self, callee: str, call: ast.Call) -> None:
        """`add_methods(Frame)`: what it does to a class, a decorator could do as well."""
        alone = callee + BARE_CALL if len(call.args) == 1 and not call.keywords else callee
        for argument in call.args:
            known = self.env.get(argument.id) if isinstance(argument, ast.Name) else None
            if known is not None and known.form == "class":
                self.patch_class(
                    known.name, lambda facts: facts._replace(decorators=(*facts.decorators, alone))
                )

    def _called_export_function(self, function: str, call: ast.Call) -> None:
        """`extend_all(module)`, a function of the file that adds a module's `__all__` to its own."""
        items: list[Any] = [("ref", name) for name in map(dotted_name, call.args) if name is not None]
        if not self.export_functions[function] or len(items) != 1:
            items.append(None)
        self.exports.append(("add", tuple(items)))
        self.exporting.add(function)

    def _setattr(self, call: ast.Call, line: int) -> None:
        owner, name = dotted_name(call.args[0]), string_value(call.args[1], self.constants)
        if owner in self.env and self.env[owner].form == "class":
            if name is not None:
                self.add_member(owner, name, call.args[2], line)
            else:
                self.patch_class(owner, lambda facts: facts._replace(opaque="attributes are set at run time"))
        elif is_this_module(call.args[0]) or names_this_module(self, owner or ""):
            if name is not None:
                self.assign_name(name, call.args[2], line)
            else:
                self.opaque = LOOP_NAMES
        elif owner is not None:
            note_patch(self, owner, name, call.args[2], line)
        else:
            note_on_registered(self, call.args[0], name, call.args[2], line)

    def _writes_namespace(self, call: ast.Call, line: int) -> bool:
        """`globals().update(...)` and its like; True where it was one."""
        assert isinstance(call.func, ast.Attribute)
        if not is_namespace(self, call.func.value):
            return False
        if call.func.attr == "update":
            self._globals_update(call, line)
        elif call.func.attr in ("setdefault", "__setitem__") and len(call.args) == 2:
            name = string_value(call.args[0], self.constants)
            if name is None:
                self.opaque = LOOP_NAMES
            elif call.func.attr == "__setitem__" or name not in self.env:
                self.assign_name(name, call.args[1], line)
        else:
            return False
        return True

    def _globals_update(self, call: ast.Call, line: int) -> None:
        names = [keyword.arg for keyword in call.keywords if keyword.arg]
        listed = string_items(call.args[0], self.constants) if call.args else []
        for name in [*names, *(listed or ())]:
            self.bind(name, "attr", AttributeFacts(), line)
        if listed is None and not copies_colormaps(self, call):
            self.opaque = LOOP_NAMES

    def _with(self, node: ast.With | ast.AsyncWith) -> None:
        for item in node.items:
            for name in names_of(item.optional_vars) if item.optional_vars is not None else ():
                self.bind(name, "attr", AttributeFacts(), node.lineno)
        self.run(node.body)

    def _while(self, node: ast.While) -> None:
        self.run(node.body)
        self.run(node.orelse)

    def _match(self, node: ast.Match) -> None:
        subject = expression_text(node.subject)
        self._branches([(f"{subject} matches", case.body) for case in node.cases])

    def _raise(self, node: ast.Raise) -> None:
        if self.kind == "module" and not self.conditions and self.raises is None:
            refusal = None if self.decided else import_refusal(node, self.constants)
            self.raises = refusal or raised_message([node])


def _class_labels(node: ast.ClassDef, made: Added | None, *, compiled: bool) -> tuple[str, ...]:
    """What the release must know of a class besides its members."""
    decorators = {name.rpartition(".")[2] for name, _ in d.named_decorators(node)}
    labels = {
        "metaclass-members": made is None,
        CHAINED: _begins_with_base(node),
        "compiled": compiled,
        TRANSFORM: bool({"dataclass_transform", "__dataclass_transform__"} & decorators),
    }
    handed = sorted(made.handed) if made is not None else ()
    return (*(label for label, given in labels.items() if given), *(HANDED + name for name in handed))


def _begins_with_base(node: ast.ClassDef) -> bool:
    """True where the first that `__init__` does is `super().__init__(...)`."""
    for statement in node.body:
        if isinstance(statement, ast.FunctionDef) and statement.name == "__init__":
            first = next(iter(without_docstring(statement.body)), None)
            call = first.value if isinstance(first, ast.Expr) else None
            return isinstance(call, ast.Call) and ast.unparse(call.func) == "super().__init__"
    return False


def _signature_text(facts: FunctionFacts) -> str:
    return str(plain_signature(facts.signature))


def _original(binding: Binding, name: str) -> str:
    return binding.via.removeprefix("alias:") if binding.via.startswith("alias:") else name


def _join(base: dict[str, Binding], ends: list[tuple[str | None, dict[str, Binding]]]) -> dict[str, Binding]:
    """One namespace out of those at the end of each branch; earlier branches are preferred."""
    joined: dict[str, Binding] = {}
    names = dict.fromkeys(name for _, end in ends for name in end)
    for name in names:
        found = [(condition, end[name]) for condition, end in ends if name in end]
        fresh = [(condition, binding) for condition, binding in found if binding is not base.get(name)]
        if not fresh:
            # Untouched, or deleted on some branches only: on the others it is still there.
            joined[name] = found[0][1]
            continue
        primary = fresh[0][1]
        others = {id(other): other for _, binding in found for other in (binding, *binding.others)}
        others.pop(id(primary), None)
        everywhere = len(found) == len(ends)
        outer = base[name].condition if name in base else _common(primary.condition, fresh[0][0])
        joined[name] = primary._replace(
            condition=outer if everywhere else primary.condition,
            others=tuple(other._replace(others=()) for other in others.values()),
        )
    return joined


def _common(condition: str | None, own: str | None) -> str | None:
    """The condition of the enclosing branches alone."""
    if condition is None or own is None:
        return condition
    return condition.removesuffix(own).removesuffix(" and ") or None


def _reraises(handler: ast.ExceptHandler) -> bool:
    return bool(handler.body) and isinstance(handler.body[-1], ast.Raise)


def _handled(handler: ast.ExceptHandler) -> set[str]:
    if handler.type is None:
        return {""}
    types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return {(dotted_name(kind) or "?").rpartition(".")[2] for kind in types}


def _success_text(body: list[ast.stmt]) -> str:
    """What must succeed for the body of a `try ... except ImportError` to be run."""
    for statement in body:
        if isinstance(statement, ast.Import):
            return f"import of {statement.names[0].name} succeeds"
        if isinstance(statement, ast.ImportFrom):
            return f"import of {'.' * statement.level}{statement.module or ''} succeeds"
    return "no exception is raised"


def _walrus(scope: Scope, node: ast.expr) -> None:
    if "walrus" not in scope.reader.notes:
        return
    for inner in ast.walk(node):
        if isinstance(inner, ast.NamedExpr):
            form, data = d.read_value(inner.target.id, inner.value, None, scope)
            scope.bind(inner.target.id, form, data, inner.lineno)


def _wraps(call: ast.Call, name: str) -> bool:
    return any(
        argument.id == name if isinstance(argument, ast.Name) else _wraps(argument, name)
        for argument in call.args
        if isinstance(argument, ast.Name | ast.Call)
    )


_STATEMENTS: dict[type[ast.stmt], Callable[[Scope, Any], None]] = {
    ast.Import: Scope._import,
    ast.ImportFrom: Scope._import_from,
    ast.FunctionDef: Scope._function,
    ast.AsyncFunctionDef: Scope._function,
    ast.ClassDef: Scope._class,
    ast.Assign: Scope._assign,
    ast.AnnAssign: Scope._annotated,
    ast.AugAssign: Scope._augmented,
    ast.Delete: Scope._delete,
    ast.If: Scope._if,
    ast.Try: Scope._try,
    ast.For: read_loop,
    ast.AsyncFor: read_loop,
    ast.While: Scope._while,
    ast.With: Scope._with,
    ast.AsyncWith: Scope._with,
    ast.Match: Scope._match,
    ast.Expr: Scope._expression,
    ast.Raise: Scope._raise,
}
for _newer, _handler in (("TryStar", Scope._try), ("TypeAlias", Scope._type_alias)):
    if hasattr(ast, _newer):
        _STATEMENTS[getattr(ast, _newer)] = _handler
