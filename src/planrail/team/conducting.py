"""A run in this process: in the queue of its team while it works, and what its end means for what is planned."""

import contextlib
import os
from collections.abc import Callable

from planrail.approval.people.terminals import find_agent
from planrail.base.errors import PlanrailError
from planrail.base.records import replace
from planrail.base.run_model import Ending, Order
from planrail.base.wording import Answer, quote
from planrail.git.remotes.pushing import remote_of
from planrail.runs.request.carrying import INTERRUPTED, Manner, begin_run, go_on_with, is_question
from planrail.runs.request.display import Display
from planrail.runs.request.ordering import Ground
from planrail.runs.request.requests import RunRequest
from planrail.store.ledger import open_store
from planrail.store.runs.run_folders import load_run, run_folder
from planrail.team.holding import enlist
from planrail.team.next_steps import retype
from planrail.team.planned import follow_ending
from planrail.team.queueing import Wish
from planrail.team.submitting import CODES, describe


def begin(order: Order, ground: Ground, display: Display) -> Answer:
    return _conduct(begin_run, order, ground, Manner(display))


def go_on(order: Order, ground: Ground, display: Display) -> Answer:
    """Take up a run that was killed, paused or parked: whoever does that has answered what it rested at."""
    rested = load_run(order.root, run_folder(order.root, order.run)).ending
    is_asked = rested is not None and is_question(rested.state)
    is_answered = is_asked and find_agent(os.environ, ground.policy.agents) is None
    return _conduct(go_on_with, order, ground, Manner(display, is_answered=is_answered))


def _conduct(
    carry_out: Callable[[Order, Ground, Manner], Ending], order: Order, ground: Ground, manner: Manner
) -> Answer:
    """Carry it out, in the queue of the team where there is one."""
    enlisted, ending = enlist(order, ground), None
    manner = replace(manner, is_lost=enlisted.is_lost) if enlisted is not None else manner
    try:
        with enlisted.renewing() if enlisted is not None else contextlib.nullcontext():
            ending = carry_out(order, ground, manner)
    finally:
        if enlisted is not None:
            enlisted.put_back(ending)
    is_landed = ending.state in ("complete", "phase_done") and order.options.landing != "pr"
    upstream = remote_of(order.root, order.target) if is_landed and enlisted is not None else None
    if upstream is not None:  # workers build on a remote: what did not get there they would do again
        push = f"git push {quote(upstream.remote)} {quote(upstream.branch)}"
        ending = replace(ending, command=push)
    ending = _plan_on(order, ground, ending, manner.display)
    state, code = ending.state, CODES.get(ending.state, 1)
    if state == INTERRUPTED:
        return Answer(warnings=[(ending.text, ending.command)], code=code)
    text, command = retype(order, ending.text), retype(order, ending.command)
    told = {"state": state, "text": text, "phase": ending.phase or None, "command": command}
    document = {"run": order.run, "plan": order.path, **told, "until": ending.until or None}
    return Answer(document, [f"{state.replace('_', ' ')}: {text}"], command=command, code=code)


def _plan_on(order: Order, ground: Ground, ending: Ending, display: Display) -> Ending:
    """What the end of a run means for the schedule of its plan, and when that fires; a parked one the worker takes."""
    if ending.state in (INTERRUPTED, "paused") or open_store(order.root).is_shared:  # the queue knows it there
        return ending

    wish = Wish(RunRequest(order.path, auto=True))
    submission = describe(ground, wish, order.options.agent) if ending.state == "parked" else None
    try:
        return follow_ending(order, ending, submission)
    except PlanrailError as error:  # the run is what counts, and has ended
        display.note(error.message)
        return ending
