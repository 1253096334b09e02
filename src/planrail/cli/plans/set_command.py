"""Change the status of one phase in a plan, and not one other byte. It makes a claim; it proves nothing."""

from planrail.base.errors import UsageError
from planrail.base.wording import Answer, quote
from planrail.plans.states import State

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from planrail.plans.editing.edits import Edit
    from planrail.plans.text.source import PlanSource
    from planrail.projects.setting import StatusChange


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
    from planrail.projects.setting import set_phase, set_plan

    path, dry_run = arguments.plan, arguments.dry_run
    if arguments.plan_status:
        return _report(arguments, set_plan(path, arguments.plan_status, dry_run=dry_run))
    if arguments.phase is None or arguments.status is None:
        raise UsageError("a phase and a status are needed", remedy=f"planrail set {quote(path)} PHASE done")
    return _report(arguments, set_phase(path, arguments.phase, arguments.status, dry_run=dry_run))


def _report(arguments: "Namespace", change: "StatusChange") -> Answer:
    source, name, edit = change.source, change.name, change.edit
    lines, told = [f"phase {name} of {source.path} is so already; nothing was written"], None
    if edit is not None:
        line, verb = source.line_at(edit.start), "would change" if arguments.dry_run else "changed"
        told = {"line": line, "old": edit.old, "new": edit.new}
        said = f"{source.path}:{line}: {verb} {edit.old or 'nothing'!r} to {edit.new or 'nothing'!r}"
        lines = [said, *([] if arguments.json else _note_count(source, name, edit))]
    document = {"plan": source.path, "phase": name, "changed": edit is not None, "change": told}
    return Answer(document, lines, command=f"planrail next {quote(source.path)}")


def _note_count(source: "PlanSource", name: str, edit: "Edit") -> list[str]:
    """Say so where the boxes below count for more than the mark that was opened."""
    from planrail.plans.reading import read
    from planrail.plans.text.source import PlanSource

    phase = read(PlanSource(source.path, edit.apply(source.text))).phase(name)
    if phase is None or phase.status is edit.now:
        return []
    return [f"it counts as {phase.status}: {phase.reason}"]
