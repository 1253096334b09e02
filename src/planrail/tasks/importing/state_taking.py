"""A known task whose state the files tell otherwise: which event leads there, and what the ledger's rules say to it.

That a task is completed is proven, never taken from a file: there it is a claim. All else goes through the same door as
every command.
"""

from planrail.base.records import record, replace
from planrail.tasks.model import Task
from planrail.tasks.moving import move
from planrail.tasks.statuses import COMPLETED, EVENTS, REOPEN, TERMINAL, Move, Refuse, decide_event, marker

CLAIMED, REFUSED = "claimed", "state_refused"
_EVENT_TO = {status: event for event, status in EVENTS.items()}


@record
class Untaken:
    """The state of the files is not taken: the kind of divergence that this is, why, and what to type instead."""

    kind: str
    text: str
    remedy: str


@record
class Step:
    """One entry in the history of a task: what happened, and the task after it."""

    what: str
    task: Task


def decide_state(own: Task, task: Task) -> str | Untaken:
    """The event that brings the ledger's task to where the files have it; "" where it stands there."""
    if own.status == task.status:
        return _decide_shelf(own, task)
    if task.status == COMPLETED:
        told = (
            f"task {own.number} is {marker(own.status)}, and the files call it completed: a claim, which nothing proves"
        )
        return Untaken(CLAIMED, told, f"planrail task {'recover' if own.is_archived else 'complete'} {own.number}")
    event = _EVENT_TO.get(task.status, REOPEN)
    decision = decide_event(own, event)
    if isinstance(decision, Refuse):
        return Untaken(REFUSED, f"{decision.text}; the files say {marker(task.status)}", decision.remedy)
    if not isinstance(decision, Move) or decision.status != task.status:
        told = f"task {own.number} is {marker(own.status)}, and nothing leads from there to {marker(task.status)}"
        return Untaken(REFUSED, f"{told}, as the files say", f"planrail task show {own.number}")
    return event if isinstance(shelved := _decide_shelf(own, task), str) else shelved


def list_steps(own: Task, task: Task, state: str | Untaken) -> list[Step]:
    """What happens to a known task when the word of the files is taken: its fields, then its state, then its shelf.

    Where the state is not taken the task stays where it is, open or archived.
    """
    fields = replace(
        task, id=own.id, number=own.number, status=own.status, before=own.before, is_archived=own.is_archived
    )
    if own.status != task.status:
        fields = replace(fields, why=own.why)
    steps = [Step("imported", fields)] if fields != own else []
    if isinstance(state, Untaken):
        return steps
    if state:
        moved = move(fields, Move(task.status), at=task.last_updated, session=task.session_id, why=task.why)
        steps.append(Step(state, moved))
    if own.is_archived != task.is_archived:
        last = steps[-1].task if steps else fields
        steps.append(Step("archived" if task.is_archived else "recovered", replace(last, is_archived=task.is_archived)))
    return steps


def _decide_shelf(own: Task, task: Task) -> str | Untaken:
    """Only what is closed is put away."""
    if task.is_archived and not own.is_archived and task.status not in TERMINAL:
        told = (
            f"task {own.number} is {marker(own.status)}, and the files have it in the archive: only what is closed is"
        )
        return Untaken(REFUSED, f"{told} put away", f"planrail task show {own.number}")
    return ""
