"""Members that a class path has without defining them: from its ancestors, or as an alias of a class.  Pure.

Public class paths get all of them but those with an underscore.  Other paths that lead on
(private classes, aliases of modules) get only names that they held themselves in other releases,
so that a definition that moves behind an alias does not look removed; the rest is
resolved when it is asked for.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from .builtin_classes import builtin_member, inherits_builtin, plain_base
from .fold import Folded, Masks
from .symbols import Kind, Status, SymbolState, Visibility

DEPTH = 2
"""How many inherited classes may be nested: a class attribute may name its own class."""


class Inheritance:
    """Adds the members to a folded project, parents before children."""

    def __init__(self, folded: Folded) -> None:
        self.folded = folded
        self.children: dict[str, set[str]] = defaultdict(set)
        for path in folded.paths():
            parent, dot, name = path.rpartition(".")
            if dot:
                self.children[parent].add(name)
        self.own_members = dict(folded.members)
        self.own_modules = dict(folded.modules)
        self._derived: dict[tuple[int, str, str, bool], int] = {}
        self._nesting: dict[str, int] = {}

    def run(self) -> None:
        """Work level by level, since an alias of a class may hold a class."""
        levels: defaultdict[int, set[str]] = defaultdict(set)
        for path in self.folded.paths():
            if self._leads_on(path):
                levels[path.count(".")].add(path)
        level = 0
        while level <= max(levels, default=-1):
            for path in sorted(levels.pop(level, ())):
                for child in self._extend(path):
                    levels[level + 1].add(child)
            level += 1

    def _leads_on(self, path: str) -> bool:
        states = self.folded.states
        return any(
            states[number].kind in (Kind.CLASS, Kind.MODULE)
            and (states[number].target is not None or states[number].mro)
            for number, _ in self.folded.items(path)
        ) or any(states[number].kind == Kind.CLASS for number, _ in self.folded.items(path))

    def _extend(self, path: str) -> list[str]:
        """Add what `path` holds without defining it; answer the new paths that lead on themselves."""
        added: list[str] = []
        held = set(self.children.get(path, ()))
        groups = sorted(self._groups(path).items(), key=lambda group: not group[0][2])
        for (target, mro, full), mask in groups:
            if full:
                self.folded.complete[path] = self.folded.complete.get(path, 0) | mask
            seen: dict[str, int] = {}
            for source, inherited in self._sources(path, target, mro):
                for name in self.children.get(source, ()):
                    if name in held or (full and not name.startswith("_")):
                        self._copy(path, source, name, mask, seen, inherited, added)
            if full:
                held |= seen.keys()
            if mro is not None:
                self._from_builtins(path, mro, mask)
        return added

    def _groups(self, path: str) -> dict[tuple[str, tuple[str, ...] | None, bool], int]:
        groups: defaultdict[tuple[str, tuple[str, ...] | None, bool], int] = defaultdict(int)
        states = self.folded.states
        shallow = self._nesting.get(path, 0) < DEPTH
        for number, mask in self.folded.items(path):
            state = states[number]
            if state.status == Status.UNKNOWN:
                continue
            if state.kind == Kind.CLASS:
                full = shallow and state.visibility != Visibility.PRIVATE
                for target, mro, part in self._class_parts(path, state, mask):
                    groups[target, mro, full] |= part
            elif state.kind == Kind.MODULE and state.target is not None and state.target != path:
                groups[state.target, None, False] |= mask
        return dict(groups)

    def _class_parts(
        self, path: str, state: SymbolState, mask: int
    ) -> Iterator[tuple[str, tuple[str, ...], int]]:
        """An alias may leave the ancestors to its target, whose states then say them."""
        target = state.target or path
        if state.mro or target == path:
            yield target, state.mro, mask
            return
        for number, where in self.own_members.get(target, {}).items():
            if where & mask:
                yield target, self.folded.states[number].mro, where & mask
                mask &= ~where
        if mask:
            yield target, (), mask

    def _sources(self, path: str, target: str, mro: tuple[str, ...] | None) -> Iterator[tuple[str, bool]]:
        if target != path:
            yield target, False
        for base in mro or ():
            yield plain_base(base), True

    def _from_builtins(self, path: str, mro: tuple[str, ...], mask: int) -> None:
        """A method of `object` or `dict` that a class defines in some releases is there in the others too."""
        for name in self.children.get(path, ()):
            place = f"{path}.{name}"
            base = next((base for base in (*mro, "object") if inherits_builtin(base, name)), None)
            part = mask & ~self._bound_there(place) if base is not None else 0
            if base is not None and part:
                state = builtin_member(base, name, self._visibility(path, place))
                masks = self.folded.members.get(place, {})
                self.folded.members[place] = {**masks, self.folded.intern(state): part}

    def _copy(
        self,
        path: str,
        source: str,
        name: str,
        mask: int,
        seen: dict[str, int],
        inherited: bool,
        added: list[str],
    ) -> None:
        origin = f"{source}.{name}"
        place = f"{path}.{name}"
        for table, own in ((self.folded.members, self.own_members), (self.folded.modules, self.own_modules)):
            items = own.get(origin)
            if items is None:
                continue
            taken = seen.get(name)
            if taken is None:
                taken = self._bound_there(place)
            gained = 0
            for number, where in list(items.items()):
                part = where & mask & ~taken
                if part:
                    gained |= part
                    self._add(table, path, place, number, origin, part, inherited, added)
            seen[name] = taken | gained

    def _bound_there(self, place: str) -> int:
        found = 0
        for _, mask in self.folded.items(place):
            found |= mask
        return found

    def _add(
        self,
        table: dict[str, Masks],
        path: str,
        place: str,
        number: int,
        origin: str,
        mask: int,
        inherited: bool,
        added: list[str],
    ) -> None:
        derived = self._derive(number, origin, self._visibility(path, place), inherited)
        masks = table.get(place)
        if masks is None:
            table[place] = {derived: mask}
        else:
            if masks is self.own_members.get(place) or masks is self.own_modules.get(place):
                masks = table[place] = dict(masks)
            masks[derived] = masks.get(derived, 0) | mask
        if self.folded.states[derived].kind in (Kind.CLASS, Kind.MODULE):
            self._nesting[place] = self._nesting.get(path, 0) + 1
            added.append(place)

    def _visibility(self, path: str, place: str) -> str:
        name = place.rpartition(".")[2]
        dunder = name.startswith("__") and name.endswith("__")
        if name.startswith("_") and not dunder:
            return Visibility.PRIVATE
        private = all(
            self.folded.states[number].visibility == Visibility.PRIVATE
            for number, _ in self.folded.items(path)
        )
        return Visibility.PRIVATE if private else Visibility.PUBLIC

    def _derive(self, number: int, origin: str, visibility: str, inherited: bool) -> int:
        key = (number, origin, visibility, inherited)
        found = self._derived.get(key)
        if found is None:
            state = self.folded.states[number]
            found = self._derived[key] = self.folded.intern(
                state._replace(
                    target=state.target or origin,
                    visibility=visibility,
                    via="inherited" if inherited else state.via,
                )
            )
            self.folded.sources.setdefault(found, origin)
        return found


def inherit(folded: Folded) -> Folded:
    """Add inherited and aliased members to a folded project, and return it."""
    Inheritance(folded).run()
    return folded
