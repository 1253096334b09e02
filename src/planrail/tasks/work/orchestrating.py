"""One task from where it stands to its end: each step is decided from what is on record, done, and decided anew.

Nothing is remembered between two calls but what the ledger has, so a call that is killed is followed by the same one.
"""

import os
from collections.abc import Callable

from planrail.base.errors import Held, PlanrailError
from planrail.base.records import record, replace
from planrail.planning.in_session.facts import load_committed_settings
from planrail.tasks import orchestrating as deciding
from planrail.tasks.book.task_rows import open_book
from planrail.tasks.context.claiming import claimed
from planrail.tasks.context.context import Context, refresh
from planrail.tasks.model import PLAN, REPORT, Task, latest
from planrail.tasks.stage_folders import newest_stage
from planrail.tasks.stages.opening import is_installed
from planrail.tasks.stages.requests import DONE, HELD, LIMIT, STOPPED, TIMED_OUT, StageRequest
from planrail.tasks.stages.requests import SPENT as STAGE_SPENT
from planrail.tasks.stages.running import run_stage
from planrail.tasks.statuses import open_phases
from planrail.tasks.work.completing import keep_views
from planrail.tasks.work.implementing import OFFERED, RESTING, ask_approval, implement
from planrail.tasks.work.plan_phases import plan_path, read_phases
from planrail.tasks.work.task_runs import INTERRUPTED, ImplementRequest, is_approved, open_purse, run_within

_STAGE_STATES = {DONE: deciding.OK, TIMED_OUT: deciding.UNFINISHED, LIMIT: deciding.RESTS}
_STAGE_STATES |= {STOPPED: INTERRUPTED, STAGE_SPENT: deciding.SPENT}
_RUN_STATES = {**dict.fromkeys((OFFERED, *RESTING), deciding.RESTS), INTERRUPTED: INTERRUPTED, "stopped": INTERRUPTED}


@record
class OrchestrateRequest:
    """What is asked of a call. `ask`: a person is there who can be asked for an approval."""

    run: ImplementRequest
    stage: StageRequest = StageRequest("")
    steps: int = deciding.STEPS
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
    asked: str = ""  # the plan that waits for a person's approval
    money: float = 0.0
    tokens: int = 0

    @property
    def exit_code(self) -> int:
        return {deciding.OK: 0, deciding.RESTS: 0, INTERRUPTED: 130}.get(self.state, 1)


