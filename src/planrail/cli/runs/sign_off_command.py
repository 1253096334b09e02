"""Sign off what people see: look at each thing that a verified UI phase changed, and say so at your own terminal."""

import time
from argparse import ArgumentParser, Namespace

from planrail.approval.book import PlanFile, load_policy, open_plan_file
from planrail.approval.channels import ChannelRefusal
from planrail.approval.model import TERMINAL
from planrail.approval.person import Person, Terminal, find_person, is_confirmed
from planrail.base.errors import PlanrailError
from planrail.base.records import record
from planrail.base.run_model import Snapshot
from planrail.base.wording import Answer, plural, quote
from planrail.cli.refusals import refusal_as_json
from planrail.runs.phases.viewpoints import View, Viewpoint, list_viewpoints
from planrail.runs.phases.whole import order_whole
from planrail.store.journal_lines import ENDED, split_key
from planrail.store.ledger import has_ledger, open_ledger
from planrail.store.runs.run_facts import add_fact, early_place, is_signed
from planrail.store.runs.run_folders import RunState, list_runs
from planrail.store.runs.run_history import SignOff

_STEP = "sign_off."


@record
class Awaited:
    """A phase that waits for a person to look at it."""

    run: str
    phase: str
    attempt: int
    part: int  # how often pictures were taken
    title: str
    things: tuple[Viewpoint, ...]
    remarks: tuple[str, ...]
    commit: str = ""  # the snapshot of the work; "" where none is known


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("plan", metavar="PLAN", help="the plan file")
    parser.add_argument("phase", metavar="PHASE", nargs="?", help="one phase; without it, all that wait")
    parser.add_argument("--json", action="store_true", help="print JSON; the question is asked at the terminal")


def run(arguments: Namespace) -> Answer:
    return sign_off(arguments, find_person())


def sign_off(arguments: Namespace, person: Person) -> Answer:
    with refusal_as_json({"path": arguments.plan, "signed": [], "waiting": []}, as_json=arguments.json):
        plan_file = open_plan_file(arguments.plan)
        found, phase = list_awaited(plan_file), arguments.phase
        waiting = [awaited for awaited in found if phase is None or awaited.phase.lower() == phase.lower()]
        if phase is not None and not waiting:
            text = f"phase {phase} of {plan_file.source.path} does not wait for a sign-off"
            raise PlanrailError(text, remedy=f"planrail status {quote(plan_file.source.path)}")
        signed = _ask(waiting, plan_file, person) if waiting else []
    left = [awaited.phase for awaited in waiting if awaited not in signed]
    name = quote(arguments.plan)
    command = (
        f"planrail resume {name}" if signed else f"planrail report {name} --full" if left else f"planrail status {name}"
    )
    told = {"path": arguments.plan, "signed": [awaited.phase for awaited in signed], "waiting": left, "next": command}
    lines = [f"signed off: phase {one.phase}, {plural(len(one.things), 'thing')} looked at" for one in signed]
    if not waiting:
        lines = [f"no phase of {arguments.plan} waits for a sign-off"]
    if left:
        given_up = f"(to give it up: planrail stop {name})"
        lines.append(f"not signed off: phase {', phase '.join(left)}; nothing of it lands {given_up}")
    return Answer(told, lines, command=command, code=1 if left else 0)


def list_awaited(plan_file: PlanFile) -> list[Awaited]:
    """The phases of a plan that were verified and wait for a person, those of the newest run first."""
    found = [(run, one) for run in list_runs(plan_file.root, plan_file.id) if not run.is_over for one in _awaited(run)]
    if not found or not has_ledger(plan_file.root):
        return [awaited for _, awaited in found]
    waiting = []
    with open_ledger(plan_file.root) as ledger:
        for run, one in found:
            early = early_place(run.folder, one.phase, one.attempt, one.part)
            if not is_signed(ledger, plan_file.id, one.run, one.phase, early):
                waiting.append(one)
    return waiting


def _awaited(run: RunState) -> list[Awaited]:
    """The phases of a run whose journal says: looked at, sign-off begun and not ended."""
    orders = {order.id: order for order in (*run.order.phases, order_whole(run.order, run.order.phases))}
    ended = {line.key: line for line in run.lines if line.state == ENDED}
    found = []
    for key in dict.fromkeys(line.key for line in run.lines if line.key not in ended):
        phase, attempt, step = split_key(key)
        part = step.removeprefix(_STEP) if step.startswith(_STEP) else ""
        if part.isdigit() and phase in orders:
            seen = ended.get(f"phase/{phase}/{attempt}/pictures.{part}")
            view = seen.result() if seen is not None else None
            known = view if isinstance(view, View) else None
            order, things = orders[phase], tuple(list_viewpoints(orders[phase], known))
            prefix = f"phase/{phase}/{attempt}/snapshot."
            taken = [line.result() for key, line in ended.items() if key.startswith(prefix)]
            work = next((one.commit for one in reversed(taken) if isinstance(one, Snapshot)), "")
            told = (order.title, things, _remarks(known), work)
            found.append(Awaited(run.order.run, phase, attempt, int(part), *told))
    return found


def _remarks(view: View | None) -> tuple[str, ...]:
    if view is None or not (view.pictures or view.findings):
        return ("nobody has taken pictures",)
    told = () if view.pictures else ("nobody has taken pictures; look at the running program",)
    return (*told, *(finding.text for finding in view.findings))


def _ask(waiting: list[Awaited], plan_file: PlanFile, person: Person) -> list[Awaited]:
    """The phases of which a person said that everything in them is right."""
    terminal = person.open_terminal(load_policy(plan_file.root, person.environment).agents)
    if isinstance(terminal, ChannelRefusal):
        raise PlanrailError(f"nothing was signed off: {terminal.reason}", remedy=terminal.remedy)
    signed = []
    try:
        for awaited in waiting:
            if _is_right(awaited, terminal):
                now, fact = int(time.time()), SignOff(awaited.run, awaited.phase, terminal.who, TERMINAL)
                key = f"{awaited.run}/{awaited.phase}/{awaited.attempt}/{awaited.part}/{now}"
                with open_ledger(plan_file.root) as ledger:
                    add_fact(ledger, plan_file.id, fact, key=key, at=now)
                signed.append(awaited)
    finally:
        terminal.close()
    return signed


def _is_right(awaited: Awaited, terminal: Terminal) -> bool:
    terminal.say(f"phase {awaited.phase}: {awaited.title}")
    for thing in awaited.things:
        terminal.say(f"  {thing.id}  {thing.text}")
        if thing.picture:
            terminal.say(f"      picture: {thing.picture}")
    if awaited.commit:
        terminal.say(f"  the work: git show {awaited.commit[:12]}")
    for remark in awaited.remarks:
        terminal.say(f"  note: {remark}")
    return is_confirmed(terminal, "is all of it right?")
