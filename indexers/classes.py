"""Classes of a release: their ancestors, their constructors, what may hide in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..kb.symbols import Parameter, ParameterKind, Signature
from .facts import Binding, ClassFacts, FieldFacts, FunctionFacts
from .namespaces import Release, Target

_NO_CONSTRUCTOR = {"object", "Generic", "Protocol", "ABC", "Exception"}


class ClassView(NamedTuple):
    """A class as the release sees it: linearised ancestors (targets or dotted names), nearest first."""

    ancestors: tuple[Target | str, ...]
    names: tuple[str, ...]
    """Their qualified names."""
    token: bytes
    """Changes whenever anything does that the class inherits."""


class Classes:
    """Computes each class of a release once."""

    def __init__(self, release: Release) -> None:
        self.release = release
        self._views: dict[str, ClassView] = {}
        self._open: set[str] = set()

    def view(self, target: Target) -> ClassView:
        """Ancestors of the class that a target names."""
        known = self._views.get(target.path)
        if known is None:
            if target.path in self._open:
                return ClassView((), (), b"cycle")
            self._open.add(target.path)
            known = self._compute(target)
            self._open.discard(target.path)
            self._views[target.path] = known
        return known

    def _compute(self, target: Target) -> ClassView:
        facts = _class_facts(target)
        sequences: list[list[Target | str]] = []
        bases: list[Target | str] = []
        for base in facts.bases:
            resolved = self._base(target, base)
            bases.append(resolved)
            line: list[Target | str] = [resolved]
            if isinstance(resolved, Target):
                line.extend(self.view(resolved).ancestors)
            sequences.append(line)
        ancestors = _linearise([*sequences, bases])
        names = tuple(item if isinstance(item, str) else item.path for item in ancestors)
        keys = [
            self.release.modules[item.module].key if isinstance(item, Target) else item.encode()
            for item in ancestors
        ]
        return ClassView(tuple(ancestors), names, b"|".join([*(name.encode() for name in names), *keys]))

    def _base(self, target: Target, base: str | None) -> Target | str:
        if base is None:
            return "?"
        owner = target.path[len(target.module) + 1 :].rpartition(".")[0]
        if owner and "." not in base:
            # A nested class may name a sibling of its enclosing class's body.
            holder = self.release.resolve_dotted(target.module, owner)
            inner = self.release.attribute(holder, base)
            if inner.form == "object" and inner.binding is not None and inner.binding.form == "class":
                return inner
        found = self.release.resolve_dotted(target.module, base)
        if found.form == "object" and found.binding is not None:
            if found.binding.form == "class":
                return found if found.path != target.path else "?"
            return found.path
        if found.form == "external":
            return found.path.removeprefix("builtins.")
        return base

    def member(self, target: Target, name: str) -> tuple[Target, Binding] | None:
        """(owner, binding) of a member, own or inherited inside the project."""
        for owner in (target, *self.view(target).ancestors):
            if isinstance(owner, Target):
                for binding in _class_facts(owner).members:
                    if binding.name == name:
                        return owner, binding
        return None

    def metaclass_adds_members(self, target: Target) -> bool:
        """True where a metaclass of the project writes into the body of the class or of an ancestor."""
        for owner in (target, *self.view(target).ancestors):
            if not isinstance(owner, Target) or not _class_facts(owner).metaclass:
                continue
            meta = self.release.resolve_dotted(owner.module, _class_facts(owner).metaclass or "")
            if meta.form != "object" or meta.binding is None or meta.binding.form != "class":
                continue
            if "metaclass-members" in _class_facts(meta).labels and _writes_namespace(meta):
                return True
        return False

    # ---- constructors

    def constructor(self, target: Target) -> Signature | None:
        """Signature of calling the class, without self; None where it cannot be told."""
        for owner in (target, *self.view(target).ancestors):
            if isinstance(owner, str):
                if owner.rpartition(".")[2] in _NO_CONSTRUCTOR and owner != "Exception":
                    continue
                return None
            facts = _class_facts(owner)
            members = {binding.name: binding for binding in facts.members}
            own = members.get("__init__") or members.get("__new__")
            if own is not None:
                return _without_self(own)
            if facts.dataclass is not None and facts.dataclass[1]:
                return self._generated(owner)
            if facts.metaclass and self._unknown_metaclass(owner, facts.metaclass):
                return None
        return Signature()

    def _unknown_metaclass(self, owner: Target, metaclass: str) -> bool:
        return metaclass.rpartition(".")[2] not in ("ABCMeta", "type")

    def _generated(self, target: Target) -> Signature:
        """What a dataclass-like decorator generates: fields of ancestors first, redefinitions in place."""
        fields: dict[str, FieldFacts] = {}
        keyword_only: dict[str, bool] = {}
        for owner in (*reversed(self.view(target).ancestors), target):
            if isinstance(owner, str) or _class_facts(owner).dataclass is None:
                continue
            facts = _class_facts(owner)
            generated = facts.dataclass
            only = bool(generated and generated[2])
            for item in facts.fields:
                record = FieldFacts._make(item)
                if record.name == "*":
                    only = True
                    continue
                fields[record.name] = record
                keyword_only[record.name] = only if record.kw_only is None else record.kw_only
        ordered = sorted(
            (record for record in fields.values() if record.init), key=lambda r: keyword_only[r.name]
        )
        return Signature(
            tuple(
                Parameter(
                    record.name.lstrip("_")
                    if "attr" in (_class_facts(target).dataclass or ("",))[0]
                    else record.name,
                    ParameterKind.KEYWORD_ONLY.value
                    if keyword_only[record.name]
                    else ParameterKind.POSITIONAL_OR_KEYWORD.value,
                    record.default,
                    record.annotation or None,
                )
                for record in ordered
            )
        )


def _class_facts(target: Target) -> ClassFacts:
    assert target.binding is not None
    return target.binding.data  # type: ignore[no-any-return]


def _writes_namespace(meta: Target) -> bool:
    return any(binding.name in ("__new__", "__prepare__") for binding in _class_facts(meta).members)


def _without_self(binding: Binding) -> Signature | None:
    facts: Any = binding.data
    if binding.form != "def" or not isinstance(facts, FunctionFacts) or facts.signature is None:
        return None
    signature = plain_signature(facts.signature)
    return None if signature is None else drop_first(signature._replace(returns=None))


def drop_first(signature: Signature) -> Signature:
    """A signature as a bound call sees it."""
    first = signature.parameters[:1]
    if first and first[0].kind in (ParameterKind.VAR_POSITIONAL, ParameterKind.VAR_KEYWORD):
        return signature
    return signature._replace(parameters=signature.parameters[1:])


def plain_signature(signature: Any) -> Signature | None:
    """The facts' plain pair as a `Signature`."""
    if signature is None:
        return None
    parameters, returns = signature
    return Signature(tuple(Parameter._make(item) for item in parameters), returns)


def _key(item: Target | str) -> str:
    return item if isinstance(item, str) else item.path


def _linearise(sequences: list[list[Target | str]]) -> list[Target | str]:
    """C3, as Python does it; an inconsistent hierarchy (from branches misread) falls back to first come."""
    pending = [list(sequence) for sequence in sequences if sequence]
    result: list[Target | str] = []
    while pending:
        for sequence in pending:
            head = sequence[0]
            if not any(_key(head) in {_key(item) for item in other[1:]} for other in pending):
                break
        else:
            return _first_come(sequences)
        result.append(head)
        pending = [[item for item in sequence if _key(item) != _key(head)] for sequence in pending]
        pending = [sequence for sequence in pending if sequence]
    return result


def _first_come(sequences: Sequence[list[Target | str]]) -> list[Target | str]:
    merged: dict[str, Target | str] = {}
    for sequence in sequences:
        for item in sequence:
            merged.setdefault(_key(item), item)
    return list(merged.values())
