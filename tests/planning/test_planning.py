"""A planning: what an agent's answers do to it, whatever they are."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from planrail.planning import machine
from planrail.planning.answers.judging import Bar, judge
from planrail.planning.machine import WRITING
from planrail.planning.options import PlanningOptions
from planrail.planning.planning import AgentAnswer, AnswerContext, Planning, begin, cancel, take_answer
from planrail.plans.lint.document import Problem as Finding
from planrail.plans.lint.document import error
from tests.planning.answers import CRITIQUE, FINAL, GOOD, PLAN, PROMISE, good_answer

NOTHING = AnswerContext()


def walk(planning: Planning, context: AnswerContext = NOTHING) -> Planning:
    """The planning after good answers to all phases that are left."""
    while not planning.progress.ended:
        progress = planning.progress
        answer = AgentAnswer(good_answer(progress.phase, is_last=progress.is_last))
        planning = take_answer(planning, answer, context).planning
    return planning


def until(phase: str, planning: Planning, context: AnswerContext = NOTHING) -> Planning:
    """The planning at a phase, after good answers to those before."""
    while planning.progress.phase != phase:
        planning = take_answer(planning, AgentAnswer(GOOD[planning.progress.phase]), context).planning
    return planning


@pytest.mark.parametrize("rounds", [1, 4])
def test_good_answers_lead_through_every_phase_to_a_plan(rounds: int) -> None:
    planning = walk(begin("p", "refuse empty names", PlanningOptions(rounds=rounds)))
    assert planning.progress.ended == machine.FINISHED
    assert len(planning.critiques) == rounds
    assert planning.plan == planning.proposed == PLAN


def test_a_promise_before_the_last_round_does_not_end_the_planning() -> None:
    planning = until("revise", begin("p", "x", PlanningOptions(rounds=2)))
    step = take_answer(planning, AgentAnswer(FINAL), NOTHING)
    assert isinstance(step.decision, machine.Retry)
    assert not step.planning.progress.ended


def test_a_critique_is_never_taken_for_the_plan() -> None:
    planning = until("revise", begin("p", "x", PlanningOptions(rounds=1)))
    for _ in range(planning.options.attempts):
        planning = take_answer(planning, AgentAnswer(f"{CRITIQUE}\n{PROMISE}"), NOTHING).planning
    assert planning.progress.ended == machine.EXHAUSTED
    assert planning.proposed == ""
    assert planning.plan == PLAN


def test_the_same_answer_is_not_taken_for_two_phases() -> None:
    both = f"{GOOD['understand']}\nI read src/a.py and src/b.py."
    planning = take_answer(begin("p", "x", PlanningOptions()), AgentAnswer(both), NOTHING).planning
    assert planning.progress.phase == "explore"
    step = take_answer(planning, AgentAnswer(both), NOTHING)
    assert isinstance(step.decision, machine.Retry)


def test_a_plan_that_lint_refutes_is_not_finished() -> None:
    findings: list[Finding] = [error("grounding", 3, "there is no file src/nowhere.py")]
    context = AnswerContext(lint=lambda text: findings if text.startswith("#") else [])
    planning = begin("p", "x", PlanningOptions(open_critique=True, rounds=1))
    while not planning.progress.is_last:
        planning = take_answer(planning, AgentAnswer(GOOD[planning.progress.phase]), context).planning
    step = take_answer(planning, AgentAnswer(FINAL), context)
    assert isinstance(step.decision, machine.Retry)
    assert "src/nowhere.py" in step.decision.problems[0].message
    findings.clear()
    assert take_answer(step.planning, AgentAnswer(FINAL), context).planning.progress.ended == machine.FINISHED


def test_a_critique_that_passes_what_lint_refutes_does_not_count() -> None:
    context = AnswerContext(lint=lambda _: [error("cycle", 3, "phases wait for each other")])
    planning = until("critique", begin("p", "x", PlanningOptions()))
    step = take_answer(planning, AgentAnswer(CRITIQUE), context)  # it says PASS for P1
    assert isinstance(step.decision, machine.Retry)
    honest = CRITIQUE.replace("P1 Ordering: PASS", "P1 Ordering: FAIL")
    assert isinstance(take_answer(planning, AgentAnswer(honest), context).decision, machine.Advance)


def test_a_plan_in_the_file_counts_and_the_promise_may_stand_in_the_message() -> None:
    planning = until("revise", begin("p", "x", PlanningOptions(rounds=1)))
    step = take_answer(planning, AgentAnswer(f"Revised, all of it is in the file.\n{PROMISE}", PLAN), NOTHING)
    assert step.planning.progress.ended == machine.FINISHED
    assert step.planning.plan == PLAN


def test_a_revision_of_some_sections_changes_those_and_no_other() -> None:
    planning = until("revise", begin("p", "x", PlanningOptions(rounds=2)))
    step = take_answer(planning, AgentAnswer("Revised.\n\n## Risks\n\nA script may break.\n"), NOTHING)
    assert isinstance(step.decision, machine.Advance)
    assert step.planning.plan == PLAN.replace("None that is known.", "A script may break.")


def test_questions_in_an_interview_are_asked_and_one_that_asks_for_ever_comes_to_its_end() -> None:
    planning = begin("p", "x", PlanningOptions(interview=True, rounds=1))
    asking = PLAN.replace("## Open Questions\n\nNone.", "## Open Questions\n\n- Which status? (1 / 2)")
    step = take_answer(planning, AgentAnswer(asking), NOTHING)
    assert step.decision == machine.Ask(("Which status? (1 / 2)",))
    assert isinstance(take_answer(step.planning, AgentAnswer(PLAN), NOTHING).decision, machine.Advance)
    for _ in range(machine.INTERVIEWS + 1):
        assert planning.progress.phase == "interview"
        planning = take_answer(planning, AgentAnswer(asking), NOTHING).planning
    assert planning.progress.phase == "critique"


def test_a_plan_beyond_its_length_is_asked_for_again() -> None:
    planning = until("draft", begin("p", "x", PlanningOptions(length="under 10 lines")))
    assert isinstance(take_answer(planning, AgentAnswer(PLAN), NOTHING).decision, machine.Retry)


@given(st.text(max_size=200))
def test_cancelling_ends_a_planning_and_nothing_revives_it(text: str) -> None:
    planning = cancel(until("draft", begin("p", "x", PlanningOptions())))
    assert planning.progress.ended == machine.CANCELLED
    step = take_answer(planning, AgentAnswer(text), NOTHING)
    assert step.planning == planning
    assert step.decision == machine.StayEnded()


# ---- whatever an agent answers ----

PIECES = [*GOOD.values(), FINAL, PROMISE, "ok", "", "Revised.", "## Goal\nx", CRITIQUE + PROMISE, "1. a\n2. b\n3. c"]
TEXTS = st.one_of(
    st.sampled_from(PIECES),
    st.lists(st.sampled_from(PIECES), min_size=2, max_size=3).map("\n\n".join),
    st.text(max_size=80),
)


class Plannings(RuleBasedStateMachine):
    """No phase is skipped, none repeats for ever, and nothing is a plan that is not one."""

    @initialize(
        rounds=st.integers(1, 4),
        attempts=st.integers(1, 4),
        interview=st.booleans(),
        open_critique=st.booleans(),
        skipped=st.sets(st.sampled_from(("understand", "explore", "alternatives"))),
    )
    def begin(self, rounds: int, attempts: int, interview: bool, open_critique: bool, skipped: set[str]) -> None:
        options = PlanningOptions(
            rounds=rounds,
            attempts=attempts,
            interview=interview,
            open_critique=open_critique,
            skipped=() if interview else tuple(sorted(skipped)),
        )
        self.planning = begin("p", "the request", options)
        self.findings: list[Finding] = []
        self.passed: list[str] = []
        self.answers = 0

    def _answer(self, answer: AgentAnswer) -> None:
        before = self.planning
        step = take_answer(before, answer, AnswerContext(lint=lambda _: self.findings))
        self.planning = step.planning
        self.answers += 1
        if isinstance(step.decision, machine.Advance | machine.FinishPlanning):
            self.passed.append(before.progress.phase)
        if not isinstance(step.decision, machine.Advance):
            assert step.planning.progress.index == before.progress.index

    @precondition(lambda self: not self.planning.progress.ended)
    @rule(text=TEXTS, file=st.one_of(st.just(""), st.sampled_from(PIECES)))
    def say_something(self, text: str, file: str) -> None:
        self._answer(AgentAnswer(text, file))

    @precondition(lambda self: not self.planning.progress.ended)
    @rule()
    def say_what_is_asked(self) -> None:
        progress = self.planning.progress
        self._answer(AgentAnswer(good_answer(progress.phase, is_last=progress.is_last)))

    @rule(is_wrong=st.booleans())
    def lint(self, is_wrong: bool) -> None:
        self.findings = [error("cycle", 1, "phases wait for each other")] if is_wrong else []

    @precondition(lambda self: self.answers > 3)
    @rule()
    def cancel(self) -> None:
        was = self.planning.progress.ended
        self.planning = cancel(self.planning)
        assert self.planning.progress.ended == (was or machine.CANCELLED)

    @invariant()
    def no_phase_is_skipped(self) -> None:
        progress = self.planning.progress
        done = len(progress.phases) if progress.ended == machine.FINISHED else progress.index
        assert self.passed == list(progress.phases[:done])

    @invariant()
    def none_repeats_for_ever(self) -> None:
        progress = self.planning.progress
        most = len(progress.phases) * progress.attempts + machine.INTERVIEWS * progress.attempts
        assert self.answers <= most or progress.ended

    @invariant()
    def nothing_is_a_plan_that_is_not_one(self) -> None:
        planning = self.planning
        for plan in filter(None, (planning.plan, planning.proposed)):
            assert judge("draft", plan, Bar()) == []
        if planning.proposed:
            assert planning.progress.ended == machine.FINISHED
        assert PROMISE not in planning.proposed

    @invariant()
    def only_writing_phases_write(self) -> None:
        if not any(phase in WRITING for phase in self.passed):
            is_asking = self.planning.progress.asked > 0
            assert self.planning.plan == "" or is_asking


Plannings.TestCase.settings = settings(max_examples=settings().max_examples // 2, stateful_step_count=30, deadline=None)
TestPlannings = Plannings.TestCase


@pytest.mark.soak
def test_whatever_is_answered_many_plannings_stay_whole() -> None:
    run_state_machine_as_test(Plannings, settings=settings(max_examples=600, stateful_step_count=40, deadline=None))
