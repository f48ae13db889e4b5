"""What a generator is, how it is asked to sample, and what it answers."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ...kb.errors import ApikbError
from ..prompts import Prompt, Style
from ..tasks import TaskKind

_PAPER = {TaskKind.TOKEN: (64, 100), TaskKind.LINE: (128, 6)}
"""Tokens and samples of VersiCode's paper (table 8); all other kinds have those of a block."""
_PAPER_BLOCK = (512, 6)


@dataclass(frozen=True, slots=True)
class Sampling:
    """How outputs are drawn.  Raises `ApikbError` where that cannot be."""

    n: int
    """Samples of each prompt."""
    max_tokens: int
    """Tokens of one sample at most."""
    temperature: float = 0.8
    """0 takes the likeliest token always."""
    top_p: float = 0.95
    """Drawn from is the smallest set of tokens that has this share of the probability."""
    seed: int = 0

    def __post_init__(self) -> None:
        if self.n < 1 or self.max_tokens < 1:
            raise ApikbError(
                f"{self.n} samples of {self.max_tokens} tokens are none", hint="both are at least 1"
            )
        if not 0 <= self.temperature < math.inf or not 0 < self.top_p <= 1:
            raise ApikbError(
                f"temperature {self.temperature} and top_p {self.top_p} are no way to sample",
                hint="a temperature of 0 or more, a top_p above 0 and up to 1",
            )
        if self.temperature == 0 and self.n > 1:
            raise ApikbError(
                f"greedy decoding gives one output, not {self.n}", hint="one sample, or a temperature above 0"
            )

    @classmethod
    def of_paper(
        cls, kind: TaskKind, *, n: int | None = None, greedy: bool = False, seed: int = 0
    ) -> Sampling:
        """VersiCode's settings for a kind of task; `greedy` is temperature 0 and one sample.

        >>> Sampling.of_paper(TaskKind.LINE).max_tokens, Sampling.of_paper(TaskKind.TOKEN, greedy=True).n
        (128, 1)
        """
        tokens, samples = _PAPER.get(kind, _PAPER_BLOCK)
        if greedy:
            return cls(1 if n is None else n, tokens, temperature=0, top_p=1, seed=seed)
        return cls(samples if n is None else n, tokens, seed=seed)

    def seed_of(self, prompt: Prompt, sample: int = 0) -> int:
        """The seed of one sample, 63 bits: depends on nothing but seed, prompt and number of the sample."""
        digest = hashlib.sha256(f"{self.seed}\0{prompt.hash}\0{sample}".encode()).digest()
        return int.from_bytes(digest[:8], "big") >> 1


@dataclass(frozen=True, slots=True)
class Generated:
    """What a generator gave for one prompt."""

    texts: tuple[str, ...]
    """As the model wrote them, one a sample (`prompts.extract` makes outputs of them); none on an error."""
    prompt_tokens: int
    """Tokens of the prompt, once however many samples."""
    completion_tokens: int
    """Tokens of all samples together."""
    finish_reasons: tuple[str, ...] = ()
    """One a sample: `stop` (the model ended), `cut` (all that is read was there), `length`, or a server's."""
    seconds: float = 0.0
    """Time spent on it; of prompts that were worked on together, an equal share each."""
    error: str | None = None
    """Why there are no texts."""
    truncated: int = 0
    """Tokens that were taken out of the prompt since it was too long."""
    estimated: bool = False
    """Whether tokens were counted by a rule of thumb, since the server told no count."""


class Generator(Protocol):
    """Writes outputs for prompts."""

    @property
    def name(self) -> str:
        """What `generator_named` takes."""
        ...

    @property
    def style(self) -> Style:
        """How prompts for it are to be built."""
        ...

    def describe(self) -> dict[str, Any]:
        """What a manifest tells of it, as JSON has it: model, weights, versions, device."""
        ...

    def generate(self, prompts: Sequence[Prompt], sampling: Sampling) -> Iterator[Generated]:
        """One `Generated` a prompt, in order, made as they are taken.

        Prompts with the same `shared` are best neighbours.  A prompt that fails has an `error`; `ApikbError`
        is raised where all would fail.
        """
        ...
