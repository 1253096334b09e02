"""A small wish gets a small planning, a risky or wide one the whole, and nobody gets through with the wrong one."""

import pytest

from planrail.base.errors import UsageError
from planrail.base.records import replace
from planrail.base.settings import SECTIONS
from planrail.planning import machine
from planrail.planning.options import PlanningOptions, describe_size, fit
from planrail.planning.planning import AgentAnswer, AnswerContext, Planning, PlanningStep, begin, take_answer
from planrail.planning.proportion import DEEP, MIDDLE, SMALL, decide_size, find_excess
from tests.support.tables import read_table

NOTHING = AnswerContext()
SMALL_PLAN = """# {wish}

## Goal

{wish}

## Steps

### Phase 1: {wish}

- [ ] 1.1 In `src/greeter.py`, do it: {wish}

#### Acceptance Criteria

- [ ] `python3 -m pytest tests/test_greeter.py` passes

## Verification

`python3 -m pytest` passes.
"""
MORE = "### Phase 2: The rest\n\n- [ ] 2.1 In `src/a.py`, go on\n\n## Verification"


@pytest.mark.parametrize("size", [SMALL, MIDDLE, DEEP])
def test_a_wish_has_the_size_that_the_table_says(size: str) -> None:
    for wish in read_table("planning/wishes", size):
        assert (decide_size(wish.replace("\\n", "\n")).size, wish) == (size, wish)


def test_what_decided_is_said() -> None:
    assert decide_size("Migrate the schema of the payments").why == "it is risky: migrate, schema, payments"
    assert "names few files" in decide_size("add a goodbye function").why
    assert describe_size(fit(PlanningOptions(size=DEEP), "add a goodbye function")).startswith(
        "a deep planning (as you said)"
    )


def test_phases_and_rounds_that_are_named_are_not_changed_by_a_size() -> None:
    for said in (PlanningOptions(rounds=1), PlanningOptions(named=("draft",)), PlanningOptions(interview=True)):
        assert fit(said, "add a goodbye function") == said
    assert fit(PlanningOptions(), "add a goodbye function", has_critic=True).phases[-2:] == ("critique", "revise")
    with pytest.raises(UsageError):
        fit(PlanningOptions(rounds=1, size=SMALL), "add a goodbye function")


def _draft(wish: str, plan: str, *, size: str = "") -> PlanningStep:
    return take_answer(begin("p", wish, fit(PlanningOptions(size=size), wish)), AgentAnswer(plan), NOTHING)


def test_ten_small_wishes_have_a_plan_after_one_answer() -> None:
    wishes = read_table("planning/wishes", SMALL)
    assert len(wishes) >= 10
    for wish in wishes:
        step = _draft(wish, SMALL_PLAN.format(wish=wish))
        assert (step.planning.progress.ended, wish) == (machine.FINISHED, wish)


def test_a_plan_that_outgrows_its_small_planning_goes_on_with_its_critique() -> None:
    wish = "add a goodbye function"
    after = _draft(wish, SMALL_PLAN.format(wish=wish).replace("## Verification", MORE)).planning
    assert after.progress.phases == ("draft", "critique", "revise", "critique", "revise")
    assert after.progress.phase == "critique"
    assert after.options.why == "the plan has 2 phases"
    assert after.options.sections == tuple(SECTIONS)


def test_where_a_person_said_small_a_large_plan_is_refused_with_what_to_do() -> None:
    wish = "Migrate the schema of the payments"
    many = " ".join(f"`src/part_{number}.py`" for number in range(9))
    step = _draft(wish, SMALL_PLAN.format(wish=f"{wish}: {many}"), size=SMALL)
    assert isinstance(step.decision, machine.Retry)
    (problem,) = step.decision.problems
    assert problem.rule == "too-large"
    assert "--deep" in problem.message


def test_a_risky_wish_is_not_finished_by_a_small_plan() -> None:
    wish = "Delete the accounts of users who ask for it"
    planning: Planning = begin("p", wish, fit(PlanningOptions(), wish))
    draft = replace(planning, progress=replace(planning.progress, index=planning.progress.phases.index("draft")))
    step = take_answer(draft, AgentAnswer(SMALL_PLAN.format(wish=wish)), NOTHING)
    assert not step.planning.progress.ended


@pytest.mark.parametrize(
    ("counts", "is_large"), [((1, 4, 1), False), ((2, 1, 0), True), ((1, 5, 0), True), ((1, 1, 2), True)]
)
def test_phases_files_and_questions_make_a_plan_large(counts: tuple[int, int, int], is_large: bool) -> None:
    assert bool(find_excess(*counts)) is is_large
