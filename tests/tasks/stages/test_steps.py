"""Which question comes next follows from the answers, and from nothing else."""

from typing import Any

import pytest

from planrail.base.records import replace
from planrail.tasks.questions.answers import assemble_report, memories_of
from planrail.tasks.questions.model import DIVIDE, PLAN, PLANNER, RESEARCH, REVISE, StageOrder, schema_of
from planrail.tasks.questions.prompts import next_questions, tell_progress
from planrail.tasks.stages.finishing import slug_words
from tests.tasks.stages.stage_project import report

_ORDER = StageOrder(PLAN, 7, 1, "Refuse empty names", {"task": {"number": 7}})
_RESEARCH = replace(_ORDER, stage=RESEARCH)
Answers = dict[str, dict[str, Any]]


def _names(order: StageOrder, answers: Answers) -> list[str]:
    return [question.name for question in next_questions(order, answers)]


def _walk(order: StageOrder, answers: Answers) -> list[str]:
    """The names of all questions, in order, where each is answered well."""
    found: list[str] = []
    while questions := next_questions(order, answers):
        for question in questions:
            found.append(question.name)
            answers[question.name] = report()
    return found


def test_what_one_agent_answers_is_one_question() -> None:
    assert _walk(_RESEARCH, {}) == ["research"]
    assert _walk(replace(_ORDER, stage=REVISE), {}) == ["description"]  # without a plan
    assert _walk(replace(_ORDER, stage=DIVIDE), {}) == ["division"]


def test_a_team_is_asked_at_once_from_different_sides_and_then_one_report_is_made_of_theirs() -> None:
    order = replace(_RESEARCH, team=3)
    assert _names(order, {}) == ["research-1", "research-2", "research-3"]
    assert _names(order, {"research-2": report()}) == ["research-1", "research-3"]
    assert _walk(order, {}) == ["research-1", "research-2", "research-3", "synthesis"]
    assert len({question.prompt for question in next_questions(replace(_RESEARCH, team=6), {})}) == 6
    answers = {f"research-{number}": report(f"Report {number}") for number in (1, 2, 3)}
    (question,) = next_questions(order, answers)
    assert all(f"Report {number}" in question.prompt for number in (1, 2, 3))
    assert tell_progress(order, {"research-2": report()}) == "1 of 3 researchers have answered"
    assert tell_progress(_RESEARCH, {}) == "nothing is answered yet"


@pytest.mark.parametrize(
    ("stage", "has_plan", "writes"),
    [
        (PLAN, False, True),
        (REVISE, True, True),
        (REVISE, False, False),
        (RESEARCH, False, False),
        (DIVIDE, False, False),
    ],
)
def test_a_plan_is_written_in_the_flow_of_planning(stage: str, has_plan: bool, writes: bool) -> None:
    assert replace(_ORDER, stage=stage, has_plan=has_plan).writes_plan is writes


def test_every_question_has_a_schema_and_words() -> None:
    for order in (_RESEARCH, replace(_RESEARCH, team=2), replace(_ORDER, stage=REVISE)):
        for question in next_questions(order, {}):
            assert schema_of(question.name)
            assert question.label
            assert question.role in (PLANNER, "researcher")


# ---- what becomes of the answers ----


def test_a_report_says_what_was_answered() -> None:
    made = assemble_report(report("A title\nin two lines"), started="s", completed="c")
    assert made.title == "A title in two lines"
    assert made.findings == (("No check", "src/greeter.py:4 prints any name."),)


def test_what_is_worth_remembering_is_taken_once_and_from_the_one_report() -> None:
    memory = {"content": "x", "category": "INSIGHT", "confidence": 1.0, "keywords": []}
    one = report(memory_candidates=[memory, memory])
    assert memories_of({"research": one}) == [memory]
    assert memories_of({"research-1": one, "synthesis": report()}) == []


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("specs/007_a/plans/01_cache-lock.md", "cache lock"),
        ("specs/007_a/plans/12_cache-lock-v13.md", "cache lock"),
        ("plans/implementation-001.md", "implementation 001"),
        ("plans/-v2.md", ""),
        ("", ""),
    ],
)
def test_a_plan_keeps_its_name_over_its_versions(path: str, words: str) -> None:
    assert slug_words(path) == words
