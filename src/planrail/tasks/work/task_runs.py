"""The run of a task's plan: planrail's own, begun or gone on with, here or by a worker; how it ended, as a value. The
budget of one call: what stages and runs of all its tasks may use together. The same call again has a new one.

Tasks that are done side by side, each in its own process, get a share each, and give back what they did not use.
"""

import contextlib
import os
from collections.abc import Callable, Collection, Mapping
from typing import TypeVar

from planrail.approval.book import open_plan_file
from planrail.base.budgets import Spent, read_budget, show
from planrail.base.errors import PlanrailError
from planrail.base.records import mutable_record, record, replace
from planrail.base.run_model import Budget, Ceilings, Ending, Order
from planrail.base.wording import quote
from planrail.git.remotes.pushing import fetch_ref, remote_of
from planrail.plans.execution.executions import order_phases, refuse_runbook
from planrail.runs.phases.choosing import done_before
from planrail.runs.request.display import Display
from planrail.runs.request.ordering import RunContext, approver, find_unfinished, read_context
from planrail.runs.request.orders import order_run
from planrail.runs.request.plan_texts import COMMITTED, describe_edits
from planrail.runs.request.preflight import refuse_run
from planrail.runs.request.requests import RunRequest
from planrail.store.ledger import has_ledger, open_ledger, open_store
from planrail.store.runs.run_facts import phase_states, spent
from planrail.store.runs.run_folders import RunState, list_runs
from planrail.tasks.book.task_rows import open_book
from planrail.tasks.numbers import Typed
from planrail.tasks.work.plan_phases import plan_path
from planrail.team.engines import open_dispatch
from planrail.team.guiding import Delivery
from planrail.team.next_steps import name_here
from planrail.team.starting import ResumeRequest, resume_run, start_run
from planrail.team.submitting import find_remote

DECLINED, INTERRUPTED = "declined", "interrupted"


@record
class ImplementRequest:
    """What is asked for the run of a task's plan. The plan itself is that of the task."""

    run: RunRequest
    open_display: Callable[[], Display]  # for each run one
    here: bool = False
    is_quiet: bool = False  # nothing is shown
    ask: bool = False  # a person is there who can be asked for an approval
    typed: Typed | None = None  # the call

    def again(self, number: int, **instead: str) -> str:
        if self.typed is None:
            return f"planrail task implement {number}"
        return self.typed.again([number], **instead)


@record
class TaskRunEnd:
    state: str
    text: str
    command: str
    phase: str = ""
    reason: str = ""


def find_refusal(place: str, number: int, request: ImplementRequest) -> PlanrailError | None:
    """What speaks against beginning a run of this plan, the missing approval for one; None where nothing does.

    It changes nothing. A run that has not ended goes on, whatever there was to say when it began.
    """
    context = read_context(place)
    if context.edits and not request.run.as_committed and not request.ask:  # nobody can say which text is meant
        path, again = quote(os.path.relpath(context.plan_file.place)), request.again(number)
        approve = f", planrail approve {path}" if context.policy.required else ""
        keep = f"git commit -m 'Edit the plan' -- {path}{approve}, then: {again}"
        remedy = f"{keep}; or, without the edits: {again} {COMMITTED}"
        return PlanrailError(f"{describe_edits(context)}; nothing was started", remedy=remedy)
    if find_unfinished(context) is not None:
        return None
    order = order_run(request.run, context)
    unfit = _find_unfit(order)
    if unfit:
        remedy = request.again(number, agent="claude")
        return PlanrailError(f"{unfit} ([run] agent, or --agent); nothing was started", remedy=remedy)
    refusal = refuse_run(order, context)
    if refusal is not None:
        return PlanrailError(refusal.text, remedy=name_here(order.path, order.root, refusal.command))
    try:
        if _is_sent(context, request):
            find_remote(context)
    except PlanrailError as error:
        return error
    return None


def _find_unfit(order: Order) -> str:
    """Why the agent that only executes what a plan has cannot carry out what is left of it; "" where it can."""
    if order.options.agent != "runbook":
        return ""
    done = done_before(order)
    left = [phase for phase in order.phases if phase.id not in done and phase.execution.kind != "delegate"]
    return next(filter(None, (refuse_runbook(phase) for phase in left if phase.state != "blocked")), "")


