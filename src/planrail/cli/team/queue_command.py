"""What waits, runs and rests, in the order in which it is served, and why something does not start.

With --json: {"now", "running": [ROW], "waiting": [ROW with "place", "reason", "text"], "resting": [ROW], "limits":
[{"kind", "name", "most"}], "accounts": {NAME: until}, "workers": [{"id", "host", "pid", "slots", "busy", "drains"}],
"note", "next"}; a ROW has "id", "plan", "path", "repository", "state", "run", "account", "priority", "due",
"submitted", "submitted_by", "worker", "tries", "said", "outcome", "words".
"""

import argparse
import os
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator

from planrail.approval.book import project_root
from planrail.base.errors import PlanrailError, UsageError
from planrail.base.masking import mask
from planrail.base.wording import Answer, clip, paint, plural, quote_file
from planrail.runs.request.requests import spell
from planrail.store.claim_rules import name_host
from planrail.team.dispatch import Dispatch
from planrail.team.engines import open_dispatch
from planrail.team.queue_looks import QueueLook, WaitingSubmission, list_waiting, look_at_queues
from planrail.team.queueing import AT_WORK, LIMIT_KINDS, QUEUED, REPOSITORY, RESTING, STOPPING, Submission
from planrail.team.schedules.zones import find_project_zone

_ROW = (
    *("id", "plan", "path", "repository", "state", "run", "account", "priority", "due", "submitted", "submitted_by"),
    *("worker", "tries", "outcome"),
)
_WORKER = ("id", "host", "pid", "slots", "busy", "drains")
_LIMIT = ("kind", "name", "most")
_LIMIT_USAGE = "planrail queue limit repository|account NAME N|none"


def configure(parser: ArgumentParser) -> None:
    everywhere = "of the team's whole database, or of all repositories of the service"
    parser.add_argument("--all", action="store_true", help=everywhere)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parts = parser.add_subparsers(dest="part", metavar="PART")
    limit = parts.add_parser("limit", help="at most N of a repository (. is this one) or an agent account run at once")
    limit.add_argument("kind", choices=LIMIT_KINDS, help="what is limited")
    limit.add_argument("name", metavar="NAME", help="its name; . is this repository, '*' all that have no own limit")
    limit.add_argument("most", metavar="N|none", help="how many; 0 lets nothing start, none takes the limit away")
    priority = parts.add_parser("priority", help="serve a plan before those with a smaller number (0 is usual)")
    priority.add_argument("plan", metavar="PLAN")
    priority.add_argument("number", metavar="N", type=int)
    remove = parts.add_parser("remove", help="take a plan out of the queue; its schedule stays")
    remove.add_argument("plan", metavar="PLAN")
    for part in (limit, priority, remove):
        part.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print JSON")


def run(arguments: Namespace) -> Answer:
    root = project_root(os.getcwd())
    if arguments.part is None:
        return _show(root, arguments)
    with open_dispatch(root) as dispatch:
        told = (_limit if arguments.part == "limit" else _change)(dispatch, root, arguments)
    return Answer(told, [str(told["text"])], command="planrail queue")


# ---- changing ----


def _limit(dispatch: Dispatch, root: str, arguments: Namespace) -> dict[str, object]:
    kind = arguments.kind
    try:
        most = None if arguments.most.lower() == "none" else int(arguments.most)
    except ValueError:
        raise UsageError(f"{arguments.most!r} is no number", remedy=_LIMIT_USAGE) from None
    name = _read_name(dispatch, root, kind, arguments.name)
    dispatch.set_limit(kind, name, most)
    said = f"{kind} {name or root}"
    text = f"{said} has no limit any more" if most is None else f"at most {most} of {said} run at once"
    return {"kind": kind, "name": name, "most": most, "text": text}


def _read_name(dispatch: Dispatch, root: str, kind: str, name: str) -> str:
    """The name as rows have it. In a ledger of its own, a repository has none: it is the only one."""
    if kind != REPOSITORY or (dispatch.tables.is_shared and name != "."):
        return str(name)
    if name == "." or name == "*" or os.path.realpath(name) == os.path.realpath(root):
        return dispatch.tables.repository
    raise UsageError(f"this ledger knows no repository {name!r}", remedy="planrail queue limit repository . N")


def _change(dispatch: Dispatch, root: str, arguments: Namespace) -> dict[str, object]:
    """Another priority, or out of the queue."""
    plan, is_kept = _find_plan(dispatch, root, arguments.plan), arguments.part == "priority"
    found = dispatch.set_priority(plan, arguments.number) if is_kept else dispatch.remove(plan)
    if found is None:
        raise _missing(arguments.plan)
    text = f"{found.path} has priority {found.priority}" if is_kept else f"{found.path} is out of the queue"
    return {**_describe(found), "text": text}


