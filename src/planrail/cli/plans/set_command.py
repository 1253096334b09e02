"""Change the status of one phase in a plan, and not one other byte. It makes a claim; it proves nothing."""

from planrail.base.errors import PlanrailError, UsageError
from planrail.base.wording import Answer, quote
from planrail.cli.plan_routes import find_phase
from planrail.plans.files.plan_writing import write_text
from planrail.plans.model import Phase, Plan
from planrail.plans.states import PlanStatus, State

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from planrail.plans.editing.edits import Edit
    from planrail.plans.text.source import Source

_OF_PLANS = {
    State.DONE: PlanStatus.COMPLETE,
    State.IN_PROGRESS: PlanStatus.IN_PROGRESS,
    State.TODO: PlanStatus.NOT_STARTED,
}


def configure(parser: "ArgumentParser") -> None:
    states = ", ".join(State)
    parser.add_argument("plan", metavar="PLAN", help="the plan file")
    parser.add_argument("phase", metavar="PHASE", nargs="?", help="the id of the phase, as `planrail show` prints it")
    parser.add_argument("status", metavar="STATUS", nargs="?", help=states)
    parser.add_argument(
        "--plan",
        dest="plan_status",
        metavar="STATUS",
        help="the status of the whole plan instead: complete, in_progress, not_started",
    )
    parser.add_argument("--dry-run", action="store_true", help="say what would change, and write nothing")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: "Namespace") -> Answer:
    from planrail.plans.reading import read
    from planrail.plans.text.source import load

    source = load(arguments.plan)
    plan = read(source)
    if arguments.plan_status:
        return _set_plan(arguments, source, plan)
    if arguments.phase is None or arguments.status is None:
        raise UsageError("a phase and a status are needed", remedy=f"planrail set {quote(plan.path)} PHASE done")
    _refuse_companion(arguments)
    phase, state = find_phase(plan, arguments.phase), _state(arguments.status)
    edit = None if phase.status is state else _change(arguments, source, plan, phase, state)
    return _report(arguments, source, phase.id, edit)


def _refuse_companion(arguments: "Namespace") -> None:
    """Where the plan's own progress document keeps a status, a second one in the plan would contradict it."""
    from planrail.git.around_a_plan import DiskSurroundings
    from planrail.plans.formats.dialects import find_dialect
    from planrail.plans.formats.spec_kitty import lane_of
    from planrail.projects.open_plan import open_plan

    phase = open_plan(arguments.plan).phase(arguments.phase)
    if phase is not None and phase.claim is not None and phase.claim.path:
        place = quote(DiskSurroundings(arguments.plan).locate(phase.claim.path))
        command = f"planrail set {place} {quote(phase.id)} {arguments.status}"
        if find_dialect(arguments.plan).name == "spec-kitty":
            command = f"spec-kitty agent tasks move-task {quote(phase.id)} --to {lane_of(_state(arguments.status))}"
        raise PlanrailError(
            f"the status of phase {phase.id} is kept in {phase.claim.path}; nothing was written", remedy=command
        )


def _state(name: str) -> State:
    from planrail.plans.editing.spellings import read_spelling

    state = read_spelling(name)
    if state is None:
        raise UsageError(f"{name!r} is no status; there are: {', '.join(State)}", remedy="planrail set PLAN PHASE done")
    return state


def _change(arguments: "Namespace", source: "Source", plan: Plan, phase: Phase, state: State) -> "Edit":
    from planrail.plans.editing.edits import change_status
    from planrail.projects.memory_of_spellings import recall, remember

    edit = change_status(source, plan, phase, state, recall(source.path, phase.id, state))
    if not arguments.dry_run:
        write_text(source.path, edit.apply(source.text))
        remember(source.path, phase.id, edit.was, edit.old)
    return edit


def _set_plan(arguments: "Namespace", source: "Source", plan: Plan) -> Answer:
    from planrail.plans.editing.edits import change_plan_status
    from planrail.plans.editing.spellings import read_spelling
    from planrail.projects.open_plan import open_plan

    state = read_spelling(arguments.plan_status)
    status = _OF_PLANS.get(state) if state is not None else None
    if status is None:
        raise UsageError(
            f"{arguments.plan_status!r} is no status of a plan; there are: {', '.join(_OF_PLANS.values())}",
            remedy=f"planrail set {quote(plan.path)} --plan complete",
        )
    open_ids = ", ".join(phase.id for phase in open_plan(source.path).phases if not phase.status.is_terminal)
    if status is PlanStatus.COMPLETE and open_ids:
        raise PlanrailError(
            f"{plan.path} has open phases: {open_ids}; nothing was written", remedy=f"planrail next {quote(plan.path)}"
        )
    edit = change_plan_status(source, plan, status)
    if not arguments.dry_run:
        write_text(source.path, edit.apply(source.text))
    return _report(arguments, source, "plan", edit)


def _report(arguments: "Namespace", source: "Source", name: str, edit: "Edit | None") -> Answer:
    lines, change = [f"phase {name} of {source.path} is so already; nothing was written"], None
    if edit is not None:
        line, verb = source.line_at(edit.start), "would change" if arguments.dry_run else "changed"
        change = {"line": line, "old": edit.old, "new": edit.new}
        said = f"{source.path}:{line}: {verb} {edit.old or 'nothing'!r} to {edit.new or 'nothing'!r}"
        lines = [said, *([] if arguments.json else _note_count(source, name, edit))]
    document = {"plan": source.path, "phase": name, "changed": edit is not None, "change": change}
    return Answer(document, lines, command=f"planrail next {quote(source.path)}")


def _note_count(source: "Source", name: str, edit: "Edit") -> list[str]:
    """Say so where the boxes below count for more than the mark that was opened."""
    from planrail.plans.reading import read
    from planrail.plans.text.source import Source

    phase = read(Source(source.path, edit.apply(source.text))).phase(name)
    if phase is None or phase.status is edit.now:
        return []
    return [f"it counts as {phase.status}: {phase.reason}"]
