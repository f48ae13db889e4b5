"""What a module's `__getattr__` serves, refuses, or may serve."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from .deprecations import make_mark, text_of, warning_marks
from .facts import AttributeFacts, Binding
from .getattr_factories import Delegate, read_delegate
from .getattr_steps import follow
from .literals import Constants, string_items, string_table, string_value
from .signatures import dotted_name, expression_text

DYNAMIC = "names are served by a module __getattr__ that cannot be read"

_WARNING = re.compile(r"warn|deprecat", re.IGNORECASE)
_REMOVED = re.compile(r"\b(?:is|was|were|are|been) (?:now )?removed\b", re.IGNORECASE)
"""What a warning says of something that is gone already."""

Reader = Callable[[list[ast.stmt]], dict[str, Binding]]
"""Reads a few statements as a scope of its own and gives what they bind."""
Members = Callable[[str], list[str] | None]
"""The attributes of a class of the module, None for any other name."""


@dataclass(slots=True)
class Served:
    """The outcome: bindings per name, and why further names cannot be excluded."""

    bindings: dict[str, Binding] = field(default_factory=dict)
    opaque: str | None = None
    factory: str | None = None
    """The function that made what all other names are handed to."""
    forwards: list[tuple[str, tuple[Any, ...]]] = field(default_factory=list)
    """(module, marks): all other names are looked up there."""


def read_getattr(
    body: list[ast.stmt],
    parameter: str,
    constants: Constants,
    reader: Reader,
    members: Members,
    package: str = "",
) -> Served:
    """Follow the body of `def __getattr__(name)` for every name that it compares with.

    The first branch that a name reaches decides (a later branch for the same name is
    dead).  The module is closed only where all other names end in a raise.
    """
    return _Reading(parameter, constants, reader, members, package).run(body)


def serve_delegate(served: Served, delegate: Delegate, line: int) -> None:
    """Names of the tables that a maker of `__getattr__`s was given; or whose maker it was."""
    marks = (make_mark("getattr", None, line=line),) if delegate.deprecated else ()
    for name, module in delegate.tables.items():
        binding = Binding(name, "from", (module, name), line, via="getattr", deprecations=marks)
        served.bindings.setdefault(name, binding)
    served.factory = delegate.factory
    if not delegate.closed:
        served.opaque = DYNAMIC


class _Reading:
    def __init__(
        self, parameter: str, constants: Constants, reader: Reader, members: Members, package: str
    ) -> None:
        self.parameter = parameter
        self.package = package
        self.constants = dict(constants)
        self.reader = reader
        self.members = members
        self.served = Served()
        self.prelude: list[ast.stmt] = []

    def run(self, body: list[ast.stmt]) -> Served:
        if not self._statements(body) and self.served.opaque is None:
            self.served.opaque = DYNAMIC
        return self.served

    def _statements(self, body: list[ast.stmt]) -> bool:
        """True where no name that is still open gets past these statements without a raise."""
        for at, statement in enumerate(body):
            if isinstance(statement, ast.If):
                if self._if(statement, body[at + 1 :]):
                    return True
            elif isinstance(statement, ast.Try):
                if self._try(statement):
                    return True
            elif isinstance(statement, ast.Match):
                self._match(statement)
            elif isinstance(statement, ast.Raise):
                return True
            elif isinstance(statement, ast.Return):
                return self._default_return(statement)
            elif isinstance(statement, ast.For | ast.While | ast.With):
                returns = any(isinstance(node, ast.Return) for node in ast.walk(statement))
                if returns and not (isinstance(statement, ast.For) and self._enumerations(statement)):
                    self.served.opaque = DYNAMIC
            else:
                self.prelude.append(statement)
                if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                    self.constants[statement.targets[0].id] = statement.value
                elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                    self.constants[statement.target.id] = statement.value or ast.Constant(None)
        return False

    def _if(self, statement: ast.If, rest: list[ast.stmt]) -> bool:
        names, negated = self._tested(statement.test)
        if names is None:
            if self._is_own_name(statement.test):
                return False
            if any(isinstance(node, ast.Return) for node in ast.walk(statement)):
                self.served.opaque = DYNAMIC
            return False
        if negated:
            # `if name not in TABLE: raise AttributeError`: the rest is for the names of the table.
            self._serve(names, rest)
            return self._statements(statement.body)
        self._serve(names, statement.body)
        return bool(statement.orelse) and self._statements(statement.orelse)

    def _is_own_name(self, test: ast.expr) -> bool:
        """`name in globals()`: it serves no names that are not there anyway."""
        if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], ast.In):
            return False
        where = test.comparators[0]
        return self._is_namespace(
            self.constants.get(where.id, where) if isinstance(where, ast.Name) else where
        )

    @staticmethod
    def _is_namespace(node: ast.expr) -> bool:
        if isinstance(node, ast.Call):
            return dotted_name(node.func) in ("globals", "vars", "locals") and not node.args
        owner = node.value if isinstance(node, ast.Attribute) and node.attr == "__dict__" else None
        return isinstance(owner, ast.Subscript) and dotted_name(owner.value) == "sys.modules"

    def _try(self, statement: ast.Try) -> bool:
        """`try: return TABLE[name]` with a handler that raises."""
        branch = [*statement.body, *statement.orelse]
        for inner in statement.body:
            table = next((node for node in ast.walk(inner) if self._is_table(node)), None)
            if isinstance(table, ast.Subscript):
                names = string_items(table.value, self.constants)
                if names is None:
                    self.served.opaque = DYNAMIC
                else:
                    self._serve(names, branch)
                return all(_always_raises(handler.body) for handler in statement.handlers) and any(
                    isinstance(node, ast.Return) for node in ast.walk(statement)
                )
        closed = self._statements(statement.body)
        return closed and all(_always_raises(handler.body) for handler in statement.handlers)

    def _enumerations(self, loop: ast.For) -> bool:
        """`for enum in (A, B): if name in enum.__members__: return enum[name]`; True where read."""
        if (
            not isinstance(loop.iter, ast.Tuple | ast.List)
            or len(loop.body) != 1
            or not isinstance(loop.target, ast.Name)
        ):
            return False
        test = loop.body[0]
        if not isinstance(test, ast.If) or not isinstance(test.test, ast.Compare):
            return False
        if dotted_name(test.test.comparators[0]) != f"{loop.target.id}.__members__":
            return False
        owners = [dotted_name(element) for element in loop.iter.elts]
        listed = [self.members(owner) if owner is not None else None for owner in owners]
        for owner, names in zip(owners, listed, strict=True):
            for name in names or ():
                if name in self.served.bindings:
                    continue
                self._serve([name], test.body)
                known = self.served.bindings[name]
                if known.form == "attr":
                    self.served.bindings[name] = known._replace(form="ref", data=f"{owner}.{name}")
        return None not in listed

    def _is_table(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Subscript) and dotted_name(node.slice) == self.parameter

    def _match(self, statement: ast.Match) -> None:
        for case in statement.cases:
            values = case.pattern.patterns if isinstance(case.pattern, ast.MatchOr) else [case.pattern]
            names = [
                value.value.value
                for value in values
                if isinstance(value, ast.MatchValue) and isinstance(value.value, ast.Constant)
            ]
            if names:
                self._serve([str(name) for name in names], case.body)
            elif not _always_raises(case.body):
                self.served.opaque = DYNAMIC

    def _default_return(self, statement: ast.Return) -> bool:
        """A return that every remaining name reaches."""
        value = statement.value
        if isinstance(value, ast.Name):
            value = self.constants.get(value.id, value)
        if isinstance(value, ast.Call) and (self._delegated(value) or self._forwarded(value)):
            return True
        if isinstance(value, ast.Call):
            for keyword in value.keywords:
                # The shims of scipy: `return _sub_module_deprecation(..., all=__all__, attribute=name)`
                # raise for every name that is not in the list.
                if keyword.arg == "all" and dotted_name(keyword.value) == "__all__":
                    names = string_items(self.constants.get("__all__"), self.constants)
                    if names is not None:
                        self._serve(
                            names, [statement], marks=(make_mark("getattr", None, line=statement.lineno),)
                        )
                        return True
        if isinstance(value, ast.Subscript) and self._is_table(value):
            if self._is_namespace(value.value):
                return True
            names = string_items(value.value, self.constants)
            if names is not None:
                self._serve(names, [statement])
                return True
        self.served.opaque = DYNAMIC
        return True

    def _delegated(self, call: ast.Call) -> bool:
        """`return made(name)`, where a call with tables, or with the module's name, made the function."""
        maker = self.constants.get(dotted_name(call.func) or "")
        if not isinstance(maker, ast.Call) or [dotted_name(value) for value in call.args] != [self.parameter]:
            return False
        delegate = read_delegate(maker, self.constants)
        if delegate is None:
            return False
        serve_delegate(self.served, delegate, call.lineno)
        return True

    def _forwarded(self, call: ast.Call) -> bool:
        """`return getattr(other_module, name)`: whatever the other module has."""
        if dotted_name(call.func) != "getattr" or len(call.args) < 2:
            return False
        owner = dotted_name(call.args[0])
        if owner is None or dotted_name(call.args[1]) != self.parameter:
            return False
        head, _, rest = owner.partition(".")
        binding = self.reader(self.prelude).get(head)
        if binding is None or binding.form not in ("import", "from"):
            return False
        module = binding.data if binding.form == "import" else ".".join(binding.data)
        marks = [make_mark("getattr", None, line=call.lineno)] if self._warns() else []
        self.served.forwards.append((f"{module}.{rest}" if rest else module, tuple(marks)))
        return True

    def _warns(self) -> bool:
        """A helper with a telling name is called for every name."""
        return any(
            isinstance(statement, ast.Expr)
            and isinstance(statement.value, ast.Call)
            and _WARNING.search(dotted_name(statement.value.func) or "")
            for statement in self.prelude
        )

    # ---- which names a test lets through

    def _tested(self, test: ast.expr) -> tuple[list[str] | None, bool]:
        if isinstance(test, ast.BoolOp):
            parts = [self._tested(value) for value in test.values]
            known = [names for names, negated in parts if names is not None and not negated]
            if isinstance(test.op, ast.And) and known:
                return known[0], False
            if isinstance(test.op, ast.Or) and len(known) == len(parts):
                return [name for names in known for name in names], False
            return None, False
        if not isinstance(test, ast.Compare) or len(test.ops) != 1:
            return None, False
        left, operator, right = test.left, test.ops[0], test.comparators[0]
        if dotted_name(right) == self.parameter and isinstance(operator, ast.Eq):
            left, right = right, left
        if isinstance(operator, ast.Is | ast.IsNot) and _is_none(right):
            table = self._looked_up(left)
            names = string_items(table, self.constants) if table is not None else None
            return names, isinstance(operator, ast.Is)
        if dotted_name(left) != self.parameter:
            return None, False
        if isinstance(operator, ast.Eq | ast.NotEq):
            text = string_value(right, self.constants)
            return (None if text is None else [text]), isinstance(operator, ast.NotEq)
        if isinstance(operator, ast.In | ast.NotIn):
            return string_items(right, self.constants), isinstance(operator, ast.NotIn)
        return None, False

    def _looked_up(self, node: ast.expr) -> ast.expr | None:
        """The table in `found = TABLE.get(name)`, for `found`."""
        value = self.constants.get(node.id) if isinstance(node, ast.Name) else None
        if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute):
            return None
        wanted = value.func.attr == "get" and value.args and dotted_name(value.args[0]) == self.parameter
        return value.func.value if wanted else None

    # ---- what a branch does with a name

    def _serve(self, names: list[str], body: list[ast.stmt], marks: tuple[Any, ...] = ()) -> None:
        local: dict[str, Binding] | None = None
        for name in names:
            if name in self.served.bindings:
                continue
            end = next(_ends(body), None)
            if end is None:
                continue
            if local is None:
                local = self.reader([*self.prelude, *_declarations(body)])
            found = marks or tuple(warning_marks(_flat(body), ()))
            texts = {**self.constants, **_assigned(body)}
            outcome = self._outcome(name, end, local, found, texts)
            outcome = self._followed(name, outcome, body)
            if isinstance(end, ast.Return) and _is_empty_class(end.value, body):
                outcome = _stand_in(outcome)
            self.served.bindings[name] = outcome

    def _followed(self, name: str, outcome: Binding, body: list[ast.stmt]) -> Binding:
        """The outcome for this very name, where tables and texts that depend on it tell more."""
        steps = [*self.prelude, *body]
        if outcome.form == "ref" and _assigns(steps, outcome.data.partition(".")[0]):
            # A variable of the function, no name of the module.
            outcome = outcome._replace(form="attr", data=AttributeFacts())
        if outcome.form not in ("attr", "raises"):
            return outcome
        found, warned = follow(name, steps, self.constants, self.package, self.parameter)
        if warned is not None and outcome.deprecations:
            marks = tuple(
                make_mark("getattr", warned, line=mark[-1], own=name) if _has_gaps(mark[1]) else mark
                for mark in outcome.deprecations
            )
            outcome = outcome._replace(deprecations=marks)
        if found is None or (outcome.form == "raises" and found.form != "raises"):
            return outcome
        return outcome._replace(form=found.form, data=found.data)

    def _outcome(
        self,
        name: str,
        end: ast.Return | ast.Raise,
        local: dict[str, Binding],
        marks: tuple[Any, ...],
        texts: dict[str, ast.expr],
    ) -> Binding:
        if isinstance(end, ast.Raise):
            message = text_of(end.exc, texts) or expression_text(end.exc) or "it raises"
            return Binding(name, "raises", " ".join(message.split())[:500], end.lineno, via="getattr")
        binding = self._value(name, end.value, local)
        marks = tuple(("getattr", *mark[1:]) for mark in marks)
        return binding._replace(name=name, line=end.lineno, via="getattr", deprecations=marks, others=())

    def _value(self, name: str, value: ast.expr | None, local: dict[str, Binding]) -> Binding:
        plain = Binding(name, "attr", AttributeFacts(expression_text(value)))
        if isinstance(value, ast.Subscript):
            return self._subscripted(name, value) or plain
        if isinstance(value, ast.Call):
            return self._called(name, value, local) or plain
        dotted = dotted_name(value)
        if dotted is None or dotted == self.parameter:
            return plain
        head, _, rest = dotted.partition(".")
        if head in local:
            return _below(local[head], rest) or plain
        return Binding(name, "ref", dotted)

    def _subscripted(self, name: str, value: ast.Subscript) -> Binding | None:
        """`globals()[TABLE[name]]` names another binding of the module; `TABLE[name]` is a value."""
        inner = value.slice
        is_globals = isinstance(value.value, ast.Call) and dotted_name(value.value.func) == "globals"
        if is_globals and isinstance(inner, ast.Subscript) and self._is_table(inner):
            target = string_table(inner.value, self.constants).get(name)
            return Binding(name, "ref", target) if target else None
        owner = dotted_name(value.value)
        if owner is not None and isinstance(inner, ast.Subscript) and self._is_table(inner):
            target = string_table(inner.value, self.constants).get(name)
            if target is not None and target in (self.members(owner) or ()):
                return Binding(name, "ref", f"{owner}.{target}")
        return None

    def _called(self, name: str, value: ast.Call, local: dict[str, Binding]) -> Binding | None:
        """`getattr(module, name)` and `getattr(import_module("a.b"), name)`."""
        if dotted_name(value.func) != "getattr" or len(value.args) < 2:
            return None
        attribute = name if dotted_name(value.args[1]) == self.parameter else string_value(value.args[1], {})
        if attribute is None:
            return None
        owner = dotted_name(value.args[0])
        if owner is not None:
            head, _, rest = owner.partition(".")
            if head in local:
                return _below(local[head], f"{rest}.{attribute}".lstrip("."))
            return Binding(name, "ref", f"{owner}.{attribute}")
        if isinstance(value.args[0], ast.Call) and value.args[0].args:
            module = string_value(value.args[0].args[0], {})
            if module and not module.startswith("."):
                return Binding(name, "from", (module, attribute))
        return None


