"""The rules of the queue, without a database."""

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from planrail.base.records import replace
from planrail.runs.request.requests import RunRequest
from planrail.team.queueing import (
    AT_WORK,
    ENDED,
    QUEUED,
    RESTING,
    STOPPING,
    TAKEN,
    Limit,
    Refused,
    Submission,
    SubmissionRequest,
    WorkerRow,
    apply_rest,
    decide_release,
    decide_rest,
    decide_stop,
    decide_submit,
    explain_wait,
    is_there,
    wake,
)
from tests.runs.queue_rule import choose_next


def make(plan: str = "a", **fields: object) -> Submission:
    return replace(Submission(plan, "r", plan, f"{plan}.md", SubmissionRequest(RunRequest(f"{plan}.md"))), **fields)


@pytest.mark.parametrize(
    ("state", "is_same_wish", "then"),
    [
        (QUEUED, True, make(state=QUEUED)),
        (TAKEN, True, make(state=TAKEN)),
        (QUEUED, False, None),
        (TAKEN, False, None),
        (STOPPING, True, None),
        (RESTING, True, wake(make(), is_answered=True)),
        (RESTING, False, None),
    ],
)
def test_a_second_submission_of_a_plan_is_the_same_or_refused(
    state: str, is_same_wish: bool, then: Submission | None
) -> None:
    wanted = (
        make(wish=SubmissionRequest(RunRequest("a.md")))
        if is_same_wish
        else make(wish=SubmissionRequest(RunRequest("a.md", finish=True)))
    )
    decision = decide_submit(make(state=state), wanted, 10.0)
    assert isinstance(decision, Refused) if then is None else decision == then


@pytest.mark.parametrize(
    ("ending", "until", "tries", "state", "due"),
    [
        ("parked", 700.0, 1, QUEUED, 700.0),
        ("parked", 0.0, 1, QUEUED, 1000.0),
        ("held", 0.0, 50, QUEUED, 160.0),  # in other hands: looked at again however often
        ("not_begun", 400.0, 1, QUEUED, 400.0),
        ("not_begun", 101.0, 1, QUEUED, 105.0),
        ("interrupted", 0.0, 1, QUEUED, 0.0),  # it died, and gets a second chance at once
        ("interrupted", 0.0, 2, QUEUED, 105.0),
        ("interrupted", 0.0, 8, ENDED, 0.0),
        ("splendid", 0.0, 1, QUEUED, 105.0),  # nobody knows it, and nobody believes it
    ],
)
def test_when_a_submission_is_due_after_its_turn(ending: str, until: float, tries: int, state: str, due: float) -> None:
    rest = decide_rest(ending, until, now=100.0, tries=tries, said="killed")
    assert (rest.state, rest.due) == (state, due)
    assert state == QUEUED or (rest.outcome == "failed" and "killed" in rest.said)


def test_stopping_twice_is_stopping_once() -> None:
    for state in (QUEUED, RESTING, TAKEN):
        once = decide_stop(make(state=state))
        assert decide_stop(once) == once


def test_each_reason_to_wait_has_its_name() -> None:
    limits = [Limit("repository", "r", 1), Limit("account", "*", 1)]
    busy = make("b", state=TAKEN, account="x")
    other = make("b", state=TAKEN, account="x", repository="q")

    def explain(row: Submission, *rows: Submission) -> str:
        return explain_wait(row, (row, *rows), limits, {"z": 50.0}, 10.0)

    assert explain(make()) == ""
    assert explain(make(due=11.0)) == "due"
    assert explain(make(account="z")) == "account"
    assert explain(make(), busy) == "repository limit"
    assert explain(make(account="x"), other) == "account limit"
    assert explain(make(), other) == ""


def test_a_worker_that_was_not_seen_for_a_minute_is_not_there() -> None:
    worker = WorkerRow("w", "h", 1, "{}", 1, seen=100.0)
    assert is_there(worker, 159.0)
    assert not is_there(worker, 161.0)


# ---- fairness ----

NAMES = tuple("abcdefgh")


class Line(RuleBasedStateMachine):
    """Plans come, are served, yield, rest, park, die and go, in any order and with any limits.

    Whoever could start and is passed over is passed over only by those that were there when it began to wait, and by
    each of them once. That is why nobody starves.
    """

    def __init__(self) -> None:
        super().__init__()
        self.now = 100.0
        self.rows: dict[str, Submission] = {}
        self.limits: dict[str, Limit] = {}
        self.may_pass: dict[str, set[str]] = {}  # for each that could start: who may still be served before

    @rule(plan=st.sampled_from(NAMES), priority=st.integers(0, 1), repository=st.sampled_from("rs"))
    def submit(self, plan: str, priority: int, repository: str) -> None:
        self.now += 1
        wanted = make(plan, priority=priority, repository=repository)
        decision = decide_submit(self.rows.get(plan), wanted, self.now)
        if isinstance(decision, Submission):
            self.rows[plan] = decision

    @rule(repository=st.sampled_from("rs"), most=st.integers(0, 3))
    def limit(self, repository: str, most: int) -> None:
        self.limits[repository] = Limit("repository", repository, most)

    @rule()
    def take(self) -> None:
        self.now += 1
        self.watch()
        row = choose_next(self.rows.values(), self.limits.values(), {}, self.now, "here")
        if row is None:
            assert not self.waiting()
            return
        for plan in self.waiting() - {row.plan}:
            other = self.rows[plan]
            assert other.priority <= row.priority
            if other.priority == row.priority:
                assert row.plan in self.may_pass[plan]
                self.may_pass[plan].discard(row.plan)
        self.rows[row.plan] = replace(row, state=TAKEN, served=self.now, tries=row.tries + 1)

    @rule(
        pick=st.integers(0, 7), ending=st.sampled_from(("yielded", "parked", "paused", "not_begun", "complete", "died"))
    )
    def give_back(self, pick: int, ending: str) -> None:
        self.now += 1
        working = sorted(plan for plan, row in self.rows.items() if row.state in AT_WORK)
        if not working:
            return
        row = self.rows[working[pick % len(working)]]
        rest = decide_rest(ending, self.now + 3, now=self.now, tries=row.tries)
        after = decide_release(row) if ending == "died" else apply_rest(row, rest, self.now)
        self.rows[row.plan] = after
        if after.state == ENDED:
            del self.rows[row.plan]

    @rule(plan=st.sampled_from(NAMES))
    def wake(self, plan: str) -> None:
        if plan in self.rows and self.rows[plan].state in (QUEUED, RESTING):
            self.rows[plan] = wake(self.rows[plan])

    @rule(seconds=st.integers(1, 700))
    def wait(self, seconds: int) -> None:
        self.now += seconds

    @invariant()
    def watch(self) -> None:
        waiting = self.waiting()
        self.may_pass = {plan: self.may_pass.get(plan, set(self.rows)) for plan in waiting}

    def waiting(self) -> set[str]:
        rows, limits = list(self.rows.values()), list(self.limits.values())
        return {row.plan for row in rows if row.state == QUEUED and not explain_wait(row, rows, limits, {}, self.now)}


@pytest.mark.full
def test_nobody_is_passed_twice_by_the_same_one_nor_by_one_who_came_later() -> None:
    run_state_machine_as_test(Line)
