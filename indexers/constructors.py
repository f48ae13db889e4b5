"""Signatures of calling a class: its own `__init__`, an inherited one, or one made from fields."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from ..kb.parameters import HIDDEN
from ..kb.symbols import Parameter, ParameterKind, Signature
from .decorated import Decorated
from .facts import Binding, ClassFacts, FieldFacts, FunctionFacts, GeneratedFacts
from .generated import CLASSIC, DATACLASS, GENERATORS, TRANSFORM
from .namespaces import Release, Target
from .patchers import BARE_CALL
from .plain_signatures import drop_first, plain_signature

_NO_CONSTRUCTOR = {"object", "Generic", "Protocol", "ABC"}
_PLAIN_METACLASSES = ("ABCMeta", "type")
NAMED_TUPLES = {"typing.NamedTuple", "typing_extensions.NamedTuple", "NamedTuple"}
TYPED_DICTS = {"typing.TypedDict", "typing_extensions.TypedDict", "mypy_extensions.TypedDict"}

_PROTOCOLS = {"typing.Protocol", "typing_extensions.Protocol"}
_ANYTHING = Signature(
    (
        Parameter("args", ParameterKind.VAR_POSITIONAL.value),
        Parameter("kwargs", ParameterKind.VAR_KEYWORD.value),
    )
)
"""What a protocol shows, which cannot be called."""
_NAMED = ParameterKind.POSITIONAL_OR_KEYWORD.value
_LOOKUP = Signature(
    (
        Parameter("value", _NAMED),
        Parameter("names", _NAMED, "None"),
        Parameter("module", ParameterKind.KEYWORD_ONLY.value, "None"),
        Parameter("qualname", ParameterKind.KEYWORD_ONLY.value, "None"),
        Parameter("type", ParameterKind.KEYWORD_ONLY.value, "None"),
        Parameter("start", ParameterKind.KEYWORD_ONLY.value, "1"),
        Parameter("boundary", ParameterKind.KEYWORD_ONLY.value, "None"),
    )
)
"""The call of an enumeration, by the `EnumType.__call__` of Python 3.11."""

Owner = Target | str
"""A class of the release, or the name of one outside it."""


class Constructor(NamedTuple):
    """What calling a class takes.  `signature` is None where it cannot be told."""

    signature: Signature | None = None
    accepts: tuple[str, ...] = ()
    marks: tuple[Any, ...] = ()
    """Deprecations of parameters, plain."""


def constructor_of(
    release: Release, decorated: Decorated, owners: Iterable[Owner], bases: Iterable[str]
) -> Constructor:
    """The constructor of the first of the owners: the class, then its ancestors, nearest first.

    `bases` are the names of the class's own bases.
    """
    line = list(owners)
    names = {owner if isinstance(owner, str) else owner.path for owner in line}
    if any(name.startswith("enum.") for name in names):
        # A call looks a member up; `__init__` and `__new__` are for the members.
        return Constructor() if any(_metaclass(owner) for owner in line) else Constructor(_LOOKUP)
    if names & TYPED_DICTS:
        return Constructor(_of_keys(line))
    if set(bases) & NAMED_TUPLES and not own_constructor(line[0]):
        computed = _facts(line[0]).opaque is not None
        return Constructor(None if computed else _signature(_facts(line[0]).fields))
    found = _walk(release, decorated, line)
    if set(bases) & _PROTOCOLS and found == Constructor(Signature()):
        return Constructor(_ANYTHING)
    return found


def _walk(release: Release, decorated: Decorated, line: list[Owner]) -> Constructor:
    fields = suspect = False
    for at, owner in enumerate(line):
        if isinstance(owner, str):
            if owner.rpartition(".")[2] in _NO_CONSTRUCTOR:
                continue
            return _of_foreign(release, decorated, line, at)
        facts = _facts(owner)
        own, generated = own_constructor(owner), generator(release, owner)
        if generated is not None and generated.init and (own is None or generated.overrides):
            return _generated(release, line[at:])
        if fields and TRANSFORM in facts.labels:
            return Constructor()
        if own is not None:
            return _from_members(release, decorated, line[at:])
        if not generated and facts.fields:
            fields = True
            suspect |= any(_may_generate(release, owner, name) for name in facts.decorators)
        suspect |= any(member.name == "__init_subclass__" for member in facts.members)
        suspect |= TRANSFORM in facts.labels
        if (facts.metaclass or "type").rpartition(".")[
            2
        ] not in _PLAIN_METACLASSES or "compiled" in facts.labels:
            return Constructor()
    return Constructor() if fields and suspect else Constructor(Signature())


def _of_foreign(release: Release, decorated: Decorated, line: list[Owner], at: int) -> Constructor:
    """A named tuple among the ancestors has its fields' constructor; of others nothing is known."""
    if line[at] in NAMED_TUPLES and at:
        last = line[at - 1]
        if isinstance(last, Target) and _facts(last).opaque is None:
            return Constructor(_signature(_facts(last).fields))
    return Constructor()


