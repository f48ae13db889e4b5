"""Does an output use API that the pinned release has?  The store is asked for every use.

Uses are resolved through imports (`kb.code_names`), members of instances where their class can be told.
What cannot be resolved, and what the store calls unknown, counts neither way: shares are lower bounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from ...kb.answers import Answer
from ...kb.code_names import Use, parse, uses
from ...kb.errors import ApikbError
from ...kb.lookup import KnowledgeBase
from ...kb.symbols import Kind, Status
from ..tasks import Task
from .strict import output_lines


class Verdict(StrEnum):
    """What the store says of a use at a release."""

    VALID = "valid"
    DEPRECATED = "deprecated"
    """There, and marked as deprecated."""
    REMOVED = "removed"
    """An earlier release has it; a tombstone is removed too."""
    LATER = "later"
    """Only a later release has it."""
    ABSENT = "absent"
    """No release that was read has it."""
    UNKNOWN = "unknown"
    """The store cannot tell."""


WRONG = frozenset({Verdict.DEPRECATED, Verdict.REMOVED, Verdict.LATER, Verdict.ABSENT})
OTHER_VERSION = frozenset({Verdict.REMOVED, Verdict.LATER})


@dataclass(frozen=True, slots=True)
class JudgedUse:
    """One use with what the store says of it."""

    path: str
    """`pandas.concat`, or `pandas.concat(join_axes)` of a keyword."""
    verdict: Verdict
    line: int
    """1-based, in the program."""


@dataclass(frozen=True, slots=True)
class ApiUse:
    """What one output uses of the library of its task."""

    parsed: bool
    """Whether the program with the output in its place is Python; nothing is judged where it is not."""
    uses: tuple[JudgedUse, ...]

    @property
    def wrong(self) -> bool:
        """It uses something that is absent, removed or deprecated at the pinned release."""
        return any(use.verdict in WRONG for use in self.uses)

    @property
    def of_other_version(self) -> bool:
        """It uses something that only other releases have."""
        return any(use.verdict in OTHER_VERSION for use in self.uses)


@dataclass(frozen=True, slots=True)
class UseShares:
    """Shares of outputs, from 0 to 1; outputs that cannot be judged stay in the denominator."""

    outputs: int
    judged: float
    """Programs that parse, with at least one use that the store can tell of."""
    wrong: float
    of_other_version: float
    deprecated: float


class ApiJudge:
    """Judges outputs at the release that their task was resolved to.  Answers of the store are kept."""

    def __init__(self, kb: KnowledgeBase) -> None:
        self._kb = kb
        self._known: dict[tuple[str, str, str], Verdict] = {}
        self._classes: dict[tuple[str, str, str], bool] = {}

    def judge(self, task: Task, output: str, project: str, version: str) -> ApiUse:
        """What the output uses of `project`, judged at `version`: an indexed release."""
        program = task.program(output)
        tree = parse(program) if task.language == "python" else None
        if tree is None:
            return ApiUse(False, ())
        first, last = output_lines(task, output)
        tops = self._kb.info(project).import_names
        found: dict[tuple[str, int], JudgedUse] = {}
        for use in uses(tree, tops):
            if first <= use.line <= last:
                for judged in self._judged(use, project, version):
                    found.setdefault((judged.path, judged.line), judged)
        return ApiUse(True, tuple(found.values()))

    def _judged(self, use: Use, project: str, version: str) -> list[JudgedUse]:
        owner = use.path.rpartition(".")[0]
        if use.of_instance and not self._is_class(owner, project, version):
            return []
        verdict = self._verdict(use.path, project, version)
        judged = [JudgedUse(use.path, verdict, use.line)]
        if use.call is not None and verdict in (Verdict.VALID, Verdict.DEPRECATED):
            paths = [f"{use.path}({keyword})" for keyword in use.call.keywords]
            judged += [JudgedUse(path, self._verdict(path, project, version), use.line) for path in paths]
        return judged

    def _is_class(self, path: str, project: str, version: str) -> bool:
        key = (project, version, path)
        if key not in self._classes:
            answer = self._ask(path, project, version)
            self._classes[key] = answer is not None and answer.kind == Kind.CLASS
        return self._classes[key]

    def _verdict(self, path: str, project: str, version: str) -> Verdict:
        key = (project, version, path)
        if key not in self._known:
            answer = self._ask(path, project, version)
            self._known[key] = Verdict.UNKNOWN if answer is None else self._of(answer)
        return self._known[key]

    def _ask(self, path: str, project: str, version: str) -> Answer | None:
        try:
            answer = self._kb.lookup(path, version=version, project=project)
        except ApikbError:
            return None  # Not a name that could be asked for.
        return answer if isinstance(answer, Answer) else None

    def _of(self, answer: Answer) -> Verdict:
        if answer.status == Status.UNKNOWN:
            return Verdict.UNKNOWN
        if answer.status == Status.PRESENT:
            return Verdict.VALID if answer.deprecation is None else Verdict.DEPRECATED
        if answer.status == Status.TOMBSTONE:
            return Verdict.REMOVED
        if not answer.spans:
            return Verdict.ABSENT
        order = [release.version for release in self._kb.releases(answer.project)]
        place = order.index(answer.version)
        earlier = any(order.index(span.added) < place for span in answer.spans)
        return Verdict.REMOVED if earlier else Verdict.LATER


def use_shares(found: Sequence[ApiUse]) -> UseShares:
    """Over outputs: how many use API that their release does not have, or that is deprecated there."""
    count = len(found)
    if not count:
        return UseShares(0, 0.0, 0.0, 0.0, 0.0)
    told = [any(use.verdict != Verdict.UNKNOWN for use in one.uses) for one in found]
    deprecated = [any(use.verdict == Verdict.DEPRECATED for use in one.uses) for one in found]
    return UseShares(
        count,
        sum(told) / count,
        sum(one.wrong for one in found) / count,
        sum(one.of_other_version for one in found) / count,
        sum(deprecated) / count,
    )
