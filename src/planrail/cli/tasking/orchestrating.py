"""One task from where it stands to its end: each step is decided from what is on record, done, and decided anew.

Nothing is remembered between two calls but what the ledger has, so a call that is killed is followed by the same one.
"""

import contextlib
import io
from argparse import Namespace

from planrail.cli.screen import quote
from planrail.cli.tasking.call_budgets import open_purse, spent_on
from planrail.cli.tasking.desk import refresh
from planrail.cli.tasking.implementing import OFFERED, RESTING, implement
from planrail.cli.tasking.plan_phases import plan_path, read_phases
from planrail.cli.tasking.stages.claiming import claimed
from planrail.cli.tasking.stages.wishes import DONE, HELD, LIMIT, STOPPED, TIMED_OUT, StageWish
from planrail.cli.tasking.standing import read_stand
from planrail.errors import Held, PlanrailError
from planrail.ledger.task_rows import open_book
from planrail.records import record, replace
from planrail.tasks.orchestrating import (
    APPROVE,
    ESCALATED,
    FAILED,
    FINISH,
    OK,
    ORCHESTRATED,
    RESEARCH,
    RESTS,
    REVISE,
    RUN,
    STEPS,
    UNFINISHED,
    AskApproval,
    Escalate,
    Finish,
    MakePlan,
    Outcome,
    Research,
    Revise,
    Run,
    Stand,
    Stop,
    costs,
    decide_step,
)
from planrail.tasks.orchestrating import PLAN as PLAN_STEP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from planrail.cli.tasking.desk import Desk
    from planrail.cli.tasking.stages.wishes import StageEnd
    from planrail.cli.tasking.task_runs import RunWish
    from planrail.tasks.model import Task
    from planrail.tasks.orchestrating import Step

INTERRUPTED = "interrupted"
_NAMES: dict[type, str] = {Research: "research", MakePlan: "plan", Revise: "revise"}
_NAMES |= {AskApproval: "approval", Run: "run", Finish: "summary"}
_OUTCOMES: dict[type, str] = {Research: RESEARCH, MakePlan: PLAN_STEP, Revise: PLAN_STEP}
_OUTCOMES |= {AskApproval: APPROVE, Run: RUN, Finish: FINISH}


@record
class OrchestraWish:
    """What is wished of a call. `ask`: a person is there who can be asked for their yes."""

    run: "RunWish"
    stage: StageWish = StageWish("")
    steps: int = STEPS
    budget: str | None = None
    ask: bool = False


@record
class Orchestrated:
    """How far a call has come with a task. `state`: ok (completed), rests, failed, spent or interrupted."""

    number: int
    status: str
    state: str
    text: str
    command: str
    steps: tuple[str, ...] = ()  # what was done, in order
    asked: str = ""  # the plan that waits for a person's yes

    @property
    def exit_code(self) -> int:
        """0 where the task is completed or waits for a person."""
        return {OK: 0, RESTS: 0, INTERRUPTED: 130}.get(self.state, 1)


def orchestrate(desk: "Desk", number: int, wish: OrchestraWish, tell: "Callable[[str], None]") -> Orchestrated:
    """Bring a task as near to its end as one call may. `Held` where somebody else is at work on it."""
    with claimed(desk, number):
        return _Call(desk, number, wish, tell).go()


