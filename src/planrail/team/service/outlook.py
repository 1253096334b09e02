"""What a repository has for a worker to do: schedules with their next times, runs at work. It is only looked at."""

from planrail.base.errors import PlanrailError
from planrail.base.records import record
from planrail.store.ledger import has_ledger
from planrail.store.runs.run_folders import list_runs
from planrail.store.tables import open_tables
from planrail.store.team import find_team
from planrail.team.queue import list_submissions
from planrail.team.queueing import ScheduleRow
from planrail.team.schedule_rows import list_schedules

_SECONDS = 3.0  # that a shared database gets to answer: whoever asks how things are does not want to wait for them


@record
class Outlook:
    """A repository now. `problem` says why it could not be looked at."""

    root: str
    schedules: tuple[ScheduleRow, ...] = ()
    waiting: int = 0  # submissions that nobody has taken yet
    runs: tuple[str, ...] = ()  # the paths of the plans that are at work
    problem: str = ""

    @property
    def due(self) -> tuple[ScheduleRow, ...]:
        """The schedules that will fire, if somebody is there to do it."""
        return tuple(row for row in self.schedules if row.state == "active")


def look_ahead(root: str) -> Outlook:
    """How a repository stands. What cannot be read is a problem to be told, never an error here."""
    try:
        if not _has_rows(root):
            return Outlook(root)
        schedules, waiting = _read_rows(root)
        runs = tuple(run.order.path for run in list_runs(root) if run.is_live)
        return Outlook(root, tuple(schedules), waiting, runs)
    except (PlanrailError, OSError) as error:
        return Outlook(root, problem=str(error))


def _has_rows(root: str) -> bool:
    """Whether there is anything to read. Looking makes no ledger, and does not wait for a database that is away."""
    team = find_team(root)
    if team is None:
        return has_ledger(root)
    from planrail.store.postgres.connections import borrow

    with borrow(team.url, patience=_SECONDS):
        return True


def _read_rows(root: str) -> tuple[list[ScheduleRow], int]:
    with open_tables(root) as tables:
        waiting = sum(submission.state == "queued" for submission in list_submissions(tables))
        return list_schedules(tables), waiting
