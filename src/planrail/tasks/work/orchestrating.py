"""One task from where it stands to its end: each step is decided from what is on record, done, and decided anew.

Nothing is remembered between two calls but what the ledger has, so a call that is killed is followed by the same one.
"""

from collections.abc import Callable

from planrail.base.errors import Held, PlanrailError
from planrail.base.records import record, replace
from planrail.tasks.book.task_rows import open_book
from planrail.tasks.desk.desk import Desk, refresh
from planrail.tasks.model import Task
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
    SPENT,
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
    Step,
    Stop,
    costs,
    decide_step,
)
from planrail.tasks.orchestrating import PLAN as PLAN_STEP
from planrail.tasks.stages.claiming import claimed
from planrail.tasks.stages.running import run_stage
from planrail.tasks.stages.wishes import DONE, HELD, LIMIT, STOPPED, TIMED_OUT, StageEnd, StageWish
from planrail.tasks.stages.wishes import SPENT as STAGE_SPENT
from planrail.tasks.work.call_budgets import open_purse, run_within
from planrail.tasks.work.consent import ask_approval
from planrail.tasks.work.implementing import OFFERED, RESTING, implement
from planrail.tasks.work.keeping_views import keep_views
from planrail.tasks.work.plan_phases import read_phases
from planrail.tasks.work.standing import find_lack, read_stand
from planrail.tasks.work.task_runs import INTERRUPTED, RunWish

_NAMES: dict[type, str] = {Research: "research", MakePlan: "plan", Revise: "revise"}
_NAMES |= {AskApproval: "approval", Run: "run", Finish: "summary"}
_OUTCOMES: dict[type, str] = {Research: RESEARCH, MakePlan: PLAN_STEP, Revise: PLAN_STEP}
_OUTCOMES |= {AskApproval: APPROVE, Run: RUN, Finish: FINISH}


@record
class OrchestraWish:
    """What is wished of a call. `ask`: a person is there who can be asked for their yes."""

    run: RunWish
    stage: StageWish = StageWish("")
    steps: int = STEPS
    budget: str | None = None
    ask: bool = False


@record
class Orchestrated:
    """How far a call has come with a task. `state`: ok (completed), rests, declined, failed, spent or interrupted."""

    number: int
    status: str
    state: str
    text: str
    command: str
    steps: tuple[str, ...] = ()  # what was done, in order
    asked: str = ""  # the plan that waits for a person's yes
    money: float = 0.0
    tokens: int = 0

    @property
    def exit_code(self) -> int:
        """0 where the task is completed or waits for a person."""
        return {OK: 0, RESTS: 0, INTERRUPTED: 130}.get(self.state, 1)


def orchestrate(desk: Desk, number: int, wish: OrchestraWish, tell: Callable[[str], None]) -> Orchestrated:
    """Bring a task as near to its end as one call may. `Held` where somebody else is at work on it."""
    with claimed(desk, number):
        return _Call(desk, number, wish, tell).go()


class _Call:
    """One call: how many steps it has used, and how the last one ended."""

    def __init__(self, desk: Desk, number: int, wish: OrchestraWish, tell: Callable[[str], None]) -> None:
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
                return self._interrupted("interrupted; what was done is kept")
            except Held:
                raise
            except PlanrailError as error:
                self._last = Outcome(_outcome_name(step), FAILED, error.message, error.remedy)
            if self._last.state == INTERRUPTED:
                return self._interrupted(self._last.text)

    def _stand(self) -> Stand:
        stand, last = read_stand(self._desk, self._number), self._last
        is_blocked = last is not None and (last.step, last.state) == (RUN, FAILED)
        return replace(
            stand,
            last=last,
            steps_left=self._wish.steps - self._used,
            lack=self._purse.lack,
            unable=find_lack(self._desk, self._wish.stage.agent) if is_blocked else "",
            options=self._wish.run.typed.tail if self._wish.run.typed is not None else "",
        )

    def _say(self, step: Step) -> None:
        name = f"{step.what}, since it is blocked" if isinstance(step, Escalate) else _NAMES[type(step)]
        self._done.append(name)
        of = f" ({self._used} of {self._wish.steps} steps)" if costs(step) else ""
        self._tell(f"task {self._number}: {name}{of}")

    def _perform(self, step: Step) -> Outcome:
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
                return ask_approval(path, self._number, is_asked=self._wish.ask)
            case Run():
                return self._run()
            case Finish():
                return replace(self._run(), step=FINISH)
            case Stop():
                raise AssertionError("nothing is to be done")

    def _stage(self, name: str, focus: str = "") -> Outcome:
        given, left = self._wish.stage, self._purse.left
        focus = "\n".join(filter(None, (given.focus, focus)))
        wish = replace(given, stage=name, focus=focus, money=left.money, tokens=left.tokens)
        ended = run_stage(self._desk, self._number, wish, tell=self._tell)
        if ended.spent is not None:
            self._purse.take(ended.spent.cost, ended.spent.tokens_in + ended.spent.tokens_out)
        return _stage_outcome(name, ended)

    def _run(self) -> Outcome:
        return run_within(
            self._purse,
            self._desk.root,
            self._number,
            self._wish.run,
            lambda wish: _run(self._desk, self._number, wish),
        )

    def _stopped(self, step: Stop) -> Orchestrated:
        with open_book(self._desk.root) as book:
            task = book.load(self._number)
        if self._used:
            keep_views(self._desk, task)
        is_asked = step.state == RESTS and self._last is not None and self._last.step == APPROVE
        return Orchestrated(
            self._number,
            task.status,
            step.state,
            step.text,
            step.command,
            tuple(self._done),
            self._path if is_asked else "",
            self._purse.money,
            self._purse.tokens,
        )

    def _interrupted(self, text: str) -> Orchestrated:
        stand = self._stand()
        return self._stopped(Stop(INTERRUPTED, text, f"planrail task orchestrate {self._number}{stand.options}"))


def _note(desk: Desk, number: int, what: str, **value: object) -> None:
    """Put on record that this call works on the task, or that it is blocked."""

    def change(task: Task) -> Task:
        return replace(task, session_id=desk.session, why=str(value.get("blocker") or task.why))

    with open_book(desk.root) as book:
        book.change(number, change, desk.note(what, **value))
    refresh(desk)


def _outcome_name(step: Step) -> str:
    match step:
        case Escalate(what):
            return what
        case _:
            return _OUTCOMES[type(step)]


def _stage_outcome(name: str, ended: StageEnd) -> Outcome:
    if ended.status == HELD:
        raise Held(ended.text, remedy=ended.command)
    states = {DONE: OK, TIMED_OUT: UNFINISHED, LIMIT: RESTS, STOPPED: INTERRUPTED, STAGE_SPENT: SPENT}
    state = OK if ended.ok else states.get(ended.status, FAILED)
    return Outcome(name if name != REVISE else PLAN_STEP, state, ended.text, ended.command)


def _run(desk: Desk, number: int, wish: RunWish) -> Outcome:
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


def _is_blocked(desk: Desk, number: int) -> bool:
    """Whether the plan itself says that it cannot go on: what is open is blocked, or waits for that."""
    with open_book(desk.root) as book:
        phases = read_phases(desk.root, book.load(number))
    return any(phase.status == "blocked" for phase in phases or [])
