"""What is shown of hits: one entry a thing, however many paths found it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from .hits import Hit, ShownExample
from .token_counts import CountTokens

_IMPORT = re.compile(r"^[ \t]*(?:import|from)[ \t].*$", re.MULTILINE)
_PATHS = 3
"""Other paths of the same thing that are named."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A hit, and the parts of it that are shown; the signature always is."""

    hit: Hit
    also: tuple[str, ...] = ()
    """Other paths of the same thing."""
    example: ShownExample | None = None
    summary: str = ""
    docstring: str = ""
    """Begins with the summary, which is then empty."""


def full_entries(hits: Iterable[Hit], count_tokens: CountTokens) -> list[Entry]:
    """Entries that show all there is, in the order of the hits; hits of the same thing are one."""
    groups: list[list[Hit]] = []
    for hit in hits:
        group = next((group for group in groups if _same(group[0], hit)), None)
        if group is None:
            groups.append([hit])
        else:
            group.append(hit)
    return [_entry(group, count_tokens) for group in groups]


def _same(first: Hit, other: Hit) -> bool:
    """Whether two hits are one thing: by their paths, or by what they say.

    Never where only one, or only a parameter of one, is deprecated: that is what a reader must see.
    """
    if (first.project, first.version) != (other.project, other.version):
        return False
    if first.deprecated != other.deprecated or first.deprecated_parameters != other.deprecated_parameters:
        return False
    if first.symbol == other.symbol or first.symbol in other.paths or other.symbol in first.paths:
        return True
    said = (first.kind, first.signature, first.summary) == (other.kind, other.signature, other.summary)
    return said and bool(first.signature and first.summary)


def _entry(group: list[Hit], count_tokens: CountTokens) -> Entry:
    hit = group[0]
    found = [other.symbol for other in group[1:]]
    paths = [path for path in hit.paths if path not in found][: _PATHS + 1]
    also = [path for path in dict.fromkeys([*found, *paths]) if path != hit.symbol]
    examples = [example for other in group for example in other.examples]
    more = " ".join(hit.docstring.split()) != " ".join(hit.summary.split())
    return Entry(
        hit=hit,
        also=tuple(also[: max(_PATHS, len(found))]),
        example=best_example(hit.symbol, examples, count_tokens),
        summary="" if hit.docstring and more else hit.summary,
        docstring=hit.docstring if more else "",
    )


def best_example(
    symbol: str, examples: Iterable[ShownExample], count_tokens: CountTokens
) -> ShownExample | None:
    """The smallest example that compiles; of those that use the symbol, where there are some.

    The first example of many docstrings is nothing but an import, which uses nothing.
    """
    names = [name for name in symbol.split(".") if not name.startswith("__")]
    word = re.compile(rf"\b{re.escape(names[-1] if names else symbol)}\b")

    def cost(example: ShownExample) -> tuple[bool, int]:
        return not word.search(_IMPORT.sub("", example.code)), count_tokens(
            example.code + "\n" + example.output
        )

    return min((example for example in examples if example.compiles and example.code), key=cost, default=None)
