"""The phases of a task's plan, as the document and the ledger say together: what decides whether a task is done."""

import os
from collections.abc import Sequence

from planrail.approval.book import open_plan_file, read_book
from planrail.approval.model import Approval
from planrail.base.errors import UnreadablePlan
from planrail.base.wording import quote
from planrail.git.git import DiskSurroundings, show_committed
from planrail.plans.model import Phase as PlanPhase
from planrail.plans.model import Plan
from planrail.plans.reading import read
from planrail.plans.text.source import PlanSource, load
from planrail.projects.open_plan import open_known_plan, open_plan
from planrail.projects.plan_proofs import add_proofs
from planrail.projects.proof_reading import hash_phases, read_known
from planrail.store.ledger import open_ledger, open_store
from planrail.store.runs.run_folders import list_runs
from planrail.tasks.model import PLAN, Task, latest
from planrail.tasks.statuses import Refuse, TaskPhase, open_phases

_SKIPPED, _ADOPTED = "skipped", "adopted"
GONE = "gone"  # the state of a phase that was in the plan when it was approved or run


def plan_path(root: str, task: Task) -> str:
    """Where the newest plan of a task lies; "" where it has none, or the file is gone."""
    artifact = latest(task, PLAN)
    place = os.path.join(root, artifact.path) if artifact is not None else ""
    return place if place and os.path.isfile(place) else ""


def read_phases(root: str, task: Task) -> list[TaskPhase] | None:
    """The phases of a task's newest plan with what proves them; None where there is no plan that can be read.

    A team's ledger is asked also where this repository has none of its own.
    """
    place = plan_path(root, task)
    if not place:
        return None
    try:
        is_shared = open_store(root).is_shared
        plan = _prove(place, open_plan(place), load(place).text) if is_shared else open_known_plan(place)
        return _judge(root, place, plan.phases)
    except UnreadablePlan:
        return None


def read_committed_phases(root: str, task: Task) -> list[TaskPhase] | None:
    """The same of the plan as it is committed; None where it is not, or cannot be read."""
    place = plan_path(root, task)
    text = show_committed(root, os.path.relpath(place, root)) if place else ""
    if not text:
        return None
    try:
        plan = read(PlanSource(place, text), DiskSurroundings(place))
    except UnreadablePlan:
        return None
    return _judge(root, place, _prove(place, plan, text).phases)


def _judge(root: str, place: str, phases: Sequence[PlanPhase]) -> list[TaskPhase]:
    if not phases or not all(phase.status.is_terminal for phase in phases):
        return [TaskPhase(phase.id, phase.title, str(phase.status), str(phase.proof or "")) for phase in phases]
    return _hold_to(phases, _settled_phases(root, place))  # it looks finished: is it the plan that was agreed on?


def resume_phase(phases: list[TaskPhase] | None) -> str:
    """The phase that a task goes on with: the first that is not done; "" where none is left."""
    return next((phase.id for phase in open_phases(phases or [])), "")


def _prove(place: str, plan: Plan, text: str) -> Plan:
    known = read_known(place, plan, text)
    return add_proofs(plan, known, hash_phases({name: word.text for name, word in known.words.items()}, plan, text))


def _hold_to(phases: Sequence[PlanPhase], settled: Sequence[PlanPhase] | None) -> list[TaskPhase]:
    """The phases, and those that are gone since the plan was settled. A mark is a claim: only what was skipped when it
    was settled is left out on purpose."""
    states = {phase.id: str(phase.status) for phase in settled or []}
    found = []
    for phase in phases:
        is_settled = settled is None or states.get(phase.id) == _SKIPPED
        proof = (_ADOPTED if is_settled else "") if str(phase.status) == _SKIPPED else phase.proof
        found.append(TaskPhase(phase.id, phase.title, str(phase.status), str(proof or "")))
    known = {phase.id for phase in phases}
    return [*found, *(TaskPhase(phase.id, phase.title, GONE) for phase in settled or [] if phase.id not in known)]


def _settled_phases(root: str, place: str) -> list[PlanPhase] | None:
    """The phases of the text that was approved, run or committed last; None where the file is all that is known."""
    plan_file = open_plan_file(place, root)
    said = [word for word in read_book(root, plan_file.id).history if isinstance(word, Approval)]
    text = ""
    if said:
        with open_ledger(root) as ledger:
            text = ledger.text(said[-1].text) or ""
    ran = (run.text for run in list_runs(root, plan_file.id))
    text = text or next(ran, "") or show_committed(root, os.path.relpath(place, root)) or ""
    return list(read(PlanSource(place, text)).phases) if text else None


def find_edit(root: str, task: Task) -> Refuse | None:
    """The edit of a plan that is proven as it is committed; None where there is none, or more is open than that."""
    phases, committed = read_phases(root, task), read_committed_phases(root, task)
    if not phases or not open_phases(phases) or not committed or open_phases(committed):
        return None
    path = os.path.relpath(plan_path(root, task))
    text = f"task {task.number} is not completed: {path} was changed since it was run"
    keep, drop = f"git commit -m 'Edit the plan' -- {quote(path)}", f"git checkout HEAD -- {quote(path)}"
    again = f"planrail task implement {task.number}"
    return Refuse(text, f"to have it done as it is now: {keep}; to drop the edit: {drop}; then: {again}")
