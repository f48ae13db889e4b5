"""Classes of a release: their ancestors, their constructors, what may hide in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .class_members import members_of
from .constructors import Constructor, constructor_of, generator, own_constructor
from .decorated import Decorated
from .facts import CHAINED, Binding, ClassFacts
from .metaclasses import HANDED
from .namespaces import Release, Target
from .patchers import Patcher


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
        self.decorated = Decorated(release)
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
        generated = generator(self.release, target)
        if generated is not None:
            keys.append(generated.way.encode())
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
        return base.removeprefix("builtins.")

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
            if not all(self._only_looks(meta.module, name) for name in _handed_to(meta)):
                return True
        return False

    def _only_looks(self, module: str, name: str) -> bool:
        """True for a function of the project that sets nothing on what it is given."""
        target = self.release.resolve_dotted(module, name)
        if target.form != "object" or target.binding is None or target.binding.form != "def":
            return False
        source = self.release.modules[target.module].facts
        known = source.patchers if source is not None else ()
        return target.binding.name not in {Patcher._make(patcher).name for patcher in known}

    # ---- constructors and members

    def refusal(self, target: Target) -> str | None:
        """What the constructor says that only raises, the class's own or the one that it goes on to."""
        for owner in (target, *self.view(target).ancestors):
            if not isinstance(owner, Target):
                return None
            facts = _class_facts(owner)
            if facts.raises:
                return facts.raises
            if own_constructor(owner) is not None and CHAINED not in facts.labels:
                return None
        return None

    def constructor(self, target: Target) -> Constructor:
        """What calling the class takes, without self."""
        bases = [
            base
            for base in (self._base(target, name) for name in _class_facts(target).bases)
            if isinstance(base, str)
        ]
        owners = (target, *self.view(target).ancestors)
        return constructor_of(self.release, self.decorated, owners, bases)

    def members(self, target: Target) -> tuple[Binding, ...]:
        """The members that the class itself brings, as its kind leaves them."""
        return members_of(_class_facts(target), self.view(target).names, generator(self.release, target))


def _class_facts(target: Target) -> ClassFacts:
    assert target.binding is not None
    return target.binding.data  # type: ignore[no-any-return]


def _writes_namespace(meta: Target) -> bool:
    return any(binding.name in ("__new__", "__prepare__") for binding in _class_facts(meta).members)


def _handed_to(meta: Target) -> list[str]:
    """The functions that a metaclass hands its new classes to."""
    return [label.removeprefix(HANDED) for label in _class_facts(meta).labels if label.startswith(HANDED)]


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
