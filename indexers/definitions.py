"""Facts of single definitions: functions, properties, values."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from .bodies import Bodies, without_docstring
from .called_classes import LAST_NAMES, read_called_class
from .decorators import Use, is_parameter_decorator, read_use
from .deprecation_docs import docstring_marks, speaks
from .deprecations import decorator_marks, raised_message, sentinel_marks, warning_marks
from .docstring_injectors import injected_function
from .docstring_signatures import written_signature
from .facts import AttributeFacts, Binding, FunctionFacts, PartialFacts
from .literals import string_value
from .made_classes import made_classes
from .mangling import mangled_signature
from .partials import PARTIALS, plain_bound, read_partial
from .signatures import dotted_name, expression_text, signature_of, too_deep
from .wrappers import added_by_property, call_wrapper, may_wrap, read_wrapper

if TYPE_CHECKING:
    from .scope import Scope

Function = ast.FunctionDef | ast.AsyncFunctionDef

_PROPERTIES = {
    "property", "cached_property", "cache_readonly", "cached_readonly", "abstractproperty", "lazyproperty",
    "lazy_property", "hybrid_property", "memoized_property", "reify", "locked_cached_property",
    "classproperty",
    "deprecated_property", "lazy_attribute", "_api.deprecate_privatize_attribute",
}  # fmt: skip
_READ_IN_CONTEXT = ("__call__", "__new__")
_VALUE_LENGTH = 80
_OTHER_PROJECTS = frozenset(
    {
        "abc",
        "attr",
        "attrs",
        "builtins",
        "click",
        "decorator",
        "hypothesis",
        "mock",
        "nose",
        "numba",
        "pytest",
        "six",
        "typing_extensions",
    }
)
"""Where decorators often come from, none of which changes a signature of its user's."""


def docstring_of(body: list[ast.stmt]) -> str | None:
    """The docstring, as it stands in the source (not cleaned)."""
    if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        value = body[0].value.value
        return value if isinstance(value, str) else None
    return None


def parameter_names(arguments: ast.arguments) -> list[str]:
    """All names that a call can give, stars included."""
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    stars = [star for star in (arguments.vararg, arguments.kwarg) if star is not None]
    return [argument.arg for argument in [*named, *stars]]


def named_decorators(node: Function | ast.ClassDef) -> Iterator[tuple[str, ast.expr]]:
    for decorator in node.decorator_list:
        name = dotted_name(decorator.func if isinstance(decorator, ast.Call) else decorator)
        yield name or "", decorator


def definition_marks(
    node: Function | ast.ClassDef, bodies: Bodies, constants: Mapping[str, ast.expr]
) -> tuple[tuple[Any, ...], str | None]:
    """(deprecations, message of a tombstone) of a definition."""
    marks: list[tuple[Any, ...]] = []
    for name, decorator in named_decorators(node):
        if not is_parameter_decorator(name):
            marks.extend(decorator_marks(decorator, node.name, constants))
    doc = docstring_of(node.body)
    if doc is not None and speaks(doc):
        marks.extend(docstring_marks(doc, node.body[0].lineno, node.name))
    if not isinstance(node, ast.ClassDef):
        marks.extend(sentinel_marks(node.args))
    raises = None
    if not isinstance(node, ast.ClassDef) and bodies.hinted(node):
        body = without_docstring(bodies.body(node))
        marks.extend(warning_marks(body, parameter_names(node.args), (node.name,)))
        raises = raised_message(body, constants)
    elif not isinstance(node, ast.ClassDef) and isinstance(node.body[-1], ast.Raise):
        # A constructor's body is never pruned; the message may be a constant that stands elsewhere.
        raises = raised_message(without_docstring(node.body), constants)
    return tuple(marks), raises


_known: dict[bytes, tuple[FunctionFacts, str | None]] = {}
"""Facts, with the docstring, of functions that were read before and whose text alone tells them."""
_MOST_KNOWN = 50_000


