"""Which question comes next follows from the answers, and from nothing else."""

import itertools
from typing import Any

import pytest

from planrail.base.records import replace
from planrail.tasks.questions.assembling import assemble, assemble_report, chosen_roadmap, memories_of, problems_of
from planrail.tasks.questions.model import CRITIC, DIVIDE, HARD, PLAN, PLANNER, RESEARCH, REVISE, StageOrder
from planrail.tasks.questions.steps import next_questions, schema_of, tell_progress
from planrail.tasks.stages.composing import slug_words
from tests.tasks.stages.stage_project import critique, details, outline, report, revision, whole_phase

_ORDER = StageOrder(PLAN, 7, 1, "Refuse empty names", {"task": {"number": 7}})
_RESEARCH = replace(_ORDER, stage=RESEARCH)
Answers = dict[str, dict[str, Any]]


def _names(order: StageOrder, answers: Answers) -> list[str]:
    return [question.name for question in next_questions(order, answers)]


def _walk(order: StageOrder, answers: Answers, critiques: tuple[dict[str, Any], ...] = ()) -> list[str]:
    """The names of all questions, in order, where each is answered well."""
    found: list[str] = []
    verdicts = itertools.chain(critiques, itertools.repeat(critique()))
    while questions := next_questions(order, answers):
        for question in questions:
            found.append(question.name)
            answers[question.name] = {
                "research": report(),
                "synthesis": report(),
                "outline": outline(),
                "phase": details(),
                "critique": next(verdicts) if question.role == CRITIC else {},
                "revise": revision(whole_phase(2, "Other", [1])),
                "description": {"description": "x", "changes": []},
                "division": {"parts": ["a", "b"], "why": ""},
            }[question.name.partition("-")[0]]
    return found


def test_research_is_one_question() -> None:
    assert _walk(_RESEARCH, {}) == ["research"]


def test_a_team_is_asked_at_once_and_then_one_report_is_made_of_theirs() -> None:
    order = replace(_RESEARCH, team=3)
    assert _names(order, {}) == ["research-1", "research-2", "research-3"]
    assert _names(order, {"research-2": report()}) == ["research-1", "research-3"]
    assert _walk(order, {}) == ["research-1", "research-2", "research-3", "synthesis"]


def test_each_of_a_team_looks_from_a_side_of_its_own() -> None:
    prompts = [question.prompt for question in next_questions(replace(_RESEARCH, team=6), {})]
    assert len(set(prompts)) == 6


def test_the_one_report_is_made_of_all_answers() -> None:
    answers = {f"research-{number}": report(f"Report {number}") for number in (1, 2, 3)}
    (question,) = next_questions(replace(_RESEARCH, team=3), answers)
    assert all(f"Report {number}" in question.prompt for number in (1, 2, 3))


def test_a_plan_is_an_outline_then_each_phase_then_a_critique() -> None:
    assert _walk(_ORDER, {}) == ["outline", "phase-1", "phase-2", "critique-1"]


def test_a_critic_who_is_not_content_is_answered() -> None:
    unhappy = critique((2, "vague"))
    assert _walk(_ORDER, {}, (unhappy,)) == ["outline", "phase-1", "phase-2", "critique-1", "revise-1"]


@pytest.mark.parametrize(("effort", "rounds"), [("fast", 0), ("normal", 1), ("hard", 2)])
def test_the_effort_says_how_often_it_is_criticised(effort: str, rounds: int) -> None:
    walked = _walk(replace(_ORDER, effort=effort), {}, (critique((1, "a")), critique((1, "b")), critique((1, "c"))))
    assert sum(name.startswith("critique") for name in walked) == rounds
    assert sum(name.startswith("revise") for name in walked) == rounds


def test_a_content_critic_ends_the_rounds() -> None:
    assert _walk(replace(_ORDER, effort=HARD), {})[-1] == "critique-1"


def test_the_second_critic_sees_the_plan_as_it_was_revised() -> None:
    answers: Answers = {"outline": outline("One", "Two"), "phase-1": details(), "phase-2": details()}
    answers |= {"critique-1": critique((2, "vague")), "revise-1": revision(whole_phase(2, "Sharper", [1]))}
    (question,) = next_questions(replace(_ORDER, effort=HARD), answers)
    assert question.name == "critique-2"
    assert "Sharper" in question.prompt
    assert "vague" in question.prompt


def test_phases_are_asked_for_in_the_planners_conversation_and_the_critic_has_none() -> None:
    (first,) = next_questions(_ORDER, {})
    (second,) = next_questions(_ORDER, {"outline": outline()})
    answers = {"outline": outline(), "phase-1": details(), "phase-2": details()}
    (third,) = next_questions(_ORDER, answers)
    assert (first.following, third.following) == ("", "")
    assert "data, begin" not in second.following != ""
    assert "data, begin" in second.prompt  # for somebody who was not part of the conversation
    assert "An empty name is refused" in second.prompt


