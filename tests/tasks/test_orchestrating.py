"""Which step follows, whatever happened before: it ends, it asks first, it completes nothing that is not done."""

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from planrail.base.records import replace
from planrail.tasks.book.task_rows import Happened
from planrail.tasks.orchestrating import (
    APPROVE,
    DECLINED,
    ESCALATED,
    FAILED,
    FINISH,
    MOST_ESCALATIONS,
    OK,
    ORCHESTRATED,
    PLAN,
    RESEARCH,
    RESTS,
    REVISE,
    RUN,
    SPENT,
    STEPS,
    UNFINISHED,
    Escalations,
    NextStep,
    Step,
    StepOutcome,
    Stop,
    TaskState,
    decide_step,
    read_escalations,
)
from planrail.tasks.statuses import STATUSES, Refuse, TaskPhase, open_phases

OPEN = (TaskPhase("1", "One", "done", "proven"), TaskPhase("2", "Two", "todo"))
DONE = (TaskPhase("1", "One", "done", "proven"), TaskPhase("2", "Two", "skipped", "adopted"))
CLAIMED = (TaskPhase("1", "One", "done", "claimed"),)
WAITS = Refuse("task 7 waits for task 3", "planrail task orchestrate 3,7")
BLOCKED_RUN = StepOutcome(RUN, FAILED, "the check fails", "planrail report PLAN.md", "checks")


def happened(what: str, session: str = "a", value: dict[str, object] | None = None) -> Happened:
    return Happened(0.0, session, what, value or {})


def stand(**more: object) -> TaskState:
    return replace(TaskState(7, "planned", 1, 1, OPEN, True, "specs/p.md"), **more)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (TaskState(7, "not_started"), NextStep("research")),
        (TaskState(7, "researched", report=1), NextStep("plan")),
        (stand(is_approved=False), NextStep(APPROVE)),
        (stand(status="implementing"), NextStep("run")),
        (stand(status="pr_ready"), NextStep("run")),
        (stand(phases=DONE), NextStep("finish")),
        (stand(phases=DONE, steps_left=0), NextStep("finish")),
        (stand(phases=CLAIMED), NextStep("run")),
        (stand(report=2), NextStep("plan")),
        (stand(report=2, phases=DONE), NextStep("plan")),
        (stand(status="planning", phases=DONE), NextStep("plan")),
        (stand(status="planning", begun=REVISE), NextStep("revise")),
        (stand(begun=REVISE), NextStep("run")),
        (stand(last=BLOCKED_RUN), NextStep(RESEARCH, "the check fails", is_new=True)),
        (stand(last=replace(BLOCKED_RUN, reason="blocked")), NextStep(RESEARCH, "the check fails", is_new=True)),
        (stand(escalations=Escalations(1, RESEARCH, "why")), NextStep(RESEARCH, "why")),
        (stand(escalations=Escalations(1, REVISE, "why")), NextStep(REVISE, "why")),
        (stand(last=StepOutcome(RUN, UNFINISHED)), NextStep("run")),
    ],
)
def test_each_stand_has_its_step(given: TaskState, expected: Step) -> None:
    assert decide_step(given) == expected


