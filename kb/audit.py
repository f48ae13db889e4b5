"""What docstrings claim against what was observed.

The comparison itself is pure: dates of claims and of observations in, verdicts out.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from .answering import answer_at, answer_parameter
from .claims import Carrier, Claim, Scale, Subject, claimed_version, claims_of, subjects
from .masks import bits
from .reader import ProjectReader
from .symbols import Kind, Status

_MANY = 500
"""Paths in one query."""
_RANK = {"exported": 0, "public": 0, "private": 4}
_GONE, _UNSEEN = 2, 9
"""Public names that the newest release lacks come after those that it has, and before private ones."""
_VENDORED = {
    "_vendor", "vendor", "vendored", "_vendored", "externals", "_externals", "external", "extern", "_extern",
    "third_party", "_third_party", "bundled",
}  # fmt: skip
"""Folders of copies of other projects, whose docs speak of other versions."""


class Verdict(StrEnum):
    """How a claim compares with what was observed."""

    AGREE = "agree"
    EARLIER = "earlier"
    """We saw it before the release that the docs claim."""
    LATER = "later"
    """We saw it only after the release that the docs claim."""
    NOT_FOUND = "not found"
    """Nothing of the kind was seen in any release."""
    EXTRA = "extra"
    """A deprecation that the code carries, and the docs do not claim."""
    UNKNOWN = "unknown"
    """Releases around the boundary, or the names of the place, could not be read."""
    UNCHECKED = "unchecked"
    """A change of behaviour, of a part, or of no version: signatures do not show it."""
    OUTSIDE = "outside"
    """At or before the first indexed release, or after the newest."""


DISAGREEMENTS = (Verdict.EARLIER, Verdict.LATER, Verdict.NOT_FOUND)


@dataclass(frozen=True, slots=True)
class Finding:
    """One claim, or one mark that no docstring claims, and its verdict.

    `claimed` is as it is written, `release` the indexed release that it comes to, `ours` what was observed.
    """

    verdict: Verdict
    directive: str
    symbol: str
    parameter: str | None
    claimed: str | None
    release: str | None
    ours: str | None
    carried_by: str | None
    """The newest release whose docstring claims it."""
    text: str


@dataclass(frozen=True, slots=True)
class Audit:
    """All findings of a project; `first` and `newest` bound what can be checked."""

    project: str
    first: str
    newest: str
    findings: tuple[Finding, ...]

    def counts(self) -> dict[str, dict[str, int]]:
        """Directive to verdict to number."""
        found: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for finding in self.findings:
            found[finding.directive][str(finding.verdict)] += 1
        return {directive: dict(found[directive]) for directive in sorted(found)}


class Date(NamedTuple):
    """When something was first seen: ordinal, whether exactly, and the last release known to lack it."""

    added: int
    exact: bool = True
    after: int | None = None


def compare(target: int, dates: Sequence[Date]) -> Verdict:
    """Put a claimed release to the dates on which a thing was seen to begin; any of them may be meant.

    >>> [str(compare(3, dates)) for dates in ([Date(3)], [Date(1), Date(5)], [Date(4)], [])]
    ['agree', 'earlier', 'later', 'not found']
    >>> str(compare(3, [Date(4, False, 2)]))
    'unknown'
    """
    if not dates:
        return Verdict.NOT_FOUND
    if any(date.exact and date.added == target for date in dates):
        return Verdict.AGREE
    for date in dates:
        if not date.exact and (-1 if date.after is None else date.after) < target <= date.added:
            return Verdict.UNKNOWN
    return Verdict.EARLIER if min(date.added for date in dates) < target else Verdict.LATER


def audit(reader: ProjectReader, *, private: bool = False) -> Audit:
    """Compare the version directives of a project's docstrings with its lifelines; public names, or all."""
    defining = reader.axis.read & reader.axis.defining
    scale = Scale(reader.axis.versions[ordinal] for ordinal in bits(defining))
    auditor = _Auditor(reader, scale, private)
    order = {verdict: number for number, verdict in enumerate(Verdict)}
    findings = sorted(
        auditor.findings(),
        key=lambda item: (
            item.directive,
            order[item.verdict],
            item.symbol,
            item.parameter or "",
            item.claimed or "",
        ),
    )
    ends = scale.versions or ["none"]
    return Audit(reader.project, ends[0], ends[-1], tuple(findings))


