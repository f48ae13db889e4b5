"""Version fields as they are found in the wild, made one real release by a rule that is recorded."""

from __future__ import annotations

from pathlib import Path

import pytest

from apikb.kb.lookup import KnowledgeBase
from apikb.kb.releases import Release, ReleaseStatus
from apikb.rag_eval.versions import Rule, choose, project_of, resolve, specifier_of

RELEASES = [
    Release("1.0", uploaded_at="2018-01-01T00:00:00Z"),
    Release("1.4.1", uploaded_at="2019-01-01T00:00:00Z"),
    Release("1.4.2", uploaded_at="2021-06-30T23:00:00Z"),
    Release("2.0rc1", uploaded_at="2019-03-01T00:00:00Z"),
    Release("2.0.0", uploaded_at="2019-05-01T00:00:00Z"),
    Release("2.0.1", uploaded_at="2019-06-01T00:00:00Z", yanked=True),
    Release("2.1.0", uploaded_at="2020-01-01T00:00:00Z"),
    Release("2.1.1", ReleaseStatus.FAILED, "truncated", uploaded_at="2020-02-01T00:00:00Z"),
    Release("3.0.0a1", uploaded_at="2021-01-01T00:00:00Z"),
    Release("4.0.0", uploaded_at="2021-02-01T00:00:00Z", yanked=True),
]


@pytest.mark.parametrize(
    ("asked", "time", "chosen", "rule", "reason"),
    [
        ("==2.0", "2019-09-09", "2.0.0", Rule.EXACT, ""),
        ("2.0.0", None, "2.0.0", Rule.EXACT, ""),
        (" == v2.0 ", "2019-04-30", "2.0.0", Rule.EXACT, "younger than the row"),
        ("==2.0.1", None, "2.0.1", Rule.EXACT, "yanked"),
        ("==2.0rc1", None, "2.0rc1", Rule.EXACT, ""),
        ("==2.1.1", None, None, Rule.NONE, "2.1.1 could not be read: truncated"),
        ("==1.4", "2020-01-01", "1.4.1", Rule.SERIES, "there is no release 1.4"),
        ("==1.4.0", None, "1.4.2", Rule.SERIES, "there is no release 1.4.0"),
        ("==9.9", None, None, Rule.NONE, "there is no release 9.9"),
        ("==2.x", "2020-05-05", "2.1.0", Rule.NEWEST_BEFORE, ""),
        ("2.x", "2019-12-31", "2.0.0", Rule.NEWEST_BEFORE, ""),
        ("==2.0.x", "2019-05-01", "2.0.0", Rule.NEWEST_BEFORE, ""),
        (">=1.4", "2019-05", "2.0.0", Rule.NEWEST_BEFORE, ""),
        (">=1.4", None, "2.1.0", Rule.NEWEST, ""),
        ("<2", "2020-01-01", "1.4.1", Rule.NEWEST_BEFORE, ""),
        ("<=1.x", None, "1.4.2", Rule.NEWEST, ""),
        (">2.0.x", "2019-01-01", "2.1.0", Rule.OLDEST_AFTER, "younger than the row"),
        (">=1.4,<2.1", None, "2.0.0", Rule.NEWEST, ""),
        (">=2.0.1,<2.1", None, "2.0.1", Rule.NEWEST, "yanked, as all that match"),
        ("==3.x", None, "3.0.0a1", Rule.NEWEST, "a pre-release, as all that match"),
        (">5", None, None, Rule.NONE, "no release that could be read matches >5"),
    ],
)
def test_choice(asked: str, time: str | None, chosen: str | None, rule: Rule, reason: str) -> None:
    release, used, remark = choose(RELEASES, asked, time)
    assert ((release.version if release else None), used, remark) == (chosen, rule, reason)


def test_releases_without_dates() -> None:
    """Where nothing is dated the time says nothing; else what has no date is not known to be old."""
    undated = [Release("1.0"), Release("1.1")]
    assert choose(undated, ">=1", "2020-01-01")[:2] == (undated[1], Rule.NEWEST)
    dated = Release("1.2", uploaded_at="2019-01-01T00:00:00Z")
    assert choose([dated, Release("1.3")], ">=1", "2020-01-01")[:2] == (dated, Rule.NEWEST_BEFORE)


@pytest.mark.parametrize("asked", ["", "latest", "==", ">=x", "<=a.x", "1.0 or 2.0", "==1.0,,"])
def test_what_is_no_version(asked: str) -> None:
    with pytest.raises(ValueError, match="is not a version"):
        choose(RELEASES, asked)


def test_wild_cards_of_every_operator() -> None:
    assert str(specifier_of("!=2.x")) == "!=2.*"
    assert str(specifier_of("~=2.1.x")) == "==2.1.*"
    assert str(specifier_of("<2.x")) == "<2"
    assert str(specifier_of(">=1.9.*")) == ">=1.9"


def test_the_knowledge_base_says(demo_kb: Path) -> None:
    """The project by its name or import name, the release with the day of its upload; faults as reasons."""
    with KnowledgeBase.open(demo_kb) as kb:
        assert project_of(kb, "Flask") == project_of(kb, "flask.helpers") == "flask"
        found = resolve(kb, "Flask", ">=2", "2023-04-30")
        assert (found.project, found.chosen, found.rule) == ("flask", "2.3.0", Rule.NEWEST_BEFORE)
        assert found.uploaded == "2023-04-25T19:40:10Z"
        assert (found.library, found.asked, found.time) == ("Flask", ">=2", "2023-04-30")
        assert resolve(kb, "flask", "==2.3.3").reason.startswith("2.3.3 could not be read")
        missing = resolve(kb, "pandas", "==1.0")
        assert (missing.project, missing.chosen, missing.rule) == (None, None, Rule.NONE)
        assert "pandas is not in the knowledge base" in missing.reason
        bad = resolve(kb, "click", "newest")
        assert (bad.project, bad.chosen) == ("click", None) and "is not a version" in bad.reason