@pytest.mark.parametrize(
    ("given", "state", "said"),
    [
        (TaskState(7, "completed"), OK, "planrail task show 7"),
        (TaskState(7, "abandoned"), FAILED, "planrail task reopen 7 --force"),
        (TaskState(7, "blocked", why="no key"), FAILED, "planrail task reopen 7"),
        (TaskState(7, "not_started", waits=WAITS, options=" --x"), FAILED, "planrail task orchestrate 3,7 --x"),
        (TaskState(7, "not_started", steps_left=0, options=" --x"), SPENT, "planrail task orchestrate 7 --x"),
        (
            TaskState(7, "planning", 1, last=StepOutcome(PLAN, SPENT, "no money", "x")),
            SPENT,
            "planrail task orchestrate 7",
        ),
        (stand(is_approved=False, last=StepOutcome(APPROVE, DECLINED, "no", "revise it")), DECLINED, "revise it"),
        (stand(last=BLOCKED_RUN, unable="claude is not here"), FAILED, "planrail report specs/p.md"),
        (
            stand(is_approved=False, last=StepOutcome(APPROVE, RESTS, "", "planrail approve p")),
            RESTS,
            "planrail approve p",
        ),
        (stand(is_approved=False, last=StepOutcome(APPROVE, OK)), RESTS, "planrail approve specs/p.md"),
        (stand(last=StepOutcome(RUN, RESTS, "paused", "planrail resume p")), RESTS, "planrail resume p"),
        (stand(last=replace(BLOCKED_RUN, reason="budget")), FAILED, "planrail report PLAN.md"),
        (stand(last=BLOCKED_RUN, escalations=Escalations(2)), FAILED, "planrail report PLAN.md"),
        (stand(last=BLOCKED_RUN, steps_left=0), SPENT, "planrail task orchestrate 7"),
        (stand(lack="no money"), SPENT, "planrail task orchestrate 7"),
        (stand(lack="no money", last=StepOutcome(RUN, RESTS, "paused", "x")), SPENT, "planrail task orchestrate 7"),
        (stand(phases=DONE, last=StepOutcome(FINISH, FAILED, "", "git status")), FAILED, "git status"),
        (
            TaskState(7, "planning", 1, last=StepOutcome(PLAN, FAILED, "", "planrail task plan 7")),
            FAILED,
            "planrail task plan 7",
        ),
    ],
)
def test_where_it_stops_it_says_what_to_type(given: TaskState, state: str, said: str) -> None:
    step = decide_step(given)
    assert isinstance(step, Stop)
    assert (step.state, step.command) == (state, said)
    assert step.text or given.last is not None


def test_where_an_escalation_is_not_possible_or_fails_the_run_that_failed_is_told_as_well() -> None:
    missing = stand(last=BLOCKED_RUN, unable="claude is not here")
    pending = Escalations(1, RESEARCH, "the check fails")
    failed = stand(status="researching", escalations=pending, last=StepOutcome(RESEARCH, FAILED, "no answer", "go on"))
    for given, also in ((missing, "claude is not here"), (failed, "no answer")):
        step = decide_step(given)
        assert isinstance(step, Stop)
        assert "the check fails" in step.text
        assert also in step.text
        assert "planrail report specs/p.md" in step.text + step.command


def test_escalations_are_counted_from_the_history_and_a_persons_own_work_begins_anew() -> None:
    begun = [happened(ORCHESTRATED), happened("begin_research"), happened("end_research"), happened("begin_plan")]
    assert read_escalations(begun) == Escalations()
    escalated = [*begun, happened("end_plan"), happened(ESCALATED, value={"blocker": "why"})]
    assert read_escalations(escalated) == Escalations(1, RESEARCH, "why")
    researched = [*escalated, happened("begin_research"), happened("end_research")]
    assert read_escalations(researched) == Escalations(1, REVISE, "why")
    revised = [*researched, happened(ORCHESTRATED, "b"), happened("begin_plan", "b"), happened("end_plan", "b")]
    assert read_escalations(revised) == Escalations(1, "", "why")
    assert read_escalations([*revised, happened("begin_plan", "person")]) == Escalations()


OUTCOMES = st.sampled_from((OK, UNFINISHED, RESTS, FAILED, SPENT))
REASONS = st.sampled_from(("checks", "verdict", "budget", "limit", "blocked", "refused", ""))


