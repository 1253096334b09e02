"""Sign off what people see: look at each thing that a verified UI phase changed, and say so at your own terminal."""

import time

from planrail.approvals.channels import Refusal
from planrail.approvals.model import TERMINAL
from planrail.cli.approval_book import load_policy, open_paper
from planrail.cli.approval_desk import Desk, open_desk
from planrail.cli.refusals import refusal_as_json
from planrail.cli.screen import clean, plural, print_json, print_next, quote, say
from planrail.errors import PlanrailError
from planrail.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from planrail.cli.approval_book import Paper
    from planrail.cli.approval_desk import Terminal
    from planrail.ledger.run_folders import RunState

_YES = ("y", "yes")


@record
class Awaited:
    """A phase that waits for somebody to look at it."""

    run: str
    phase: str
    attempt: int
    title: str
    things: tuple[str, ...]
    pictures: tuple[str, ...]


def configure(parser: "ArgumentParser") -> None:
    """Declare the arguments."""
    parser.add_argument("plan", metavar="PLAN", help="the plan file")
    parser.add_argument("phase", metavar="PHASE", nargs="?", help="one phase; without it, all that wait")
    parser.add_argument("--json", action="store_true", help="print JSON; the questions are asked at the terminal")


def run(arguments: "Namespace") -> int:
    """Ask about each thing, and put the yes on record."""
    return sign_off(arguments, open_desk())


def sign_off(arguments: "Namespace", desk: Desk) -> int:
    """The same at a given desk."""
    with refusal_as_json({"path": arguments.plan, "signed": [], "waiting": []}, as_json=arguments.json):
        paper = open_paper(arguments.plan)
        waiting = _choose(list_awaited(paper), arguments.phase, paper)
        signed = _ask(waiting, paper, desk) if waiting else []
    return _report(arguments, waiting, signed)


def list_awaited(paper: "Paper") -> list[Awaited]:
    """The phases of a plan that were verified and wait for a person, those of the newest run first."""
    from planrail.ledger.run_facts import sign_offs
    from planrail.ledger.run_folders import list_runs
    from planrail.ledger.store import has_ledger, open_ledger

    found = [awaited for run in list_runs(paper.root, paper.id) for awaited in _awaited(run)]
    if not found or not has_ledger(paper.root):
        return found
    with open_ledger(paper.root) as ledger:
        known = {(fact.run, fact.phase) for fact in sign_offs(ledger, paper.id)}
    return [awaited for awaited in found if (awaited.run, awaited.phase) not in known]


def _awaited(run: "RunState") -> list[Awaited]:
    """The phases of a run whose journal says: pictures taken, sign-off begun and not ended."""
    from planrail.runs.progress import ENDED, split_key

    orders = {order.id: order for order in run.order.phases}
    ended = {line.key: line for line in run.lines if line.state == ENDED}
    begun = dict.fromkeys(line.key for line in run.lines if line.key not in ended and line.key.endswith("/sign_off"))
    found = []
    for key in begun:
        phase, attempt, _ = split_key(key)
        pictures = ended.get(f"phase/{phase}/{attempt}/pictures")
        taken = pictures.result() if pictures is not None else ()
        if phase in orders:
            order, shown = orders[phase], tuple(map(str, taken)) if isinstance(taken, tuple) else ()
            things = order.items + order.criteria
            found.append(Awaited(run.order.run, phase, attempt, order.title, things or (order.title,), shown))
    return found


def _choose(found: list[Awaited], phase: str | None, paper: "Paper") -> list[Awaited]:
    wanted = [awaited for awaited in found if phase is None or awaited.phase.lower() == phase.lower()]
    if phase is not None and not wanted:
        raise PlanrailError(
            f"phase {phase} of {paper.source.path} does not wait for a sign-off",
            remedy=f"planrail status {quote(paper.source.path)}",
        )
    return wanted


def _ask(waiting: list[Awaited], paper: "Paper", desk: Desk) -> list[Awaited]:
    """The phases of which a person said that everything in them is right."""
    terminal = desk.open_terminal(load_policy(paper.root, desk.environment).agents)
    if isinstance(terminal, Refusal):
        raise PlanrailError(f"nothing was signed off: {terminal.reason}", remedy=terminal.remedy)
    try:
        signed = [awaited for awaited in waiting if _is_right(awaited, terminal)]
        for awaited in signed:
            _record(awaited, paper, terminal.who)
    finally:
        terminal.close()
    return signed


def _is_right(awaited: Awaited, terminal: "Terminal") -> bool:
    """Whether a person says yes to each thing; the first no ends it."""
    lines = [f"phase {awaited.phase}: {awaited.title}", *(f"  picture: {path}" for path in awaited.pictures)]
    terminal.say(clean("\n".join(lines if awaited.pictures else [*lines, "  no pictures were taken"])))
    for number, thing in enumerate(awaited.things, 1):
        terminal.say(clean(f"  P{awaited.phase}-{number}  {thing}"))
        if terminal.ask("  is it right? [y/N] ").strip().lower() not in _YES:
            return False
    return True


def _record(awaited: Awaited, paper: "Paper", who: str) -> None:
    from planrail.ledger.run_facts import add_sign_off
    from planrail.ledger.store import open_ledger
    from planrail.runs.history import SignOff

    fact = SignOff(awaited.run, awaited.phase, who, TERMINAL)
    key = f"{awaited.run}/{awaited.phase}/{awaited.attempt}"
    with open_ledger(paper.root) as ledger:
        add_sign_off(ledger, paper.id, fact, key=key, at=int(time.time()))


def _report(arguments: "Namespace", waiting: list[Awaited], signed: list[Awaited]) -> int:
    left = [awaited.phase for awaited in waiting if awaited not in signed]
    name = quote(arguments.plan)
    command = f"planrail resume {name}" if signed else f"planrail report {name}" if left else f"planrail status {name}"
    if arguments.json:
        told = {"path": arguments.plan, "signed": [awaited.phase for awaited in signed], "waiting": left}
        print_json({**told, "next": command})
        return 1 if left else 0
    if not waiting:
        say(f"no phase of {arguments.plan} waits for a sign-off")
    for awaited in signed:
        say(f"signed off: phase {awaited.phase}, {plural(len(awaited.things), 'thing')} looked at")
    if left:
        say(f"not signed off: phase {', phase '.join(left)}; nothing of it lands")
    print_next(command)
    return 1 if left else 0