def _facts(owner: Owner) -> ClassFacts:
    assert isinstance(owner, Target) and owner.binding is not None
    facts: ClassFacts = owner.binding.data
    return facts


def own_constructor(owner: Owner) -> Binding | None:
    """What a class itself defines to be called with; in one class `__new__` is first."""
    members = {binding.name: binding for binding in _facts(owner).members}
    return members.get("__new__") or members.get("__init__")


def _metaclass(owner: Owner) -> str | None:
    return _facts(owner).metaclass if isinstance(owner, Target) else None


def _from_members(release: Release, decorated: Decorated, line: list[Owner]) -> Constructor:
    """The first of `__new__` and `__init__` that an ancestor defines; in one class `__new__` is first.

    A `__new__` that takes anything hands it to `__init__`, which says what that is.
    """
    owner = line[0]
    new, init = _method(owner, "__new__"), _initialiser(line)
    if new is None or init is None:
        own = new or init
        return _from_function(decorated, *own) if own is not None else Constructor()
    made, told = _from_function(decorated, *new), _from_function(decorated, *init)
    if made.signature is None or _takes_anything(made.signature):
        besides = [
            *(parameter.name for parameter in _keywords(made.signature)),
            *_of_others(release, new[1]),
        ]
        shown = told
    else:
        stars = any(p.kind == ParameterKind.VAR_KEYWORD for p in made.signature.parameters)
        besides = [*_names(told.signature), *told.accepts] if stars else []
        shown = made
    accepts = tuple(dict.fromkeys((*shown.accepts, *besides)))
    return Constructor(shown.signature, accepts, (*told.marks, *made.marks))


def _method(owner: Owner, name: str) -> tuple[Target, Binding] | None:
    if isinstance(owner, str):
        return None
    return next(((owner, member) for member in _facts(owner).members if member.name == name), None)


def _initialiser(line: list[Owner]) -> tuple[Target, Binding] | None:
    return next((found for owner in line if (found := _method(owner, "__init__")) is not None), None)


def _takes_anything(signature: Signature) -> bool:
    """`*args, **kwargs`, with keywords at most besides."""
    kinds = {parameter.kind for parameter in signature.parameters}
    return kinds - {ParameterKind.KEYWORD_ONLY} == {ParameterKind.VAR_POSITIONAL, ParameterKind.VAR_KEYWORD}


def _keywords(signature: Signature | None) -> Iterator[Parameter]:
    for parameter in signature.parameters if signature is not None else ():
        if parameter.kind == ParameterKind.KEYWORD_ONLY:
            yield parameter


def _names(signature: Signature | None) -> Iterator[str]:
    """The parameters that can be given by name."""
    named = (ParameterKind.POSITIONAL_OR_KEYWORD, ParameterKind.KEYWORD_ONLY)
    return (p.name for p in (signature.parameters if signature is not None else ()) if p.kind in named)


def _of_others(release: Release, new: Binding) -> Iterator[str]:
    """Keywords of the classes whose instances a `__new__` makes instead."""
    for path in new.data.makes if new.form == "def" else ():
        top, _, rest = path.partition(".")
        target = release.resolve_dotted(top, rest) if top in release.modules and rest else None
        known = target is not None and target.binding is not None and target.binding.form == "class"
        found = _method(target, "__init__") if target is not None and known else None
        if found is None or found[1].form != "def":
            yield HIDDEN
            continue
        signature = plain_signature(found[1].data.signature)
        yield from _names(drop_first(signature) if signature is not None else None)
        yield from found[1].data.accepts