def _is_empty_class(value: ast.expr | None, body: list[ast.stmt]) -> bool:
    """`class Old: pass` made on the spot, or `type(name, (), {})`: nothing is left of what it was."""
    if isinstance(value, ast.Call):
        given = value.args[1:]
        return (
            dotted_name(value.func) == "type"
            and len(given) == 2
            and isinstance(given[0], ast.Tuple)
            and isinstance(given[1], ast.Dict)
            and not given[0].elts
            and not given[1].keys
        )
    name = dotted_name(value)
    return any(
        isinstance(statement, ast.ClassDef)
        and statement.name == name
        and not statement.bases
        and not statement.decorator_list
        and all(isinstance(inner, ast.Pass) or _is_text(inner) for inner in statement.body)
        for statement in _flat(body)
    )


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _stand_in(binding: Binding) -> Binding:
    """An empty class in the place of one of which the warning says that it is gone: a tombstone."""
    said = next((mark[1] for mark in binding.deprecations if mark[1] and _REMOVED.search(mark[1])), None)
    return binding if said is None else binding._replace(form="raises", data=said, deprecations=())


def _below(binding: Binding, rest: str) -> Binding | None:
    """The attribute `rest` of a locally imported name."""
    if not rest:
        return binding
    if binding.form == "import":
        module, _, last = f"{binding.data}.{rest}".rpartition(".")
        return binding._replace(form="from", data=(module, last))
    if binding.form == "from":
        module, name = binding.data
        path, _, last = f"{module}.{name}.{rest}".rpartition(".")
        return binding._replace(data=(path, last))
    return None


