"""What only shows in the tree of a Cython file: properties, read-only marks, constructors, and its `.pxd`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from .legacy import Module

if TYPE_CHECKING:
    from .cython_rewrite import Rewriter


class Finish:
    """What only shows in the tree: properties, read-only marks, constructors."""

    def __init__(self, rewriter: Rewriter) -> None:
        self.rewriter = rewriter

    def apply(self, tree: ast.Module) -> None:
        for node in list(ast.walk(tree)):
            for name in ("body", "orelse", "finalbody"):
                body = getattr(node, name, None)
                if isinstance(body, list):
                    body[:] = [new for old in body for new in self.statement(old)]
            if isinstance(node, ast.ClassDef):
                _constructor(node)
                if node.lineno in self.rewriter.cdef_class_lines:
                    _without_instance_attributes(node)

    def statement(self, node: ast.AST) -> list[ast.AST]:
        if isinstance(node, ast.ClassDef) and node.lineno in self.rewriter.property_lines:
            return list(_property(node))
        if isinstance(node, ast.ClassDef) and (node.lineno, node.name) in self.rewriter.unscoped_enums:
            return [node, *_members_as_names(node)]
        match node:
            case ast.Expr(value=ast.Name(id=name)) if name in self.rewriter.inserted:
                return [_moved(inner, node.lineno) for inner in self.rewriter.inserted[name].body]
            case ast.AnnAssign(target=ast.Name(id=name)) if (node.lineno, name) in self.rewriter.readonly:
                node._readonly = True  # type: ignore[attr-defined]
        return [node]


def _members_as_names(node: ast.ClassDef) -> Iterator[ast.stmt]:
    """`A = Name.A` for the members of an enum that is no `enum class`: C sees them so, and Python as well."""
    for member in node.body:
        target = member.targets[0] if isinstance(member, ast.Assign) else getattr(member, "target", None)
        if isinstance(target, ast.Name):
            value = ast.Attribute(ast.Name(node.name, ast.Load()), target.id, ast.Load())
            new = ast.Assign([ast.Name(target.id, ast.Store())], value)
            for part in ast.walk(new):
                if isinstance(part, ast.expr | ast.stmt):
                    ast.copy_location(part, member)
            yield new


def _property(node: ast.ClassDef) -> Iterator[ast.stmt]:
    """The methods of a `property name:` block as functions that `property` decorates."""
    document = node.body[0] if node.body and ast.get_docstring(node, clean=False) is not None else None
    decorators = {"__get__": "property", "__set__": f"{node.name}.setter", "__del__": f"{node.name}.deleter"}
    for method in node.body:
        if not isinstance(method, ast.FunctionDef) or method.name not in decorators:
            continue
        decorator = ast.parse(decorators[method.name], mode="eval").body
        for part in ast.walk(decorator):
            if isinstance(part, ast.expr):
                ast.copy_location(part, node)
        if method.name == "__get__":
            method.lineno, method.col_offset = node.lineno, node.col_offset
            if document is not None and ast.get_docstring(method, clean=False) is None:
                method.body.insert(0, document)
        method.name = node.name
        method.decorator_list = [decorator]
        yield method


def _constructor(node: ast.ClassDef) -> None:
    """`__cinit__` takes what the class is called with; it and its like are no attributes."""
    methods = {child.name: child for child in node.body if isinstance(child, ast.FunctionDef)}
    hidden = [methods[name] for name in ("__cinit__", "__dealloc__") if name in methods]
    if "__cinit__" in methods and "__init__" not in methods:
        hidden.remove(methods["__cinit__"])
        methods["__cinit__"].name = "__init__"
    if hidden:
        rest = [child for child in node.body if child not in hidden]
        node.body = rest or [ast.copy_location(ast.Pass(), node)]


def _without_instance_attributes(node: ast.ClassDef) -> None:
    """An instance of a `cdef class` has no `__dict__`: what `self.x = ...` sets is a C member.

    Those that Python sees were declared `public` or `readonly`.
    """
    for method in node.body:
        if not isinstance(method, ast.FunctionDef) or not (method.args.posonlyargs + method.args.args):
            continue
        owner = (method.args.posonlyargs + method.args.args)[0].arg
        for inner in ast.walk(method):
            for name in ("body", "orelse", "finalbody"):
                body = getattr(inner, name, None)
                if isinstance(body, list):
                    body[:] = [_value_only(statement, owner) for statement in body]


def _value_only(statement: ast.AST, owner: str) -> ast.AST:
    """`self.x = value` as `value`; any other statement as it is."""
    if not isinstance(statement, ast.Assign | ast.AugAssign | ast.AnnAssign) or statement.value is None:
        return statement
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    if any(_is_attribute_of(part, owner) for target in targets for part in ast.walk(target)):
        return ast.copy_location(ast.Expr(value=statement.value), statement)
    return statement


def _is_attribute_of(node: ast.AST, owner: str) -> bool:
    if not isinstance(node, ast.Attribute) or not isinstance(node.ctx, ast.Store):
        return False
    return isinstance(node.value, ast.Name) and node.value.id == owner


def merge(module: Module, declarations: Module, enum_lines: set[int]) -> None:
    """Add what the `.pxd` alone declares: attributes of classes, and `cpdef enum`s."""
    classes = {node.name: node for node in ast.walk(module) if isinstance(node, ast.ClassDef)}
    bound = {
        node.id for node in ast.walk(module) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    enums: set[str] = set()
    for node in declarations.body:
        if isinstance(node, ast.ClassDef) and node.name in classes:
            _merge_class(classes[node.name], node)
        elif isinstance(node, ast.ClassDef) and node.lineno in enum_lines and node.name not in bound:
            enums.add(node.name)
            module.body.append(_moved(node, 1))
        elif isinstance(node, ast.Assign) and _is_enum_member(node, enum_lines, enums):
            module.body.append(_moved(node, 1))
    module.includes += declarations.includes


def _is_enum_member(node: ast.Assign, enum_lines: set[int], enums: set[str]) -> bool:
    """A member of an enum without a name, or of one that was added just before."""
    match node.value:
        case ast.Attribute(value=ast.Name(id=owner)) if owner in enums:
            return True
    return node.lineno in enum_lines


def _merge_class(target: ast.ClassDef, declared: ast.ClassDef) -> None:
    has = {
        n.target.id for n in target.body if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)
    }
    has |= {n.name for n in target.body if isinstance(n, ast.FunctionDef)}
    position = 1 if ast.get_docstring(target, clean=False) is not None else 0
    new = [
        _moved(n, target.lineno)
        for n in declared.body
        if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name) and n.target.id not in has
    ]
    target.body[position:position] = new


def _moved(node: ast.stmt, line: int) -> ast.stmt:
    """A statement of the `.pxd`, put at a line of the `.pyx`."""
    for part in ast.walk(node):
        if hasattr(part, "lineno"):
            part._pxd_line = part.lineno  # type: ignore[attr-defined]
            part.lineno = part.end_lineno = line  # type: ignore[attr-defined]
    return node
