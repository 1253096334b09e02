"""Handing a run to a worker: what was asked for becomes a row, and the caller can leave.

It is one of the queue, or a schedule: `run PLAN every SCHEDULE` does a phase each time, `run now` the next one early.
"""

import datetime
import os
import time
from collections.abc import Callable

from planrail.base.errors import PlanrailError, UsageError
from planrail.base.records import replace
from planrail.base.run_model import Order
from planrail.base.wording import Answer, plural, quote, quote_file
from planrail.git.git_writing import ask_git
from planrail.git.remotes.pushing import fetch_ref, holds, remote_of
from planrail.runs.request.ordering import RunContext
from planrail.runs.request.orders import make_options, order_run, prefer_settings
from planrail.runs.request.preflight import refuse_run
from planrail.runs.request.requests import RunRequest
from planrail.store.addresses import name_remote
from planrail.store.ledger import open_store
from planrail.store.owners import host_identity
from planrail.store.signs import is_worker_gone
from planrail.team import queueing
from planrail.team.dispatch import Dispatch
from planrail.team.engines import open_dispatch
from planrail.team.queue_rows import find_open
from planrail.team.queueing import SHARED, ScheduleRow, Submission, SubmissionRequest, is_there
from planrail.team.schedules.expressions import parse_schedule
from planrail.team.schedules.times import describe_when, next_time
from planrail.team.schedules.zones import local_zone_name
from planrail.team.waking import ask_workers

_LOOK = 0.5  # seconds between two looks at what was submitted
CODES = {
    **dict.fromkeys(("pr_ready", "complete", "phase_done", "paused", "parked"), 0),
    **dict.fromkeys((queueing.STOPPED, queueing.INTERRUPTED), 130),
}


def submit_run(context: RunContext, request: RunRequest) -> tuple[Submission, Answer]:
    """Put a run into the queue: its row, and what to say of it."""
    order = order_run(request, context)
    wish = SubmissionRequest(replace(prefer_settings(request, context), plan=context.plan_file.path))
    wanted = describe(context, wish, order.options.agent)
    order = replace(order, remote=wanted.remote)
    refusal = refuse_run(order, context)
    if refusal is not None:
        raise PlanrailError(refusal.text, remedy=refusal.command)
    with open_dispatch(context.root) as dispatch:
        refuse_other_remote(dispatch, wanted)
        made = dispatch.submit(wanted)
        waiting = [row.id for row in dispatch.list_submissions() if row.state == queueing.QUEUED]
        before = waiting.index(made.id) if made.id in waiting else 0
        lacking = note_workers(dispatch, made.root)
    told = {"submission": made.id, "plan": made.path, "state": made.state, "before": before}
    line = f"submitted {made.path}" + (f"; {plural(before, 'plan')} before it" if before else "")
    return made, tell_lack(told, line, lacking, f"planrail status {quote_file(context.root, made.path)}")


def tell_lack(told: dict[str, object], line: str, lacking: str, command: str) -> Answer:
    """Something that a worker does, and what is missing for it."""
    document = {**told, "note": lacking or None, "command": command}
    return Answer(document, [line], [(lacking, "")] if lacking else [], command)


def describe(context: RunContext, wish: SubmissionRequest, agent: str, *, is_here: bool = False) -> Submission:
    """A submission of this plan: where it lies, what it lands on, whose account it needs.

    One that is run here is not looked for on a remote.
    """
    settings, repository = context.settings.run, open_store(context.root).repository
    account = settings.account or ("" if agent == "runbook" else agent)
    person = os.environ.get("USER") or os.environ.get("LOGNAME") or str(os.getuid())
    by = f"{person}@{host_identity().partition('#')[0]}"
    made = Submission("", repository, context.plan_file.id, context.plan_file.path, wish)
    made = replace(made, account=account, priority=settings.priority, target=context.target, submitted_by=by)
    return replace(made, remote="" if is_here else find_remote(context), root=context.root, host=host_identity())


def describe_rest(context: RunContext, order: Order, due: float) -> Submission:
    """A submission by which a run that rests goes on by itself, at a time."""
    wish = SubmissionRequest(RunRequest(order.path, auto=order.options.auto))
    made = describe(context, wish, order.options.agent)
    return replace(made, run=order.run, due=due)


def find_remote(context: RunContext) -> str:
    """Where workers get the repository from; "" where it is served in place, by workers of this machine.

    The remote has to have the plan as it is here: what a worker clones is what it runs.
    """
    upstream = remote_of(context.root, context.target) if open_store(context.root).is_shared else None
    if upstream is None:
        return ""
    if not context.is_tracked:
        path = quote(context.plan_file.path)
        raise PlanrailError(
            f"{context.plan_file.path} is not committed, and workers run what is on {upstream.remote}",
            remedy=f"git add {path}, git commit and git push; then try again (or run it here as it is: --here)",
        )
    there = fetch_ref(context.root, upstream.remote, upstream.branch)
    text = ask_git(context.root, "show", f"{there}:{context.plan_file.path}") if there else None
    # What the remote has more than is here, such as what a worker has landed, is what runs then.
    if text != context.plan_file.source.text and not (there and holds(context.root, there, context.head)):
        place = f"{upstream.remote}/{upstream.branch}"
        text = f"{place} does not have {context.plan_file.path} as it is here, and workers run what is there"
        raise PlanrailError(text, remedy=f"git push {quote(upstream.remote)} {quote(upstream.branch)}, then try again")
    address = (ask_git(context.root, "remote", "get-url", upstream.remote) or "").strip()
    place = os.path.join(context.root, address)  # a path that is relative is so to the repository
    return os.path.realpath(place) if "://" not in address and os.path.exists(place) else address


