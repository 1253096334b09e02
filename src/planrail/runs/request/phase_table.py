"""The phases of a plan beside what the ledger knows of them: what is proven, what is next, what is in the way. Pure."""

from collections.abc import Iterable, Mapping

from planrail.base.records import record, replace
from planrail.plans.execution.executions import read_needs
from planrail.plans.model import Phase, Plan
from planrail.plans.states import State
from planrail.projects.proof_reading import CHANGED, ELSEWHERE, ON_THE_REMOTE, TOLD, UNDONE
from planrail.store.runs.run_history import PhaseFact

PROVEN, ADOPTED, CLAIMED = "proven", "adopted", "claimed"
IN_REQUEST = "pr-ready"
_HELD_UP = ("failed", "waiting")
# What a run made of a phase, where its own word would tell a person too little.
_TOLD = {
    ELSEWHERE: "landed elsewhere, not on this branch",
    CHANGED: "proven, and its text has changed since",
    UNDONE: "proven, and its work was undone since",
    IN_REQUEST: "in the pull request",
}


@record
class PhaseLook:
    """A phase. `status` is as a plan has it, `run_state` what its last run made of it; `needs` are not done yet."""

    id: str
    title: str
    status: str
    proof: str
    run_state: str
    commit: str
    needs: tuple[str, ...]
    is_current: bool
    is_next: bool = False
    is_remote: bool = False  # landed where nobody has pulled from yet

    @property
    def is_done(self) -> bool:
        return self.status in (State.DONE, State.SKIPPED)

    @property
    def is_in_request(self) -> bool:
        """Whether it waits in a pull request: not landed, and nothing that a run would begin."""
        return self.run_state == IN_REQUEST and not self.is_done

    @property
    def note(self) -> str:
        if self.is_current:
            return "Running ←"
        if self.is_next:
            told = self.run_state if self.run_state in _HELD_UP else _TOLD.get(self.run_state, "")
            return f"Next ← ({told})" if told else "Next ←"
        if self.is_remote:
            return "landed on the remote, not here yet"
        if self.run_state == TOLD:
            return "its commit says that it landed"
        if self.needs and not self.is_done:
            more = f" and {len(self.needs) - 3} more" if len(self.needs) > 3 else ""
            return f"Blocked (needs {', '.join(self.needs[:3])}{more})"
        told = _TOLD.get(self.run_state, self.run_state.replace("_", " "))
        return told if not self.is_done else ""


def look_at_phases(
    plan: Plan, text: str, facts: Mapping[str, PhaseFact], adopted: Iterable[str], current: str
) -> list[PhaseLook]:
    """Each phase of the plan. The ledger's word on what is done counts for more than the document's."""
    known = set(adopted)
    states = {phase.id: _judge(phase, facts.get(phase.id), known) for phase in plan.phases}
    done = {name for name, (status, _) in states.items() if status in (State.DONE, State.SKIPPED)}
    done |= {name for name, fact in facts.items() if fact.state == IN_REQUEST}  # what follows is built upon it
    needs = read_needs(plan, text)
    looks = []
    for phase in plan.phases:
        fact = facts.get(phase.id)
        missing = tuple(name for name in needs.get(phase.id, ()) if name not in done)
        run_state, commit = (fact.state, fact.commit) if fact is not None else ("", "")
        own = (phase.id, phase.title, *states[phase.id], run_state, commit, missing, phase.id == current)
        looks.append(PhaseLook(*own, is_remote=fact is not None and fact.reason == ON_THE_REMOTE))
    if any(look.is_current for look in looks):
        return looks
    free = next((look.id for look in looks if not (look.is_done or look.is_in_request or look.needs)), None)
    return [replace(look, is_next=look.id == free) for look in looks]


def _judge(phase: Phase, fact: PhaseFact | None, adopted: set[str]) -> tuple[str, str]:
    if fact is not None and fact.is_done:
        return State.DONE.value, PROVEN
    if fact is not None and fact.state == TOLD and phase.status is not State.SKIPPED:
        return State.DONE.value, CLAIMED
    if fact is not None and fact.state in (CHANGED, UNDONE) and phase.status is State.DONE:
        return State.TODO.value, CLAIMED
    if phase.id in adopted and phase.status.is_terminal:
        return phase.status.value, ADOPTED
    if fact is not None and fact.state == "in_progress":
        return State.IN_PROGRESS.value, ""
    return phase.status.value, CLAIMED if phase.status is not State.TODO else ""
