"""What the queue of a project holds now, for `planrail queue` and `planrail upcoming`. It reads only."""

import os

from planrail.base.records import record
from planrail.store.ledger import has_ledger, open_store, open_tables, open_team_tables
from planrail.store.tables import Tables
from planrail.team.process_notes import is_worker_gone
from planrail.team.queue import list_submissions
from planrail.team.queue_limits import list_holds, list_limits
from planrail.team.queueing import Limit, ScheduleRow, Submission, WorkerRow, is_there
from planrail.team.registry import list_repositories
from planrail.team.schedule_rows import list_schedules
from planrail.team.submitting import note_workers
from planrail.team.worker_rows import list_workers


@record
class QueueLook:
    """A queue at an instant. `note` says so where nobody is there to serve it."""

    root: str
    is_shared: bool
    now: float
    submissions: list[Submission]
    schedules: list[ScheduleRow]
    limits: list[Limit]
    holds: dict[str, float]
    workers: list[WorkerRow]
    note: str


def look_at_queues(root: str, *, all: bool) -> list[QueueLook]:
    """The queue of a project. All: of its team's whole database; else of all repositories that the service knows."""
    store = open_store(root)
    if store.is_shared:
        with open_team_tables(store.url, "" if all else store.repository) as tables:
            return [_look(tables, root)]
    looks = [_look_embedded(place) for place in ([root, *_others(root)] if all else [root])]
    return [look for look in looks if look is not None]


def _look_embedded(root: str) -> QueueLook | None:
    if not has_ledger(root):
        return None  # who only looks makes no ledger
    with open_tables(root) as tables:
        return _look(tables, root)


def _look(tables: Tables, root: str) -> QueueLook:
    now = tables.now()
    return QueueLook(
        root,
        tables.is_shared,
        now,
        list_submissions(tables),
        list_schedules(tables),
        list_limits(tables),
        list_holds(tables),
        [worker for worker in list_workers(tables) if is_there(worker, now) and not is_worker_gone(worker.id)],
        note_workers(tables, root),
    )


def _others(root: str) -> list[str]:
    here = os.path.realpath(root)
    return [place for place in list_repositories() if os.path.realpath(place) != here and os.path.isdir(place)]