def refuse_other_remote(dispatch: Dispatch, wanted: Submission) -> None:
    """A name stands for one repository: a fork that has the same one in its settings is another."""
    asking = "SELECT DISTINCT remote FROM submissions WHERE repository = ? AND remote <> ''"
    known = {name_remote(str(remote), "") for (remote,) in dispatch.tables.rows(asking, wanted.repository)}
    if wanted.remote and known and name_remote(wanted.remote, "") not in known:
        raise PlanrailError(
            f"in this database {wanted.repository} is {', '.join(sorted(known))}, and not this repository",
            remedy='another name: [worker] repository = "…" in planrail.toml, committed; or PLANRAIL_REPOSITORY',
        )


def note_workers(dispatch: Dispatch, root: str) -> str:
    """What to say where no worker is there that would do it; "" where one is."""
    known = [worker for worker in dispatch.list_workers() if not is_worker_gone(worker.id)]
    if any(is_there(worker, dispatch.tables.now()) for worker in known):
        return ""
    served, here = (worker.get("serves") for worker in ask_workers()), os.path.realpath(root)
    if not dispatch.tables.is_shared and any(isinstance(known, list) and here in known for known in served):
        return ""
    return "no worker is there to do it: planrail service install, or planrail worker in another terminal"


def follow(context: RunContext, made: Submission, tell: Callable[[str], None]) -> Answer:
    """Look on until it rests or ends. Ctrl-C stops looking, and nothing else."""
    path = quote(made.path)
    try:
        row = _look_on(context, made, tell)
    except KeyboardInterrupt:
        text = f"{made.path} goes on; nobody looks on here"
        return Answer(warnings=[(text, f"planrail status {path}")], code=CODES[queueing.INTERRUPTED])
    state, text = (row.outcome, row.said) if row is not None else (queueing.STOPPED, "it was taken out of the queue")
    command = f"planrail {'resume' if state in ('paused', 'waiting', 'parked') else 'report'} {path}"
    told = {"submission": made.id, "plan": made.path, "state": state, "text": text, "command": command}
    code = 0 if state == "waiting" else CODES.get(state, 1)
    return Answer(told, [f"{state.replace('_', ' ')}: {text}"], command=command, code=code)


def _look_on(context: RunContext, made: Submission, tell: Callable[[str], None]) -> Submission | None:
    said = ""
    while True:
        with open_dispatch(context.root) as dispatch:
            row = dispatch.find_submission(made.plan)
        rests = (queueing.ENDED, queueing.RESTING)
        if row is None or row.id != made.id or row.state in rests or row.outcome == "parked":
            return row
        if row.state != said:
            told = f"runs on {row.taken_on.partition('#')[0]}" if row.state == queueing.TAKEN else f"is {row.state}"
            tell(f"{made.path} {told}")
        said = row.state
        time.sleep(_LOOK)


# ---- at times ----


def schedule_run(context: RunContext, request: RunRequest, every: str) -> tuple[ScheduleRow, Answer]:
    """Write the schedule of a plan, and say so; the one that it had is replaced."""
    row = _row(context, request, every)
    with open_dispatch(context.root) as dispatch:
        refuse_other_remote(dispatch, replace(describe(context, row.wish, ""), remote=row.remote))
        made = dispatch.put_schedule(row)
        lacking = note_workers(dispatch, context.root)
    told: dict[str, object] = {"plan": made.path, "schedule": made.expression}
    told |= {name: getattr(made, name) for name in ("cron", "zone", "next")}
    first = f"{'that is' if made.kind == 'once' else 'first'} {describe_when(made.next, time.time(), made.zone)}"
    return made, tell_lack(
        told, f"{made.path} goes on {name_schedule(made)}; {first}", lacking, "planrail list upcoming"
    )


def _row(context: RunContext, request: RunRequest, every: str) -> ScheduleRow:
    if request.phase:
        text = f"a schedule does the next phase each time, and not phase {request.phase}"
        raise UsageError(text, remedy=f"planrail run {quote(context.plan_file.path)} every {quote(every)}")
    now, zone = time.time(), context.settings.schedule.timezone or local_zone_name()
    parsed = parse_schedule(every, datetime.datetime.fromtimestamp(now, datetime.UTC), zone)
    first = next_time(parsed, now)
    if first is None:
        raise PlanrailError(f"{every} has passed", remedy=f"planrail schedule explain {quote(every)}")
    request = replace(prefer_settings(request, context), auto=True)
    asked = SubmissionRequest(replace(request, plan=context.plan_file.path))
    made = describe(context, asked, make_options(request, context.settings).agent)
    wish = SubmissionRequest(asked.request, {"account": made.account, "priority": str(made.priority)})
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
    when = f"next {describe_when(row.next, now, row.zone)}" if row.state == queueing.ACTIVE else f"held: {row.why}"
    return f"goes on {name_schedule(row)}; {when}"


def note_next_time(dispatch: Dispatch, repository: str, plan: str) -> str:
    """When the schedule of a plan fires next; "" where it has none."""
    row = find_open(dispatch.tables, ScheduleRow, repository, plan)
    return f"it {describe_schedule(row, dispatch.tables.now())}" if row is not None else ""


def find_next_schedule(root: str) -> ScheduleRow:
    """The schedule of this project that fires next; an error where there is none."""
    with open_dispatch(root) as dispatch:
        rows = [row for row in dispatch.list_schedules() if row.state == "active"]
    if not rows:
        raise PlanrailError("nothing is scheduled here", remedy="planrail run PLAN every 4h")
    return rows[0]