def read_function(node: Function, scope: Scope) -> tuple[str, Any]:
    """(form, facts) of a function, a method or a decorated property.

    Most functions of a file are in the release before, too, word for word: those are read once.
    """
    key = _text_key(node, scope)
    found = _known.get(key) if key is not None else None
    texts = scope.reader.docstrings.texts
    if found is not None:
        facts, text = found
        if facts.doc is not None and text is not None:
            texts[facts.doc] = text
        return "def", facts
    form, data = _read_function(node, scope)
    if key is not None and form == "def" and data.deprecations == () and data.raises is None:
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        _known[key] = data, texts[data.doc] if data.doc is not None else None
    return form, data


def _text_key(node: Function, scope: Scope) -> bytes | None:
    """Stands for all that the facts of a function rest on; None where that is more than its own lines.

    Decorators, what a body hints at and what a wrapper does are read with the rest of the file in view.
    A skeleton's tree, and that of another parser, is not the tree of these lines.
    """
    bodies = scope.reader.bodies
    if node.decorator_list or not bodies.pruned or node.name in _READ_IN_CONTEXT or bodies.hinted(node):
        return None
    if isinstance(node.body[-1], ast.Raise) or (scope.kind == "module" and may_wrap(node, bodies)):
        return None
    lines = bodies.lines[node.lineno - 1 : node.end_lineno]
    context = f"\0{scope.kind}\0{scope.class_name}\0{scope.reader.is_stub}"
    return blake2b("\n".join((*lines, context)).encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _read_function(node: Function, scope: Scope) -> tuple[str, Any]:
    labels: set[str] = {"async"} if isinstance(node, ast.AsyncFunctionDef) else set()
    is_property = False
    for name, _ in named_decorators(node):
        last = name.rpartition(".")[2]
        if name in ("classmethod", "staticmethod", "abc.abstractclassmethod", "abc.abstractstaticmethod"):
            labels.add(last.removeprefix("abstract"))
        elif last in _PROPERTIES or last.endswith("property") or _is_member(name, scope):
            is_property = True
            labels.update({"property", "cached"} if "cach" in last else {"property"})
        elif last == "overload":
            labels.add("overload")
        elif last == "abstractmethod":
            labels.add("abstract")
    doc = scope.reader.docstrings.keep(docstring_of(node.body))
    marks, raises = definition_marks(node, scope.reader.bodies, scope.constants)
    if is_property and scope.is_class:
        returns = expression_text(node.returns)
        adds = added_by_property(node, scope) if node.name == "__signature__" else None
        return "attr", (AttributeFacts(None, returns, tuple(sorted(labels)), None, doc, adds), marks)
    signature = signature_of(node.args, node.returns)
    if scope.class_name is not None and not scope.reader.is_stub:
        signature = mangled_signature(signature, scope.class_name)
    return "def", FunctionFacts(
        signature, tuple(sorted(labels)), (), marks, raises, doc,
        decorators=tuple(tuple(use) for use in _uses(node, scope)),
        accepts=scope.reader.bodies.taken.of(node),
        wrapper=_wrapper(node, scope),
        makes=made_classes(node, scope) if node.name == "__new__" and scope.is_class else (),
    )  # fmt: skip


def _uses(node: Function, scope: Scope) -> Iterator[Use]:
    """Decorators that may change the signature: those of the package, and some that are known by name."""
    for decorator in node.decorator_list:
        use = read_use(decorator)
        if use is not None and _matters(use, scope):
            yield use


def _matters(use: Use, scope: Scope) -> bool:
    origin = scope.origin(use.name)
    if is_parameter_decorator(use.name) or origin is None or scope.inside(origin):
        return True
    # A release may have several packages at the top: only what is known to be another project's is left out.
    top = origin.partition(".")[0]
    return top not in _OTHER_PROJECTS and top not in sys.stdlib_module_names


def _wrapper(node: Function, scope: Scope) -> Any:
    """What a function at the top of a file, or a class's `__call__`, makes of functions."""
    if scope.is_class:
        return call_wrapper(node, scope) if node.name == "__call__" else None
    return read_wrapper(node, scope) if scope.kind == "module" else None


def accessor_of(node: Function) -> str | None:
    """The property that `@name.setter` and its like complete, with the label it adds."""
    if not node.decorator_list:
        return None
    for name, _ in named_decorators(node):
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
    rows = (getattr(value, "end_lineno", None) or 0) - getattr(value, "lineno", 0)
    if rows > _VALUE_LENGTH:
        return None  # a table of megabytes is not worth writing out to see that it is long
    if too_deep(value, 6):
        return None
    text = expression_text(value)
    return text if text is not None and len(text) <= _VALUE_LENGTH else None


def _read_call(value: ast.Call, annotation: str | None, scope: Scope) -> tuple[str, Any]:
    callee = dotted_name(value.func)
    last = callee.rpartition(".")[2] if callee else ""
    if scope.reader.injects and (documented := injected_function(value, scope.constants)) is not None:
        doc = scope.reader.docstrings.keep(string_value(value.args[1], scope.constants))
        return "def", FunctionFacts(written_signature(documented[1], documented[0]), doc=doc)
    if scope.is_class and last in _PROPERTIES:
        settable = len(value.args) > 1 and not _is_none(value.args[1])
        labels = ("property", "settable") if settable else ("property",)
        return "attr", AttributeFacts(None, annotation, labels, callee)
    if last in LAST_NAMES and (made := read_called_class(value, scope)) is not None:
        return "class", made
    if last.startswith("partial") and (origin := scope.origin(callee)) in PARTIALS:
        return _read_partial(value, annotation, origin, scope)
    if last in ("staticmethod", "classmethod") and len(value.args) == 1:
        inner = dotted_name(value.args[0])
        if inner is not None:
            return _bound_to_class(inner, last, scope)
        if isinstance(value.args[0], ast.Lambda):
            return "def", FunctionFacts(signature_of(value.args[0].args), (last,))
    return "attr", AttributeFacts(_short(value), annotation, (), callee)


def _bound_to_class(function: str, kind: str, scope: Scope) -> tuple[str, Any]:
    """`staticmethod(f)` and `classmethod(f)`; the second takes the first parameter itself."""
    known = scope.env.get(function) if scope.is_class else None
    if known is not None and known.form == "def":
        return "def", labelled(known.data, kind)
    return ("ref", function) if kind == "staticmethod" else ("partial", PartialFacts(function, 1))


def wrapped(facts: FunctionFacts, value: ast.Call, scope: Scope) -> FunctionFacts:
    """A function's facts after `f = decorate(f)`, `f = decorate(...)(f)`, or several of them."""
    uses: list[tuple[Any, ...]] = []
    inner: ast.expr | None = value
    while isinstance(inner, ast.Call):
        use = read_use(inner.func)
        if use is not None and use.name in ("classmethod", "staticmethod"):
            facts = labelled(facts, use.name)
        elif use is not None and _matters(use, scope):
            uses.append(tuple(use))
        inner = next((item for item in inner.args if isinstance(item, ast.Call)), None)
    return facts._replace(decorators=(*uses, *facts.decorators)) if uses else facts


def labelled(facts: FunctionFacts, label: str) -> FunctionFacts:
    """A function's facts with one label more."""
    return facts._replace(labels=tuple(sorted({*facts.labels, label})))


def _read_partial(value: ast.Call, annotation: str | None, origin: str, scope: Scope) -> tuple[str, Any]:
    """A callable with arguments bound; its signature is told later where another file defines it."""
    facts = read_partial(value, method=PARTIALS[origin])
    if facts is None:
        inner = value.args[0] if value.args else None
        if isinstance(inner, ast.Lambda) and not PARTIALS[origin]:
            named = ast.Call(value.func, [ast.Name("_"), *value.args[1:]], value.keywords)
            facts = read_partial(named, method=False)
            if facts is not None:
                return "def", FunctionFacts(plain_bound(signature_of(inner.args), facts))
        return "attr", AttributeFacts(_short(value), annotation, (), origin)
    known = scope.env.get(facts.function) if scope.is_class else None
    if known is not None and known.form == "def":
        return "def", FunctionFacts(plain_bound(known.data.signature, facts))
    return "partial", facts


def _is_member(decorator: str, scope: Scope) -> bool:
    """`enum.member` makes a member out of a method."""
    return decorator.endswith("member") and scope.origin(decorator) in ("enum.member", "enum.nonmember")


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def with_label(binding: Binding, label: str) -> Binding:
    """A property binding with one label more."""
    facts = binding.data
    if not isinstance(facts, AttributeFacts):
        return binding
    return binding._replace(data=facts._replace(labels=tuple(sorted({*facts.labels, label}))))