def _is_sent(context: RunContext, request: ImplementRequest) -> bool:
    return open_store(context.root).is_shared and not request.here


def is_approved(place: str, phases: Collection[str]) -> bool:
    """Whether these phases of a plan may run unattended, as people have said up to now."""
    context = read_context(place)
    judge = approver(context, auto=True)
    ordered = order_phases(context.plan_file.plan, context.plan_file.source.text)
    return not any(judge(phase) for phase in ordered if phase.id in phases)


def carry_out(place: str, request: ImplementRequest) -> TaskRunEnd:
    """Run a plan to its end, or as far as it gets: the run that has not ended goes on, else a new one begins."""
    context = read_context(place)
    ended = _carry_out(context, place, request)
    if ended.state == "phase_done":  # a run of one phase was under way: now the rest
        ended = _carry_out(context, place, request)
    return ended


def _carry_out(context: RunContext, place: str, request: ImplementRequest) -> TaskRunEnd:
    is_sent, unfinished = _is_sent(context, request), find_unfinished(context)
    run, display = replace(request.run, plan=os.path.relpath(place)), request.open_display()
    if is_sent and unfinished is not None and unfinished.ending is not None and unfinished.order.remote:
        resume_run(ResumeRequest(place), display)  # a caller that asks again has answered what it rested at
    if not is_sent and unfinished is not None:
        told = resume_run(ResumeRequest(place, run.budget, run.as_committed), display)
    else:
        told = start_run(run, Delivery(here=request.here, wait=not request.here, is_quiet=request.is_quiet), display)
    for text, advice in told.warnings:  # to resume the run alone would leave its task behind
        display.note(text if not is_sent else f"{text}\n  → {advice}")
    ended = _read_end(context, place, told.code, is_sent=is_sent)
    upstream = remote_of(context.root, context.target) if ended.state == "complete" else None
    if upstream is not None:  # what has landed there comes beside the user's own refs: a proof is of a commit
        with contextlib.suppress(PlanrailError):  # what cannot be fetched now is a claim
            fetch_ref(context.root, upstream.remote, upstream.branch)
    return ended


def tell_agents(place: str) -> str:
    """What becomes of the agents of a run that is interrupted, and how they are stopped."""
    return f"an agent that is at work goes on; to end it: planrail stop {quote(os.path.relpath(place))}"


def _read_end(context: RunContext, place: str, code: int, *, is_sent: bool) -> TaskRunEnd:
    run = next(iter(list_runs(context.root, context.plan_file.id)), None)
    command = f"planrail status {quote(os.path.relpath(place))}"
    if run is None:
        said = "it did not begin"
        if is_sent:
            with open_dispatch(context.root) as dispatch:
                row = dispatch.find_submission(context.plan_file.id)
            said = row.said if row is not None and row.said else "no worker has taken it up"
        return TaskRunEnd(DECLINED if code else "waiting", said, command)
    ending = run.ending or Ending(run.state, f"the run was interrupted; {tell_agents(place)}", command)
    typed = ending.command.replace(context.plan_file.path, quote(os.path.relpath(place)))
    return TaskRunEnd(ending.state, ending.text, typed, ending.phase, _reason(context, run, ending))


def _reason(context: RunContext, run: RunState, ending: Ending) -> str:
    if ending.state != "failed":
        return ""
    with open_ledger(context.root) as ledger:
        fact = phase_states(ledger, context.plan_file.id).get(ending.phase)
    if fact is not None and fact.run == run.order.run and fact.reason:
        return fact.reason
    if ending.phase:
        return ""
    states = {phase.status.value for phase in open_plan_file(context.plan_file.place, context.root).plan.phases}
    return "blocked" if "blocked" in states else "overall"  # all landed, and the whole does not hold


T = TypeVar("T")
_MEASURES = ("money", "tokens", "minutes", "attempts")
_LEAST = 1e-6  # dollars
_SHARED = ("money", "tokens")  # what stages use as well