class _Call:
    """One call: how many steps it has used, and how the last one ended."""

    def __init__(self, desk: "Desk", number: int, wish: OrchestraWish, tell: "Callable[[str], None]") -> None:
        self._desk, self._number, self._wish, self._tell = desk, number, wish, tell
        self._used, self._purse = 0, open_purse(wish.budget)
        self._done: list[str] = []
        self._last: Outcome | None = None
        self._path = ""  # of the plan that a person was asked about

    def go(self) -> Orchestrated:
        while True:
            step = decide_step(self._stand())
            if isinstance(step, Stop):
                return self._stopped(step)
            if costs(step) and not self._used:
                _note(self._desk, self._number, ORCHESTRATED)
            self._used += costs(step)
            self._say(step)
            try:
                self._last = self._perform(step)
            except KeyboardInterrupt:
                return self._interrupted()
            except Held:
                raise
            except PlanrailError as error:
                self._last = Outcome(_outcome_name(step), FAILED, error.message, error.remedy)
            if self._last.state == INTERRUPTED:
                return self._interrupted()

    def _stand(self) -> Stand:
        stand = read_stand(self._desk, self._number)
        left = self._wish.steps - self._used
        return replace(stand, last=self._last, steps_left=left, lack=self._purse.lack)

    def _say(self, step: "Step") -> None:
        name = f"{step.what}, since it is blocked" if isinstance(step, Escalate) else _NAMES[type(step)]
        self._done.append(name)
        of = f" ({self._used} of {self._wish.steps} steps)" if costs(step) else ""
        self._tell(f"task {self._number}: {name}{of}")

    def _perform(self, step: "Step") -> Outcome:
        match step:
            case Research():
                return self._stage(RESEARCH)
            case MakePlan():
                return self._stage(PLAN_STEP)
            case Revise():
                return self._stage(REVISE)
            case Escalate(what, text, is_new):
                if is_new:
                    _note(self._desk, self._number, ESCALATED, blocker=text)
                return self._stage(what, f"The work on this task is blocked: {text}")
            case AskApproval(path):
                self._path = path
                return ask_approval(path, is_asked=self._wish.ask)
            case Run():
                return self._run()
            case Finish():
                return replace(self._run(), step=FINISH)
            case Stop():
                raise AssertionError("nothing is to be done")

    def _stage(self, name: str, focus: str = "") -> Outcome:
        from planrail.cli.tasking.stages.running import run_stage

        given, left = self._wish.stage, self._purse.left
        focus = "\n".join(filter(None, (given.focus, focus)))
        wish = replace(given, stage=name, focus=focus, money=left.money, tokens=left.tokens)
        ended = run_stage(self._desk, self._number, wish, tell=self._tell)
        if ended.spent is not None:
            self._purse.take(ended.spent.cost, ended.spent.tokens_in + ended.spent.tokens_out)
        return _stage_outcome(name, ended)

    def _run(self) -> Outcome:
        root = self._desk.root
        with open_book(root) as book:
            place = plan_path(root, book.load(self._number))
        before = spent_on(root, place)
        try:
            return _run(self._desk, self._number, replace(self._wish.run, budget=self._purse.for_run(before)))
        finally:
            after = spent_on(root, place)
            self._purse.take(after.money - before.money, after.tokens - before.tokens)

    def _stopped(self, step: Stop) -> Orchestrated:
        with open_book(self._desk.root) as book:
            status = book.load(self._number).status
        is_asked = step.state == RESTS and self._last is not None and self._last.step == APPROVE
        asked = self._path if is_asked else ""
        return Orchestrated(self._number, status, step.state, step.text, step.command, tuple(self._done), asked)

    def _interrupted(self) -> Orchestrated:
        stopped = Stop(INTERRUPTED, "interrupted; what was done is kept", f"planrail task orchestrate {self._number}")
        return self._stopped(stopped)


def _note(desk: "Desk", number: int, what: str, **value: object) -> None:
    """Put on record that this call works on the task, or that it is blocked."""

    def change(task: "Task") -> "Task":
        return replace(task, session_id=desk.session, why=str(value.get("blocker") or task.why))

    with open_book(desk.root) as book:
        book.change(number, change, desk.note(what, **value))
    refresh(desk)


def _outcome_name(step: "Step") -> str:
    match step:
        case Escalate(what):
            return what
        case _:
            return _OUTCOMES[type(step)]


def _stage_outcome(name: str, ended: "StageEnd") -> Outcome:
    if ended.status == HELD:
        raise Held(ended.text, remedy=ended.command)
    states = {DONE: OK, TIMED_OUT: UNFINISHED, LIMIT: RESTS, STOPPED: INTERRUPTED}
    state = OK if ended.ok else states.get(ended.status, FAILED)
    return Outcome(name if name != REVISE else PLAN_STEP, state, ended.text, ended.command)


def ask_approval(path: str, *, is_asked: bool) -> Outcome:
    """Ask at the terminal, where a person is there; else it rests, and goes on after their yes."""
    waits = Outcome(APPROVE, RESTS, f"waits for your yes: {path}", f"planrail approve {quote(path)}")
    if not is_asked:
        return waits
    from planrail.cli.approval.desk import open_desk
    from planrail.cli.approve_command import approve

    with contextlib.redirect_stdout(io.StringIO()):  # the question itself is asked at the terminal
        code = approve(Namespace(plan=path, key=None, json=False), open_desk())
    return Outcome(APPROVE, OK) if code == 0 else waits


def _run(desk: "Desk", number: int, wish: "RunWish") -> Outcome:
    try:
        ended = implement(desk, number, wish)
    except Held:
        raise
    except PlanrailError as error:
        reason = "blocked" if _is_blocked(desk, number) else ""
        return Outcome(RUN, FAILED, error.message, error.remedy, reason)
    if ended.is_complete:
        return Outcome(RUN, OK, ended.text, ended.command)
    if ended.state in (OFFERED, *RESTING):
        return Outcome(RUN, RESTS, ended.text, ended.command)
    if ended.state in (INTERRUPTED, "stopped"):
        return Outcome(RUN, INTERRUPTED, ended.text, ended.command)
    return Outcome(RUN, FAILED, ended.text, ended.command, ended.reason)


def _is_blocked(desk: "Desk", number: int) -> bool:
    """Whether the plan itself says that it cannot go on: what is open is blocked, or waits for that."""
    with open_book(desk.root) as book:
        phases = read_phases(desk.root, book.load(number))
    return any(phase.status == "blocked" for phase in phases or [])
