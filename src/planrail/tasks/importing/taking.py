"""What an import does to a ledger that may have tasks already: it adds, and tells what differs. Pure.

The ledger's word holds, unless the files' was asked for; and then a state is taken only where the ledger's own rules
lead to it. Doing it again changes nothing.
"""

from collections.abc import Collection, Iterable, Sequence
from shlex import quote

from planrail.base.records import record, replace
from planrail.tasks.importing.divergences import Divergence, Remarks
from planrail.tasks.importing.model import KEPT, Imported
from planrail.tasks.importing.state_taking import REFUSED, Step, Untaken, decide_state, list_steps
from planrail.tasks.model import Task
from planrail.tasks.views.entries import to_entry

_SHELF = "is archived"
_STATE = (_SHELF, "status", "status_before", "reason")  # what goes with the state of a task


@record
class Known:
    """What the ledger has: its tasks, those of its archive, and the number that comes next."""

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
        """The numbers of known tasks to which something happens."""
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
    renamed = {(own.name, _said_number(own)): own for own in known.tasks}
    shelf = _by_name(known.archived)
    pairs: list[tuple[Task, Task | None]] = []
    for task in imported.tasks:
        own = opened.get(task.number)
        match = own if own is not None and _is_same(own, task) else renamed.get((task.name, task.number))
        if match is None and shelf.get((task.number, task.name)):
            match = shelf[task.number, task.name].pop(0)
        if match is None and own is not None:
            told = f"the ledger's task {task.number} is `{own.name}`; `{task.name}` is task {following} now"
            remarks.add("number_taken", task.number, told, f"planrail task show {following}")
            task, following = _renumber(task, following), following + 1
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


def _by_name(tasks: Iterable[Task]) -> dict[tuple[int, str], list[Task]]:
    found: dict[tuple[int, str], list[Task]] = {}
    for task in tasks:
        found.setdefault((task.number, task.name), []).append(task)
    return found


def _is_same(own: Task, task: Task) -> bool:
    return own.name == task.name or bool(own.created and own.created == task.created)


def _said_number(own: Task) -> int:
    kept = own.extra.get(KEPT)
    said = kept.get("number") if isinstance(kept, dict) else None
    return said if isinstance(said, int) else 0


def _renumber(task: Task, number: int) -> Task:
    kept = task.extra.get(KEPT)
    before = kept if isinstance(kept, dict) else {}
    return replace(task, number=number, extra={**task.extra, KEPT: {**before, "number": task.number}})


def _differences(own: Task, task: Task) -> list[str]:
    """The fields that differ. A number that the ledger gave is no difference, nor what only the ledger can know."""
    here, there = to_entry(own), to_entry(replace(task, number=own.number, before=own.before))
    if own.number != task.number:
        here.pop(KEPT, None)
        there.pop(KEPT, None)
    fields = [key for key in (*here, *(key for key in there if key not in here)) if here.get(key) != there.get(key)]
    return [*([_SHELF] if own.is_archived != task.is_archived else []), *fields]


def _decide_state(own: Task, task: Task, opened: Collection[int]) -> str | Untaken:
    """How the state follows. A task whose number another one has by now stays in the archive."""
    if own.is_archived and not task.is_archived and own.number in opened:
        told = f"task {own.number} `{own.name}` stays in the archive: another task has its number"
        return Untaken(REFUSED, told, f"planrail task recover {own.number} --name {quote(own.name)}")
    return decide_state(own, task)


def _tell(own: Task, task: Task, fields: list[str], state: str | Untaken, remarks: Remarks, *, theirs: bool) -> None:
    if isinstance(state, Untaken):
        remarks.add(state.kind, own.number, state.text, state.remedy)
        fields = [field for field in fields if field not in _STATE]
    if fields:
        status = f" ({own.status} here, {task.status} there)" if "status" in fields else ""
        whose = "the files' word was taken" if theirs else "the ledger's word holds"
        told = f"task {own.number} differs: {', '.join(fields[:8])}{status}; {whose}"
        remarks.add("differs", own.number, told, "" if theirs else "planrail task import --theirs")