def _find_plan(dispatch: Dispatch, root: str, typed: str) -> str:
    """The identity of a plan that is typed as its file or as the queue shows it; the file may be gone."""
    place = os.path.realpath(typed)
    for row in dispatch.list_submissions():
        if typed in (row.plan, row.path) or os.path.realpath(os.path.join(root, row.path)) == place:
            return row.plan
    raise _missing(typed)


def _missing(typed: str) -> PlanrailError:
    return PlanrailError(f"{typed} is not in the queue", remedy="planrail queue")


# ---- showing ----


def _show(root: str, arguments: Namespace) -> Answer:
    zone = find_project_zone(root)
    looks = look_at_queues(root, all=arguments.all)
    lines: list[str] = []
    waiting: list[WaitingSubmission] = []
    for look in looks:
        lines += [paint(look.root, "bold")] if len(looks) > 1 else []
        waiting += (line := list_waiting(look, zone))
        lines += _tell(look, line)
    rows = [row for look in looks for row in look.submissions]
    told = {
        "now": max((look.now for look in looks), default=None),
        "running": [_describe(row) for row in rows if row.state in AT_WORK],
        "waiting": [
            {**_describe(one.row), "place": place, "reason": one.reason, "text": one.text}
            for place, one in enumerate(waiting, 1)
        ],
        "resting": [_describe(row) for row in rows if row.state == RESTING],
        "limits": [{name: getattr(limit, name) for name in _LIMIT} for look in looks for limit in look.limits],
        "accounts": {name: until for look in looks for name, until in look.holds.items()},
        "workers": [{name: getattr(worker, name) for name in _WORKER} for look in looks for worker in look.workers],
        "note": next((look.note for look in looks if look.note and look.submissions), None),
        "next": following(looks),
    }
    lines += [] if rows else ["the queue is empty"]
    return Answer(told, lines, command=following(looks))


def following(looks: list[QueueLook]) -> str:
    if any(look.note and any(row.state == QUEUED for row in look.submissions) for look in looks):
        return "planrail service install"
    rows = [(row, look.root) for look in looks for row in look.submissions]
    row, root = min(rows, key=lambda found: found[0].state != RESTING, default=(None, ""))
    return f"planrail status {quote_file(root, row.path)}" if row is not None else "planrail list plans"


def _describe(row: Submission) -> dict[str, object]:
    known = {name: getattr(row, name) for name in _ROW}
    return {**known, "said": mask(row.said) or None, "words": list(spell(row.wish.request))}


def _tell(look: QueueLook, waiting: list[WaitingSubmission]) -> Iterator[str]:
    for row in look.submissions:
        if row.state in AT_WORK:
            sign, told = paint("◐", "yellow"), "is being stopped" if row.state == STOPPING else "runs"
            where = f" on {name_host(row.worker)}" if look.is_shared and row.worker else ""
            yield from _tell_row(sign, row, f"{told}{where}{f' (run {row.run})' if row.run else ''}")
    for place, one in enumerate(waiting, 1):
        yield from _tell_row(f"{place:>2}", one.row, one.text)
    for row in look.submissions:
        if row.state == RESTING:
            told = f"rests ({row.outcome}): planrail status {quote_file(look.root, row.path)}"
            yield from _tell_row(paint("–", "dim"), row, told)
    for limit in look.limits:
        whose = "all others" if limit.name == "*" else limit.name or "this one"
        yield paint(f"limit: {limit.most} of {limit.kind} {whose}", "dim")
    for worker in look.workers:
        drains = ", drains" if worker.drains else ""
        told = f"{worker.busy} of {plural(worker.slots, 'slot')} busy{drains}"
        yield paint(f"worker: process {worker.pid} on {name_host(worker.host)}, {told}", "dim")
    if look.note and any(row.state == QUEUED for row in look.submissions):
        yield paint(look.note, "yellow")


def _tell_row(sign: str, row: Submission, told: str) -> Iterator[str]:
    marks = [f"priority {row.priority}" if row.priority else "", row.account]
    beside = paint("  ".join(mark for mark in marks if mark), "dim")
    yield f"{sign:>2}  {row.path}  {beside}".rstrip()
    yield f"      {told}"
    if row.said and row.state not in AT_WORK:
        yield f"      {clip(mask(row.said), 160)}"
