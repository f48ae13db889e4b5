"""From observations to lifelines: which state a path has in which releases.  Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from packaging.version import Version

from .masks import last
from .observations import ModuleRead, ModuleStatus, ProjectObservation, ReleaseObservation
from .releases import Release
from .spans import Axis
from .symbols import Kind, Status, SymbolState

Masks = dict[int, int]
"""State number -> mask of the releases in which a path has that state."""

_STATUS_RANK = {Status.PRESENT: 0, Status.TOMBSTONE: 1, Status.UNKNOWN: 2}
_VISIBILITY_RANK = {"exported": 0, "public": 1, "private": 2}


class Folded:
    """A project's lifelines.  `members` and `modules` are apart: a path may be a function and a module."""

    def __init__(self, project: str, releases: Iterable[Release]) -> None:
        self.project = project
        self.axis = Axis(list(releases))
        self.states: list[SymbolState] = []
        self.members: dict[str, Masks] = {}
        self.modules: dict[str, Masks] = {}
        self.unread: dict[str, dict[str, int]] = {}
        """Module -> reason -> releases in which it is there but was not read."""
        self.complete: dict[str, int] = {}
        """Class path -> releases in which all that it inherits is listed below it."""
        self.sources: dict[int, str] = {}
        """State number of an inherited or aliased member -> the path that it was derived from."""
        self._numbers: dict[SymbolState, int] = {}

    def intern(self, state: SymbolState) -> int:
        """The number of a state; equal states share one."""
        number = self._numbers.get(state)
        if number is None:
            number = self._numbers[state] = len(self.states)
            self.states.append(state)
        return number

    def add(self, symbol: str, number: int, mask: int) -> None:
        """Say that a path has a state in the releases of a mask."""
        table = self.modules if self.states[number].kind == Kind.MODULE else self.members
        masks = table.get(symbol)
        if masks is None:
            table[symbol] = {number: mask}
        else:
            masks[number] = masks.get(number, 0) | mask

    def paths(self) -> set[str]:
        """Every path that is stored."""
        return self.members.keys() | self.modules.keys()

    def items(self, path: str) -> list[tuple[int, int]]:
        """All (state number, mask) of a path, as member and as module."""
        members, modules = self.members.get(path), self.modules.get(path)
        if modules is None:
            return [] if members is None else list(members.items())
        return list(modules.items()) if members is None else [*members.items(), *modules.items()]

    def bound(self, path: str) -> int:
        """Where a path is present or a tombstone."""
        return self.split(path)[0]

    def split(self, path: str) -> tuple[int, int]:
        """Where a path is present or a tombstone, and where a block says that it cannot be known."""
        bound = unknown = 0
        for table in (self.members, self.modules):
            masks = table.get(path)
            if masks is not None:
                for number, mask in masks.items():
                    if self.states[number].status == Status.UNKNOWN:
                        unknown |= mask
                    else:
                        bound |= mask
        return bound, unknown


def ordered_observations(observation: ProjectObservation) -> list[ReleaseObservation]:
    """The releases in PEP 440 order, each once: of two observations of one version the one with more wins."""
    best: dict[str, ReleaseObservation] = {}
    for item in observation.releases:
        known = best.get(item.release.version)
        if known is None or _weight(known) < _weight(item):
            best[item.release.version] = item
    return sorted(best.values(), key=lambda item: (Version(item.release.version), item.release.version))


def _weight(item: ReleaseObservation) -> tuple[bool, int, int, str]:
    return (item.release.status == "indexed", len(item.blocks), len(item.modules), repr(item))


def block_masks(ordered: list[ReleaseObservation]) -> dict[bytes, int]:
    """In which releases each block is found."""
    masks: defaultdict[bytes, int] = defaultdict(int)
    for ordinal, item in enumerate(ordered):
        bit = 1 << ordinal
        for digest in item.blocks:
            masks[digest] |= bit
    return dict(masks)


def fold_blocks(observation: ProjectObservation) -> Folded:
    """Fold what the blocks state, and nothing that follows from it (see `inheritance`)."""
    ordered = ordered_observations(observation)
    folded = Folded(observation.project, [item.release for item in ordered])
    seen: dict[int, int] = {}
    for digest, mask in sorted(block_masks(ordered).items()):
        _fold_block(folded, observation.blocks[digest].rows, mask & folded.axis.read, seen)
    for masks in folded.members.values():
        if len(masks) > 1:
            _separate(folded, masks)
    for masks in folded.modules.values():
        if len(masks) > 1:
            _separate(folded, masks)
    for ordinal, item in enumerate(ordered):
        _fold_modules(folded, item.modules, 1 << ordinal)
    return folded


def _fold_block(
    folded: Folded, rows: Iterable[tuple[str, SymbolState, int]], mask: int, seen: dict[int, int]
) -> None:
    """`seen` maps the identity of a state to its number: hashing is dear, and the observation holds it."""
    if not mask:
        return
    states, members, modules = folded.states, folded.members, folded.modules
    for symbol, state, _line in rows:
        number = seen.get(id(state))
        if number is None:
            number = seen[id(state)] = folded.intern(state)
        table = modules if states[number].kind == Kind.MODULE else members
        masks = table.get(symbol)
        if masks is None:
            table[symbol] = {number: mask}
        else:
            masks[number] = masks.get(number, 0) | mask


def _separate(folded: Folded, masks: Masks) -> None:
    """Where two blocks bind one path in one release, keep the state that says most: present first."""
    total = 0
    for mask in masks.values():
        if total & mask:
            break
        total |= mask
    else:
        return
    covered = 0
    for number in sorted(masks, key=lambda number: _precedence(folded.states[number])):
        masks[number] &= ~covered
        covered |= masks[number]
        if not masks[number]:
            del masks[number]


def _precedence(state: SymbolState) -> tuple[int, int, bool, str]:
    return (
        _STATUS_RANK.get(Status(state.status), 3),
        _VISIBILITY_RANK.get(state.visibility, 3),
        state.signature is None,
        repr(state),
    )


def _fold_modules(folded: Folded, modules: Iterable[ModuleRead], bit: int) -> None:
    read = {item.module for item in modules if item.status == ModuleStatus.OK}
    for item in modules:
        if item.status == ModuleStatus.OK or (item.module in read and item.status != ModuleStatus.FAILED):
            continue
        reason = unread_reason(item)
        reasons = folded.unread.setdefault(item.module, {})
        reasons[reason] = reasons.get(reason, 0) | bit


def unread_reason(item: ModuleRead) -> str:
    """Why the names of a module cannot be known."""
    detail = f": {item.detail}" if item.detail else ""
    said = {
        ModuleStatus.SKIPPED: "was left out by rule",
        ModuleStatus.COMPILED: "is compiled and has no stub",
        ModuleStatus.FAILED: "could not be read",
    }
    return f"module {item.module} {said.get(ModuleStatus(item.status), item.status)}{detail}"


def state_at(masks: Iterable[tuple[int, int]], ordinal: int) -> int | None:
    """The number of the state that a path has at an ordinal."""
    return next((number for number, mask in masks if mask >> ordinal & 1), None)


def newest(masks: Iterable[tuple[int, int]]) -> int:
    """The number of the state that holds longest."""
    return max(masks, key=lambda item: last(item[1]))[0]
