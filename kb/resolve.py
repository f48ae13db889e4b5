"""What a path is in every release, resolved through aliases and base classes when it is asked for.

Works on masks, so one answer is exact for all releases at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from .builtin_classes import builtin_member, inherits_builtin, plain_base
from .hidden import CIRCLE, value_reason
from .spans import Axis, OrdinalSpan
from .symbols import Kind, Status, SymbolState, Visibility


class Item(NamedTuple):
    """A state of a path, where it holds, and the stored path that says so."""

    state: SymbolState
    mask: int
    origin: str
    inherited: bool = False


Place = tuple[int, str, int]
"""(mask, file, line): in these releases it was read there."""


class Raw(NamedTuple):
    """What is stored of a path itself."""

    states: tuple[tuple[SymbolState, int], ...] = ()
    hidden: tuple[tuple[int, str], ...] = ()
    complete: int = 0
    places: tuple[Place, ...] | None = ()
    """None where the source was not asked for them yet."""


@dataclass(slots=True)
class Life:
    """A path over all releases."""

    path: str
    items: list[Item] = field(default_factory=list)
    shadowed: list[Item] = field(default_factory=list)
    """Modules behind members of the same path: what lies below is theirs too."""
    unknown: list[tuple[int, str]] = field(default_factory=list)
    """Where it may exist, and why that cannot be told."""

    def mask_of(self, status: str) -> int:
        """Where the path has a status that was read."""
        return _union(item.mask for item in self.items if item.state.status == status)

    @property
    def bound(self) -> int:
        """Where it is present or a tombstone."""
        return _union(item.mask for item in self.items)

    @property
    def unknown_mask(self) -> int:
        """Where nothing can be said, unread releases apart."""
        return _union(mask for mask, _ in self.unknown)

    def spans(self, axis: Axis) -> tuple[OrdinalSpan, ...]:
        """Its spans on an axis."""
        return axis.spans(self.mask_of(Status.PRESENT), self.unknown_mask)

    def deprecated(self) -> int:
        """Where it is present and marked."""
        return _union(item.mask for item in self.items if own_mark(item.state))

    def at(self, ordinal: int) -> Item | None:
        """The state at a release."""
        return next((item for item in self.items if item.mask >> ordinal & 1), None)

    def reason_at(self, ordinal: int) -> str | None:
        """Why the status is unknown at a release; None where it is not."""
        return next((reason for mask, reason in self.unknown if mask >> ordinal & 1), None)


def own_mark(state: SymbolState) -> bool:
    """True where the symbol itself, not one of its parameters, is deprecated."""
    return state.status == Status.PRESENT and any(mark.parameter is None for mark in state.deprecations)


def _union(masks: Iterable[int]) -> int:
    found = 0
    for mask in masks:
        found |= mask
    return found


class Source:
    """Where the resolver reads; `reader.Reader` is the real one."""

    def fetch(self, paths: Sequence[str], enough: int | None = None) -> dict[str, Raw]:
        """What is stored of each path; only of the first, where its states fill the mask `enough`."""
        raise NotImplementedError


class Resolver:
    """Resolves paths of one project, remembered."""

    def __init__(self, axis: Axis, source: Source) -> None:
        self.axis = axis
        self.source = source
        self._raw: dict[str, Raw] = {}
        self._lives: dict[str, Life] = {}
        self._open: set[str] = set()
        self._hidden: dict[str, list[tuple[int, str]]] = {}

    def prefetch(self, paths: Iterable[str]) -> None:
        """Read many paths in one query."""
        wanted = [path for path in dict.fromkeys(paths) if path not in self._raw]
        if wanted:
            self._raw.update(self.source.fetch(wanted))

    def raw(self, path: str) -> Raw:
        """What is stored of a path."""
        if path not in self._raw:
            self._raw.update(self.source.fetch(prefixes(path), enough=self.axis.read))
        return self._raw[path]

    def life(self, path: str) -> Life:
        """A path over all releases."""
        found = self._lives.get(path)
        if found is None:
            if path in self._open:
                return Life(path, unknown=[(self.axis.all, CIRCLE)])
            self._open.add(path)
            found = Life(path)
            self._resolve(found)
            self._open.discard(path)
            self._lives[path] = found
        return found

    def _resolve(self, life: Life) -> None:
        raw = self.raw(life.path)
        taken = 0
        for state, mask in raw.states:
            part = mask & ~taken
            if mask & taken and state.kind == Kind.MODULE:
                life.shadowed.append(Item(state, mask & taken, life.path))
            taken |= part
            if part and state.status == Status.UNKNOWN:
                life.unknown.append((part, state.message or f"{life.path} is bound dynamically"))
            elif part:
                life.items.append(Item(state, part, life.path))
        parent, dot, name = life.path.rpartition(".")
        if dot and self.axis.read & ~taken:
            self._from_parent(life, self.life(parent), name, taken)
        bound = life.bound
        life.unknown += [(mask, reason) for mask, reason in raw.hidden if _is_unread(reason)]
        life.unknown = [(mask & ~bound, reason) for mask, reason in life.unknown if mask & ~bound]

    def _from_parent(self, life: Life, parent: Life, name: str, taken: int) -> None:
        # Inherited names with an underscore are not materialised: they are many, and seldom asked for.
        complete = 0 if name.startswith("_") else self.raw(parent.path).complete
        for item in (*parent.items, *parent.shadowed):
            part = item.mask & self.axis.read & ~taken
            if part and item.state.status == Status.PRESENT:
                follow = part & ~complete if item.origin == parent.path else part
                taken |= self._follow(life, parent.path, item, name, follow)
                taken |= self._from_builtins(life, item, name, part & ~taken)
        life.unknown += parent.unknown
        kept = _union(
            item.mask for item in (*parent.items, *parent.shadowed) if name in item.state.removed_names
        )
        life.unknown += [(mask & ~kept, reason) for mask, reason in self.hidden(parent.path)]

    def _follow(self, life: Life, parent: str, item: Item, name: str, mask: int) -> int:
        """Take what an alias or a class holds without listing it; answer the releases that this settles."""
        settled = 0
        if not mask or item.state.kind not in (Kind.CLASS, Kind.MODULE):
            return 0
        steps = list(self._steps(parent, item))
        self.prefetch(f"{source}.{name}" for source, _ in steps)
        for source, inherited in steps:
            other = self.life(f"{source}.{name}")
            for found in other.items:
                part = found.mask & mask & ~settled
                if part:
                    settled |= part
                    life.items.append(
                        Item(found.state, part, found.origin, inherited or found.inherited or item.inherited)
                    )
        return settled

    def _steps(self, parent: str, item: Item) -> Iterator[tuple[str, bool]]:
        state = item.state
        target = state.target or item.origin
        if target != parent:
            yield target, False
        mros = [state.mro]
        if not state.mro and target != item.origin:
            mros = [other.state.mro for other in self.life(target).items if other.mask & item.mask]
        for base in dict.fromkeys(base for mro in mros for base in mro):
            yield plain_base(base), True

    def _from_builtins(self, life: Life, item: Item, name: str, mask: int) -> int:
        if not mask or item.state.kind != Kind.CLASS:
            return 0
        bases = (*item.state.mro, "object")
        base = next((base for base in bases if inherits_builtin(base, name)), None)
        if base is None:
            return 0
        visibility = (
            Visibility.PUBLIC if not name.startswith("_") or name.endswith("__") else Visibility.PRIVATE
        )
        life.items.append(Item(builtin_member(base, name, visibility), mask, life.path, True))
        return mask

    def hidden(self, path: str) -> list[tuple[int, str]]:
        """Where a path that is there may hold names that cannot be seen."""
        found = self._hidden.get(path)
        if found is None:
            self._hidden[path] = [(self.axis.all, CIRCLE)]
            found = self._hidden[path] = list(self._find_hidden(path))
        return found

    def _find_hidden(self, path: str) -> Iterator[tuple[int, str]]:
        yield from self.raw(path).hidden
        life = self.life(path)
        for state, mask, origin, _ in (*life.items, *life.shadowed):
            if state.status == Status.TOMBSTONE:
                continue
            if origin != path:
                yield from _within(self.hidden(origin), mask)
                continue
            if state.opaque is not None:
                yield mask, state.opaque
            value = value_reason(path, state)
            if value is not None:
                yield mask, value
            elif state.target is not None and state.target != path:
                yield from self._of_target(state.target, mask)

    def _of_target(self, target: str, mask: int) -> Iterator[tuple[int, str]]:
        missing = mask & ~self.life(target).bound & self.axis.read
        if missing:
            yield missing, f"{target} is defined outside this project, or cannot be seen"
        yield from _within(self.hidden(target), mask)


def _within(reasons: Iterable[tuple[int, str]], mask: int) -> Iterator[tuple[int, str]]:
    for where, reason in reasons:
        if where & mask:
            yield where & mask, reason


def _is_unread(reason: str) -> bool:
    """A module that was not read is unknown itself where nothing binds it."""
    return reason.startswith("module ")


def prefixes(path: str) -> list[str]:
    """A path and everything that it lies in, the path first.

    >>> prefixes("a.b.c")
    ['a.b.c', 'a.b', 'a']
    """
    found = [path]
    while "." in path:
        path = path.rpartition(".")[0]
        found.append(path)
    return found