def _assigned(body: list[ast.stmt]) -> dict[str, ast.expr]:
    """Names that a branch assigns: most messages are put into a variable first."""
    return {
        statement.targets[0].id: statement.value
        for statement in _flat(body)
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name)
    }


def _assigns(body: list[ast.stmt], name: str) -> bool:
    """True where a branch, or a branch of it, assigns a variable."""
    return any(
        isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)
        for statement in body
        for node in ast.walk(statement)
    )


def _flat(body: list[ast.stmt]) -> list[ast.stmt]:
    flat: list[ast.stmt] = []
    for statement in body:
        if isinstance(statement, ast.Try | ast.With):
            flat.extend(_flat(statement.body))
        else:
            flat.append(statement)
    return flat


def _declarations(body: list[ast.stmt]) -> list[ast.stmt]:
    kept = (ast.Import, ast.ImportFrom, ast.ClassDef, ast.FunctionDef, ast.Assign)
    return [statement for statement in _flat(body) if isinstance(statement, kept)]


def _ends(body: list[ast.stmt]) -> Iterator[ast.Return | ast.Raise]:
    """Where a branch ends, straight-line statements first."""
    for statement in body:
        if isinstance(statement, ast.Return | ast.Raise):
            yield statement
        elif isinstance(statement, ast.If | ast.Try | ast.With | ast.For):
            for inner in ast.walk(statement):
                if isinstance(inner, ast.Return):
                    yield inner


def _has_gaps(message: str | None) -> bool:
    """True where a message depends on the name, or could not be read at all."""
    return message is None or "{...}" in message


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _always_raises(body: list[ast.stmt]) -> bool:
    return bool(body) and isinstance(body[-1], ast.Raise)
