"""Setting one status in a plan file, and not one other byte. It makes a claim; it proves nothing."""

from planrail.base.errors import PlanrailError, UsageError
from planrail.base.records import record
from planrail.base.wording import quote
from planrail.plans.files.plan_writing import write_text
from planrail.plans.model import Phase, Plan
from planrail.plans.states import PlanStatus, State
from planrail.plans.text.source import PlanSource, load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from planrail.plans.editing.edits import Edit

OF_PLANS = {
    State.DONE: PlanStatus.COMPLETE,
    State.IN_PROGRESS: PlanStatus.IN_PROGRESS,
    State.TODO: PlanStatus.NOT_STARTED,
}


@record
class StatusChange:
    """What was changed, or would be. `edit` is None where the file says so already."""

    source: PlanSource
    name: str  # the phase
    edit: "Edit | None"


def set_phase(path: str, phase: str, status: str, *, dry_run: bool = False) -> StatusChange:
    """Set the status of a phase. Raises `PlanrailError` where the file cannot say it, or another file does."""
    from planrail.plans.editing.edits import change_status
    from planrail.plans.reading import read
    from planrail.projects.memory_of_spellings import recall, remember

    source = load(path)
    plan = read(source)
    _refuse_companion(path, phase, status)
    found, state = find_phase(plan, phase), _read_state(status)
    if found.status is state:
        return StatusChange(source, found.id, None)
    edit = change_status(source, plan, found, state, recall(source.path, found.id, state))
    if not dry_run:
        write_text(source.path, edit.apply(source.text))
        remember(source.path, found.id, edit.was, edit.old)
    return StatusChange(source, found.id, edit)


def set_plan(path: str, status: str, *, dry_run: bool = False) -> StatusChange:
    """Set the status of the plan as a whole: complete, in_progress, not_started."""
    from planrail.plans.editing.edits import change_plan_status
    from planrail.plans.editing.spellings import read_spelling
    from planrail.plans.reading import read
    from planrail.projects.open_plan import open_plan

    source = load(path)
    plan, state = read(source), read_spelling(status)
    wanted = OF_PLANS.get(state) if state is not None else None
    if wanted is None:
        raise UsageError(
            f"{status!r} is no status of a plan; there are: {', '.join(OF_PLANS.values())}",
            remedy=f"planrail set {quote(plan.path)} --plan complete",
        )
    open_ids = ", ".join(phase.id for phase in open_plan(source.path).phases if not phase.status.is_terminal)
    if wanted is PlanStatus.COMPLETE and open_ids:
        raise PlanrailError(
            f"{plan.path} has open phases: {open_ids}; nothing was written", remedy=f"planrail next {quote(plan.path)}"
        )
    edit = change_plan_status(source, plan, wanted)
    if not dry_run:
        write_text(source.path, edit.apply(source.text))
    return StatusChange(source, "plan", edit)


def find_phase(plan: Plan, name: str, kind: type[PlanrailError] = UsageError) -> Phase:
    """The phase of this id, else an error of this kind."""
    phase = plan.phase(name)
    if phase is None:
        ids = ", ".join(known.id for known in plan.phases[:20]) or "none"
        raise kind(f"{plan.path} has no phase {name!r}; it has: {ids}", remedy=f"planrail show {quote(plan.path)}")
    return phase


def _refuse_companion(path: str, name: str, status: str) -> None:
    """Where the plan's own progress document keeps a status, a second one in the plan would contradict it."""
    from planrail.git.git import DiskSurroundings
    from planrail.plans.formats.dialects import find_dialect
    from planrail.plans.formats.spec_kitty import lane_of
    from planrail.projects.open_plan import open_plan

    phase = open_plan(path).phase(name)
    if phase is not None and phase.claim is not None and phase.claim.path:
        place = quote(DiskSurroundings(path).locate(phase.claim.path))
        command = f"planrail set {place} {quote(phase.id)} {status}"
        if find_dialect(path).name == "spec-kitty":
            command = f"spec-kitty agent tasks move-task {quote(phase.id)} --to {lane_of(_read_state(status))}"
        raise PlanrailError(
            f"the status of phase {phase.id} is kept in {phase.claim.path}; nothing was written", remedy=command
        )


def _read_state(name: str) -> State:
    from planrail.plans.editing.spellings import read_spelling

    state = read_spelling(name)
    if state is None:
        raise UsageError(f"{name!r} is no status; there are: {', '.join(State)}", remedy="planrail set PLAN PHASE done")
    return state
