"""Run the checks of a phase on the working tree as it is, and put what they say on record. It marks nothing.

The checks are the phase's `sh check` blocks and the criteria that begin with a command, then the project's test
command. planrail runs them itself, and once more on the base in a checkout of its own, since what passes without the
work proves nothing. Exit status 0 only if `planrail done` would mark the phase.
"""

from argparse import ArgumentParser, Namespace

from planrail.base.wording import Answer
from planrail.cli.refusals import refusal_as_json
from planrail.cli.screen import say
from planrail.runs.in_session.cases import open_case, refuse_unapproved, refuse_unchecked, stand_on_base
from planrail.runs.in_session.proving import prove
from planrail.runs.in_session.results import describe, next_step, render_head, render_judgement, telling


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("plan", metavar="PLAN", help="the plan file")
    parser.add_argument("phase", metavar="PHASE", help="the id of the phase, as `planrail show` prints it")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: Namespace) -> Answer:
    nothing = {"path": arguments.plan, "phase": arguments.phase, "ok": False, "checks": []}
    with refusal_as_json(nothing, as_json=arguments.json):
        case = open_case(arguments.plan, arguments.phase)
        refuse_unchecked(case)
        refuse_unapproved(case)
        case = stand_on_base(case)
    if not arguments.json:
        say(render_head(case))
    proof = prove(case) if arguments.json else prove(case, *telling(say))
    following = next_step(case, proof)
    document = {**describe(case, proof), "next": following}
    return Answer(document, render_judgement(case, proof), command=following, code=0 if proof.ok else 1)