@mutable_record
class Purse:
    """What may be used in a call, and what was. Without a ceiling everything may."""

    budget: Budget = Budget()
    money: float = 0.0
    tokens: int = 0

    def take(self, money: float, tokens: int) -> None:
        self.money, self.tokens = self.money + money, self.tokens + tokens

    @property
    def left(self) -> Ceilings:
        plan = self.budget.plan
        money = max(plan.money - self.money, 0.0) if plan.money else 0.0
        return Ceilings(money, max(plan.tokens - self.tokens, 0) if plan.tokens else 0)

    @property
    def lack(self) -> str:
        for name in _SHARED:
            limit, used = getattr(self.budget.plan, name), getattr(self, name)
            if limit and used >= limit:
                return f"the budget of this call is used up: {show(name, used)} of {show(name, limit)}"
        return ""

    def for_run(self, before: Spent) -> str:
        """The ceilings of a run, as its option has them: it counts all that its plan ever used, `before` included."""
        rest = replace(self.budget.plan, money=self.left.money, tokens=self.left.tokens)
        raised = {name: getattr(rest, name) + getattr(before, name) for name in _MEASURES if getattr(rest, name)}
        return _spell_budget(replace(self.budget, plan=Ceilings(**raised)))


class Sharing:
    """The purse of a call for several tasks, which the process has that begins the others."""

    def __init__(self, text: str | None) -> None:
        self._purse = open_purse(text)
        self._handed: dict[int, Ceilings] = {}

    def hand_out(self, number: int, among: int) -> str | None:
        """The share of a task, where so many are to share what is left; "" without a budget, None where none is left.

        What others have now may come back.
        """
        plan, left, handed = self._purse.budget.plan, self._purse.left, self._handed.values()
        money = (left.money - sum(one.money for one in handed)) / among if plan.money else 0.0
        tokens = (left.tokens - sum(one.tokens for one in handed)) // among if plan.tokens else 0
        share = Ceilings(money if money >= _LEAST else 0.0, max(tokens, 0))
        if any(getattr(plan, name) and not getattr(share, name) for name in _SHARED):
            return None
        self._handed[number] = share
        ceilings = replace(plan, money=share.money, tokens=share.tokens)
        return _spell_budget(replace(self._purse.budget, plan=ceilings))

    def take_back(self, number: int, answer: Mapping[str, object]) -> None:
        """What a task has used is gone. One that does not say how much has used all that it had."""
        share = self._handed.pop(number, Ceilings())
        told = answer.get("spent")
        if isinstance(told, dict):
            self._purse.take(float(told.get("money") or 0), int(told.get("tokens") or 0))
        elif answer.get("status") != "refused":  # else it never began
            self._purse.take(share.money, share.tokens)

    @property
    def lack(self) -> str:
        return self._purse.lack or "what is left of the budget of this call is nothing to begin with"


def open_purse(text: str | None) -> Purse:
    return Purse(read_budget(text) if text else Budget())


def run_within(
    purse: Purse, root: str, number: int, request: ImplementRequest, carry_out: Callable[[ImplementRequest], T]
) -> T:
    """Let a task's plan be run within what is left of a purse, which pays for it."""
    with open_book(root) as book:
        task = book.find(number)
    place = plan_path(root, task) if task is not None else ""

    def count() -> Spent:
        if not place or not has_ledger(root):
            return Spent()
        with open_ledger(root) as ledger:
            return spent(ledger, open_plan_file(place).id)

    before = count()
    try:
        return carry_out(replace(request, run=replace(request.run, budget=purse.for_run(before))))
    finally:
        after = count()
        purse.take(after.money - before.money, after.tokens - before.tokens)


def _spell_budget(budget: Budget) -> str:
    parts = []
    for level in ("plan", "phase", "attempt"):
        ceilings, before = getattr(budget, level), "" if level == "plan" else f"{level}."
        figures = {name: f"{getattr(ceilings, name):.6f}".rstrip("0").rstrip(".") for name in _MEASURES}
        parts += [f"{before}{name}={figure}" for name, figure in figures.items() if getattr(ceilings, name)]
    return ",".join(parts)