class _Call:
    """One call: how many steps it has used, and how the last one ended."""

    def __init__(self, context: Context, number: int, request: OrchestrateRequest, tell: Callable[[str], None]) -> None:
        self._context, self._number, self._request, self._tell = context, number, request, tell
        self._used, self._purse = 0, open_purse(request.budget)
        self._done: list[str] = []
        self._last: deciding.StepOutcome | None = None
        self._path = ""  # of the plan

    def go(self) -> Orchestrated:
        while True:
            step = deciding.decide_step(self._stand())
            if isinstance(step, deciding.Stop):
                return self._stopped(step)
            if step.costs and not self._used:
                self._note(deciding.ORCHESTRATED)
            self._used += step.costs
            self._say(step)
            try:
                self._last = self._perform(step)
            except KeyboardInterrupt:
                return self._interrupted("interrupted; what was done is kept")
            except Held:
                raise
            except PlanrailError as error:
                self._last = deciding.StepOutcome(_stage_name(step.what), deciding.FAILED, error.message, error.remedy)
            if self._last.state == INTERRUPTED:
                return self._interrupted(self._last.text)

    def _stand(self) -> deciding.TaskState:
        stand, last, request = read_stand(self._context, self._number), self._last, self._request
        self._path = stand.path
        is_blocked = last is not None and (last.step, last.state) == (deciding.RUN, deciding.FAILED)
        agent = ""
        if is_blocked:  # which agent could be asked what helps?
            agent = request.stage.agent or load_committed_settings(self._context.root).planning.agent
        return replace(
            stand,
            last=last,
            steps_left=request.steps - self._used,
            lack=self._purse.lack,
            unable=f"{agent} was not found on the PATH" if agent and not is_installed(agent) else "",
            options=request.run.typed.tail if request.run.typed is not None else "",
        )

    def _note(self, what: str, **value: object) -> None:
        def change(task: Task) -> Task:
            return replace(task, session_id=self._context.session, why=str(value.get("blocker") or task.why))

        with open_book(self._context.root) as book:
            book.change(self._number, change, self._context.note(what, **value))
        refresh(self._context)

    def _say(self, step: deciding.NextStep) -> None:
        name = {deciding.APPROVE: "approval", deciding.FINISH: "summary"}.get(step.what, step.what)
        name += ", since it is blocked" if step.blocker is not None else ""
        self._done.append(name)
        of = f" ({self._used} of {self._request.steps} steps)" if step.costs else ""
        self._tell(f"task {self._number}: {name}{of}")

    def _perform(self, step: deciding.NextStep) -> deciding.StepOutcome:
        if step.what == deciding.APPROVE:
            return ask_approval(self._path, self._number, is_asked=self._request.ask)
        if step.what in (deciding.RUN, deciding.FINISH):
            root, run = self._context.root, self._request.run
            return replace(run_within(self._purse, root, self._number, run, self._run), step=step.what)
        if step.is_new:
            self._note(deciding.ESCALATED, blocker=step.blocker)
        is_blocked = step.blocker is not None
        return self._stage(step.what, f"The work on this task is blocked: {step.blocker}" if is_blocked else "")

    def _stage(self, name: str, focus: str = "") -> deciding.StepOutcome:
        given, left = self._request.stage, self._purse.left
        focus = "\n".join(filter(None, (given.focus, focus)))
        request = replace(given, stage=name, focus=focus, money=left.money, tokens=left.tokens)
        ended = run_stage(self._context, self._number, request, tell=self._tell)
        if ended.spent is not None:
            self._purse.take(ended.spent.cost, ended.spent.tokens_in + ended.spent.tokens_out)
        if ended.status == HELD:
            raise Held(ended.text, remedy=ended.command)
        state = _STAGE_STATES.get(ended.status, deciding.FAILED)
        return deciding.StepOutcome(_stage_name(name), state, ended.text, ended.command)

    def _run(self, request: ImplementRequest) -> deciding.StepOutcome:
        try:
            ended = implement(self._context, self._number, request)
        except Held:
            raise
        except PlanrailError as error:
            phases = read_phases(self._context.root, self._context.load(self._number)) or []
            is_blocked = any(phase.status == "blocked" for phase in phases)  # the plan says that it cannot go on
            told = (error.message, error.remedy, "blocked" if is_blocked else "")
            return deciding.StepOutcome(deciding.RUN, deciding.FAILED, *told)
        state = deciding.OK if ended.is_complete else _RUN_STATES.get(ended.state, deciding.FAILED)
        reason = ended.reason if state == deciding.FAILED else ""
        return deciding.StepOutcome(deciding.RUN, state, ended.text, ended.command, reason)

    def _stopped(self, step: deciding.Stop) -> Orchestrated:
        task = self._context.load(self._number)
        if self._used:
            keep_views(self._context, task)
        is_asked = step.state == deciding.RESTS and self._last is not None and self._last.step == deciding.APPROVE
        told = (self._number, task.status, step.state, step.text, step.command, tuple(self._done))
        return Orchestrated(*told, self._path if is_asked else "", self._purse.money, self._purse.tokens)

    def _interrupted(self, text: str) -> Orchestrated:
        again = f"planrail task orchestrate {self._number}{self._stand().options}"
        return self._stopped(deciding.Stop(INTERRUPTED, text, again))


def orchestrate(
    context: Context, number: int, request: OrchestrateRequest, tell: Callable[[str], None]
) -> Orchestrated:
    """Bring a task as near to its end as one call may. `Held` where another process works on it."""
    with claimed(context, number):
        return _Call(context, number, request, tell).go()


def _stage_name(what: str) -> str:
    return deciding.PLAN if what == deciding.REVISE else what


def read_stand(context: Context, number: int) -> deciding.TaskState:
    with open_book(context.root) as book:
        task, history = book.load(number), book.history(number)
    report, plan = latest(task, REPORT), latest(task, PLAN)
    stage = newest_stage(context.root, number, task.id)
    place, phases = plan_path(context.root, task), read_phases(context.root, task)
    try:
        may_run = bool(phases) and is_approved(place, [phase.id for phase in open_phases(phases or [])])
    except PlanrailError:
        may_run = True
    return deciding.TaskState(
        number,
        task.status,
        report.round if report is not None else None,
        plan.round if plan is not None and phases is not None else None,
        phases,
        is_approved=may_run,
        path=os.path.relpath(place) if place else "",
        waits=context.find_waiting(task),
        escalations=deciding.read_escalations(history),
        why=task.why,
        begun=stage.order.stage if stage is not None else "",
    )
