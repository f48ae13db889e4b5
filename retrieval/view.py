"""Hits for people and for programs: lines for a terminal, objects for JSON.  Pure.

All text of packages that reaches a line goes through `kb.text`; JSON holds it as it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from ..kb.reports import fact
from ..kb.text import UNICODE, Glyphs, Paint, fit, one_line, plain, visible
from .entries import best_example
from .formats import marks_json, printable
from .hits import Hit, Marked
from .packing import Packed, Part
from .pins import PinnedProject
from .token_counts import count_pieces

_INDENT = "   "
_LINES = 8
"""Of an example."""
_NAMED = 5
"""Symbols without room that are named."""
_PLURALS = {Part.EXAMPLE: "examples", Part.SUMMARY: "summaries", Part.DOCSTRING: "docstrings"}


def hit_lines(
    hits: Iterable[Hit],
    *,
    explain: bool = False,
    columns: int = 80,
    glyphs: Glyphs = UNICODE,
    paint: Paint = plain,
) -> Iterator[str]:
    """A block of lines a hit, with an empty line between; `explain` adds what every leg said."""
    for number, hit in enumerate(hits):
        if number:
            yield ""
        yield f"{hit.rank:<{len(_INDENT) - 1}} {paint(visible(hit.symbol), 'head')}: {_where(hit)}"
        yield from (
            _INDENT + line for line in _facts(hit, explain, columns - len(_INDENT), glyphs, paint) if line
        )


def _where(hit: Hit) -> str:
    others = len(hit.versions) - 1
    more = f" and {others} more release{'s' * (others > 1)}" if others > 0 else ""
    return f"{visible(hit.kind)} in {visible(hit.project)} {visible(hit.version)}{more}"


def _facts(hit: Hit, explain: bool, columns: int, glyphs: Glyphs, paint: Paint) -> Iterator[str]:
    if hit.signature is not None:
        yield from fact("signature", one_line(hit.signature), columns)
    if hit.summary:
        yield from fact("summary", one_line(hit.summary), columns)
    yield from fact("span", span_text(hit), columns)
    if hit.deprecated is not None:
        yield from (paint(line, "warn") for line in _deprecation(hit.deprecated, columns))
    for name, marked in hit.deprecated_parameters.items():
        yield from (paint(line, "warn") for line in _deprecated_parameter(name, marked, columns))
    yield from _example(hit, columns, glyphs, paint)
    if hit.evidence is not None and hit.evidence.artifact:
        yield from fact("artifact", one_line(hit.evidence.artifact), columns)
        if hit.evidence.file:
            line = f":{hit.evidence.line}" if hit.evidence.line else ""
            yield from fact("file", one_line(hit.evidence.file) + line, columns)
    if explain:
        yield from fact("score", f"{hit.score:.4f}", columns)
        for name, leg in hit.legs.items():
            yield from fact("", f"{one_line(name)} {leg.score:.4f}, rank {leg.rank}", columns)


def span_text(hit: Hit) -> str:
    """The half-open run of releases around the release of a hit.

    >>> span_text(Hit(1, 1.0, "lib", "1.1", "lib.a", "function", "()", "", since="1.0", until="2.0"))
    '[1.0, 2.0)'
    >>> span_text(Hit(1, 1.0, "lib", "1.1", "lib.a", "function", "()", "", since="1.0", since_exact=False))
    '[1.0 or before, no end seen)'
    """
    since = visible(hit.since) if hit.since else "unknown"
    before = "" if hit.since_exact or not hit.since else " or before"
    return f"[{since}{before}, {visible(hit.until) if hit.until else 'no end seen'})"


def _deprecation(marked: Marked, columns: int) -> Iterator[str]:
    yield from fact("deprecated", f"since {visible(marked.since)}" if marked.since else "yes", columns)
    if marked.replacement:
        yield from fact("use instead", one_line(marked.replacement), columns)
    if marked.message:
        yield from fact("says", one_line(marked.message), columns)


def _deprecated_parameter(name: str, marked: Marked, columns: int) -> Iterator[str]:
    text = f"{name}: deprecated" + (f" since {marked.since}" if marked.since else "")
    if marked.replacement:
        text += f", use {marked.replacement} instead"
    elif marked.message:
        text += f" ({marked.message})"
    yield from fact("parameter", one_line(text), columns)


def _example(hit: Hit, columns: int, glyphs: Glyphs, paint: Paint) -> Iterator[str]:
    example = best_example(hit.symbol, hit.examples, count_pieces)
    if example is None:
        return
    lines = printable(example.code).split("\n")
    if example.output:
        lines += [f"#> {line}".rstrip() for line in printable(example.output).split("\n")]
    if len(lines) > _LINES:
        lines = [*lines[: _LINES - 1], glyphs.ellipsis]
    label, room = "example", columns - len(_INDENT)
    yield label
    for line in lines:
        yield _INDENT + paint(fit(line, room, glyphs), "dim") if line else ""


def hit_json(hit: Hit) -> dict[str, object]:
    """A hit as an object; what is not known is null."""
    evidence = hit.evidence
    return {
        "rank": hit.rank,
        "score": hit.score,
        "project": hit.project,
        "version": hit.version,
        "versions": list(hit.versions),
        "symbol": hit.symbol,
        "paths": list(hit.paths),
        "kind": hit.kind,
        "signature": hit.signature,
        "summary": hit.summary or None,
        "docstring": hit.docstring or None,
        "examples": [
            {"code": example.code, "output": example.output or None, "compiles": example.compiles}
            for example in hit.examples
        ],
        "since": hit.since or None,
        "since_exact": hit.since_exact,
        "until": hit.until,
        **marks_json(hit),
        "evidence": None
        if evidence is None
        else {
            "artifact": evidence.artifact,
            "sha256": evidence.sha256,
            "file": evidence.file,
            "line": evidence.line,
        },
        "legs": {name: {"score": leg.score, "rank": leg.rank} for name, leg in hit.legs.items()},
    }


def pin_json(pinned: PinnedProject) -> dict[str, object]:
    """What was searched of a project, as an object."""
    return {
        "project": pinned.project,
        "versions": list(pinned.versions),
        "unread": list(pinned.unread),
    }


def pins_text(pins: Iterable[PinnedProject]) -> str:
    """What was searched, for a message.

    >>> pins_text([PinnedProject("a", (0,), ("1.0",), ()), PinnedProject("b", (0, 1), ("1.0", "1.1"), ())])
    'a 1.0, b 1.0 to 1.1'
    """
    return ", ".join(f"{pinned.project} {_range(pinned.versions)}" for pinned in pins)


def _range(versions: tuple[str, ...]) -> str:
    return versions[0] if len(versions) == 1 else f"{versions[0]} to {versions[-1]}"


def packed_line(packed: Packed) -> str:
    """What a context holds and what found no room, in one line."""
    gone = [left.symbol for left in packed.dropped if left.part is Part.ALL]
    parts = Counter(left.part for left in packed.dropped if left.part is not Part.ALL)
    named = ", ".join(gone[:_NAMED]) + (f" and {len(gone) - _NAMED} more" if len(gone) > _NAMED else "")
    left = [named] if gone else []
    for part, count in parts.items():
        left.append(f"{count} {part}" if count == 1 else f"{count} {_PLURALS[part]}")
    count = len(packed.entries)
    text = f"{packed.tokens} of {packed.budget} tokens, {count} symbol{'s' * (count != 1)}"
    return one_line(text + (f"; no room for {', '.join(left)}" if left else ""))
