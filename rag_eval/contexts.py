"""What a generator is told beside a task: one text for each condition that is compared.

All conditions get the same budget and the same kind of entries, so that they differ in where the entries
come from.  The task's own code never comes back to it: examples that hold a line of it with the answer are
left out, in every condition.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from ..kb.errors import ApikbError
from ..kb.lookup import KnowledgeBase
from ..kb.symbols import Status
from ..retrieval.formats import Render, markdown
from ..retrieval.hits import Hit
from ..retrieval.packing import pack
from ..retrieval.pins import PinnedProject, parse_pin, resolve_pins
from ..retrieval.retriever import Retriever
from ..retrieval.token_counts import CountTokens, count_pieces
from .tasks import Task, contains_word
from .versions import Resolution


class Condition(StrEnum):
    """Where the context comes from."""

    NONE = "none"
    """There is none: the version is named, no more."""
    RETRIEVED = "retrieved"
    """What the retriever finds at the pinned version."""
    UNFILTERED = "unfiltered"
    """The same search without the version filter: what any release has, as its newest release has it."""
    WRONG_VERSION = "wrong-version"
    """The same search at a release where the API that is wanted differs."""
    MIXED = "mixed"
    """Hits of the pinned and of the wrong version in turn."""
    ORACLE = "oracle"
    """The entry of the API that is wanted, at the pinned version: what retrieval could reach at best."""


class Content(StrEnum):
    """What an entry may hold beside its name."""

    SIGNATURE = "signature"
    SUMMARY = "summary"
    EXAMPLES = "examples"
    DOCSTRING = "docstring"
    DEPRECATION = "deprecation"


DEFAULT_CONTENT = frozenset({Content.SIGNATURE, Content.SUMMARY, Content.EXAMPLES, Content.DEPRECATION})


@dataclass(frozen=True, slots=True)
class ContextOptions:
    """How much of what is told."""

    k: int = 5
    """Hits at most."""
    budget: int = 1000
    """Tokens at most."""
    content: frozenset[Content] = DEFAULT_CONTENT
    with_code: bool = True
    """Whether the code that is given is a part of the question."""


@dataclass(frozen=True, slots=True)
class Context:
    """The text for one task under one condition, and where it comes from."""

    condition: Condition
    text: str
    """Empty where there is nothing to tell."""
    tokens: int
    symbols: tuple[str, ...]
    """`pandas.DataFrame.append@1.5.3`, in the order of the text."""
    holds_answer: bool
    """Whether an entry is of the name that is wanted."""
    left_out: int
    """Examples that were the task's own code."""
    remark: str = ""
    """What is not as the condition says, such as an API that does not differ anywhere."""


