"""Why does this submission not run? The line as people see it: each with its place, and with what it waits for."""

from planrail.base.records import record
from planrail.store.claim_rules import name_host
from planrail.team.queue_looks import QueueLook
from planrail.team.queueing import (
    ACCOUNT,
    QUEUED,
    REPOSITORY,
    Submission,
    count_busy,
    explain_wait,
    find_limit,
    name_of,
    rank,
)
from planrail.team.schedules.telling import describe_when

NO_WORKER, NO_SLOT, DUE = "no worker", "no slot", "due"


@record
class Waiting:
    """A submission in the line. `reason`: due, account, repository limit, account limit, no worker, no slot."""

    row: Submission
    reason: str
    text: str


def list_waiting(look: QueueLook, zone: str) -> list[Waiting]:
    """The line in the order in which it will be served; what has to wait for a time comes last, by that time."""
    rows = sorted((row for row in look.submissions if row.state == QUEUED), key=rank)
    found = [_explain(row, look, zone) for row in rows]
    return sorted(found, key=lambda one: (one.reason == DUE, one.row.due if one.reason == DUE else 0.0))


def _explain(row: Submission, look: QueueLook, zone: str) -> Waiting:
    reason = explain_wait(row, look.submissions, look.limits, look.holds, look.now) or _lacks(row, look)
    return Waiting(row, reason, _tell(row, reason, look, zone))


def _lacks(row: Submission, look: QueueLook) -> str:
    """What may start has no worker that could take it, or none with room."""
    if look.note:
        return NO_WORKER
    if not look.is_shared or row.remote:
        return NO_SLOT
    return NO_SLOT if any(worker.host == row.host for worker in look.workers) else NO_WORKER


def _tell(row: Submission, reason: str, look: QueueLook, zone: str) -> str:
    if reason == DUE:
        return f"goes on {describe_when(row.due, look.now, zone)}"
    if reason == "account":
        return f"the account {row.account} rests until {describe_when(look.holds[row.account], look.now, zone)}"
    if reason == NO_WORKER:
        is_far = look.is_shared and not row.remote and not look.note
        return f"waits for a worker on {name_host(row.host)}" if is_far else "waits for a worker: none is there"
    if reason == NO_SLOT:
        return "waits for a free slot"
    return _tell_limit(row, ACCOUNT if reason.startswith(ACCOUNT) else REPOSITORY, look)


def _tell_limit(row: Submission, kind: str, look: QueueLook) -> str:
    name = name_of(row, kind)
    busy, most = count_busy(look.submissions, kind, name), find_limit(look.limits, kind, name)
    whose = f"the account {name}" if kind == ACCOUNT else (f"the repository {name}" if name else "this repository")
    return f"{busy} of {most:g} of {whose} run" if most else f"nothing of {whose} may run"
