"""A task's life: whatever happens to it, in any order, it is in a legal state, and what was overruled is marked."""

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from planrail.base.records import replace
from planrail.tasks.model import TYPES, Artifact, Task
from planrail.tasks.statuses import (
    BLOCKED,
    EVENTS,
    IN_FLIGHT,
    REOPEN,
    STATUSES,
    TERMINAL,
    Refuse,
    StatusMove,
    Stay,
    TaskPhase,
    decide_event,
    move,
)

_STATES = st.sampled_from(["todo", "in_progress", "partial", "done", "blocked", "skipped", "unknown"])
_PROOFS = st.sampled_from(["", "claimed", "adopted", "proven"])
_WORKED_ON = ("planned", "implementing", "partial", "pr_ready")
_EVENTS = st.sampled_from([*EVENTS, REOPEN])
_OPEN_EVENTS = st.sampled_from([REOPEN, *(event for event, status in EVENTS.items() if status not in TERMINAL)])


class Life(RuleBasedStateMachine):
    """One task and its plan. `record` has every move, with what was true when it was made."""

    def __init__(self) -> None:
        super().__init__()
        self.task = Task(7, "x", "X")
        self.phases: list[TaskPhase] | None = None
        self.record: list[tuple[str, str, bool]] = []
        self.clock = 0

    @rule(states=st.lists(st.tuples(_STATES, _PROOFS), max_size=4))
    def write_plan(self, states: list[tuple[str, str]]) -> None:
        self.phases = [TaskPhase(str(index), f"Part {index}", *pair) for index, pair in enumerate(states, 1)]

    @rule(proof=st.sampled_from(["proven", "adopted"]))
    def prove_all(self, proof: str) -> None:
        if self.phases is not None:
            self.phases = [TaskPhase(phase.id, phase.title, "done", proof) for phase in self.phases]

    @rule(state=_STATES, proof=_PROOFS, others=st.integers(0, 2))
    def come_near_the_end(self, state: str, proof: str, others: int) -> None:
        """One phase decides: all others are proven."""
        done = [TaskPhase(str(index), "Done", "done", "proven") for index in range(others)]
        self.phases = [*done, TaskPhase("last", "Last", state, proof)]
        self._happen("begin_implement", force=False)
        self._happen("complete", force=False)

    @rule(type_=st.sampled_from(TYPES))
    def link(self, type_: str) -> None:
        artifact = Artifact(type_, f"specs/007_x/{type_}s/01_x.md", round=1)
        self.task = replace(self.task, artifacts=(*self.task.artifacts[-3:], artifact))

    @rule(event=_EVENTS)
    def happen(self, event: str) -> None:
        self._happen(event, force=False)

    @rule(events=st.lists(_OPEN_EVENTS, min_size=1, max_size=6))
    def work(self, events: list[str]) -> None:
        for event in events:
            self._happen(event, force=False)

    @rule(event=_EVENTS)
    def insist(self, event: str) -> None:
        self._happen(event, force=True)

    @precondition(lambda self: self.task.status in TERMINAL)
    @rule()
    def open_again(self) -> None:
        self._happen(REOPEN, force=True)

    def _happen(self, event: str, *, force: bool) -> None:
        before = self.task
        decision = decide_event(before, event, self.phases, force=force)
        self._judge(before, event, decision, force=force)
        if isinstance(decision, Refuse):
            return
        self.clock += 1
        self.task = move(before, decision, at=f"at {self.clock}", session="s", why="because")
        self._compare(before, decision)

    def _judge(self, before: Task, event: str, decision: StatusMove | Stay | Refuse, *, force: bool) -> None:
        freely = decide_event(before, event, self.phases)
        if EVENTS.get(event) != before.status:
            assert isinstance(freely, Refuse) != self._is_allowed(before, event)
        if isinstance(decision, Refuse):
            assert not force
            assert f"task {before.number} " in decision.text
            assert decision.remedy.startswith("planrail task ")
        if isinstance(decision, StatusMove):
            assert decision.is_forced == isinstance(freely, Refuse)
            assert decision.status == EVENTS.get(event, decision.status)
        if isinstance(freely, Refuse) and freely.phases:
            open_ids = [phase.id for phase in self.phases or [] if not _is_finished(phase)]
            assert list(freely.phases) == open_ids

    def _is_allowed(self, before: Task, event: str) -> bool:
        """The rules once more, in other words."""
        if before.status in TERMINAL:
            return False
        if event == REOPEN:
            return before.status == BLOCKED
        if before.status == BLOCKED:  # what a person stopped neither begins nor is completed; what was at work ends
            return event in ("end_research", "end_plan", "interrupt", "offer", "abandon", "expand")
        if event == "complete":
            return self._is_proven()
        return event not in ("interrupt", "offer") or before.status in _WORKED_ON

    def _compare(self, before: Task, decision: StatusMove | Stay) -> None:
        if isinstance(decision, Stay):
            assert self.task is before
            return
        assert self.task.status == decision.status != before.status
        self.record.append((before.status, self.task.status, decision.is_forced))
        same = replace(self.task, status="", last_updated="", session_id="", before="", why="")
        assert same == replace(before, status="", last_updated="", session_id="", before="", why="")

    def _is_proven(self) -> bool:
        """Every phase is finished, and something was done: a plan of which all was skipped proves nothing."""
        phases = self.phases or []
        return all(_is_finished(phase) for phase in phases) and any(phase.status == "done" for phase in phases)

    @invariant()
    def the_state_is_one_of_the_twelve(self) -> None:
        assert self.task.status in STATUSES

    @invariant()
    def only_a_blocked_task_remembers_where_it_was(self) -> None:
        assert bool(self.task.before) == (self.task.status == BLOCKED)
        assert self.task.before != BLOCKED

    @invariant()
    def whoever_left_a_closed_state_was_marked(self) -> None:
        assert all(is_forced for old, _, is_forced in self.record if old in TERMINAL)

    @invariant()
    def the_way_on_is_never_shut(self) -> None:
        """From every state there is a call that leads back to work: freely where it is open, by force where not."""
        is_closed = self.task.status in TERMINAL
        way = REOPEN if is_closed or self.task.status == BLOCKED else "begin_plan"
        decision = decide_event(self.task, way, self.phases, force=is_closed)
        assert not isinstance(decision, Refuse)
        if way == REOPEN:
            assert isinstance(decision, StatusMove)
            assert decision.status not in (*TERMINAL, *IN_FLIGHT, BLOCKED)

    @invariant()
    def what_happens_twice_happens_once(self) -> None:
        for event, status in EVENTS.items():
            if self.task.status == status:
                assert decide_event(self.task, event, self.phases) == Stay()


def _is_finished(phase: TaskPhase) -> bool:
    return phase.status in ("done", "skipped") and phase.proof in ("proven", "adopted")


TestLife = Life.TestCase
TestLife.settings = settings(stateful_step_count=30, deadline=None)
