"""One scope, statement by statement: what its names are bound to in the end.

Statements are followed in order, as Python would run them: the last binding wins,
`del` removes, a branch that a current CPython on Linux does not take binds nothing
(but is remembered, because a name that only exists elsewhere is not absent), and
branches that cannot be decided are followed both.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from . import definitions as d
from .bodies import Bodies
from .branches import condition_text, is_type_checking, verdict
from .class_bodies import adds_members, instance_attributes, sets_class_attributes
from .classes import plain_signature
from .deprecations import raised_message, warning_marks
from .exports import added_exports, export_call, export_items
from .facts import AttributeFacts, Binding, ClassFacts, FieldFacts, FunctionFacts, StarImport
from .lazy import lazy_extend, lazy_loader, lazy_names, lazy_structure
from .literals import UNREADABLE, grown, settled, string_items, string_value
from .loops import LOOP_NAMES, is_globals, is_this_module, names_of, names_this_module, read_loop
from .signatures import base_name, dotted_name, expression_text

_GROWING = {"update", "extend", "append", "add", "setdefault"}
_IMPORT_ERRORS = {"ImportError", "ModuleNotFoundError", "Exception", "BaseException", "AttributeError", ""}


class FileReader:
    """What all scopes of one file share."""

    def __init__(self, module: str, bodies: Bodies, *, is_init: bool, is_stub: bool) -> None:
        self.module = module
        self.package = module if is_init else module.rpartition(".")[0]
        self.is_init = is_init
        self.is_stub = is_stub
        self.bodies = bodies
        self._count = 0
        self.notes: set[str] = set()

    def next(self) -> int:
        self._count += 1
        return self._count

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
        self.env: dict[str, Binding] = {}
        self.dead: dict[str, Binding] = {}
        self.typing_only: set[str] = set()
        self.constants: dict[str, ast.expr] = {}
        self.overloads: dict[str, list[FunctionFacts]] = {}
        self.overload_lines: dict[str, int] = {}
        self.stars: list[StarImport] = []
        self.exports: list[tuple[Any, ...]] = []
        self.deleted: set[str] = set()
        self.fields: list[FieldFacts] = []
        self.lazy: dict[str, tuple[str, str]] = {}
        self.getattr_node: d.Function | None = None
        self.export_functions: dict[str, bool] = {}
        """Functions that add to `__all__`; True where they add that of the module that they are given."""
        self.opaque: str | None = None
        self.stub_attached = False
        self.namespace = False
        self.conditions: list[str] = []
        self.raises: str | None = None
        self.explicit_fields: bool | None = None
        self.marks: list[tuple[Any, ...]] = []

    @property
    def is_class(self) -> bool:
        return self.kind == "class"

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
        decided = verdict(node.test)
        if decided is None:
            self._branches(
                [
                    (condition_text(node.test), node.body),
                    (condition_text(node.test, negated=True), node.orelse),
                ]
            )
            return
        taken, other = (node.body, node.orelse) if decided else (node.orelse, node.body)
        self.run(taken)
        if other:
            typing = is_type_checking(node.test)
            self._dead_branch(other, condition_text(node.test, negated=decided), typing=typing)

    def _try(self, node: ast.Try) -> None:
        handlers = [handler for handler in node.handlers if not _reraises(handler)]
        importing = any(_handled(handler) & _IMPORT_ERRORS for handler in handlers)
        if not handlers:
            self.run(node.body)
            self.run(node.orelse)
        else:
            success = _success_text(node.body) if importing else "no exception is raised"
            branches: list[tuple[str | None, list[ast.stmt]]] = [(success, [*node.body, *node.orelse])]
            branches += [(f"not ({success})", handler.body) for handler in handlers]
            self._branches(branches)
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
        if self.kind == "module" and (added := added_exports(node, self.reader.bodies)) is not None:
            self.export_functions[node.name] = added
        accessor = d.accessor_of(node)
        if accessor is not None and node.name in self.env:
            self.env[node.name] = d.with_label(self.env[node.name], accessor)
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
        if self.is_class and sets_class_attributes(node, self.reader.bodies):
            self.opaque = "attributes are set on the class at run time"

    def _class(self, node: ast.ClassDef) -> None:
        inner = Scope(self.reader, "class")
        inner.constants = dict(self.constants) if self.kind == "module" else {}
        generated = d.dataclass_of(node)
        inner.explicit_fields = generated is not None and generated[0] == "attrs-explicit"
        inner.run(node.body)
        inner.finish()
        instance_attributes(inner, node)
        marks, _ = d.definition_marks(node, self.reader.bodies, [])
        init = inner.env.get("__init__") or inner.env.get("__new__")
        init_facts = init.data if init is not None and init.form == "def" else None
        metaclass = next((k.value for k in node.keywords if k.arg == "metaclass"), None)
        if init_facts is not None:
            marks = (*marks, *init_facts.deprecations)
        facts = ClassFacts(
            bases=tuple(base_name(base) for base in node.bases),
            metaclass=dotted_name(metaclass),
            decorators=tuple(name for name, _ in d._decorators(node)),
            members=tuple(inner.env.values()),
            fields=tuple(inner.fields),
            dataclass=generated,
            labels=("metaclass-members",) if adds_members(node) else (),
            deprecations=marks,
            raises=init_facts.raises if init_facts is not None else None,
            opaque=inner.opaque,
            deleted=tuple(sorted(inner.deleted)),
            doc=d.docstring_hash(d.docstring_of(node.body)),
        )
        self.bind(node.name, "class", facts, node.lineno)

    def patch_class(self, name: str, change: Callable[[ClassFacts], ClassFacts]) -> None:
        binding = self.env[name]
        self.env[name] = binding._replace(data=change(binding.data))

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
        if name == "__path__" and "extend_path" in (expression_text(value) or ""):
            self.namespace = True
        self.constants[name] = settled(value, self.constants)
        if name == "_import_structure" and isinstance(value, ast.Dict):
            lazy_structure(self, value)
        if isinstance(value, ast.Call) and name in self.env and _wraps(value, name):
            # `f = decorate(f)` leaves the definition what it is.
            return
        if name == "__slots__":
            self._slots(value, line)
        form, data = d.read_value(name, value, None, self)
        if form == "ref" and data == name:
            return
        if form == "ref" and isinstance(value, ast.Name) and self._copy(name, data, line):
            return
        self.bind(name, form, data, line)

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
        if owner in self.env and self.env[owner].form == "class":
            self.add_member(owner, target.attr, value, line)
        elif owner is None and is_this_module(target.value):
            self.assign_name(target.attr, value, line)

    def _assign_item(self, target: ast.Subscript, value: ast.expr, line: int) -> None:
        owner = target.value
        name = string_value(target.slice, self.constants)
        if isinstance(owner, ast.Call) and dotted_name(owner.func) in ("globals", "vars", "locals"):
            if name is not None:
                self.assign_name(name, value, line)
            else:
                self.opaque = LOOP_NAMES
        elif dotted_name(owner) == "_import_structure" and name is not None:
            lazy_names(self, name, value)
        elif dotted_name(owner) == "sys.modules" and isinstance(target.slice, ast.Name):
            self._replaced_module(value)
        elif isinstance(owner, ast.Name) and owner.id in self.constants:
            added = ast.Dict([ast.Constant(name)], [value]) if name is not None else None
            self._grow(owner.id, added)

    def _replaced_module(self, value: ast.expr) -> None:
        """`sys.modules[__name__] = something`: names come from it, some of which may be listed."""
        if not self.lazy and not self.env.get("_import_structure"):
            self.opaque = "the module replaces itself in sys.modules"

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

    def _field(self, node: ast.Assign | ast.AnnAssign) -> None:
        found = d.read_field(node, bool(self.explicit_fields))
        if found is not None:
            self.fields = [known for known in self.fields if known.name != found.name or found.name == "*"]
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
        callee = dotted_name(value.func)
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
        elif method == "update" and isinstance(value.func, ast.Attribute) and is_globals(value.func.value):
            self._globals_update(value, node.lineno)
        elif method == "declare_namespace":
            self.namespace = True
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
            self.marks.extend(warning_marks([node], ()))

    def _called_export_function(self, function: str, call: ast.Call) -> None:
        """`extend_all(module)`, a function of the file that adds a module's `__all__` to its own."""
        items: list[Any] = [("ref", name) for name in map(dotted_name, call.args) if name is not None]
        if not self.export_functions[function] or len(items) != 1:
            items.append(None)
        self.exports.append(("add", tuple(items)))

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

    def _globals_update(self, call: ast.Call, line: int) -> None:
        names = [keyword.arg for keyword in call.keywords if keyword.arg]
        listed = string_items(call.args[0], self.constants) if call.args else []
        for name in [*names, *(listed or ())]:
            self.bind(name, "attr", AttributeFacts(), line)
        if listed is None:
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
            self.raises = raised_message([node])


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
    return any(isinstance(argument, ast.Name) and argument.id == name for argument in call.args)


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
