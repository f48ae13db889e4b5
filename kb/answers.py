"""What the knowledge base answers.  Plain values, ready for printing or JSON."""

from __future__ import annotations

from dataclasses import dataclass, field

from .symbols import Deprecation, Parameter, Status


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where an answer was read: artifact, its sha256, file in it, line (1-based, None unknown)."""

    artifact: str | None
    sha256: str | None
    file: str | None
    line: int | None


@dataclass(frozen=True, slots=True)
class Span:
    """A maximal run of releases in which a symbol is present: half-open `[added, removed)`.

    `added_exact` is False where the symbol may be older: the first indexed release
    has it already, or the releases just before are unknown; `added_after` is then the last release known
    to lack it, if any.  `removed` is the first release known to lack it, None while
    nothing proves the end; `removed_exact` is False where unknown releases lie between
    `last_seen` and `removed`.
    """

    added: str
    added_exact: bool
    added_after: str | None
    deprecated: str | None
    removed: str | None
    removed_exact: bool
    last_seen: str
    unknown_inside: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """What is known of one symbol at one release."""

    symbol: str
    project: str
    version: str
    status: Status
    kind: str | None = None
    visibility: str | None = None
    signature: str | None = None
    variants: tuple[str, ...] = ()
    parameter: Parameter | None = None
    labels: tuple[str, ...] = ()
    spans: tuple[Span, ...] = ()
    deprecation: Deprecation | None = None
    replacement: str | None = None
    reason: str | None = None
    tombstone_since: str | None = None
    alias_of: str | None = None
    inherited_from: str | None = None
    via: str | None = None
    condition: str | None = None
    evidence: Evidence | None = None
    yanked: bool = False
    suggestions: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SpecifierAnswer:
    """One symbol over all releases that match a specifier; `newest` is the answer at the newest of them."""

    symbol: str
    project: str
    specifier: str
    present: tuple[str, ...]
    absent: tuple[str, ...]
    tombstone: tuple[str, ...]
    unknown: tuple[str, ...]
    newest: Answer

    @property
    def verdict(self) -> str:
        """`all`, `some` or `none` of the matching releases have it; `unknown` if that cannot be told."""
        if not self.absent and not self.tombstone and not self.unknown:
            return "all"
        if self.present:
            return "some"
        return "unknown" if self.unknown else "none"


@dataclass(frozen=True, slots=True)
class Event:
    """One line of a symbol's history, at the release where it happens."""

    version: str
    kind: str
    """added, removed, deprecated, undeprecated, signature, parameter-added, parameter-removed,
    parameter-changed, tombstone, unknown, kind, moved."""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class History:
    """A symbol's whole life: its spans, what changed when, and one status per indexed release."""

    symbol: str
    project: str
    spans: tuple[Span, ...]
    events: tuple[Event, ...]
    statuses: tuple[tuple[str, str], ...]
    """(version, status) in PEP 440 order; status also `deprecated` for present and marked."""


@dataclass(frozen=True, slots=True)
class Change:
    """One difference between two releases of a project."""

    symbol: str
    change: str
    """added, removed, changed, deprecated, undeprecated, tombstone."""
    kind: str
    visibility: str
    before: str | None = None
    after: str | None = None
    breaking: bool = False
    details: tuple[str, ...] = field(default_factory=tuple)
    """Parameter by parameter, as text."""