def _from_function(decorated: Decorated, owner: Target, binding: Binding) -> Constructor:
    if binding.form != "def" or not isinstance(binding.data, FunctionFacts):
        return Constructor()
    facts = decorated.applied(owner.module, binding.data)
    signature = plain_signature(facts.signature)
    if signature is None:
        return Constructor()
    marks = tuple(mark for mark in facts.deprecations if mark[5] is not None)
    return Constructor(drop_first(signature._replace(returns=None)), facts.accepts, marks)


# ---- generated from fields


def generator(release: Release, owner: Target) -> GeneratedFacts | None:
    """The decorator that generates a class's constructor, where that is really one of those known."""
    facts = _facts(owner).dataclass
    if facts is None:
        return None
    way = GENERATORS.get(_origin(release, owner, facts.decorator))
    return None if way is None else facts._replace(way=way)


def _origin(release: Release, owner: Target, name: str) -> str:
    """The public path of a decorator; in the library that defines it, too."""
    target = release.resolve_dotted(owner.module, name)
    if target.form == "external":
        return target.path
    if target.form == "unknown":
        return name
    for known in GENERATORS:
        module, _, last = known.rpartition(".")
        if module in release.modules and release.resolve(module, last).path == target.path:
            return known
    return ""


def _may_generate(release: Release, owner: Target, decorator: str) -> bool:
    """True for a class decorator that may make a constructor: the package's own, or a foreign library's."""
    name = decorator.removesuffix(BARE_CALL)
    target = release.resolve_dotted(owner.module, name)
    if target.form == "external":
        return target.path.partition(".")[0] not in sys.stdlib_module_names
    return True


def _generated(release: Release, line: list[Owner]) -> Constructor:
    """Fields of ancestors first; a dataclass redefines a field in its place, attrs behind the others."""
    target = line[0]
    assert isinstance(target, Target)
    fields: dict[str, FieldFacts] = {}
    last: GeneratedFacts | None = None
    for owner in reversed(line):
        if isinstance(owner, str):
            if owner.partition(".")[0] not in sys.stdlib_module_names and not _is_plain_name(owner):
                return Constructor()  # it may be a dataclass, too
            continue
        last = generator(release, owner)
        if last is None:
            continue
        for record in _own_fields(_facts(owner), last):
            if last.way != DATACLASS:
                fields.pop(record.name, None)
            fields[record.name] = record
    if last is not None and last.kw_only and last.way == CLASSIC:
        fields = {name: record._replace(kw_only=True) for name, record in fields.items()}
    return Constructor(_signature(fields.values()))


def _is_plain_name(owner: str) -> bool:
    """Builtins, and names of the typing module that were written without it."""
    return "." not in owner and owner != "?"


def _own_fields(facts: ClassFacts, generated: GeneratedFacts) -> Iterator[FieldFacts]:
    only = generated.kw_only
    for item in facts.fields:
        record = FieldFacts._make(item)
        if record.name == "*":
            only = True
            continue
        alias = record.alias or (record.name.lstrip("_") if generated.way != DATACLASS else record.name)
        yield record._replace(kw_only=only if record.kw_only is None else record.kw_only, alias=alias)


def _signature(fields: Iterable[Any]) -> Signature:
    """Parameters out of fields, keywords last."""
    taken = [record for record in map(FieldFacts._make, fields) if record.init]
    ordered = sorted(taken, key=lambda record: bool(record.kw_only))
    return Signature(tuple(_parameter(record) for record in ordered))


def _parameter(record: FieldFacts) -> Parameter:
    kind = ParameterKind.KEYWORD_ONLY if record.kw_only else ParameterKind.POSITIONAL_OR_KEYWORD
    return Parameter(record.alias or record.name, kind.value, record.default, record.annotation or None)


def _of_keys(line: list[Owner]) -> Signature:
    """A TypedDict is called like a dictionary: with its keys as keywords, or with anything."""
    fields: dict[str, FieldFacts] = {}
    for owner in reversed(line):
        for item in _facts(owner).fields if isinstance(owner, Target) else ():
            record = FieldFacts._make(item)
            fields[record.name] = record
    keys = (_parameter(record._replace(kw_only=True)) for record in fields.values())
    stars = (
        Parameter("args", ParameterKind.VAR_POSITIONAL.value),
        Parameter("kwargs", ParameterKind.VAR_KEYWORD.value),
    )
    return Signature((stars[0], *keys, stars[1]))