class Contexts:
    """Makes the contexts of tasks."""

    def __init__(
        self,
        kb: KnowledgeBase,
        retriever: Retriever,
        options: ContextOptions | None = None,
        *,
        count_tokens: CountTokens = count_pieces,
        render: Render = markdown,
    ) -> None:
        self._kb = kb
        self._retriever = retriever
        self._options = options or ContextOptions()
        self._count_tokens = count_tokens
        self._render = render

    def describe(self) -> dict[str, Any]:
        """What a manifest tells: where the hits come from and what is told of them."""
        options = self._options
        return {
            "encoder": self._retriever.encoder_fingerprint,
            "k": options.k,
            "budget": options.budget,
            "content": sorted(options.content),
            "with_code": options.with_code,
        }

    def of(self, task: Task, resolution: Resolution, condition: Condition) -> Context:
        """The context of a task whose version is resolved.

        A task whose release is not in the knowledge base has an empty one, with a remark, under every
        condition but `none`: it is still a task.
        """
        if condition is Condition.NONE:
            return Context(condition, "", 0, (), False, 0)
        if resolution.project is None or resolution.chosen is None:
            return Context(condition, "", 0, (), False, 0, f"no release: {resolution.reason}")
        hits, remark = self._hits(task, resolution.project, resolution.chosen, condition)
        return self._packed(task, condition, hits, remark)

    def _hits(self, task: Task, project: str, version: str, condition: Condition) -> tuple[list[Hit], str]:
        if condition is Condition.RETRIEVED:
            return self._search(task, self._pinned(project, version)), ""
        if condition is Condition.UNFILTERED:
            return self._search(task, self._everywhere(project), every=False), ""
        if condition is Condition.ORACLE:
            found = self._answer_hits(task, project, version)
            return found, "" if found else "the answer is no symbol of the release"
        other, remark = self._other_version(task, project, version)
        wrong = self._search(task, self._pinned(project, other)) if other is not None else []
        if condition is Condition.WRONG_VERSION:
            return wrong, remark
        return _in_turn(self._search(task, self._pinned(project, version)), wrong, self._options.k), remark

    def _search(self, task: Task, pinned: PinnedProject, *, every: bool = True) -> list[Hit]:
        code = _unmasked(task) if self._options.with_code else ""
        question = task.description.strip() or code.strip()
        if not question:
            return []
        return self._retriever.search(
            question, [pinned], k=self._options.k, code=code if code.strip() else None, every=every
        )

    def _pinned(self, project: str, version: str) -> PinnedProject:
        (pinned,) = resolve_pins(self._kb, [parse_pin(f"{project}=={version}")])
        return pinned

    def _everywhere(self, project: str) -> PinnedProject:
        versions = tuple(
            release.version for release in self._kb.releases(project) if release.status == "indexed"
        )
        return PinnedProject(project, tuple(range(len(versions))), versions, ())

    def _answer_hits(self, task: Task, project: str, version: str) -> list[Hit]:
        """Entries of the name that is wanted, the one first that suits the description."""
        if not task.answer:
            return []
        pinned = [self._pinned(project, version)]
        named = self._retriever.search(f"`{task.answer}`", pinned, k=self._options.k)
        exact = [hit for hit in named if _leaf(hit.symbol) == task.answer]
        ranks = {hit.symbol: hit.rank for hit in self._search(task, pinned[0])}
        return sorted(exact, key=lambda hit: ranks.get(hit.symbol, len(ranks) + hit.rank))[:1]

    def _other_version(self, task: Task, project: str, version: str) -> tuple[str | None, str]:
        """The nearest release where the API is not there or has another signature, and what is remarkable."""
        finals = [
            release.version
            for release in self._kb.releases(project)
            if release.status == "indexed" and (not release.is_prerelease or release.version == version)
        ]
        here = finals.index(version) if version in finals else len(finals) - 1
        others = sorted(
            (other for other in finals if other != version), key=lambda other: abs(finals.index(other) - here)
        )
        if not others:
            return None, "there is no other release"
        for hit in self._answer_hits(task, project, version):
            statuses = self._kb.statuses(hit.symbol, project)
            for other in others:
                if statuses.get(other) in (Status.ABSENT, Status.TOMBSTONE):
                    return other, ""
            for other in dict.fromkeys((others[-1], finals[0], finals[-1])):
                if other != version and self._signature(hit.symbol, project, other) != hit.signature:
                    return other, ""
        return others[-1], "the API differs in no release that was looked at: the farthest one"

    def _signature(self, symbol: str, project: str, version: str) -> str | None:
        try:
            answer = self._kb.lookup(symbol, version=version, project=project)
        except ApikbError:
            return None
        return getattr(answer, "signature", None)

    def _packed(self, task: Task, condition: Condition, hits: Sequence[Hit], remark: str) -> Context:
        guard = _OwnCode(task)
        kept = [guard.cleaned(_only(hit, self._options.content)) for hit in hits]
        packed = pack(kept, self._options.budget, self._count_tokens, self._render)
        symbols = tuple(f"{entry.hit.symbol}@{entry.hit.version}" for entry in packed.entries)
        holds = any(
            _leaf(path) == task.answer for entry in packed.entries for path in (entry.hit.symbol, *entry.also)
        )
        return Context(condition, packed.text, packed.tokens, symbols, holds, guard.left_out, remark)


def _leaf(path: str) -> str:
    return path.rpartition(".")[2]


def _unmasked(task: Task) -> str:
    return task.given.replace(task.mask, "") if task.mask else task.given


def _in_turn(first: Sequence[Hit], second: Sequence[Hit], k: int) -> list[Hit]:
    """Hits of both in turn, each with a rank of its own; what is wrong comes second."""
    pairs = [hit for place in range(k) for hits in (first, second) for hit in hits[place : place + 1]]
    return [replace(hit, rank=rank) for rank, hit in enumerate(pairs[:k], 1)]


def _only(hit: Hit, content: frozenset[Content]) -> Hit:
    """A hit with nothing but what may be told."""
    return replace(
        hit,
        signature=hit.signature if Content.SIGNATURE in content else None,
        summary=hit.summary if Content.SUMMARY in content else "",
        docstring=hit.docstring if Content.DOCSTRING in content else "",
        examples=hit.examples if Content.EXAMPLES in content else (),
        deprecated=hit.deprecated if Content.DEPRECATION in content else None,
    )


class _OwnCode:
    """Keeps a task's own code out of its context.

    Code of libraries is in VersiCode as well, and an example of a docstring may be the very line that is
    masked.  An example goes where one of its lines is, but for blanks, a line of the task's program that
    holds the answer; a docstring goes with such a line, for what stands around it explains it.
    """

    def __init__(self, task: Task) -> None:
        self.left_out = 0
        lines = [*task.code.splitlines(), *task.reference.splitlines()]
        self._lines = {
            _bare(line)
            for line in lines
            if any(contains_word(line, name) for name in (task.answer, *task.answers)) and not _is_name(line)
        }

    def cleaned(self, hit: Hit) -> Hit:
        """The hit without what is the task's own."""
        examples = tuple(example for example in hit.examples if not self._holds(example.code))
        docstring = "" if self._holds(hit.docstring) else hit.docstring
        self.left_out += len(hit.examples) - len(examples) + (docstring != hit.docstring)
        return replace(hit, examples=examples, docstring=docstring)

    def _holds(self, text: str) -> bool:
        return any(_bare(line) in self._lines for line in _statements(text))


def _statements(text: str) -> Iterable[str]:
    return (re.sub(r"^\s*(?:>>>|\.\.\.)\s?", "", line) for line in text.splitlines())


def _bare(line: str) -> str:
    return re.sub(r"\s+", "", line.partition("  #")[0])


def _is_name(line: str) -> bool:
    """A masked token is a name alone, and a name alone is no code."""
    return line.strip().isidentifier()
