"""Outputs judged by the store, and the strata of tasks, on a small real knowledge base."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from apikb.kb.answers import Span
from apikb.kb.lookup import KnowledgeBase
from apikb.rag_eval.metrics.api_use import ApiJudge, ApiUse, Verdict, use_shares
from apikb.rag_eval.tags import Lifespan, Transition, stage, tag_tasks, transition
from apikb.rag_eval.tasks import Task, TaskKind

BLOCK = Task(
    id="b", kind=TaskKind.BLOCK, library="Flask", version="==2.2.3", description="Escapes text.", given="",
    reference="flask.escape(x)", answer="escape", code="import flask\nflask.escape(x)", time="2023-03-01",
    source="stackoverflow",
)  # fmt: skip
LINE = replace(
    BLOCK, kind=TaskKind.LINE, given="import flask\nflask.escape(1)\n<line_mask>", mask="<line_mask>"
)


@pytest.fixture(scope="module")
def kb(demo_kb: Path) -> Iterator[KnowledgeBase]:
    with KnowledgeBase.open(demo_kb) as opened:
        yield opened


def verdicts(kb: KnowledgeBase, code: str, version: str, task: Task = BLOCK) -> dict[str, str]:
    return {use.path: str(use.verdict) for use in ApiJudge(kb).judge(task, code, "flask", version).uses}


@pytest.mark.parametrize(
    ("code", "version", "expected"),
    [
        ("flask.escape(x)", "2.2.3", {"flask.escape": "valid"}),
        ("flask.escape(x)", "3.0.0", {"flask.escape": "removed"}),
        ("flask.html_escape(x)", "2.3.0", {"flask.html_escape": "later"}),
        ("from flask import html_escape as e\ne(x)", "2.2.5", {"flask.html_escape": "later"}),
        ("flask.nothing(x)", "2.2.3", {"flask.nothing": "absent"}),
        ("flask.json_available()", "2.3.0", {"flask.json_available": "removed"}),  # A tombstone.
        ("flask.Markup(x)", "2.3.1", {"flask.Markup": "deprecated"}),
        ("flask.Markup(x)", "2.3.0", {"flask.Markup": "removed"}),  # It comes back later.
        ("flask._speedups.f()", "3.0.0", {"flask._speedups.f": "unknown"}),
        ("flask.escape(app=1)", "2.2.3", {"flask.escape": "valid", "flask.escape(app)": "valid"}),
        ("flask.escape(b=1)", "2.2.3", {"flask.escape": "valid", "flask.escape(b)": "absent"}),
        ("a = flask.Flask()\na.run(debug=1)", "2.2.3", {
            "flask.Flask": "valid", "flask.Flask.run": "valid", "flask.Flask.run(debug)": "later"}),
        ("a = flask.escape(x)\na.nothing()", "2.2.3", {"flask.escape": "valid"}),  # Of no class.
        ("x.escape()", "2.2.3", {}),
    ],
)  # fmt: skip
def test_verdicts(kb: KnowledgeBase, code: str, version: str, expected: dict[str, str]) -> None:
    assert verdicts(kb, code, version) == expected


def test_only_the_output_is_judged(kb: KnowledgeBase) -> None:
    """The code that was given is not the generator's."""
    assert verdicts(kb, "flask.Markup(x)", "2.2.3", LINE) == {"flask.Markup": "valid"}
    assert verdicts(kb, "x = 1", "2.2.3", LINE) == {}
    assert not ApiJudge(kb).judge(LINE, "flask.escape(", "flask", "2.2.3").parsed


def test_shares(kb: KnowledgeBase) -> None:
    codes = ["flask.escape(x)", "flask.html_escape(x)", "flask.nothing()", "f(", "x = 1", "flask.Markup(x)"]
    judge = ApiJudge(kb)
    shares = use_shares([judge.judge(BLOCK, code, "flask", "2.3.2") for code in codes])
    assert (shares.outputs, shares.judged) == (6, 4 / 6)
    assert (shares.wrong, shares.of_other_version, shares.deprecated) == (3 / 6, 1 / 6, 1 / 6)
    assert use_shares([]).wrong == 0
    assert not ApiUse(True, ()).wrong
    assert {str(verdict) for verdict in Verdict} >= {"valid", "removed", "later"}


