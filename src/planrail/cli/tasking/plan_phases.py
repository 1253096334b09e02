"""The phases of a task's plan, as the document and the ledger say together: what decides whether a task is done."""

import os

from planrail.tasks.model import PLAN, latest
from planrail.tasks.statuses import Phase, open_phases

TYPE_CHECKING = False
if TYPE_CHECKING:
    from planrail.plans.model import Phase as PlanPhase
    from planrail.plans.model import Plan
    from planrail.tasks.model import Task

_SKIPPED, _ADOPTED = "skipped", "adopted"


def plan_path(root: str, task: "Task") -> str:
    """Where the newest plan of a task lies; "" where it has none, or the file is gone."""
    artifact = latest(task, PLAN)
    place = os.path.join(root, artifact.path) if artifact is not None else ""
    return place if place and os.path.isfile(place) else ""


def read_phases(root: str, task: "Task") -> list[Phase] | None:
    """The phases of a task's newest plan with what proves them; None where there is no plan that can be read."""
    place = plan_path(root, task)
    if not place:
        return None
    from planrail.errors import UnreadablePlan

    try:
        return [_phase(phase) for phase in _open(root, place).phases]
    except UnreadablePlan:
        return None


def resume_phase(phases: list[Phase] | None) -> str:
    """The phase that a task goes on with: the first that is not done; "" where none is left."""
    return next((phase.id for phase in open_phases(phases or [])), "")


def _open(root: str, place: str) -> "Plan":
    """The plan with what the ledger knows; that of a team is asked also where this repository has none of its own."""
    from planrail.cli.open_plan import open_known_plan, open_plan
    from planrail.ledger.team import find_team

    if find_team(root) is None:
        return open_known_plan(place)
    from planrail.cli.plan_proofs import add_proofs
    from planrail.cli.proof_reading import hash_phases, read_known
    from planrail.plans.source import load

    plan, text = open_plan(place), load(place).text
    known = read_known(place, plan, text)
    return add_proofs(plan, known, hash_phases({name: word.text for name, word in known.words.items()}, plan, text))


def _phase(phase: "PlanPhase") -> Phase:
    """A phase that is skipped needs no proof, here as in a run: leaving it out is a person's decision."""
    proof = _ADOPTED if phase.status == _SKIPPED else phase.proof
    return Phase(phase.id, phase.title, str(phase.status), str(proof or ""))
