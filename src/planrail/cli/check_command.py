"""Run the checks of a phase on the working tree as it is, and put what they say on record. It marks nothing.

The checks are the phase's `sh check` blocks and the criteria that begin with a command, then the project's test
command. planrail runs them itself, and once more on the base in a checkout of its own, since what passes without the
work proves nothing. Exit status 0 only if `planrail done` would mark the phase.
"""

from planrail.cli.in_session.bases import stand_on_base
from planrail.cli.in_session.cases import Case, open_case, refuse_unapproved, refuse_unchecked
from planrail.cli.in_session.proving import Proof, prove
from planrail.cli.in_session.results import describe, print_judgement, print_run, tell_step
from planrail.cli.refusals import refusal_as_json
from planrail.cli.screen import paint, print_json, print_next, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def configure(parser: "ArgumentParser") -> None:
    """Declare the arguments."""
    parser.add_argument("plan", metavar="PLAN", help="the plan file")
    parser.add_argument("phase", metavar="PHASE", help="the id of the phase, as `planrail show` prints it")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: "Namespace") -> int:
    """Run the checks of a phase."""
    nothing = {"path": arguments.plan, "phase": arguments.phase, "ok": False, "checks": []}
    with refusal_as_json(nothing, as_json=arguments.json):
        case = open_case(arguments.plan, arguments.phase)
        refuse_unchecked(case)
        refuse_unapproved(case)
        case = stand_on_base(case)
    if arguments.json:
        proof = prove(case)
        print_json({**describe(case, proof), "next": next_step(case, proof)})
        return 0 if proof.ok else 1
    print_head(case)
    proof = prove(case, print_run, tell_step)
    print_judgement(case, proof)
    print_next(next_step(case, proof))
    return 0 if proof.ok else 1


def print_head(case: Case) -> None:
    """Which phase it is."""
    say(f"{paint(f'phase {case.order.id}', 'bold')}: {case.order.title}")


def next_step(case: Case, proof: Proof) -> str:
    """What to type after the checks."""
    return f"planrail {'done' if proof.ok else 'check'} {case.name} {case.id}"
