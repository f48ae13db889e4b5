"""The audit: each folder of `tests/cases/audit` is a project, a folder of it a release.

`expected.json` lists what the audit says, outside and agreement included; it is written by hand.
Run as a script, this prints what is said now.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "indexers"))
from builders import files_of, make_wheel
from case_folders import index

from apikb.kb.audit import Audit

CASES = Path(__file__).parents[1] / "cases" / "audit"
FOLDERS = sorted(folder for folder in CASES.iterdir() if folder.is_dir())


def audited(case: Path, work: Path) -> Audit:
    (work / "index").mkdir()
    for release in sorted(folder for folder in case.iterdir() if folder.is_dir()):
        make_wheel(work / "index", "lib", release.name, files_of(release))
    with index("lib", work / "index", work) as kb:
        return kb.audit("lib")


def lines(audit: Audit) -> list[str]:
    return [
        " ".join(
            [
                f"{finding.verdict}:",
                finding.directive,
                str(finding.claimed),
                finding.symbol + (f"({finding.parameter})" if finding.parameter else ""),
                f"[{finding.ours}]",
            ]
        )
        for finding in audit.findings
    ]


@pytest.mark.parametrize("case", FOLDERS, ids=lambda folder: folder.name)
def test_the_audit_of_a_case_is_its_golden_file(case: Path, tmp_path: Path) -> None:
    expected = json.loads((case / "expected.json").read_text(encoding="utf-8"))
    assert lines(audited(case, tmp_path)) == expected["findings"]


def test_the_bounds_and_the_counts(tmp_path: Path) -> None:
    audit = audited(CASES / "04-moved", tmp_path)
    assert (audit.project, audit.first, audit.newest) == ("lib", "0.1", "0.3")
    assert audit.counts() == {"versionadded": {"agree": 3}}


if __name__ == "__main__":
    import tempfile

    for folder in FOLDERS:
        with tempfile.TemporaryDirectory() as work:
            print(folder.name, *lines(audited(folder, Path(work))), sep="\n  ")
