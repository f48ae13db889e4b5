"""Where a path may hold names that cannot be seen, and where a path's own presence is unknown.  Pure."""

from __future__ import annotations

from .builtin_classes import base_names, plain_base
from .fold import Folded
from .hidden import CIRCLE, value_reason
from .symbols import Kind, Status, SymbolState

Reasons = list[tuple[int, str]]
"""Masks of releases, each with the reason why names are hidden there."""


class Opacity:
    """Answers for one folded project, remembered."""

    def __init__(self, folded: Folded) -> None:
        self.folded = folded
        self._hidden: dict[str, Reasons] = {}
        self._bases: dict[tuple[str, ...], Reasons] = {}
        self._children: dict[str, int] = {}

    def reasons(self, path: str) -> Reasons:
        """Where names below a path that is there may be hidden, and why; masks may overlap."""
        found = self._hidden.get(path)
        if found is None:
            self._hidden[path] = [(self.folded.axis.all, CIRCLE)]
            found = self._hidden[path] = self._find(path)
        return found

    def mask(self, path: str) -> int:
        """Where names below a path may be hidden."""
        found = 0
        for mask, _ in self.reasons(path):
            found |= mask
        return found

    def unknown_below(self, path: str) -> int:
        """Where a name that is not found below a path is unknown rather than absent."""
        found = self._children.get(path)
        if found is None:
            self._children[path] = 0
            found = self._children[path] = self.unknown(path) | self.mask(path)
        return found

    def unknown(self, path: str) -> int:
        """Where nothing can be said of a path."""
        folded = self.folded
        bound, stated = folded.split(path)
        unknown = stated | (~folded.axis.read & folded.axis.all)
        parent, dot, name = path.rpartition(".")
        if dot:
            unknown |= self.unknown_below(parent) & ~self._removed(parent, name)
        if path in folded.unread:
            for mask in folded.unread[path].values():
                unknown |= mask
        return unknown & ~bound

    def _removed(self, parent: str, name: str) -> int:
        found = 0
        for number, mask in self.folded.items(parent):
            if name in self.folded.states[number].removed_names:
                found |= mask
        return found

    def _find(self, path: str) -> Reasons:
        found = [(mask, reason) for reason, mask in self.folded.unread.get(path, {}).items()]
        for number, mask in self.folded.items(path):
            state = self.folded.states[number]
            if state.status == Status.TOMBSTONE:
                continue
            if state.opaque is not None:
                found.append((mask, state.opaque))
            if state.kind == Kind.CLASS:
                found += [
                    (mask & where, why) for where, why in self.class_reasons(path, state) if mask & where
                ]
            elif state.target is not None and state.target != path:
                found += self._of_target(state.target, mask)
            value = value_reason(path, state)
            if value is not None:
                found.append((mask, value))
        return found

    def class_reasons(self, path: str, state: SymbolState) -> Reasons:
        """Where a class, or an alias of one, hides names for a reason that its own state does not say."""
        found = list(self.bases(state.mro))
        if state.target is not None and state.target != path:
            found += self._of_target(state.target, self.folded.axis.read)
        return found

    def _of_target(self, target: str, mask: int) -> Reasons:
        missing = mask & ~self.folded.bound(target) & self.folded.axis.read
        found = [(mask & where, why) for where, why in self.reasons(target) if mask & where]
        if missing:
            found.append((missing, f"{target} is defined outside this project, or cannot be seen"))
        return found

    def bases(self, mro: tuple[str, ...]) -> Reasons:
        """Where the ancestors of a class hide names."""
        found = self._bases.get(mro)
        if found is None:
            found = self._bases[mro] = []
            for base in mro:
                found.extend(self._base(plain_base(base)))
        return found

    def _base(self, base: str) -> Reasons:
        folded = self.folded
        items = folded.members.get(base)
        if items is None:
            if base_names(base) is not None:
                return []
            return [(folded.axis.all, f"base class {base} is defined outside this project")]
        found = []
        seen = 0
        for number, mask in items.items():
            seen |= mask
            state = folded.states[number]
            if state.opaque is not None:
                found.append((mask, f"base class {base}: {state.opaque}"))
            elif state.kind != Kind.CLASS:
                found.append((mask, f"base class {base} is a value: its members cannot be seen"))
        missing = folded.axis.read & ~seen
        if missing:
            found.append((missing, f"base class {base} cannot be seen"))
        return found
