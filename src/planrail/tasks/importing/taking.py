"""What an import does to a ledger that may have tasks already: it adds, and tells what differs. Pure.

The ledger's word holds, unless the files' was asked for; and then a state is taken only where the ledger's own rules
lead to it. Doing it again changes nothing.
"""

from collections.abc import Collection, Sequence
from itertools import count
from shlex import quote

from planrail.base.records import record, replace
from planrail.tasks.importing.documents import said_number
from planrail.tasks.importing.model import KEPT, Divergence, Imported, Remarks
from planrail.tasks.model import Task
from planrail.tasks.statuses import COMPLETED, EVENTS, REOPEN, TERMINAL, Refuse, StatusMove, decide_event, marker, move
from planrail.tasks.views.entries import to_entry

CLAIMED, REFUSED = "claimed", "state_refused"
_EVENT_TO = {status: event for event, status in EVENTS.items()}
_SHELF = "is archived"
_STATE = (_SHELF, "status", "status_before", "reason")  # what goes with the state of a task


@record
class ImportStep:
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
    steps: tuple[ImportStep, ...]
    next_number: int
    divergences: tuple[Divergence, ...]

    @property
    def changed(self) -> list[int]:
        return sorted({step.task.number for step in self.steps})


def decide_taking(imported: Imported, known: Known, *, theirs: bool = False) -> Taking:
    """Which tasks of an import are new, which differ from the ledger's; `theirs`: the files' word is taken."""
    remarks, added, steps = Remarks(), list["Task"](), list[ImportStep]()
    free = count(max(imported.next_number, known.next_number))
    opened = {own.number: own for own in known.tasks}
    tasks, every = (*imported.tasks, *imported.archived), (*known.tasks, *known.archived)
    pairs = _pair(tasks, every)
    for at, task in enumerate(tasks):
        own = pairs.get(at)
        if own is not None:
            fields = _differences(own, task)
            if fields:
                state = _decide_state(own, task, opened)
                steps += list_steps(own, task, state) if theirs else []
                _tell(own, task, fields, state, remarks, theirs=theirs)
        elif task.is_archived or task.number not in opened:
            added.append(task)
        else:
            number, said = next(free), task.extra.get(KEPT)
            told = (
                f"the ledger's task {task.number} is `{opened[task.number].name}`; `{task.name}` is task {number} now"
            )
            remarks.add("number_clash", task.number, told, f"planrail task show {number}")
            kept = {**(said if isinstance(said, dict) else {}), "number": task.number}
            added.append(replace(task, number=number, extra={**task.extra, KEPT: kept}))
    met = {own.id for own in pairs.values()}
    for own in every:
        if own.id not in met:
            where = "the archive of the ledger" if own.is_archived else "the ledger"
            remarks.add("only_in_one", own.number, f"only {where} has task {own.number} `{own.name}`; it stays")
    return Taking(tuple(added), tuple(steps), next(free), tuple(remarks.found))


def _pair(tasks: Sequence[Task], known: Sequence[Task]) -> dict[int, Task]:
    """The ledger's task for each of the files', by its place: of its number and name, or renamed since it was created.

    Archived tasks may have the same number and name: those that are equal belong together, then the order counts.
    """
    candidates: dict[object, list[Task]] = {}
    for own in known:
        for key in {(own.number, own.name), (said_number(own.extra.get(KEPT), own.number), own.name)}:
            candidates.setdefault(key, []).append(own)
        if own.created and not own.is_archived:
            candidates.setdefault((own.number, "", own.created), []).append(own)
    pairs: dict[int, Task] = {}
    met: set[str] = set()
    for is_equal in (True, False):
        for at, task in enumerate(tasks):
            keys = [(task.number, task.name), *([(task.number, "", task.created)] if not task.is_archived else [])]
            left = [own for key in keys for own in candidates.get(key, ()) if own.id not in met]
            fitting = [own for own in left if at not in pairs and not (is_equal and _differences(own, task))]
            if fitting:
                pairs[at] = min(fitting, key=lambda own: own.is_archived != task.is_archived)
                met.add(pairs[at].id)
    return pairs


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
    here, there = to_entry(own), to_entry(task)
    remedy = "" if theirs else "planrail task import --theirs"
    for field in fields:
        mine, said = here.get(field, ""), there.get(field, "")
        if field == _SHELF:
            mine, said = str(own.is_archived).lower(), str(task.is_archived).lower()
        remarks.differ(own.number, field, {"the ledger": mine, "the file": said}, said if theirs else mine, remedy)


def _decide_state(own: Task, task: Task, opened: Collection[int]) -> str | Divergence:
    """The event that brings the ledger's task to where the files have it; "" where it stands there.

    A task whose number another one has by now stays in the archive.
    """

    def refuse(kind: str, told: str, command: str) -> Divergence:
        return Divergence(kind, own.number, f"task {own.number} {told}", f"planrail task {command}")

    if own.is_archived and not task.is_archived and own.number in opened:
        told = f"`{own.name}` stays in the archive: another task has its number"
        return refuse(REFUSED, told, f"recover {own.number} --name {quote(own.name)}")
    here, show, event = f"is {marker(own.status)}, and", f"show {own.number}", ""
    if own.status != task.status and task.status == COMPLETED:
        way = "recover" if own.is_archived else "complete"
        told = f"{here} the files call it completed: a claim, which nothing proves"
        return refuse(CLAIMED, told, f"{way} {own.number}")
    if own.status != task.status:
        event = _EVENT_TO.get(task.status, REOPEN)
        decision = decide_event(own, event)
        if isinstance(decision, Refuse):
            told = f"{decision.text}; the files say {marker(task.status)}"
            return Divergence(REFUSED, own.number, told, decision.remedy)
        if not isinstance(decision, StatusMove) or decision.status != task.status:
            return refuse(REFUSED, f"{here} nothing leads from there to {marker(task.status)}, as the files say", show)
    if task.is_archived and not own.is_archived and task.status not in TERMINAL:
        return refuse(REFUSED, f"{here} the files have it in the archive: only what is closed is put away", show)
    return event


def list_steps(own: Task, task: Task, state: str | Divergence) -> list[ImportStep]:
    """What happens to a known task when the word of the files is taken: its fields, then its state, then its shelf.

    Where the state is not taken the task stays where it is, open or archived.
    """
    why = task.why if own.status == task.status else own.why
    kept = {name: getattr(own, name) for name in ("id", "number", "status", "before", "is_archived")}
    fields = replace(task, **kept, why=why)
    steps = [ImportStep("imported", fields)] if fields != own else []
    if isinstance(state, Divergence):
        return steps
    if state:
        moved = move(fields, StatusMove(task.status), at=task.last_updated, session=task.session_id, why=task.why)
        steps.append(ImportStep(state, moved))
    if own.is_archived != task.is_archived:
        last = steps[-1].task if steps else fields
        steps.append(
            ImportStep("archived" if task.is_archived else "recovered", replace(last, is_archived=task.is_archived))
        )
    return steps
