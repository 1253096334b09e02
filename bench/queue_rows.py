"""Queues with many rows, to be measured."""

from typing import TYPE_CHECKING

from planrail.base.records import replace
from planrail.runs.request.requests import RunRequest
from planrail.team.queue_rows import add_row
from planrail.team.queueing import ScheduleRow, Submission, SubmissionRequest

if TYPE_CHECKING:
    from planrail.store.tables import Tables


def fill(tables: "Tables", kind: str, count: int) -> None:
    """So many plans that wait, each of a repository of its own."""
    with tables.exclusive():
        for number in range(count):
            add_row(tables, make_submission(f"{kind}-{number}"))


def make_submission(name: str) -> Submission:
    """A plan that waits to be carried out in a clone."""
    wish = SubmissionRequest(RunRequest("plans/PLAN.md", finish=True, auto=True))
    made = Submission(name, f"forge.example/team/{name}", f"plan-{name}", "plans/PLAN.md", wish, account="claude")
    return replace(
        made, submitted=1.0e9, submitted_by="ann@laptop", remote=f"https://forge.example/team/{name}.git", target="main"
    )


def fill_schedules(tables: "Tables", count: int) -> None:
    """So many schedules that are due tomorrow."""
    wish = SubmissionRequest(RunRequest("plans/PLAN.md", auto=True))
    later = tables.now() + 86_400
    with tables.exclusive():
        for number in range(count):
            name = f"scheduled-{number}"
            row = ScheduleRow(
                name,
                f"forge.example/team/{name}",
                name,
                "plans/PLAN.md",
                "day at 9am",
                "3 9 * * *",
                "Europe/Berlin",
                "clock",
                wish,
                later,
            )
            add_row(tables, row)
