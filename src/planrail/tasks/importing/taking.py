"""What an import does to a ledger that may have tasks already: it adds, and tells what differs. Pure.

The ledger's word holds, unless the files' was asked for; and then a state is taken only where the ledger's own rules
lead to it. Doing it again changes nothing.
"""

from collections.abc import Collection, Sequence
from shlex import quote

from planrail.base.records import record, replace
from planrail.tasks.importing.checking import said_number
from planrail.tasks.importing.model import KEPT, Divergence, Imported, Remarks
from planrail.tasks.model import Task
from planrail.tasks.statuses import COMPLETED, EVENTS, REOPEN, TERMINAL, Move, Refuse, decide_event, marker, move
from planrail.tasks.views.entries import to_entry

CLAIMED, REFUSED = "claimed", "state_refused"
_EVENT_TO = {status: event for event, status in EVENTS.items()}
_SHELF = "is archived"
_STATE = (_SHELF, "status", "status_before", "reason")  # what goes with the state of a task


@record
class Step:
    what: str
    task: Task


@record
class Known:
    tasks: tuple[Task, ...] = ()
    archived: tuple[Task, ...] = ()
    next_number: int = 1


@record
class Taking:
    """What is to be kept: new tasks, and what happens to known ones that are to say what the files say."""

    added: tuple[Task, ...]
    steps: tuple[Step, ...]
    next_number: int
    divergences: tuple[Divergence, ...]

    @property
    def changed(self) -> list[int]:
        return sorted({step.task.number for step in self.steps})


def decide_taking(imported: Imported, known: Known, *, theirs: bool = False) -> Taking:
    """Which tasks of an import are new, which differ from the ledger's; `theirs`: the files' word is taken."""
    remarks, added, steps = Remarks(), list["Task"](), list[Step]()
    following = max(imported.next_number, known.next_number)
    pairs, following = _pair(imported, known, following, remarks)
    opened = {own.number for own in known.tasks}
    met = set()
    for task, own in pairs:
        if own is None:
            added.append(task)
            continue
        met.add(own.id)
        fields = _differences(own, task)
        if fields:
            state = _decide_state(own, task, opened)
            steps += list_steps(own, task, state) if theirs else []
            _tell(own, task, fields, state, remarks, theirs=theirs)
    for own in (*known.tasks, *known.archived):
        if own.id not in met:
            where = "the archive of the ledger" if own.is_archived else "the ledger"
            remarks.add("only_in_ledger", own.number, f"only {where} has task {own.number} `{own.name}`; it stays")
    return Taking(tuple(added), tuple(steps), following, tuple(remarks.found))


def _pair(
    imported: Imported, known: Known, following: int, remarks: Remarks
) -> tuple[list[tuple[Task, Task | None]], int]:
    """Each task of the files with the same one in the ledger. One whose number is another's gets a new number."""
    opened = {own.number: own for own in known.tasks}
    renamed = {(own.name, said_number(own)): own for own in known.tasks}
    shelf: dict[tuple[int, str], list[Task]] = {}
    for away in known.archived:
        shelf.setdefault((away.number, away.name), []).append(away)
    pairs: list[tuple[Task, Task | None]] = []
    for task in imported.tasks:
        own = opened.get(task.number)
        is_same = own is not None and (own.name == task.name or (own.created and own.created == task.created))
        match = own if is_same else renamed.get((task.name, task.number))
        if match is None and shelf.get((task.number, task.name)):
            match = shelf[task.number, task.name].pop(0)
        if match is None and own is not None:
            told = f"the ledger's task {task.number} is `{own.name}`; `{task.name}` is task {following} now"
            remarks.add("number_taken", task.number, told, f"planrail task show {following}")
            kept = task.extra.get(KEPT)
            said = {**(kept if isinstance(kept, dict) else {}), "number": task.number}
            task = replace(task, number=following, extra={**task.extra, KEPT: said})
            following += 1
        pairs.append((task, match))
    met = {own.id for _, own in pairs if own is not None}
    left = {(own.number, own.name): own for own in known.tasks if own.id not in met}
    return pairs + _pair_archived(imported.archived, shelf, left), following