# ---- tags


def test_tags(kb: KnowledgeBase) -> None:
    (tags,) = tag_tasks([replace(BLOCK, given="x = escape(1)")], kb)
    assert (tags.source, tags.library, tags.year) == ("stackoverflow", "flask", 2023)
    assert (tags.visible_in_code, tags.visible_in_description, tags.transition) == (True, False, None)
    assert tags.resolution.chosen == "2.2.3" and tags.symbols == ("flask.escape",)
    assert (tags.lifespan, tags.unknown != "") == (Lifespan.UNKNOWN, True), "the first release that was read"


@pytest.mark.parametrize(
    ("answer", "version", "lifespan"),
    [
        ("escape", "2.2.5", "general"),
        ("escape", "2.3.2", "deprecation"),  # 3.0.0 lacks it; 2.3.3 could not be read.
        ("html_escape", "3.0.0", "unknown"),  # It may have come with 2.3.3.
        ("Markup", "2.2.5", "deprecation"),
        ("Markup", "2.3.1", "addition"),
        ("json_available", "2.2.5", "deprecation"),
        ("nothing", "2.2.5", "unknown"),
        ("escape", "9.9", "unknown"),
    ],
)
def test_lifespans(kb: KnowledgeBase, answer: str, version: str, lifespan: str) -> None:
    task = replace(BLOCK, answer=answer, version=f"=={version}", code=f"flask.{answer}(x)")
    assert tag_tasks([task], kb)[0].lifespan == lifespan


def test_stages() -> None:
    order = ["1.0", "1.1", "2.0rc1", "2.0", "2.1"]

    def span(
        added: str, deprecated: str | None = None, removed: str | None = None, exact: bool = True
    ) -> Span:
        return Span(added, exact, None, deprecated, removed, True, "2.1")

    assert stage(span("1.0"), "1.0", order) == Lifespan.ADDITION
    assert stage(span("1.0", exact=False), "1.0", order) == Lifespan.UNKNOWN
    assert stage(span("1.0"), "2.1", order) == Lifespan.GENERAL
    assert stage(span("1.0", removed="2.0"), "1.1", order) == Lifespan.DEPRECATION, (
        "the candidate is passed over"
    )
    assert stage(span("1.0", deprecated="2.0", removed="2.1"), "1.1", order) == Lifespan.DEPRECATION
    assert stage(span("1.0", deprecated="1.1"), "2.0", order) == Lifespan.DEPRECATION
    assert stage(span("1.0", removed="2.1"), "1.1", order) == Lifespan.GENERAL


def test_transitions(kb: KnowledgeBase) -> None:
    assert transition("1.0", "2.0.0") == Transition.MAJOR_TO_MAJOR
    assert transition("1.0.0", "1.0.1") == Transition.MAJOR_TO_MINOR
    assert transition("1.2", "2.1") == Transition.MINOR_TO_MINOR
    assert transition(None, "2.1") is None
    edit = replace(BLOCK, kind=TaskKind.OLD_TO_NEW, given_version="==2.2.3", version="==3.0.0")
    (tags,) = tag_tasks([edit], kb)
    assert tags.transition == Transition.MINOR_TO_MAJOR
    assert tags.given_resolution is not None and tags.given_resolution.chosen == "2.2.3"


def test_a_library_that_is_not_there(kb: KnowledgeBase) -> None:
    (tags,) = tag_tasks([replace(BLOCK, library="pandas")], kb)
    assert (tags.library, tags.year, tags.lifespan) == ("pandas", 2023, Lifespan.UNKNOWN)
    assert "pandas is not in the knowledge base" in tags.unknown
