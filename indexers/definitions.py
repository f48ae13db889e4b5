"""Facts of single definitions: functions, properties, values, fields of dataclasses."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .bodies import Bodies, without_docstring
from .deprecations import decorator_marks, docstring_marks, raised_message, warning_marks
from .facts import AttributeFacts, Binding, FieldFacts, FunctionFacts
from .signatures import base_name, dotted_name, expression_text, signature_of, too_deep

if TYPE_CHECKING:
    from .scope import Scope

Function = ast.FunctionDef | ast.AsyncFunctionDef

_PROPERTIES = {
    "property", "cached_property", "cache_readonly", "cached_readonly", "abstractproperty", "lazyproperty",
    "lazy_property", "hybrid_property", "memoized_property", "reify", "locked_cached_property",
    "classproperty",
    "deprecated_property", "lazy_attribute", "_api.deprecate_privatize_attribute",
}  # fmt: skip
_VALUE_LENGTH = 80
_DATACLASSES = {
    "dataclass", "dataclasses.dataclass", "attr.s", "attr.attrs", "attr.dataclass", "attrs.define",
    "attrs.frozen",
    "attrs.mutable", "attr.define", "attr.frozen", "attr.mutable", "define", "attrs", "attr.attributes",
    "pydantic.dataclasses.dataclass", "dataclass_transform",
}  # fmt: skip
_FIELD_CALLS = {
    "field", "dataclasses.field", "attr.ib", "attrib", "attr.attrib", "attrs.field", "attr.field", "Factory",
}  # fmt: skip


def docstring_of(body: list[ast.stmt]) -> str | None:
    """The docstring, as it stands in the source (not cleaned)."""
    if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        value = body[0].value.value
        return value if isinstance(value, str) else None
    return None


def docstring_hash(doc: str | None) -> str | None:
    """16 hexadecimal digits of a docstring, white space folded; None for none."""
    if not doc:
        return None
    return hashlib.blake2b(" ".join(doc.split()).encode("utf-8", "replace"), digest_size=8).hexdigest()


def parameter_names(arguments: ast.arguments) -> list[str]:
    """All names that a call can give, stars included."""
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    stars = [star for star in (arguments.vararg, arguments.kwarg) if star is not None]
    return [argument.arg for argument in [*named, *stars]]


def _decorators(node: Function | ast.ClassDef) -> Iterator[tuple[str, ast.expr]]:
    for decorator in node.decorator_list:
        name = dotted_name(decorator.func if isinstance(decorator, ast.Call) else decorator)
        yield name or "", decorator


def definition_marks(
    node: Function | ast.ClassDef, bodies: Bodies, parameters: list[str]
) -> tuple[tuple[Any, ...], str | None]:
    """(deprecations, message of a tombstone) of a definition."""
    marks: list[tuple[Any, ...]] = []
    for decorator in node.decorator_list:
        marks.extend(decorator_marks(decorator))
    doc = docstring_of(node.body)
    if doc and "deprecated::" in doc:
        marks.extend(docstring_marks(doc, node.body[0].lineno))
    raises = None
    if not isinstance(node, ast.ClassDef) and bodies.hinted(node):
        body = without_docstring(bodies.body(node))
        marks.extend(warning_marks(body, parameters))
        raises = raised_message(body)
    return tuple(marks), raises


def read_function(node: Function, scope: Scope) -> tuple[str, Any]:
    """(form, facts) of a function, a method or a decorated property."""
    labels: set[str] = {"async"} if isinstance(node, ast.AsyncFunctionDef) else set()
    is_property = False
    for name, _ in _decorators(node):
        last = name.rpartition(".")[2]
        if name in ("classmethod", "staticmethod", "abc.abstractclassmethod", "abc.abstractstaticmethod"):
            labels.add(last.removeprefix("abstract"))
        elif last in _PROPERTIES or last.endswith("property"):
            is_property = True
            labels.update({"property", "cached"} if "cach" in last else {"property"})
        elif last == "overload":
            labels.add("overload")
        elif last == "abstractmethod":
            labels.add("abstract")
    doc = docstring_hash(docstring_of(node.body))
    marks, raises = definition_marks(node, scope.reader.bodies, parameter_names(node.args))
    if is_property and scope.is_class:
        returns = expression_text(node.returns)
        return "attr", (AttributeFacts(None, returns, tuple(sorted(labels)), None, None, doc), marks)
    signature = signature_of(node.args, node.returns)
    return "def", FunctionFacts(signature, tuple(sorted(labels)), (), marks, raises, doc)


def accessor_of(node: Function) -> str | None:
    """The property that `@name.setter` and its like complete, with the label it adds."""
    for name, _ in _decorators(node):
        owner, _, last = name.rpartition(".")
        if owner == node.name and last in ("setter", "deleter", "getter", "inplace"):
            return {"setter": "settable", "deleter": "deletable"}.get(last, "property")
    return None


def read_value(
    name: str, value: ast.expr | None, annotation: ast.expr | None, scope: Scope
) -> tuple[str, Any]:
    """(form, data) of what an assignment binds."""
    note = expression_text(annotation)
    if value is None:
        return "attr", AttributeFacts(None, note)
    dotted = dotted_name(value)
    if dotted is not None and annotation is None:
        return "ref", dotted
    if isinstance(value, ast.Lambda):
        return "def", FunctionFacts(signature_of(value.args))
    if isinstance(value, ast.Call) and not too_deep(value.func):
        return _read_call(value, note, scope)
    return "attr", AttributeFacts(_short(value), note)


def _short(value: ast.expr) -> str | None:
    if too_deep(value, 6):
        return None
    text = expression_text(value)
    return text if text is not None and len(text) <= _VALUE_LENGTH else None


def _read_call(value: ast.Call, annotation: str | None, scope: Scope) -> tuple[str, Any]:
    callee = dotted_name(value.func)
    last = callee.rpartition(".")[2] if callee else ""
    if scope.is_class and last in _PROPERTIES:
        settable = len(value.args) > 1 and not _is_none(value.args[1])
        labels = ("property", "settable") if settable else ("property",)
        return "attr", AttributeFacts(None, annotation, labels, callee)
    if last in ("staticmethod", "classmethod") and len(value.args) == 1:
        inner = dotted_name(value.args[0])
        if inner is not None:
            return "ref", inner
        if isinstance(value.args[0], ast.Lambda):
            return "def", FunctionFacts(signature_of(value.args[0].args), (last,))
    return "attr", AttributeFacts(_short(value), annotation, (), callee)


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


# ---- generated constructors


def dataclass_of(node: ast.ClassDef) -> tuple[str, bool, bool] | None:
    """(decorator, init, kw_only) where a decorator generates the constructor."""
    for name, decorator in _decorators(node):
        if name not in _DATACLASSES:
            continue
        init, kw_only, auto_attribs = (
            True,
            False,
            name not in ("attr.s", "attr.attrs", "attrs", "attr.attributes"),
        )
        for keyword in decorator.keywords if isinstance(decorator, ast.Call) else ():
            value = keyword.value.value if isinstance(keyword.value, ast.Constant) else None
            if keyword.arg == "init" and value is False:
                init = False
            elif keyword.arg == "kw_only" and value is True:
                kw_only = True
            elif keyword.arg == "auto_attribs":
                auto_attribs = bool(value)
        return ("attrs-explicit" if not auto_attribs else name), init, kw_only
    return None


def read_field(statement: ast.stmt, explicit: bool) -> FieldFacts | None:
    """A class body's statement as a field of a generated constructor, None where it is none.

    `explicit`: only names assigned from `attr.ib()` are fields (`attr.s` without annotations).
    """
    value = getattr(statement, "value", None)
    call = value if isinstance(value, ast.Call) and dotted_name(value.func) in _FIELD_CALLS else None
    if (
        isinstance(statement, ast.AnnAssign)
        and isinstance(statement.target, ast.Name)
        and not (explicit and not call)
    ):
        annotation = expression_text(statement.annotation) or ""
        kind = (base_name(statement.annotation) or "").rpartition(".")[2]
        if kind == "ClassVar" or annotation.startswith(("'ClassVar", "'typing.ClassVar")):
            return None
        return _field(
            statement.target.id, "" if kind == "KW_ONLY" else annotation, value, call, kind == "KW_ONLY"
        )
    if explicit and call and isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
        return _field(statement.targets[0].id.lstrip("_"), "", value, call, False)
    return None


def _field(
    name: str, annotation: str, value: ast.expr | None, call: ast.Call | None, sentinel: bool
) -> FieldFacts:
    if sentinel:
        return FieldFacts("*", "", None, False, True)
    if call is None:
        return FieldFacts(name, annotation, expression_text(value), True, None)
    default, init, kw_only = None, True, None
    for keyword in call.keywords:
        constant = keyword.value.value if isinstance(keyword.value, ast.Constant) else None
        if keyword.arg == "default":
            default = expression_text(keyword.value)
        elif keyword.arg in ("default_factory", "factory"):
            default = "<factory>"
        elif keyword.arg == "init":
            init = constant is not False
        elif keyword.arg == "kw_only":
            kw_only = bool(constant)
        elif keyword.arg == "alias" and isinstance(constant, str):
            name = constant
    if call.args and default is None and dotted_name(call.func) in ("attr.ib", "attrib", "attr.attrib"):
        default = expression_text(call.args[0])
    return FieldFacts(name, annotation, default, init, kw_only)


def with_label(binding: Binding, label: str) -> Binding:
    """A property binding with one label more."""
    facts = binding.data
    if not isinstance(facts, AttributeFacts):
        return binding
    return binding._replace(data=facts._replace(labels=tuple(sorted({*facts.labels, label}))))
