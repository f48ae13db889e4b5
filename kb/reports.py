"""Answers as lines for a person.  Pure; all foreign text goes through `text.one_line`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from .answers import Answer, Change, Span, SpecifierAnswer
from .releases import Release
from .symbols import Deprecation, Status
from .text import Paint, one_line, plain, size_text, visible, wrap

if TYPE_CHECKING:
    from .lookup import ProjectInfo

_ROLES = {Status.PRESENT: "good", Status.ABSENT: "bad", Status.TOMBSTONE: "bad", Status.UNKNOWN: "warn"}
LABEL = 12
"""Columns of the label before each fact."""


def fact(label: str, text: str, columns: int) -> Iterator[str]:
    first, *rest = wrap(text, columns - LABEL, "  ")
    yield f"{label:<{LABEL}}{first}".rstrip()
    for line in rest:
        yield " " * LABEL + line


def added_text(span: Span) -> str:
    """The first release of a span, as exactly as it is known.

    >>> added_text(Span("1.4.0", True, None, None, None, True, "2.0"))
    '1.4.0'
    >>> added_text(Span("1.4.0", False, "1.2.0", None, None, True, "2.0"))
    'after 1.2.0, at or before 1.4.0'
    """
    if span.added_exact:
        return visible(span.added)
    if span.added_after is None:
        return f"at or before {visible(span.added)}"
    return f"after {visible(span.added_after)}, at or before {visible(span.added)}"


def removed_text(span: Span) -> str:
    """The first release without the symbol, as exactly as it is known.

    >>> removed_text(Span("1.0", True, None, None, "2.0", False, "1.8"))
    'after 1.8, at or before 2.0'
    """
    if span.removed is None:
        return "not in any indexed release"
    if span.removed_exact:
        return visible(span.removed)
    return f"after {visible(span.last_seen)}, at or before {visible(span.removed)}"


def span_lines(spans: Sequence[Span], columns: int) -> Iterator[str]:
    """One fact per line for one span, one line per span for several."""
    if len(spans) == 1:
        (span,) = spans
        yield from fact("added", added_text(span), columns)
        if span.deprecated is not None:
            yield from fact("deprecated", visible(span.deprecated), columns)
        yield from fact("last seen", visible(span.last_seen), columns)
        yield from fact("removed", removed_text(span), columns)
        return
    for number, span in enumerate(spans, 1):
        parts = [f"added {added_text(span)}"]
        if span.deprecated is not None:
            parts.append(f"deprecated {visible(span.deprecated)}")
        parts.append(f"last seen {visible(span.last_seen)}")
        if span.removed is not None:
            parts.append(f"removed {removed_text(span)}")
        yield from fact(f"span {number}", "; ".join(parts), columns)


def deprecation_text(deprecation: Deprecation) -> str:
    """What a mark says, where it says it and what it announces.

    >>> deprecation_text(Deprecation("warning", "Use\\n b.", since="1.2", removal="2.0"))
    'Use b. (by a warning; says since 1.2; announced for removal in 2.0)'
    """
    how = [
        f"by a {deprecation.mechanism}" if deprecation.mechanism != "getattr" else "by a module __getattr__"
    ]
    if deprecation.since is not None:
        how.append(f"says since {one_line(deprecation.since)}")
    if deprecation.removal is not None:
        how.append(f"announced for removal in {one_line(deprecation.removal)}")
    message = one_line(deprecation.message) if deprecation.message else "no message"
    return f"{message} ({'; '.join(how)})"


def answer_lines(answer: Answer, *, columns: int = 80, paint: Paint = plain) -> Iterator[str]:
    """The answer to one lookup."""
    where = f"{visible(answer.project)} {visible(answer.version)}"
    verb = {Status.TOMBSTONE: "raises when used"}.get(answer.status, str(answer.status))
    yanked = " (a yanked release)" if answer.yanked else ""
    yield f"{paint(visible(answer.symbol), 'head')}: {paint(verb, _ROLES[answer.status])} in {where}{yanked}"
    yield from _what(answer, columns)
    yield from span_lines(answer.spans, columns)
    if not answer.spans:
        yield from fact("added", "not in any indexed release", columns)
    if answer.deprecation is not None:
        yield from fact("says", deprecation_text(answer.deprecation), columns)
    if answer.replacement:
        yield from fact("use instead", one_line(answer.replacement), columns)
    evidence = answer.evidence
    if evidence is not None and evidence.artifact:
        yield from fact("artifact", one_line(evidence.artifact), columns)
        if evidence.sha256:
            yield from fact("sha256", one_line(evidence.sha256), columns)
        if evidence.file:
            line = f":{evidence.line}" if evidence.line else ""
            yield from fact("file", one_line(evidence.file) + line, columns)
    for note in answer.notes:
        yield from fact("note", one_line(note), columns)
    if answer.suggestions:
        yield from fact("similar", ", ".join(map(one_line, answer.suggestions)), columns)


def _what(answer: Answer, columns: int) -> Iterator[str]:
    if answer.parameter is not None:
        parameter = answer.parameter
        text = parameter.kind
        if parameter.annotation is not None:
            text += f", annotated {one_line(parameter.annotation)}"
        if parameter.default is not None:
            text += f", default {one_line(parameter.default)}"
        yield from fact("parameter", text, columns)
    elif answer.kind is not None:
        text = " ".join([*map(one_line, answer.labels), visible(answer.kind)])
        if answer.visibility == "private":
            text += " (private)"
        yield from fact("kind", text, columns)
    if answer.signature is not None:
        yield from fact("signature", one_line(answer.signature), columns)
    for variant in answer.variants:
        yield from fact("or", one_line(variant), columns)
    if answer.alias_of is not None:
        yield from fact("alias of", one_line(answer.alias_of), columns)
    if answer.inherited_from is not None:
        yield from fact("inherited", f"from {one_line(answer.inherited_from)}", columns)
    if answer.condition is not None:
        yield from fact("bound if", one_line(answer.condition), columns)
    if answer.reason is not None:
        yield from fact("reason", one_line(answer.reason), columns)
    if answer.tombstone_since is not None:
        yield from fact("raises from", visible(answer.tombstone_since), columns)


def specifier_lines(answer: SpecifierAnswer, *, columns: int = 80, paint: Paint = plain) -> Iterator[str]:
    """The answer over all releases that match a specifier, then the one at the newest of them."""
    groups = {
        "present": answer.present,
        "absent": answer.absent,
        "raises in": answer.tombstone,
        "unknown": answer.unknown,
    }
    total = sum(map(len, groups.values()))
    verdict = {
        "all": f"in all {total}",
        "some": f"in {len(answer.present)} of {total}",
        "none": f"in none of {total}",
    }.get(answer.verdict, f"unknown in {len(answer.unknown)} of {total}")
    role = {"all": "good", "none": "bad"}.get(answer.verdict, "warn")
    yield (
        f"{paint(visible(answer.symbol), 'head')}: {paint(verdict, role)} indexed releases of "
        f"{visible(answer.project)} {visible(answer.specifier)}"
    )
    for label, versions in groups.items():
        if versions:
            yield from fact(label, ", ".join(map(visible, versions)), columns)
    yield ""
    yield from answer_lines(answer.newest, columns=columns, paint=paint)


def docstring_lines(text: str | None, *, paint: Paint = plain) -> Iterator[str]:
    """A docstring below an answer, line by line as it stands.

    >>> list(docstring_lines("Do it.\\n\\n    now\\x07"))
    ['', 'Do it.', '', '    now\\\\x07']
    """
    yield ""
    if text is None:
        yield paint("(no docstring)", "dim")
        return
    yield from map(visible, text.split("\n"))


def change_lines(
    project: str, a: str, b: str, changes: Sequence[Change], *, columns: int = 80, paint: Paint = plain
) -> Iterator[str]:
    """What differs between two releases; `!` marks what can break a caller."""
    breaking = sum(change.breaking for change in changes)
    head = f"{visible(project)} {visible(a)} to {visible(b)}"
    number = f"{len(changes)} change{'s' * (len(changes) != 1)}"
    yield f"{paint(head, 'head')}: {number}, {breaking} breaking"
    for change in changes:
        flag = paint("!", "bad") if change.breaking else " "
        role = {"added": "good", "removed": "bad", "tombstone": "bad"}.get(change.change, "warn")
        word = f"{visible(change.change):<{LABEL}}"
        private = ", private" if change.visibility == "private" else ""
        yield f"{flag} {paint(word, role)}{visible(change.symbol)} ({visible(change.kind)}{private})"
        for sign, text in (("-", change.before), ("+", change.after)):
            if text and change.change not in ("added", "removed"):
                for number_, line in enumerate(wrap(one_line(text), columns - LABEL - 4, "")):
                    yield " " * (LABEL + 2) + (f"{sign} " if number_ == 0 else "  ") + line
        for detail in change.details:
            for line in wrap(one_line(detail), columns - LABEL - 4, "  "):
                yield " " * (LABEL + 4) + line


def project_line(info: ProjectInfo) -> str:
    """A project in one line."""
    imported = ", ".join(map(visible, info.import_names)) or "nothing"
    return (
        f"{visible(info.project)}: {info.indexed} of {info.total} releases indexed, newest "
        f"{visible(info.newest or 'none')}; imported as {imported}; "
        f"{info.symbols} symbols; read {visible(info.indexed_at)}"
    )


def project_rows(projects: Iterable[ProjectInfo]) -> tuple[list[str], list[list[object]]]:
    """Columns and rows of a list of projects."""
    columns = ["project", "indexed", "releases", "newest", "symbols", "imported as"]
    return columns, [
        [
            info.project,
            info.indexed,
            info.total,
            info.newest or "",
            info.symbols,
            ", ".join(info.import_names),
        ]
        for info in projects
    ]


def release_rows(
    releases: Iterable[Release], modules: Mapping[str, Mapping[str, int]]
) -> tuple[list[str], list[list[object]]]:
    """Columns and rows of a list of releases; `modules` counts each release's by read status."""
    columns = ["version", "status", "uploaded", "size", "fetched", "modules", "unread", "artifact", "remarks"]
    rows: list[list[object]] = []
    for release in releases:
        counts = modules.get(release.version, {})
        total = sum(counts.values())
        remarks = [one_line(release.reason)] if release.reason else []
        if release.yanked:
            remarks.append(
                "yanked" + (f": {one_line(release.yanked_reason)}" if release.yanked_reason else "")
            )
        rows.append(
            [
                release.version,
                str(release.status),
                (release.uploaded_at or "")[:10],
                "" if release.size is None else size_text(release.size),
                size_text(release.fetched) if release.fetched else "",
                total or "",
                total - counts.get("ok", 0) or "",
                release.artifact or "",
                "; ".join(remarks),
            ]
        )
    return columns, rows
