"""What came of a request for a run, as a command answers it: for programs, for people, and what to type next."""

import time

from planrail.base.wording import Answer, plural, quote
from planrail.team.conducting import Ended
from planrail.team.queueing import INTERRUPTED
from planrail.team.schedules.times import describe_when
from planrail.team.scheduling import Scheduled, name_schedule
from planrail.team.starting import Woken
from planrail.team.submitting import Followed, Submitted

Came = Ended | Submitted | Followed | Scheduled | Woken
_CODES = {"pr_ready": 0, "complete": 0, "phase_done": 0, "paused": 0, "parked": 0, "stopped": 130, INTERRUPTED: 130}


def answer(came: Came) -> Answer:
    match came:
        case Ended():
            return _answer_end(came)
        case Submitted(made, before, lacking):
            told = {"submission": made.id, "plan": made.path, "state": made.state, "before": before}
            line = f"submitted {made.path}" + (f"; {plural(before, 'plan')} before it" if before else "")
            return _with_lack(told, line, lacking, f"planrail status {quote(made.path)}")
        case Followed():
            return _answer_followed(came)
        case Scheduled(row, lacking):
            told = {"plan": row.path, "schedule": row.expression, "cron": row.cron, "zone": row.zone, "next": row.next}
            first = f"{'that is' if row.kind == 'once' else 'first'} {describe_when(row.next, time.time(), row.zone)}"
            return _with_lack(told, f"{row.path} goes on {name_schedule(row)}; {first}", lacking, "planrail upcoming")
        case Woken(order, state):
            told = {"plan": order.path, "run": order.run, "state": state}
            return Answer(told, [f"{order.path} is in the queue again"], command=f"planrail status {quote(order.path)}")


def _answer_end(came: Ended) -> Answer:
    order, ending = came.order, came.ending
    code = _CODES.get(ending.state, 1)
    if ending.state == INTERRUPTED:
        return Answer(warnings=[(ending.text, ending.command)], code=code)
    told = {"state": ending.state, "text": ending.text, "phase": ending.phase or None, "command": ending.command}
    document = {"run": order.run, "plan": order.path, **told, "until": ending.until or None}
    return Answer(document, [f"{ending.state.replace('_', ' ')}: {ending.text}"], command=ending.command, code=code)


def _answer_followed(came: Followed) -> Answer:
    made, path = came.row, quote(came.row.path)
    code = {**_CODES, "waiting": 0}.get(came.state, 1)
    if came.state == INTERRUPTED:
        return Answer(warnings=[(came.text, f"planrail status {path}")], code=code)
    command = f"planrail {'resume' if came.state in ('paused', 'waiting', 'parked') else 'report'} {path}"
    told = {"submission": made.id, "plan": made.path, "state": came.state, "text": came.text, "command": command}
    return Answer(told, [f"{came.state.replace('_', ' ')}: {came.text}"], command=command, code=code)


def _with_lack(told: dict[str, object], line: str, lacking: str, command: str) -> Answer:
    """Something that a worker does, and what is missing for it."""
    document = {**told, "note": lacking or None, "command": command}
    return Answer(document, [line], [(lacking, "")] if lacking else [], command)