def _pair_archived(
    tasks: Sequence[Task], shelf: dict[tuple[int, str], list[Task]], opened: dict[tuple[int, str], Task]
) -> list[tuple[Task, Task | None]]:
    """Archived tasks may have the same number and name: those that are equal belong together, then the order counts."""
    found: dict[int, Task | None] = {}
    for at, task in enumerate(tasks):
        rest = shelf.get((task.number, task.name), [])
        equal = next((own for own in rest if not _differences(own, task)), None)
        if equal is not None:
            rest.remove(equal)
            found[at] = equal
    for at, task in enumerate(tasks):
        if at not in found:
            rest = shelf.get((task.number, task.name), [])
            found[at] = rest.pop(0) if rest else opened.pop((task.number, task.name), None)
    return [(task, found[at]) for at, task in enumerate(tasks)]


def _differences(own: Task, task: Task) -> list[str]:
    """The fields that differ. A number that the ledger gave is no difference, nor what only the ledger can know."""
    here, there = to_entry(own), to_entry(replace(task, number=own.number, before=own.before))
    if own.number != task.number:
        here.pop(KEPT, None)
        there.pop(KEPT, None)
    fields = [key for key in (*here, *(key for key in there if key not in here)) if here.get(key) != there.get(key)]
    return [*([_SHELF] if own.is_archived != task.is_archived else []), *fields]


def _tell(own: Task, task: Task, fields: list[str], state: str | Divergence, remarks: Remarks, *, theirs: bool) -> None:
    if isinstance(state, Divergence):
        remarks.add(state.kind, own.number, state.text, state.remedy)
        fields = [field for field in fields if field not in _STATE]
    if fields:
        status = f" ({own.status} here, {task.status} there)" if "status" in fields else ""
        whose = "the files' word was taken" if theirs else "the ledger's word holds"
        told = f"task {own.number} differs: {', '.join(fields[:8])}{status}; {whose}"
        remarks.add("differs", own.number, told, "" if theirs else "planrail task import --theirs")


def _decide_state(own: Task, task: Task, opened: Collection[int]) -> str | Divergence:
    """The event that brings the ledger's task to where the files have it; "" where it stands there.

    A task whose number another one has by now stays in the archive.
    """
    if own.is_archived and not task.is_archived and own.number in opened:
        told = f"task {own.number} `{own.name}` stays in the archive: another task has its number"
        return Divergence(REFUSED, own.number, told, f"planrail task recover {own.number} --name {quote(own.name)}")
    if own.status == task.status:
        return _decide_shelf(own, task)
    if task.status == COMPLETED:
        told = f"task {own.number} is {marker(own.status)}, and the files call it completed: a claim, "
        told += "which nothing proves"
        return Divergence(
            CLAIMED, own.number, told, f"planrail task {'recover' if own.is_archived else 'complete'} {own.number}"
        )
    event = _EVENT_TO.get(task.status, REOPEN)
    decision = decide_event(own, event)
    if isinstance(decision, Refuse):
        return Divergence(REFUSED, own.number, f"{decision.text}; the files say {marker(task.status)}", decision.remedy)
    if not isinstance(decision, Move) or decision.status != task.status:
        told = f"task {own.number} is {marker(own.status)}, and nothing leads from there to {marker(task.status)}"
        return Divergence(REFUSED, own.number, f"{told}, as the files say", f"planrail task show {own.number}")
    return event if isinstance(shelved := _decide_shelf(own, task), str) else shelved


def list_steps(own: Task, task: Task, state: str | Divergence) -> list[Step]:
    """What happens to a known task when the word of the files is taken: its fields, then its state, then its shelf.

    Where the state is not taken the task stays where it is, open or archived.
    """
    fields = replace(
        task, id=own.id, number=own.number, status=own.status, before=own.before, is_archived=own.is_archived
    )
    if own.status != task.status:
        fields = replace(fields, why=own.why)
    steps = [Step("imported", fields)] if fields != own else []
    if isinstance(state, Divergence):
        return steps
    if state:
        moved = move(fields, Move(task.status), at=task.last_updated, session=task.session_id, why=task.why)
        steps.append(Step(state, moved))
    if own.is_archived != task.is_archived:
        last = steps[-1].task if steps else fields
        steps.append(Step("archived" if task.is_archived else "recovered", replace(last, is_archived=task.is_archived)))
    return steps


def _decide_shelf(own: Task, task: Task) -> str | Divergence:
    """Only what is closed is put away."""
    if task.is_archived and not own.is_archived and task.status not in TERMINAL:
        told = f"task {own.number} is {marker(own.status)}, and the files have it in the archive"
        return Divergence(
            REFUSED, own.number, f"{told}: only what is closed is put away", f"planrail task show {own.number}"
        )
    return ""
