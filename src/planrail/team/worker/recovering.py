"""What a worker finds when it comes: runs that a crash or a reboot has cut off, and parked ones that nobody submitted.

A run that a person interrupted is theirs to resume. One that asks before each phase waits for its person, too.
"""

import contextlib
import os

from planrail.base.errors import PlanrailError
from planrail.base.records import replace
from planrail.runs.request.ordering import read_ground
from planrail.runs.request.requests import RunRequest
from planrail.store.ledger import has_ledger, open_ledger, open_tables
from planrail.store.runs import run_facts
from planrail.store.runs.run_folders import INTERRUPTED, RunState, list_runs
from planrail.team import queue
from planrail.team.planned import read_planned
from planrail.team.queueing import Submission, Wish
from planrail.team.submitting import describe


def recover(root: str) -> list[Submission]:
    """Submit the runs of a repository that shall go on by themselves and are in no queue."""
    if not has_ledger(root):
        return []
    queued = {row.plan for row in read_planned(root).submissions}
    found = [run for run in list_runs(root) if run.order.plan not in queued and not run.is_live and _goes_on(run)]
    submitted = []
    for run in found:
        with contextlib.suppress(PlanrailError):  # its plan or its branch is gone: a person has to look
            submitted.append(_submit(root, run))
    return submitted


def _goes_on(run: RunState) -> bool:
    if run.ending is not None:
        return run.ending.state == "parked" and bool(run.ending.until)
    return run.state == INTERRUPTED and run.order.options.auto and not _was_interrupted(run)


def _was_interrupted(run: RunState) -> bool:
    """Whether the last word of a run is that it was interrupted, and not that it began: a crash says nothing."""
    with open_ledger(run.order.root) as ledger:
        last = run_facts.last_event(ledger, run.order.plan, run.order.run)
    return last is not None and last.event == INTERRUPTED


def _submit(root: str, run: RunState) -> Submission:
    order = run.order
    ground = read_ground(os.path.join(root, order.path), target=order.target)
    wanted = describe(ground, Wish(RunRequest(order.path, auto=True)), order.options.agent)
    due = float(run.ending.until) if run.ending is not None else 0.0
    with open_tables(root) as tables:
        return queue.submit(tables, replace(wanted, run=order.run, due=due))
