"""How far the embedding of a project's texts is, how fast, and how long it will still take."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ..kb.text import visible

_TEXT = 30
_LONGEST = 1_200
"""A model cuts a text off at some number of tokens; 256 are about this many characters."""
_RECENT = 0.3
"""Share of the newest part in the speed that counts."""


@dataclass(frozen=True, slots=True)
class Embedding:
    """The state of one project; a text that was embedded before counts as done only if it was to be done."""

    project: str
    done: int
    total: int
    speed: float | None = None
    """Texts a second, of late; None before the first part."""
    left: float | None = None
    """Seconds."""

    def __str__(self) -> str:
        text = f"{visible(self.project)}: {self.done:,} of {self.total:,} texts embedded"
        if self.speed is not None:
            text += f", {self.speed:,.0f} a second"
        return text if self.left is None or self.done >= self.total else f"{text}, {duration(self.left)} left"


Progress = Callable[[Embedding], None]
"""Called before the first part and after each."""


def unseen(state: Embedding) -> None:
    """Show nothing."""


def cost(text: str) -> int:
    """What a text costs to embed, beside others: about its characters.

    >>> cost(""), cost("x" * 100), cost("x" * 5000) == cost("x" * 6000)
    (30, 130, True)
    """
    return _TEXT + min(len(text), _LONGEST)


def duration(seconds: float) -> str:
    """Time for a person.

    >>> duration(0.2), duration(89), duration(3000), duration(9000)
    ('1 s', '89 s', '50 min', '2.5 h')
    """
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{seconds / 60:.0f} min" if seconds < 90 * 60 else f"{seconds / 3600:.1f} h"


class Pace:
    """Estimates from what the last parts took.

    The longest texts go first, so that texts a second would tell far too long a time: what counts is cost.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._left = sum(map(cost, texts))
        self._costs = 0.0
        self._count = 0.0
        self._seconds = 0.0

    def add(self, texts: Iterable[str], seconds: float) -> tuple[float, float]:
        """Tell of a part; gives texts a second and the seconds that are left.

        >>> pace = Pace(["x" * 970] * 4 + ["x" * 70] * 10)
        >>> pace.add(["x" * 970] * 4, 8.0)
        (0.5, 2.0)
        """
        costs = [cost(text) for text in texts]
        self._left -= sum(costs)
        old = 1 - _RECENT if self._seconds else 0
        self._costs = old * self._costs + (1 - old) * sum(costs)
        self._count = old * self._count + (1 - old) * len(costs)
        self._seconds = max(old * self._seconds + (1 - old) * seconds, 1e-9)
        return self._count / self._seconds, self._left * self._seconds / max(self._costs, 1)


class PlainProgress:
    """Says a line at the start, every few seconds, and at the end."""

    def __init__(self, say: Callable[[str], None], *, every: float = 5.0) -> None:
        self._say = say
        self._every = every
        self._next = 0.0

    def __call__(self, state: Embedding) -> None:
        now = time.monotonic()
        if state.speed is None or state.done >= state.total or now >= self._next:
            self._next = now + self._every
            self._say(str(state))
