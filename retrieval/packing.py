"""Hits packed under a budget of tokens, as context for a code generator."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from ..kb.errors import ApikbError
from .entries import Entry, full_entries
from .formats import Render, markdown
from .hits import Hit
from .token_counts import CountTokens, count_pieces


class Part(StrEnum):
    """What can be left out."""

    ALL = "all"
    """The hit as a whole."""
    EXAMPLE = "example"
    SUMMARY = "summary"
    DOCSTRING = "docstring"
    """The summary may still be shown."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """A part of a hit that found no room."""

    symbol: str
    part: Part


@dataclass(frozen=True, slots=True)
class Packed:
    """What fits."""

    text: str
    """Rendered; empty where nothing fits."""
    tokens: int
    """Of `text` as a whole, never over the budget."""
    budget: int
    entries: tuple[Entry, ...]
    dropped: tuple[Dropped, ...]


def pack(
    hits: Sequence[Hit],
    budget: int,
    count_tokens: CountTokens = count_pieces,
    render: Render = markdown,
) -> Packed:
    """Render as much of the hits as fits into a budget of tokens, the best ones first.

    Of each hit the signature, then the smallest example that compiles, then the summary; docstrings, which
    take the place of summaries, with the room that is left after all of them.  What does not fit is passed
    over, and what comes after it is still tried.  Hits of the same thing are one entry.

    Every step renders and counts the whole, so the count is exact for any tokenizer.

    Raises ApikbError where the budget is not positive.
    """
    if budget < 1:
        raise ApikbError(f"a budget of {budget} tokens holds nothing", hint="give a budget of 1 or more")
    full = full_entries(hits, count_tokens)
    text = render(full)
    tokens = count_tokens(text)
    if tokens <= budget:
        return Packed(text, tokens, budget, tuple(full), ())
    shown: dict[int, Entry] = {}
    text = render([])
    tokens = count_tokens(text)
    if tokens > budget:
        text, tokens = "", 0
    for parts in _ROUNDS:
        for place, part in ((place, part) for place in range(len(full)) for part in parts):
            grown = _grown(part, shown.get(place), full[place])
            if grown is None:
                continue
            tried = {**shown, place: grown}
            candidate = render([tried[number] for number in sorted(tried)])
            count = count_tokens(candidate)
            if count <= budget:
                shown, text, tokens = tried, candidate, count
    dropped = tuple(left for place, entry in enumerate(full) for left in _dropped(entry, shown.get(place)))
    return Packed(text, tokens, budget, tuple(shown[place] for place in sorted(shown)), dropped)


_ROUNDS = ((Part.ALL, Part.EXAMPLE, Part.SUMMARY), (Part.DOCSTRING,))
"""What is tried of one hit after the other, twice over."""


def _grown(part: Part, entry: Entry | None, full: Entry) -> Entry | None:
    """An entry with a part more; None where there is no such part, or nothing to add it to."""
    if part is Part.ALL:
        return Entry(full.hit, full.also)
    if entry is None:
        return None
    if part is Part.EXAMPLE and full.example is not None:
        return replace(entry, example=full.example)
    if part is Part.SUMMARY and full.hit.summary:
        return replace(entry, summary=full.hit.summary)
    if part is Part.DOCSTRING and full.docstring:
        return replace(entry, summary="", docstring=full.docstring)
    return None


def _dropped(full: Entry, entry: Entry | None) -> Iterator[Dropped]:
    symbol = full.hit.symbol
    if entry is None:
        yield Dropped(symbol, Part.ALL)
        return
    if full.example is not None and entry.example is None:
        yield Dropped(symbol, Part.EXAMPLE)
    if full.hit.summary and not (entry.summary or entry.docstring):
        yield Dropped(symbol, Part.SUMMARY)
    if full.docstring and not entry.docstring:
        yield Dropped(symbol, Part.DOCSTRING)
