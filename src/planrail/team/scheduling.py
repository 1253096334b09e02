"""`run PLAN every SCHEDULE`: a plan goes on by itself, a phase each time. And `run now`: the next one, early."""

import datetime
import time

from planrail.base.errors import PlanrailError, UsageError
from planrail.base.records import replace
from planrail.base.wording import Answer, quote
from planrail.runs.request.ordering import Ground
from planrail.runs.request.orders import make_options, prefer_settings
from planrail.runs.request.requests import RunRequest
from planrail.store.ledger import open_tables
from planrail.store.tables import Tables
from planrail.team import schedule_rows
from planrail.team.queue_rows import find_open
from planrail.team.queueing import ACTIVE, SHARED, ScheduleRow, Wish
from planrail.team.schedules.expressions import parse_schedule
from planrail.team.schedules.times import describe_when, next_time
from planrail.team.schedules.zones import local_zone_name
from planrail.team.submitting import describe, note_workers, refuse_other_remote, tell_lack, wake_up


def schedule_run(ground: Ground, request: RunRequest, every: str) -> tuple[ScheduleRow, Answer]:
    """Write the schedule of a plan, and say so; the one that it had is replaced."""
    row = _row(ground, request, every)
    with open_tables(ground.root) as tables:
        refuse_other_remote(tables, replace(describe(ground, row.wish, ""), remote=row.remote))
        made = schedule_rows.put_schedule(tables, row)
        wake_up(tables)
        lacking = note_workers(tables, ground.root)
    told: dict[str, object] = {"plan": made.path, "schedule": made.expression}
    told |= {name: getattr(made, name) for name in ("cron", "zone", "next")}
    first = f"{'that is' if made.kind == 'once' else 'first'} {describe_when(made.next, time.time(), made.zone)}"
    return made, tell_lack(told, f"{made.path} goes on {name_schedule(made)}; {first}", lacking, "planrail upcoming")


def _row(ground: Ground, request: RunRequest, every: str) -> ScheduleRow:
    if request.phase:
        text = f"a schedule does the next phase each time, and not phase {request.phase}"
        raise UsageError(text, remedy=f"planrail run {quote(ground.paper.path)} every {quote(every)}")
    now, zone = time.time(), ground.settings.schedule.timezone or local_zone_name()
    parsed = parse_schedule(every, datetime.datetime.fromtimestamp(now, datetime.UTC), zone)
    first = next_time(parsed, now)
    if first is None:
        raise PlanrailError(f"{every} has passed", remedy=f"planrail schedule explain {quote(every)}")
    request = replace(prefer_settings(request, ground), auto=True)
    asked = Wish(replace(request, plan=ground.paper.path))
    made = describe(ground, asked, make_options(request, ground.settings).agent)
    wish = Wish(asked.request, {"account": made.account, "priority": str(made.priority)})
    return ScheduleRow(
        id="",
        **{name: getattr(made, name) for name in SHARED},
        **{name: getattr(parsed, name) for name in ("expression", "cron", "zone", "kind")},
        wish=wish,
        next=first,
        created_by=made.submitted_by,
    )


def name_schedule(row: ScheduleRow) -> str:
    """A schedule in words: how often, or that it is once."""
    if row.kind == "once":
        return f"once, {row.expression}"
    return f"every {row.expression}" + (f" ({row.cron})" if row.cron != row.expression else "")


def describe_schedule(row: ScheduleRow, now: float) -> str:
    """How a plan goes on by itself, and when next; or why it does not."""
    when = f"next {describe_when(row.next, now, row.zone)}" if row.state == ACTIVE else f"held: {row.why}"
    return f"goes on {name_schedule(row)}; {when}"


def note_next_time(tables: Tables, repository: str, plan: str) -> str:
    """When the schedule of a plan fires next; "" where it has none."""
    row = find_open(tables, ScheduleRow, repository, plan)
    return f"it {describe_schedule(row, tables.now())}" if row is not None else ""


def find_next_schedule(root: str) -> ScheduleRow:
    """The schedule of this project that fires next; an error where there is none."""
    with open_tables(root) as tables:
        rows = [row for row in schedule_rows.list_schedules(tables) if row.state == "active"]
    if not rows:
        raise PlanrailError("nothing is scheduled here", remedy="planrail run PLAN every 4h")
    return rows[0]