class _Auditor:
    def __init__(self, reader: ProjectReader, scale: Scale, private: bool) -> None:
        self.private = private
        self.reader = reader
        self.scale = scale
        self.added: defaultdict[str, list[Date]] = defaultdict(list)
        self.origins: dict[str, str] = {}
        self.rank: dict[str, int] = {}
        self.members: set[str] = set()
        self.parameters: defaultdict[str, defaultdict[str, list[Date]]] = defaultdict(
            lambda: defaultdict(list)
        )
        self.altered: defaultdict[str, set[int]] = defaultdict(set)
        """Path to the releases in which its signature became another."""
        self.marks: defaultdict[tuple[str, str | None], list[tuple[Date, str, str | None]]] = defaultdict(
            list
        )

    # ---- loading

    def _query(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        return self.reader.query(query, [self.reader.pid, *values])

    def _among(self, query: str, paths: Iterable[str]) -> Iterator[tuple[Any, ...]]:
        wanted = sorted(set(paths))
        for start in range(0, len(wanted), _MANY):
            part = wanted[start : start + _MANY]
            yield from self._query(f"{query} ({', '.join('?' * len(part))})", *part)

    def _subjects(self) -> tuple[list[Subject], dict[str, str]]:
        marked = " OR ".join(
            f"contains(text, '{word}::')" for word in ("versionadded", "versionchanged", "deprecated")
        )
        texts = dict(self._query(f"SELECT hash, text FROM internal.docstrings WHERE pid = ? AND ({marked})"))
        rows = self._query(
            "SELECT c.symbol, t.hash, t.last_seen FROM internal.documented c "
            "JOIN internal.docstring_runs t USING (pid, set) JOIN internal.docstrings d USING (pid, hash) "
            f"WHERE pid = ? AND ({marked})"
        )
        self._load_spans({symbol for symbol, _, _ in rows})
        carriers = [
            Carrier(symbol, name, self.scale.ordinals[last], 2 if symbol in self.members else 1)
            for symbol, name, last in rows
        ]
        moves = self._query("SELECT symbol, moved_to FROM internal.moves WHERE pid = ?")
        known = [(old, new) for old, new in moves if old in self.origins and new in self.origins]
        return subjects(carriers, self.origins, known, self._rank), texts

    def _rank(self, path: str) -> int:
        return self.rank.get(path, _UNSEEN)

    def _load_spans(self, paths: Iterable[str]) -> None:
        wanted = [path for path in paths if path not in self.added]
        for symbol, kind, visibility, added, exact, after, alias, inherited, last in self._among(
            "SELECT symbol, kind, visibility, added, added_exact, added_after, alias_of, inherited_from, "
            "last_seen FROM internal.spans WHERE pid = ? AND symbol IN",
            wanted,
        ):
            self.added[symbol].append(self._date(added, exact, after))
            newest = self.scale.ordinals[last] >= max(date.added for date in self.added[symbol])
            if newest:
                gone = self.scale.ordinals[last] < len(self.scale.versions) - 1
                self.rank[symbol] = _RANK[visibility] + (_GONE if gone else 0)
                self.origins[symbol] = alias or inherited or symbol
            if kind in (Kind.METHOD, Kind.ATTRIBUTE):
                self.members.add(symbol)

    def _date(self, added: str, exact: bool = True, after: str | None = None) -> Date:
        return Date(self.scale.ordinals[added], exact, None if after is None else self.scale.ordinals[after])

    def _load_callables(self, paths: Iterable[str]) -> None:
        wanted = set(paths)
        for symbol, name, added, exact, last in self._among(
            "SELECT c.symbol, t.parameter, t.added, t.added_exact, t.last_seen FROM internal.callables c "
            "JOIN internal.parameters t USING (pid, set) WHERE pid = ? AND c.symbol IN",
            wanted,
        ):
            self.parameters[symbol][name].append(self._date(added, exact))
            self.altered[symbol].add(self.scale.ordinals[added])
            self.altered[symbol].add(self.scale.ordinals[last] + 1)
        for symbol, added in self._among(
            "SELECT c.symbol, t.added FROM internal.callables c JOIN internal.signatures t USING (pid, set) "
            "WHERE pid = ? AND c.symbol IN",
            wanted,
        ):
            self.altered[symbol].add(self.scale.ordinals[added])

    def _load_marks(self) -> None:
        for symbol, parameter, since, mechanism, message in self._query(
            "SELECT symbol, parameter, since, mechanism, message FROM internal.deprecations WHERE pid = ?"
        ):
            # A mark that the first indexed release carries may be older.
            date = Date(self.scale.ordinals[since], self.scale.ordinals[since] > 0)
            self.marks[symbol, parameter].append((date, mechanism, message))

    # ---- judging

    def findings(self) -> Iterator[Finding]:
        found, texts = self._subjects()
        self._load_marks()
        self._load_callables(path for subject in found for path in subject.paths)
        claims = [
            (subject, claim)
            for subject in found
            if self.private or self._rank(subject.name) < _RANK["private"]
            for claim in claims_of(
                subject, texts, {name for path in subject.paths for name in self.parameters.get(path, ())}
            )
        ]
        self._load_spans(
            f"{path}.{claim.member}" for subject, claim in claims if claim.member for path in subject.paths
        )
        claimed: set[tuple[str, str | None]] = set()
        for subject, claim in claims:
            paths = self._paths(subject, claim)
            if claim.kind == "deprecated":
                claimed.update((path, claim.parameter) for path in paths)
            yield self._finding(claim, paths)
        yield from self._extras(claimed)

    @staticmethod
    def _paths(subject: Subject, claim: Claim) -> list[str]:
        return sorted(f"{path}.{claim.member}" if claim.member else path for path in subject.paths)

    def _finding(self, claim: Claim, paths: list[str]) -> Finding:
        version = claimed_version(claim.version)
        target = self.scale.release_of(version) if version is not None else None
        ours: str | None = None
        if version is None or _VENDORED.intersection(claim.symbol.split(".")):
            verdict = Verdict.UNCHECKED
        elif not target:
            verdict = Verdict.OUTSIDE
        else:
            verdict, ours = self._judge(claim, paths, target)
        return Finding(
            verdict, claim.kind, claim.symbol, claim.parameter, claim.version or None,
            None if target is None else self.scale.versions[target], ours,
            self.scale.versions[claim.carried], claim.text,
        )  # fmt: skip

    def _judge(self, claim: Claim, paths: list[str], target: int) -> tuple[Verdict, str | None]:
        if claim.kind == "versionchanged":
            return self._changed(claim, paths, target)
        dates = self._dates(claim, paths)
        verdict = compare(target, dates)
        if verdict in (Verdict.EARLIER, Verdict.LATER):
            # Private homes and old modules are not what the docs speak of.
            best = min(map(self._rank, paths))
            dates = self._dates(claim, [path for path in paths if self._rank(path) == best]) or dates
            verdict = compare(target, dates)
        if verdict is Verdict.NOT_FOUND and claim.kind != "deprecated":
            dates, unknown = self._asked(claim)
            verdict = Verdict.UNKNOWN if unknown else compare(target, dates)
        if claim.kind == "deprecated" and claim.parameter is None and verdict is not Verdict.AGREE:
            around = [date for path in paths for date in self._enclosing(path)]
            if compare(target, around) is Verdict.AGREE:
                return Verdict.AGREE, self.scale.versions[target]
        if claim.part and verdict is not Verdict.AGREE:
            verdict = Verdict.UNCHECKED
        return verdict, self._text(dates)

    def _dates(self, claim: Claim, paths: Iterable[str]) -> list[Date]:
        if claim.kind == "deprecated":
            return [date for path in paths for date, _, _ in self.marks.get((path, claim.parameter), ())]
        if claim.parameter is not None:
            return [date for path in paths for date in self.parameters[path].get(claim.parameter, ())]
        return [date for path in paths for date in self.added.get(path, ())]

    def _enclosing(self, path: str) -> Iterator[Date]:
        """When what a path lies in was marked: its class or module, and theirs."""
        while "." in path:
            path = path.rpartition(".")[0]
            yield from (date for date, _, _ in self.marks.get((path, None), ()))

    def _changed(self, claim: Claim, paths: list[str], target: int) -> tuple[Verdict, str | None]:
        """A change of the signature in that release; what it does differently, signatures do not show."""
        altered = {ordinal for path in paths for ordinal in self.altered.get(path, ())}
        added = {date.added for path in paths for date in self.added.get(path, ())}
        if target in altered - added:
            return Verdict.AGREE, self.scale.versions[target]
        return (Verdict.UNCHECKED if claim.parameter is None else Verdict.NOT_FOUND), None

    def _asked(self, claim: Claim) -> tuple[list[Date], bool]:
        """What a look-up says of what no table lists: its dates, and whether it cannot be known."""
        ordinal = self.reader.ordinals[self.scale.versions[claim.carried]]
        if claim.parameter is not None:
            answer = answer_parameter(self.reader, claim.symbol, claim.parameter, ordinal)
        else:
            answer = answer_at(self.reader, claim.symbol, ordinal)
        dates = [self._date(span.added, span.added_exact, span.added_after) for span in answer.spans]
        return dates, answer.status is Status.UNKNOWN

    def _text(self, dates: Sequence[Date]) -> str | None:
        if not dates:
            return None
        first = min(dates, key=lambda date: date.added)
        text = self.scale.versions[first.added]
        if first.exact:
            return text
        return (
            f"at or before {text}"
            if first.after is None
            else f"after {self.scale.versions[first.after]}, at or before {text}"
        )

    def _extras(self, claimed: set[tuple[str, str | None]]) -> Iterator[Finding]:
        """Deprecations that the code carries and no docstring claims; of public objects, each once."""
        marks = {
            key: found for key, found in self.marks.items() if any(how != "docstring" for _, how, _ in found)
        }
        self._load_spans({symbol for symbol, _ in marks})
        known = {(self.origins.get(symbol, symbol), parameter) for symbol, parameter in claimed}
        best: dict[tuple[str, str | None], str] = {}
        for symbol, parameter in marks:
            key = (self.origins.get(symbol, symbol).removesuffix(".__init__"), parameter)
            if key in known or self._rank(symbol) >= (_UNSEEN if self.private else _RANK["private"]):
                continue
            if key not in best or (symbol.count("."), symbol) < (best[key].count("."), best[key]):
                best[key] = symbol
        for (_, parameter), symbol in best.items():
            date, _, message = min(marks[symbol, parameter], key=lambda mark: mark[0].added)
            yield Finding(
                Verdict.EXTRA, "deprecated", symbol, parameter, None, None,
                self._text([date]), None, message or "",
            )  # fmt: skip
