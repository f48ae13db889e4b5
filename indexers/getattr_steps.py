"""One name's way through the body of a module `__getattr__`: what its branch gives, statement by statement.

Tables, string formatting and `import_module` are followed as far as they are literal; nothing is run.
"""

from __future__ import annotations

import ast

from .facts import Binding
from .literals import Constants, string_items, string_value, table_value
from .signatures import dotted_name

_MAX_STEPS = 200
_NONE = ast.Constant(None)


def follow(
    name: str, body: list[ast.stmt], known: Constants, package: str, parameter: str
) -> tuple[Binding | None, str | None]:
    """(what a body returns or raises for a name, what it warns of); None for what cannot be told.

    `known` holds the expressions of names, `parameter` is the variable that holds the name.
    """
    steps = _Steps(name, known, package, parameter)
    end = steps.run(body)
    if isinstance(end, ast.Raise):
        message = steps.message(end.exc)
        text = " ".join(message.split())[:500] if message else None
        return (Binding(name, "raises", text, end.lineno) if text else None), steps.warned
    if end is None or end.value is None:
        return None, steps.warned
    return steps.target(end.value), steps.warned


class _Steps:
    def __init__(self, name: str, known: Constants, package: str, parameter: str) -> None:
        self.name = name
        self.parameter = parameter
        self.known = {**known, parameter: ast.Constant(name)}
        self.warned: str | None = None
        self.known.setdefault("__package__", ast.Constant(package))
        self.package = package
        self.modules: dict[str, str] = {}
        self.left = _MAX_STEPS

    def run(self, body: list[ast.stmt]) -> ast.Return | ast.Raise | None:
        for statement in body:
            self.left -= 1
            if self.left < 0:
                return None
            if isinstance(statement, ast.Return | ast.Raise):
                return statement
            if isinstance(statement, ast.Assign):
                self._assign(statement)
            elif isinstance(statement, ast.Import | ast.ImportFrom):
                self._import(statement)
            elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
                self._warn(statement.value)
            elif isinstance(statement, ast.If):
                decided = self._decide(statement.test)
                if decided is None and any(isinstance(node, ast.Return) for node in ast.walk(statement)):
                    return None
                end = (
                    self.run(statement.body if decided else statement.orelse) if decided is not None else None
                )
                if end is not None:
                    return end
            elif isinstance(statement, ast.Try | ast.With):
                end = self.run(statement.body)
                if end is not None:
                    return end
        return None

    def _warn(self, call: ast.Call) -> None:
        if (dotted_name(call.func) or "").rpartition(".")[2] == "warn" and call.args:
            self.warned = self.text(call.args[0]) or self.warned

    def _assign(self, statement: ast.Assign) -> None:
        target, value = statement.targets[0], self.value(statement.value)
        if isinstance(target, ast.Name) and target.id != self.parameter:
            self.known[target.id] = value
        elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple | ast.List):
            if len(target.elts) == len(value.elts):
                for part, element in zip(target.elts, value.elts, strict=True):
                    if isinstance(part, ast.Name):
                        self.known[part.id] = self.value(element)

    def _import(self, statement: ast.Import | ast.ImportFrom) -> None:
        for alias in statement.names:
            if isinstance(statement, ast.Import):
                self.modules[alias.asname or alias.name] = alias.name
            elif not statement.level:
                self.modules[alias.asname or alias.name] = f"{statement.module}.{alias.name}"

    # ---- values

    def value(self, node: ast.expr, depth: int = 0) -> ast.expr:
        """An expression with names, look-ups in literal tables and texts replaced by what they are."""
        if depth > 12:
            return node
        if isinstance(node, ast.Name):
            known = self.known.get(node.id)
            return node if known is None or known is node else self.value(known, depth + 1)
        if isinstance(node, ast.Attribute):
            return ast.Constant(self.package) if dotted_name(node) == "__spec__.parent" else node
        if isinstance(node, ast.Subscript):
            return self._looked_up(node.value, node.slice, depth) or node
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr == "get" and node.args:
                return self._looked_up(node.func.value, node.args[0], depth) or node
        if isinstance(node, ast.JoinedStr | ast.BinOp):
            text = string_value(node, self.known)
            return node if text is None else ast.Constant(text)
        return node

    def _looked_up(self, table: ast.expr, key: ast.expr, depth: int) -> ast.expr | None:
        text = self.text(key)
        if text is None or string_items(table, self.known) is None:
            return None
        found = table_value(table, text, self.known)
        if found is None:
            return None if text in (string_items(table, self.known) or ()) else _NONE
        return self.value(found, depth + 1)

    def text(self, node: ast.expr | None) -> str | None:
        return None if node is None else string_value(self.value(node), self.known)

    def message(self, raised: ast.expr | None) -> str | None:
        """The text that an exception is made with."""
        if not isinstance(raised, ast.Call) or not raised.args:
            return None
        return self.text(raised.args[0])

    def _decide(self, test: ast.expr) -> bool | None:
        if not isinstance(test, ast.Compare) or len(test.ops) != 1:
            return None
        operator, right = test.ops[0], test.comparators[0]
        left = self.value(test.left)
        if (
            isinstance(operator, ast.Is | ast.IsNot)
            and isinstance(right, ast.Constant)
            and right.value is None
        ):
            if isinstance(left, ast.Constant | ast.Tuple | ast.List | ast.Dict):
                is_none = isinstance(left, ast.Constant) and left.value is None
                return is_none is isinstance(operator, ast.Is)
            return None
        text = string_value(left, self.known)
        if text is None:
            return None
        if isinstance(operator, ast.Eq | ast.NotEq):
            other = self.text(right)
            return None if other is None else (text == other) is isinstance(operator, ast.Eq)
        if isinstance(operator, ast.In | ast.NotIn):
            items = string_items(right, self.known)
            return None if items is None else (text in items) is isinstance(operator, ast.In)
        return None

    # ---- what is returned

    def target(self, node: ast.expr) -> Binding | None:
        value = self.value(node)
        if not isinstance(value, ast.Call):
            dotted = dotted_name(value)
            return Binding(self.name, "ref", dotted) if dotted and value is not node else None
        function = (dotted_name(value.func) or "").rpartition(".")[2]
        if function == "getattr" and len(value.args) >= 2:
            owner, name = self._module(value.args[0]), self.text(value.args[1])
            return Binding(self.name, "from", (owner, name)) if owner and name else None
        module = self._module(value)
        if module is not None:
            return Binding(self.name, "import", module)
        path = self.text(value.args[0]) if len(value.args) == 1 else None
        if (
            path is not None
            and "import" in function
            and all(map(str.isidentifier, path.replace(":", ".").split(".")))
        ):
            owner, _, name = path.rpartition(":") if ":" in path else path.rpartition(".")
            return Binding(self.name, "from", (owner, name)) if owner else None
        return None

    def _module(self, node: ast.expr) -> str | None:
        """The module that `import_module(...)`, or a name bound to it, gives."""
        dotted = dotted_name(node)
        if dotted is not None and dotted in self.modules:
            return self.modules[dotted]
        value = self.value(node)
        if not isinstance(value, ast.Call) or not value.args:
            return None
        if (dotted_name(value.func) or "").rpartition(".")[2] not in ("import_module", "__import__"):
            return None
        text = self.text(value.args[0])
        if text is None or not text.startswith("."):
            return text
        given = next((word.value for word in value.keywords if word.arg == "package"), None)
        package = self.text(given or (value.args[1] if len(value.args) > 1 else None)) or self.package
        level = len(text) - len(text.lstrip("."))
        parts = package.split(".")
        return ".".join([*parts[: len(parts) - level + 1], text.lstrip(".")]) if level <= len(parts) else None