def test_a_revised_plan_goes_the_same_way() -> None:
    order = replace(_ORDER, stage=REVISE, has_plan=True)
    assert _walk(order, {}) == ["outline", "phase-1", "phase-2", "critique-1"]
    assert "Revise the plan" in next_questions(order, {})[0].prompt


def test_without_a_plan_the_description_is_revised() -> None:
    assert _walk(replace(_ORDER, stage=REVISE), {}) == ["description"]


def test_a_division_is_one_question() -> None:
    assert _walk(replace(_ORDER, stage=DIVIDE), {}) == ["division"]


@pytest.mark.parametrize(
    ("answers", "told"),
    [
        ({}, "no phase is planned yet"),
        ({"outline": outline()}, "0 of 2 phases are planned"),
        ({"outline": outline(), "phase-1": details()}, "1 of 2 phases is planned"),
        (
            {"outline": outline(), "phase-1": details(), "phase-2": details(), "critique-1": critique()},
            "2 of 2 phases are planned, criticised 1 time",
        ),
    ],
)
def test_it_is_told_how_many_phases_are_planned(answers: Answers, told: str) -> None:
    assert tell_progress(_ORDER, answers) == told


def test_it_is_told_how_many_researchers_have_answered() -> None:
    assert tell_progress(replace(_RESEARCH, team=3), {"research-2": report()}) == "1 of 3 researchers have answered"
    assert tell_progress(_RESEARCH, {}) == "nothing is answered yet"


def test_every_question_has_a_schema_and_words() -> None:
    for order in (_ORDER, _RESEARCH, replace(_RESEARCH, team=2), replace(_ORDER, stage=REVISE)):
        for question in next_questions(order, {}):
            assert schema_of(question.name)
            assert question.label
            assert question.role in (PLANNER, "researcher")


# ---- what becomes of the answers ----


def test_a_plan_is_put_together_from_its_answers() -> None:
    answers: Answers = {"outline": outline("One", "Two"), "phase-1": details("a.py"), "phase-2": details("b.py")}
    plan = assemble(answers, ["specs/r.md"])
    assert [phase.title for phase in plan.phases] == ["One", "Two"]
    assert [phase.files for phase in plan.phases] == [("a.py",), ("b.py",)]
    assert plan.phases[1].depends_on == (1,)
    assert plan.phases[0].criteria == (("test -s a.py", "is there"),)
    assert plan.research_inputs == ("specs/r.md",)


def test_revisions_replace_phases_in_their_order_and_add_new_ones() -> None:
    answers: Answers = {"outline": outline("One", "Two"), "phase-1": details(), "phase-2": details()}
    answers["revise-2"] = revision(whole_phase(2, "Last word", [1]), whole_phase(3, "Third", [2]))
    answers["revise-1"] = revision(whole_phase(2, "First try", [1]), overview="Sharper.")
    plan = assemble(answers)
    assert [phase.title for phase in plan.phases] == ["One", "Last word", "Third"]
    assert plan.overview == "Sharper."
    assert plan.goals == ("An empty name is refused",)


def test_a_report_says_what_was_answered() -> None:
    made = assemble_report(report("A title\nin two lines"), started="s", completed="c")
    assert made.title == "A title in two lines"
    assert made.findings == (("No check", "src/greeter.py:4 prints any name."),)


def test_only_items_that_were_offered_are_taken_from_the_roadmap() -> None:
    answers = {"outline": outline(roadmap_items=["Refuse  empty names", "Something else"])}
    assert chosen_roadmap(answers, ["Refuse empty names", "Other"]) == ("Refuse empty names",)


def test_what_is_worth_remembering_is_taken_once_and_from_the_one_report() -> None:
    memory = {"content": "x", "category": "INSIGHT", "confidence": 1.0, "keywords": []}
    one = report(memory_candidates=[memory, memory])
    assert memories_of({"research": one}) == [memory]
    assert memories_of({"research-1": one, "synthesis": report()}) == []


def test_what_critics_found_is_known() -> None:
    assert problems_of({"critique-1": critique((1, "vague")), "outline": outline()}) == ["vague"]


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("specs/007_a/plans/01_cache-lock.md", "cache lock"),
        ("specs/007_a/plans/01_cache-lock-v2.md", "cache lock"),
        ("specs/007_a/plans/12_cache-lock-v13.md", "cache lock"),
        ("plans/cache.md", "cache"),
        ("plans/implementation-001.md", "implementation 001"),
        ("plans/-v2.md", ""),
        ("", ""),
    ],
)
def test_a_plan_keeps_its_name_over_its_versions(path: str, words: str) -> None:
    assert slug_words(path) == words
