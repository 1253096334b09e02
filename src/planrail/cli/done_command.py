"""Mark a phase as done, on evidence: planrail runs its checks on the working tree, and refuses where one fails.

What an earlier `planrail check` said is not taken for it: the tree may be another one by now, and a row in the ledger
is no proof. Only where all checks pass are the phase's mark and the boxes of its work items changed, by planrail and
not one other byte. With --commit exactly the files of the phase are committed.
"""

from planrail.cli.check_command import next_step, print_head
from planrail.cli.in_session.boundary import Boundary, set_ticket, stand_at
from planrail.cli.in_session.cases import Case, open_case, refuse_held, refuse_unapproved, refuse_unchecked
from planrail.cli.in_session.finishing import Finished, finish
from planrail.cli.in_session.proving import Proof, prove
from planrail.cli.in_session.results import describe, print_judgement, print_run
from planrail.cli.refusals import refusal_as_json
from planrail.cli.screen import paint, plural, print_json, print_next, say
from planrail.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

_MOST_NAMED = 8


def configure(parser: "ArgumentParser") -> None:
    """Declare the arguments."""
    parser.add_argument("plan", metavar="PLAN", help="the plan file")
    parser.add_argument("phase", metavar="PHASE", help="the id of the phase, as `planrail show` prints it")
    parser.add_argument("--commit", action="store_true", help="commit the files of the phase, and the plan's mark")
    parser.add_argument("-m", "--message", metavar="TEXT", default="", help="what the commit says first")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: "Namespace") -> int:
    """Prove a phase, then mark it."""
    nothing = {"path": arguments.plan, "phase": arguments.phase, "ok": False, "done": False, "checks": []}
    with refusal_as_json(nothing, as_json=arguments.json):
        case = _open(arguments)
        if not arguments.json:
            print_head(case)
        proof = prove(case) if arguments.json else prove(case, print_run)
        if not proof.ok:
            return _report_failure(arguments, case, proof)
        finished = finish(case, proof, message=arguments.message if arguments.commit else None)
    return _report(arguments, case, proof, finished)


def _open(arguments: "Namespace") -> Case:
    """The phase, if it may be marked at all; what speaks against it is said before anything is run."""
    if arguments.message and not arguments.commit:
        raise UsageError("-m says what a commit says, and none was asked for", remedy="add --commit")
    case = open_case(arguments.plan, arguments.phase)
    refuse_unchecked(case)
    refuse_unapproved(case)
    refuse_held(case)
    if arguments.commit:
        from planrail.cli.in_session.committing import refuse_commit

        refuse_commit(case.root)
    return case


def _report_failure(arguments: "Namespace", case: Case, proof: Proof) -> int:
    if arguments.json:
        print_json({**describe(case, proof), "done": False, "commit": None, "next": next_step(case, proof)})
        return 1
    print_judgement(case, proof)
    print_next(f"planrail check {case.name} {case.id}")
    return 1


def _report(arguments: "Namespace", case: Case, proof: Proof, finished: Finished) -> int:
    from planrail.cli.next_command import next_command
    from planrail.cli.open_plan import open_known_plan

    plan = open_known_plan(case.paper.source.path)
    boundary, command = stand_at(plan), next_command(plan)
    sessions = set_ticket(case.paper.place, boundary)
    if arguments.json:
        told: dict[str, object] = {"done": True, "commit": finished.commit or None, "ticked": finished.ticked}
        told |= {"complete": boundary.is_complete, "claimed": list(boundary.claimed), "next": command}
        print_json({**describe(case, proof), **told})
        return 0
    print_judgement(case, proof)
    _print_finished(case, proof, finished, wants_commit=arguments.commit)
    _print_boundary(boundary, has_session=bool(sessions))
    print_next(command)
    return 0


def _print_finished(case: Case, proof: Proof, finished: Finished, *, wants_commit: bool) -> None:
    boxes = f", {finished.ticked} {'box' if finished.ticked == 1 else 'boxes'} ticked" if finished.ticked else ""
    say(f"{paint('✔', 'green')} phase {case.order.id} is done, and proven (evidence {proof.hash[:12]}){boxes}")
    if finished.note:
        say(paint(f"  {finished.note}", "yellow"))
    if finished.committed is not None:
        made = finished.committed
        more = f" and {len(made.paths) - _MOST_NAMED} more" if len(made.paths) > _MOST_NAMED else ""
        say(f"  committed as {made.commit[:12]}: {', '.join(made.paths[:_MOST_NAMED])}{more}")
        if made.mixed:
            say(paint(f"  with changes from before the phase: {', '.join(made.mixed)}", "yellow"))
    elif wants_commit:
        say(f"  nothing to commit{f': it is {finished.commit[:12]}' if finished.commit else ''}")


def _print_boundary(boundary: Boundary, *, has_session: bool) -> None:
    total = boundary.proven + boundary.adopted + len(boundary.claimed) + len(boundary.open)
    if boundary.is_complete:
        how = f"{boundary.proven} proven" + (f", {boundary.adopted} adopted" if boundary.adopted else "")
        say(f"{paint('PLAN COMPLETE', 'bold')}: all {plural(total, 'phase')} are finished ({how})")
        return
    if boundary.claimed:
        say(paint(f"  marked done, but proven by nobody: {', '.join(boundary.claimed)}", "yellow"))
    if boundary.next and has_session:
        say(
            f"Next is phase {boundary.next}. This is a good place to clear the context: tell the user to run /clear;"
            " the plan comes back by itself. Without a clear, the user says `execute plan`."
        )
