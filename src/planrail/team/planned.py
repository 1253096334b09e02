"""What is planned for a plan beside its run, and which plan is meant by a name, also where its file is not here."""

import contextlib
import os

from planrail.approval.book import PlanFile, open_plan_file, project_root
from planrail.base.errors import PlanrailError, UnreadablePlan
from planrail.base.records import record, replace
from planrail.base.run_model import Ending, Order
from planrail.base.wording import quote
from planrail.projects.open_plan import find_plan
from planrail.runs.request.ordering import RunContext
from planrail.store.ledger import open_store
from planrail.store.runs.run_folders import WAITING, list_runs
from planrail.team.engines import open_dispatch
from planrail.team.queueing import ENDED, QUEUED, RESTING, STOPPING, ScheduleRow, Submission
from planrail.team.submitting import describe_rest, note_next_time


@record
class Planned:
    """The schedules and submissions that are not ended; and the last one, where it failed before a run began."""

    schedules: list[ScheduleRow]
    submissions: list[Submission]
    failed: Submission | None = None


def read_planned(root: str, plan: str | None = None) -> Planned:
    """What is planned in a repository, or for one plan. Where there is no ledger, nothing is, and none is made."""
    if not open_store(root).has_rows():
        return Planned([], [])
    with open_dispatch(root) as dispatch:
        last = dispatch.find_submission(plan) if plan is not None else None
        has_failed = last is not None and last.state == ENDED and last.outcome == "failed" and not last.run
        return Planned(dispatch.list_schedules(plan), dispatch.list_submissions(plan), last if has_failed else None)


def end_planned(root: str, plan: str | None) -> Planned:
    """End the schedules, take what waits out of the queue, and ask for the end of what a worker has; as one step."""
    if not open_store(root).has_rows():
        return Planned([], [])
    with open_dispatch(root) as dispatch, dispatch.tables.exclusive():
        schedules = dispatch.list_schedules(plan)
        submissions = dispatch.ask_stop(plan)
    return Planned(schedules, [row for row in submissions if row.state in (ENDED, STOPPING)])


def follow_ending(order: Order, context: RunContext, ending: Ending) -> Ending:
    """What the end of a run in the foreground does to what is planned for its plan; the ending with its next time.

    A complete plan needs no schedule; a failed run holds it. One that is parked is left to the worker, which goes on
    with it when the limit has passed.
    """
    with open_dispatch(order.root) as dispatch, dispatch.tables.exclusive():
        told = (order.plan, ending.state, ending.text)
        dispatch.settle_schedule(dispatch.tables.repository, *told, began=float(order.began))
        known = dispatch.find_submission(order.plan)
        is_waiting = known is not None and known.state in (QUEUED, RESTING) and ending.state not in WAITING
        # It waited for this run to go on, or nothing is left of the plan. Another order is served afterwards.
        if is_waiting and known is not None and (known.run == order.run or ending.state == "complete"):
            dispatch.remove(order.plan)
        then = note_next_time(dispatch, dispatch.tables.repository, order.plan)
        if ending.state == "parked" and ending.until and (known is None or known.state == ENDED):
            dispatch.submit(describe_rest(context, order, float(ending.until)))
    return replace(ending, text=f"{ending.text}; {then}") if then else ending


def identify_named(plan: str) -> tuple[str, str]:
    """The repository and the identity of the plan that the user names; `UnreadablePlan` where nobody knows it."""
    try:
        plan_file = open_plan_file(plan)
    except UnreadablePlan:
        found = find_unseen(plan)
        if found is None:
            raise
        return found
    return plan_file.root, plan_file.id


def find_unseen(plan: str) -> tuple[str, str] | None:
    """The repository and the identity of a plan whose file is not here, as what was begun for it calls it."""
    if os.path.lexists(plan):
        return None
    root = project_root(os.getcwd())
    path = os.path.relpath(os.path.realpath(plan), os.path.realpath(root))
    planned = read_planned(root)
    rows: list[ScheduleRow | Submission] = [*planned.schedules, *planned.submissions]
    named = [(row.path, row.plan) for row in rows] + [(run.order.path, run.order.plan) for run in list_runs(root)]
    known = next((identity for name, identity in named if name == path), None)
    return (root, known) if known is not None else None


def find_plan_file(plan: str | None, command: str = "status") -> PlanFile:
    """The plan that is named; else that of the run which is at work here, or of the newest; else the project's own."""
    if plan:
        try:
            return open_plan_file(plan)
        except UnreadablePlan:
            if find_unseen(plan) is None:
                raise
            ways = "git pull, or git switch to its branch; planrail queue, planrail list runs; planrail stop"
            text = f"{plan} is not in this checkout, though it was run or scheduled"
            raise UnreadablePlan(text, remedy=f"{ways} {quote(plan)}") from None
    root = project_root(os.getcwd())
    for order in (found.order for found in sorted(list_runs(root), key=lambda found: not found.is_live)):
        for top in dict.fromkeys((root, order.root)):  # a run in another worktree has a plan of this name here as well
            with contextlib.suppress(PlanrailError):  # its file is gone
                return open_plan_file(os.path.relpath(os.path.join(top, order.path)), top)
    return open_plan_file(find_plan(command=command))
