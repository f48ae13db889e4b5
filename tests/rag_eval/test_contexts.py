"""What a task is told under each condition, and that its own code never comes back."""

from __future__ import annotations

from dataclasses import replace

import pytest

from apikb.kb.lookup import KnowledgeBase
from apikb.rag_eval.contexts import Condition, Content, Context, ContextOptions, Contexts
from apikb.rag_eval.tasks import Task, TaskKind
from apikb.rag_eval.versions import resolve
from apikb.retrieval.retriever import Retriever

TASK = Task(
    id="1",
    kind=TaskKind.LINE,
    library="tables",
    version="==1.0",
    description="The code adds the rows of one table to another one.",
    given="import tables\n<line_mask>\n",
    reference="whole = first.append(second)",
    answer="append",
    code="import tables\nwhole = first.append(second)\n",
    mask="<line_mask>",
)


def context(kb: KnowledgeBase, condition: Condition, task: Task = TASK, **options: object) -> Context:
    contexts = Contexts(kb, Retriever(kb), ContextOptions(**options))  # type: ignore[arg-type]
    return contexts.of(task, resolve(kb, task.library, task.version), condition)


def test_nothing_is_told_under_none(kb: KnowledgeBase) -> None:
    found = context(kb, Condition.NONE)
    assert (found.text, found.tokens, found.symbols, found.holds_answer) == ("", 0, (), False)


def test_what_is_retrieved_is_of_the_pinned_version(kb: KnowledgeBase) -> None:
    found = context(kb, Condition.RETRIEVED)
    assert found.symbols[0] == "tables.Table.append@1.0"
    assert "concat" not in found.text
    assert found.holds_answer
    assert ">>> " not in found.text
    assert "table.append(other)" in found.text
    newer = context(kb, Condition.RETRIEVED, replace(TASK, version="==2.0"))
    assert "append@" not in " ".join(newer.symbols)
    assert not newer.holds_answer


def test_without_the_filter_all_releases_are_told(kb: KnowledgeBase) -> None:
    found = context(kb, Condition.UNFILTERED)
    assert {"tables.Table.append@1.0", "tables.Table.concat@2.0"} <= set(found.symbols)


def test_the_wrong_version_is_one_where_the_api_differs(kb: KnowledgeBase) -> None:
    found = context(kb, Condition.WRONG_VERSION)
    assert found.symbols[0] == "tables.Table.concat@2.0"
    assert all(symbol.endswith("@2.0") for symbol in found.symbols)
    assert (found.holds_answer, found.remark) == (False, "")
    same = context(kb, Condition.WRONG_VERSION, replace(TASK, answer="read_lines", reference="read_lines(x)"))
    assert "differs in no release" in same.remark
    assert all(symbol.endswith("@2.0") for symbol in same.symbols)


def test_mixed_is_both_in_turn(kb: KnowledgeBase) -> None:
    found = context(kb, Condition.MIXED, k=4)
    assert found.symbols[:2] == ("tables.Table.append@1.0", "tables.Table.concat@2.0")
    assert len(found.symbols) <= 4


def test_the_oracle_tells_the_answer_alone(kb: KnowledgeBase) -> None:
    found = context(kb, Condition.ORACLE)
    assert found.symbols == ("tables.Table.append@1.0",)
    assert found.holds_answer
    nothing = context(kb, Condition.ORACLE, replace(TASK, answer="neverseen"))
    assert (nothing.symbols, nothing.text) == ((), "")
    assert nothing.remark


@pytest.mark.parametrize("condition", [each for each in Condition if each is not Condition.NONE])
def test_a_task_without_a_release_is_still_a_task(kb: KnowledgeBase, condition: Condition) -> None:
    found = context(kb, condition, replace(TASK, version="==9.0"))
    assert found.text == ""
    assert found.remark.startswith("no release")


@pytest.mark.parametrize(
    "line", ["table.append(other)", "    table.append( other )", "table.append(other)  # as the docs say"]
)
@pytest.mark.parametrize("content", [frozenset(Content), frozenset({Content.EXAMPLES, Content.DOCSTRING})])
def test_the_code_of_the_task_never_comes_back(
    kb: KnowledgeBase, line: str, content: frozenset[Content]
) -> None:
    own = replace(TASK, reference=line, code=f"import tables\n{line}\n")
    for condition in Condition:
        found = context(kb, condition, own, content=content)
        assert "table.append(other)" not in found.text, condition
        assert "table.append(other)" in context(kb, Condition.ORACLE, content=content).text
    left_out = context(kb, Condition.ORACLE, own, content=content).left_out
    assert left_out == 1 + (Content.DOCSTRING in content)


def test_a_masked_name_alone_is_no_code_to_be_kept_out(kb: KnowledgeBase) -> None:
    token = replace(
        TASK, kind=TaskKind.TOKEN, reference="append", given="x.<token_mask>(y)", mask="<token_mask>"
    )
    assert context(kb, Condition.ORACLE, token).left_out == 0


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ({Content.SIGNATURE}, "(self, other)"),
        ({Content.SUMMARY}, "Add the rows of another table."),
        ({Content.EXAMPLES}, "table.append(other)"),
    ],
)
def test_only_what_is_asked_for_is_told(kb: KnowledgeBase, content: set[Content], told: str) -> None:
    text = context(kb, Condition.ORACLE, content=frozenset(content)).text
    parts = ("(self, other)", "Add the rows of another table.", "table.append(other)")
    assert [part for part in parts if part in text] == [told]


def test_the_budget_holds(kb: KnowledgeBase) -> None:
    found = context(kb, Condition.UNFILTERED, budget=60)
    assert 0 < found.tokens <= 60
    assert context(kb, Condition.UNFILTERED).tokens > 60
