"""What the queue of a project holds now, and why something in it does not run. It reads only."""

import os

from planrail.base.records import record
from planrail.store.claim_rules import name_host
from planrail.store.ledger import has_ledger, open_store
from planrail.store.signs import is_worker_gone
from planrail.team import queueing
from planrail.team.dispatch import Dispatch
from planrail.team.engines import open_dispatch, open_team_dispatch
from planrail.team.registry import list_repositories
from planrail.team.schedules.times import describe_when
from planrail.team.submitting import note_workers

NO_WORKER, NO_SLOT, DUE = "no worker", "no slot", "due"


@record
class QueueLook:
    """A queue at an instant. `note` says so where nobody is there to serve it."""

    root: str
    is_shared: bool
    now: float
    submissions: list[queueing.Submission]
    schedules: list[queueing.ScheduleRow]
    limits: list[queueing.Limit]
    holds: dict[str, float]
    workers: list[queueing.WorkerRow]
    note: str


@record
class WaitingSubmission:
    """A submission in the line. `reason`: due, account, repository limit, account limit, no worker, no slot."""

    row: queueing.Submission
    reason: str
    text: str


def look_at_queues(root: str, *, all: bool) -> list[QueueLook]:
    """The queue of a project. All: of its team's whole database; else of all repositories that the service knows."""
    store = open_store(root)
    if store.is_shared:
        with open_team_dispatch(store.url, "" if all else store.repository) as dispatch:
            return [_look(dispatch, root)]
    here, places = os.path.realpath(root), [root]
    if all:
        places += [place for place in list_repositories() if os.path.realpath(place) != here and os.path.isdir(place)]
    looks = []
    for place in places:
        if has_ledger(place):  # a command that only looks makes none
            with open_dispatch(place) as dispatch:
                looks.append(_look(dispatch, place))
    return looks


def _look(dispatch: Dispatch, root: str) -> QueueLook:
    now = dispatch.tables.now()
    return QueueLook(
        root,
        dispatch.tables.is_shared,
        now,
        dispatch.list_submissions(),
        dispatch.list_schedules(),
        dispatch.list_limits(),
        dispatch.list_holds(),
        [one for one in dispatch.list_workers() if queueing.is_there(one, now) and not is_worker_gone(one.id)],
        note_workers(dispatch, root),
    )


def list_waiting(look: QueueLook, zone: str) -> list[WaitingSubmission]:
    """The line in the order in which it will be served; what has to wait for a time comes last, by that time."""
    rows = sorted((row for row in look.submissions if row.state == queueing.QUEUED), key=queueing.rank)
    found = []
    for row in rows:
        reason = queueing.explain_wait(row, look.submissions, look.limits, look.holds, look.now)
        if not reason:  # it may start, and has no worker that could take it, or none with room
            has_worker = not look.is_shared or row.remote or any(worker.host == row.host for worker in look.workers)
            reason = NO_SLOT if has_worker and not look.note else NO_WORKER
        found.append(WaitingSubmission(row, reason, _tell(row, reason, look, zone)))
    return sorted(found, key=lambda one: (one.reason == DUE, one.row.due if one.reason == DUE else 0.0))


def _tell(row: queueing.Submission, reason: str, look: QueueLook, zone: str) -> str:
    if reason == DUE:
        return f"goes on {describe_when(row.due, look.now, zone)}"
    if reason == "account":
        return f"the account {row.account} rests until {describe_when(look.holds[row.account], look.now, zone)}"
    if reason == NO_WORKER:
        is_far = look.is_shared and not row.remote and not look.note
        return f"waits for a worker on {name_host(row.host)}" if is_far else "waits for a worker: none is there"
    if reason == NO_SLOT:
        return "waits for a free slot"
    kind = queueing.ACCOUNT if reason.startswith(queueing.ACCOUNT) else queueing.REPOSITORY
    name = queueing.name_of(row, kind)
    busy, most = queueing.count_busy(look.submissions, kind, name), queueing.find_limit(look.limits, kind, name)
    whose = f"the {kind} {name}" if name else "this repository"
    return f"{busy} of {most:g} of {whose} run" if most else f"nothing of {whose} may run"
