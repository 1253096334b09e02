"""The rules of the queue, without a database."""

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from planrail.base.records import replace
from planrail.base.values import pack, unpack
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
    Rest,
    Submission,
    SubmissionRequest,
    WorkerRow,
    apply_rest,
    back_off,
    decide_release,
    decide_rest,
    decide_stop,
    decide_submit,
    explain_wait,
    find_limit,
    is_there,
    wake,
)
from tests.runs.queue_rule import choose_next


def make(plan: str = "a", **fields: object) -> Submission:
    return replace(Submission(plan, "r", plan, f"{plan}.md", SubmissionRequest(RunRequest(f"{plan}.md"))), **fields)


def test_a_submission_can_be_written_down() -> None:
    row = make(wish=SubmissionRequest(RunRequest("a.md", finish=True), {"agent": "claude"}))
    assert unpack(pack(row)) == row


@pytest.mark.parametrize(
    ("outcome", "is_kept"), [("held", True), ("not_begun", True), ("interrupted", True), ("yielded", False)]
)
def test_the_yes_of_a_person_counts_until_a_run_has_heard_it(outcome: str, is_kept: bool) -> None:
    row = wake(make(state=RESTING), is_answered=True)
    rested = apply_rest(replace(row, state=TAKEN), Rest(QUEUED, 0.0, "", outcome), 5.0)
    assert (rested.wish == row.wish) is is_kept


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


def test_a_new_submission_stands_at_the_end_of_the_line() -> None:
    made = decide_submit(None, make(state="odd", due=50.0), 10.0)
    assert isinstance(made, Submission)
    assert (made.state, made.submitted, made.served, made.due) == (QUEUED, 10.0, 10.0, 50.0)


def test_pauses_between_failed_beginnings_double_up_to_ten_minutes() -> None:
    assert [back_off(failures) for failures in (0, 1, 2, 3, 7, 8, 9, 5000)] == [0, 5, 10, 20, 320, 600, 600, 600]


def test_a_run_that_died_gets_a_second_chance_at_once() -> None:
    first = decide_rest("interrupted", 0, now=100.0, tries=1)
    second = decide_rest("interrupted", 0, now=100.0, tries=2)
    last = decide_rest("interrupted", 0, now=100.0, tries=8, said="killed")
    assert (first.state, first.due) == (QUEUED, 0.0)
    assert (second.state, second.due) == (QUEUED, 105.0)
    assert (last.state, last.outcome) == (ENDED, "failed")
    assert "killed" in last.said


def test_a_parked_run_is_due_when_it_said_or_after_a_while() -> None:
    assert decide_rest("parked", 700.0, now=100.0, tries=1).due == 700.0
    assert decide_rest("parked", 0.0, now=100.0, tries=1).due == 1000.0


def test_a_plan_in_other_hands_is_looked_at_again_however_often() -> None:
    rest = decide_rest("held", 0.0, now=100.0, tries=50)
    assert (rest.state, rest.due) == (QUEUED, 160.0)
    assert apply_rest(make(tries=50, state=TAKEN), rest, 100.0).tries == 0


def test_a_beginning_that_failed_waits_as_long_as_it_was_told_to() -> None:
    assert decide_rest("not_begun", 400.0, now=100.0, tries=1).due == 400.0
    assert decide_rest("not_begun", 101.0, now=100.0, tries=1).due == 105.0


def test_an_ending_that_nobody_knows_is_tried_again_and_not_believed() -> None:
    assert decide_rest("splendid", 0, now=100.0, tries=1).state == QUEUED


def test_a_stop_stands_whatever_the_run_says_unless_it_is_over() -> None:
    row = make(state=STOPPING)
    assert apply_rest(row, Rest(QUEUED, 5.0, "", "parked"), 10.0).outcome == "stopped"
    assert apply_rest(row, Rest(ENDED, 0.0, "", "complete"), 10.0).outcome == "complete"


def test_stopping_twice_is_stopping_once() -> None:
    for state in (QUEUED, RESTING, TAKEN):
        once = decide_stop(make(state=state))
        assert decide_stop(once) == once


def test_a_dead_worker_is_no_fault_of_the_submission() -> None:
    released = decide_release(make(state=TAKEN, tries=3, worker="w", owner="{}", until=9.0, served=4.0))
    assert (released.state, released.tries, released.worker, released.served) == (QUEUED, 2, "", 4.0)


def test_each_reason_to_wait_has_its_name() -> None:
    limits = [Limit("repository", "r", 1), Limit("account", "*", 1)]
    busy = make("b", state=TAKEN, account="x")
    other = make("b", state=TAKEN, account="x", repository="q")

    def explain(row: Submission, *rows: Submission) -> str:
        return explain_wait(row, (row, *rows), limits, {"z": 50.0}, 10.0, "here")

    assert explain(make()) == ""
    assert explain(make(due=11.0)) == "due"
    assert explain(make(account="z")) == "account"
    assert explain(make(), busy) == "repository limit"
    assert explain(make(account="x"), other) == "account limit"
    assert explain(make(), other) == ""
    assert explain(make(host="there")) == "host"
    assert explain(make(host="there", remote="git@h:o/n")) == ""


def test_a_limit_of_its_own_comes_before_that_for_every_one() -> None:
    limits = [Limit("account", "*", 2), Limit("account", "a", 5)]
    assert [find_limit(limits, kind, "a") for kind in ("account", "repository")] == [5, float("inf")]
    assert find_limit(limits, "account", "b") == 2


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
        return {
            row.plan
            for row in rows
            if row.state == QUEUED and not explain_wait(row, rows, limits, {}, self.now, "here")
        }


@pytest.mark.full
def test_nobody_is_passed_twice_by_the_same_one_nor_by_one_who_came_later() -> None:
    run_state_machine_as_test(Line)