class Orchestration(RuleBasedStateMachine):
    """A task, calls of orchestrate that may be killed, agents that do anything, and a person who does something."""

    @initialize(status=st.sampled_from(STATUSES), steps=st.integers(0, 8))
    def begin(self, status: str, steps: int) -> None:
        self.task = TaskState(7, status, path="p")
        self.history: list[Happened] = []
        self.call, self.steps, self.used, self.since_person = 0, steps, 0, 0
        self.new_call(steps)

    @rule(steps=st.integers(0, 8))
    def new_call(self, steps: int) -> None:
        """Also what follows a kill: nothing is known but what is on record."""
        self.call, self.steps, self.used = self.call + 1, steps, 0
        self.history.append(happened(ORCHESTRATED, self.session))
        self.task = replace(self.task, last=None, steps_left=steps)

    @property
    def session(self) -> str:
        return f"call-{self.call}"

    def now(self) -> TaskState:
        return replace(self.task, escalations=read_escalations(self.history), steps_left=self.steps - self.used)

    @rule(state=OUTCOMES, reason=REASONS, phases=st.sampled_from((OPEN, DONE, CLAIMED)))
    def take_a_step(self, state: str, reason: str, phases: tuple[TaskPhase, ...]) -> None:
        step = decide_step(self.now())
        if isinstance(step, Stop):
            assert step.text or self.task.last
            return
        self.used += step.costs
        assert self.used <= self.steps, "a step beyond the budget of the call"
        self.carry_out(step, state, reason, phases)

    def carry_out(self, step: Step, state: str, reason: str, phases: tuple[TaskPhase, ...]) -> None:
        match step:
            case NextStep(what, str(), is_new):  # it is blocked
                if is_new:
                    self.history.append(happened(ESCALATED, self.session))
                    self.since_person += 1
                self.research(state) if what == RESEARCH else self.plan(state)
            case NextStep("research"):
                self.research(state)
            case NextStep("plan"):
                assert self.task.begun != REVISE or self.task.status != "planning", "a revision was left"
                self.plan(state)
            case NextStep("revise"):
                self.plan(state)
            case NextStep("approve"):
                self.end(APPROVE, state if state in (OK, RESTS) else RESTS, is_approved=state == OK)
            case NextStep("run"):
                assert self.task.is_approved, "an unapproved plan was run"
                assert self.task.plan is not None
                self.end(RUN, state, reason, status="implementing", phases=phases if state == OK else self.task.phases)
            case NextStep():
                assert self.task.phases
                assert not open_phases(self.task.phases), "completed with open phases"
                self.end(FINISH, OK if state == OK else FAILED, status="completed" if state == OK else self.task.status)
            case Stop():
                raise AssertionError("nothing follows")

    def end(self, step: str, state: str, reason: str = "", **more: object) -> None:
        self.task = replace(self.task, last=StepOutcome(step, state, "text", "command", reason), **more)

    def research(self, state: str, session: str = "") -> None:
        self.history.append(happened("begin_research", session or self.session))
        if state != OK:
            return self.end(RESEARCH, state, status="researching")
        self.history.append(happened("end_research", session or self.session))
        return self.end(RESEARCH, OK, status="researched", report=(self.task.report or 0) + 1)

    def plan(self, state: str, session: str = "") -> None:
        self.history.append(happened("begin_plan", session or self.session))
        if state != OK:
            return self.end(PLAN, state, status="planning")
        self.history.append(happened("end_plan", session or self.session))
        round_ = self.task.report or 1
        return self.end(PLAN, OK, status="planned", plan=round_, phases=OPEN, is_approved=False, begun="")

    @rule(is_yes=st.booleans())
    def a_person_approves_or_takes_it_back(self, is_yes: bool) -> None:
        self.task = replace(self.task, is_approved=is_yes)

    @precondition(lambda self: self.task.status not in ("completed", "abandoned", "expanded"))
    @rule(steps=st.integers(0, 8))
    def a_person_plans_it_themselves(self, steps: int) -> None:
        self.plan(OK, "person")
        self.since_person = 0
        self.new_call(steps)

    @precondition(lambda self: self.task.status not in ("completed", "abandoned", "expanded") and self.task.plan)
    @rule(steps=st.integers(0, 8))
    def a_person_revises_it_and_is_interrupted(self, steps: int) -> None:
        self.plan(FAILED, "person")
        self.task = replace(self.task, begun=REVISE)
        self.since_person = 0
        self.new_call(steps)

    @invariant()
    def it_is_escalated_at_most_twice(self) -> None:
        assert self.since_person <= MOST_ESCALATIONS

    @invariant()
    def a_call_ends(self) -> None:
        """However often the agents do the same from here on."""
        for state in (OK, UNFINISHED, FAILED):
            assert self.copy().runs_out(state)

    def copy(self) -> "Orchestration":
        twin = Orchestration.__new__(Orchestration)
        twin.__dict__ = {**self.__dict__, "history": list(self.history)}
        return twin

    def runs_out(self, state: str) -> bool:
        for _ in range(self.steps + STEPS):
            step = decide_step(self.now())
            if isinstance(step, Stop):
                return True
            self.used += step.costs
            self.carry_out(step, state, "checks", OPEN)
        return False


TestOrchestration = Orchestration.TestCase
TestOrchestration.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)
