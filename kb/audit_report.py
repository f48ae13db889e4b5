"""An audit as lines for a person, and as rows.  Pure; foreign text goes through `text.one_line`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict

from .audit import DISAGREEMENTS, Audit, Finding, Verdict
from .reports import LABEL
from .text import Paint, one_line, plain, table, visible, wrap

COLUMNS = (
    "verdict", "directive", "symbol", "parameter", "claimed", "release", "ours", "carried_by", "text",
)  # fmt: skip
_ROLES = {Verdict.AGREE: "good", Verdict.EARLIER: "bad", Verdict.LATER: "bad", Verdict.NOT_FOUND: "warn"}


def shown(audit: Audit, *, everything: bool) -> list[Finding]:
    """The findings that are listed: the disagreements, or all."""
    return [finding for finding in audit.findings if everything or finding.verdict in DISAGREEMENTS]


def finding_rows(findings: Iterable[Finding]) -> list[list[object]]:
    """Findings as rows under `COLUMNS`."""
    return [list(asdict(finding).values()) for finding in findings]


def audit_lines(
    audit: Audit, *, everything: bool = False, columns: int = 80, paint: Paint = plain
) -> Iterator[str]:
    """The counts, then one entry for each finding that is shown."""
    head = f"{visible(audit.project)} {visible(audit.first)} to {visible(audit.newest)}"
    yield f"{paint(head, 'head')}: {len(audit.findings)} findings"
    yield ""
    counts = audit.counts()
    rows = [
        [str(verdict), *(str(counts[directive].get(str(verdict), "")) for directive in counts)]
        for verdict in Verdict
    ]
    yield from table(["verdict", *counts], rows, limit=columns, right=range(1, len(counts) + 1), paint=paint)
    for finding in shown(audit, everything=everything):
        yield ""
        yield from _finding_lines(finding, columns, paint)


def _finding_lines(finding: Finding, columns: int, paint: Paint) -> Iterator[str]:
    name = visible(finding.symbol) + (f"({visible(finding.parameter)})" if finding.parameter else "")
    word = paint(f"{finding.verdict:<{LABEL}}", _ROLES.get(finding.verdict, "dim"))
    yield f"{word}{name}"
    docs = f"{finding.directive} {one_line(finding.claimed)}" if finding.claimed else "the docs say nothing"
    if finding.release and finding.release != finding.claimed:
        docs += f" (that is {visible(finding.release)})"
    if finding.carried_by:
        docs += f", says {visible(finding.carried_by)}"
    yield " " * LABEL + f"{docs}; seen: {visible(finding.ours) if finding.ours else 'nothing'}"
    for line in wrap(one_line(finding.text)[:300], columns - LABEL - 2, "") if finding.text else ():
        yield " " * (LABEL + 2) + line
