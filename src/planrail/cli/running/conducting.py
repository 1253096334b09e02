"""A run at the command line: carried out in this process, shown while it works, and told how it ended."""

import os

from planrail.cli.running.carrying import INTERRUPTED, Manner, begin_run, go_on_with
from planrail.cli.running.display import open_display
from planrail.cli.running.enlisting import enlist
from planrail.cli.running.next_steps import retype
from planrail.cli.screen import print_json, print_next, quote, say, warn
from planrail.errors import PlanrailError
from planrail.ledger.run_folders import load_run, run_folder
from planrail.ledger.team import find_team
from planrail.records import replace
from planrail.repo.pushing import remote_of
from planrail.repo.terminals import find_agent
from planrail.runs.pauses import is_question

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from planrail.cli.running.ordering import Ground
    from planrail.runs.model import Ending, Order

_CODES = {"pr_ready": 0, "complete": 0, "phase_done": 0, "paused": 0, "parked": 0, "stopped": 130, INTERRUPTED: 130}


def begin(order: "Order", ground: "Ground", *, is_json: bool) -> int:
    """Start a new run, and tell how it ended."""
    return _conduct(begin_run, order, ground, Manner(open_display(is_quiet=is_json)), is_json=is_json)


def go_on(order: "Order", ground: "Ground", *, is_json: bool) -> int:
    """Take up a run that was killed, paused or parked: whoever does that has answered what it rested at."""
    rested = load_run(order.root, run_folder(order.root, order.run)).ending
    is_asked = rested is not None and is_question(rested.state)
    is_answered = is_asked and find_agent(os.environ, ground.policy.agents) is None
    manner = Manner(open_display(is_quiet=is_json), is_answered=is_answered)
    return _conduct(go_on_with, order, ground, manner, is_json=is_json)


def _conduct(
    carry_out: "Callable[[Order, Ground, Manner], Ending]",
    order: "Order",
    ground: "Ground",
    manner: Manner,
    *,
    is_json: bool,
) -> int:
    """Carry it out, in the queue of the team where there is one, and tell how it ended."""
    enlisted, ending = enlist(order, ground), None
    try:
        with enlisted.renewing():
            ending = _with_push(order, carry_out(order, ground, replace(manner, is_lost=enlisted.is_lost)))
    finally:
        enlisted.put_back(ending)
    return tell(order, _plan_on(order, ground, ending), is_json=is_json)


def _with_push(order: "Order", ending: "Ending") -> "Ending":
    """Where workers build on a remote, what landed here has to get there: else they would do it again."""
    if ending.state not in ("complete", "phase_done") or order.options.landing == "pr" or find_team(order.root) is None:
        return ending
    upstream = remote_of(order.root, order.target)
    command = f"git push {quote(upstream.remote)} {quote(upstream.branch)}" if upstream is not None else ending.command
    return replace(ending, command=command)


def _plan_on(order: "Order", ground: "Ground", ending: "Ending") -> "Ending":
    """What the end of a run means for the schedule of its plan, and when that fires; a parked one the worker takes."""
    if ending.state in (INTERRUPTED, "paused") or find_team(order.root) is not None:  # the queue knows it there
        return ending
    from planrail.cli.running.planned import follow_ending
    from planrail.cli.running.submitting import describe
    from planrail.runs.queueing import Wish

    is_parked = ending.state == "parked"
    submission = describe(ground, Wish((order.path, "auto")), order.options.agent) if is_parked else None
    try:
        return follow_ending(order, ending, submission)
    except PlanrailError as error:  # the run is what counts, and has ended
        warn(error.message)
        return ending


def tell(order: "Order", ending: "Ending", *, is_json: bool) -> int:
    """Say how a run ended, or why it rests, and what to type next."""
    if ending.state == INTERRUPTED:
        warn(ending.text, ending.command)
        return _CODES[INTERRUPTED]
    ending = replace(ending, text=retype(order, ending.text), command=retype(order, ending.command))
    if is_json:
        told = {"state": ending.state, "text": ending.text, "phase": ending.phase or None, "command": ending.command}
        print_json({"run": order.run, "plan": order.path, **told, "until": ending.until or None})
    else:
        say(f"{ending.state.replace('_', ' ')}: {ending.text}")
        print_next(ending.command)
    return _CODES.get(ending.state, 1)
