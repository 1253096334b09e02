"""The request functions of runs: start one, or go on with one. Commands, tasks and other programs call them."""

import contextlib
import os
import time
from collections.abc import Callable, Iterator

from planrail.approval.book import open_plan_file, project_root
from planrail.approval.channels import ChannelRefusal
from planrail.approval.people.terminals import find_agent
from planrail.approval.person import find_person
from planrail.base.errors import PlanrailError, UsageError
from planrail.base.records import record, replace
from planrail.base.run_model import Ending, Order
from planrail.base.wording import Answer, clean, cut_clauses, quote, quote_file
from planrail.git.remotes.pushing import remote_of
from planrail.projects.open_plan import find_plan
from planrail.runs.request import carrying
from planrail.runs.request.carrying import INTERRUPTED, Manner, refuse_elsewhere
from planrail.runs.request.display import Display
from planrail.runs.request.estimates import tell_estimate
from planrail.runs.request.ordering import RunContext, find_unfinished, note_unheard, read_context
from planrail.runs.request.orders import find_contradictions, merge_budgets, order_run
from planrail.runs.request.plan_texts import Call, settle_text, tell_dirty
from planrail.runs.request.requests import RunRequest
from planrail.runs.request.stopping import end_dead_run
from planrail.store.ledger import open_store
from planrail.store.runs.run_folders import RunState, list_runs, load_run, run_folder
from planrail.team.engines import open_dispatch
from planrail.team.guiding import Delivery, prepare, refuse, settle
from planrail.team.holding import enlist
from planrail.team.looking import look
from planrail.team.next_steps import following, name_here
from planrail.team.planned import follow_ending, identify_named
from planrail.team.submitting import CODES, find_next_schedule, follow, name_schedule, schedule_run, submit_run

_GO_ON, _STOP = "r", "s"


@record
class ResumeRequest:
    """Which run goes on: that of a plan, or the only one. `budget` counts until it rests again."""

    plan: str = ""
    budget: str = ""
    as_committed: bool = False


def start_run(request: RunRequest, delivery: Delivery, display: Display) -> Answer:
    """Start a run, submit or schedule it, or go on with the one that this plan has. `PlanrailError` where none may."""
    context = read_context(request.plan or find_plan(command="run"))
    with _named_here(context.plan_file.path, context.root):
        context, request = prepare(context, request, delivery, display)
        if delivery.every:
            refuse(order_run(request, context), context)
            row, answer = schedule_run(context, request, delivery.every)
            if not delivery.now:
                return answer
            display.note(f"{context.plan_file.path} goes on {name_schedule(row)}, and now")
        return _run_now(context, request, delivery, display)


@contextlib.contextmanager
def _named_here(path: str, root: str) -> Iterator[None]:
    """What is refused says what to do with the plan as one would type it here."""
    try:
        yield
    except PlanrailError as error:
        error.remedy = name_here(path, root, error.remedy)
        raise


def fire_next(delivery: Delivery, display: Display) -> Answer:
    """The schedule of this project that fires next does so now, and stays as it is."""
    root = project_root(os.getcwd())
    row = find_next_schedule(root)
    context = read_context(os.path.join(root, row.path), target=row.target)
    with _named_here(row.path, root):
        context, request = settle(context, row.wish.request, delivery, display)
        with open_dispatch(root) as dispatch:
            dispatch.note_fired(row)
        return _run_now(context, request, delivery, display)


def resume_run(request: ResumeRequest, display: Display) -> Answer:
    waiting, root = _find_waiting(request.plan)
    with _named_here(waiting.order.path, root):
        if waiting.order.remote:  # it is carried out in a worker's own clone: there it goes on, and nowhere else
            return _wake(waiting, root)
        refuse_elsewhere(waiting.order, root)
        path = os.path.join(waiting.order.root, waiting.order.path)
        context = read_context(path, target=waiting.order.target)
        call = Call(("resume", os.path.relpath(path)), is_new=False, as_committed=request.as_committed)
        settle_text(context, call, display.note)
        return _go_on(waiting, context, display, budget=request.budget)


def _run_now(context: RunContext, request: RunRequest, delivery: Delivery, display: Display) -> Answer:
    """Here, or by a worker."""
    if not delivery.here and (delivery.submit or open_store(context.root).is_shared):
        row, answer = submit_run(context, request)
        tell = (lambda _: None) if delivery.is_quiet else display.note
        return _name_next(follow(context, row, tell) if delivery.wait else answer, context)
    unfinished = find_unfinished(context)
    if unfinished is not None:
        return _take_up(unfinished, context, request, display)
    order = order_run(request, context)
    refuse(order, context)
    estimate = "" if delivery.is_quiet else tell_estimate(order)
    for told in filter(None, (note_unheard(context), tell_dirty(order, context), estimate)):
        display.note(told)
    return _conduct(carrying.begin_run, order, context, Manner(display))


def _take_up(unfinished: RunState, context: RunContext, request: RunRequest, display: Display) -> Answer:
    """A plan has one run: the one that is there goes on, as it was ordered."""
    refuse_elsewhere(unfinished.order, context.root)
    if unfinished.is_live and unfinished.claim is not None:
        raise carrying.held(context.plan_file.path, unfinished.claim)
    others, path = find_contradictions(request, unfinished.order), quote_file(context.root, context.plan_file.path)
    if unfinished.order.target != context.target:
        then, now = (ref.removeprefix("refs/heads/") for ref in (unfinished.order.target, context.target))
        others.append(f"its target is {then}, not {now}")
    if others:
        raise PlanrailError(
            f"a run of {context.plan_file.path} has not ended, and was ordered otherwise: {'; '.join(others)}",
            remedy=f"planrail resume {path} goes on as it was ordered; to begin anew: planrail stop {path}",
        )
    if not unfinished.is_live:
        again = f"To begin anew: planrail stop {path}"
        display.note(f"a run of {path} has not ended: it goes on as it was ordered. {again}")
    return _go_on(unfinished, context, display, budget=request.budget, auto=request.auto)


def _go_on(waiting: RunState, context: RunContext, display: Display, *, budget: str, auto: bool = False) -> Answer:
    """Go on with this run; from now on without asking, where `auto` is said.

    A person who takes up a run that was killed, paused or parked has answered what it rested at.
    """
    options = waiting.order.options
    options = replace(options, budget=merge_budgets(options.budget, budget), auto=options.auto or auto)
    order = replace(waiting.order, options=options)
    rested = load_run(order.root, run_folder(order.root, order.run)).ending
    is_asked = rested is not None and carrying.is_question(rested.state)
    is_answered = is_asked and find_agent(os.environ, context.policy.agents) is None
    return _conduct(carrying.go_on_with, order, context, Manner(display, is_answered=is_answered))


def _wake(waiting: RunState, root: str) -> Answer:
    """Put a run of the team back into the queue, with the word of the person who says that it goes on."""
    order = waiting.order
    with open_dispatch(root) as dispatch:
        woken = dispatch.wake(order.plan, is_answered=True)
    if woken is None:
        text = f"the run of {order.path} is held by a worker"
        raise PlanrailError(text, remedy=f"planrail status {quote(order.path)}")
    told, path = {"plan": order.path, "run": order.run, "state": woken.state}, quote_file(root, order.path)
    return Answer(told, [f"{order.path} is in the queue again"], command=f"planrail status {path}")


def _find_waiting(plan: str) -> tuple[RunState, str]:
    """The run that is meant and the repository that it was found in, or an error that says which there are."""
    root, named_plan = identify_named(plan) if plan else (project_root(os.getcwd()), None)
    runs = [run for run in list_runs(root) if not run.is_over and named_plan in (None, run.order.plan)]
    if not runs:
        named = f" of {plan}" if plan else " here"
        raise PlanrailError(f"no run{named} waits to be resumed", remedy=_name_instead(plan))
    if len(runs) > 1:
        names = "".join(f"\n    planrail resume {quote_file(root, run.order.path)}" for run in runs)
        raise UsageError(f"{len(runs)} runs wait; name one", remedy=f"the newest first:{names}")
    return runs[0], root


def _name_instead(plan: str) -> str:
    try:
        return following(look(open_plan_file(plan or find_plan(command="resume")), time.time()))
    except UsageError as error:
        return error.remedy  # there is no plan, or there are several
    except PlanrailError:  # its file is gone
        return "planrail list runs"


def _conduct(
    carry_out: Callable[[Order, RunContext, Manner], Ending], order: Order, context: RunContext, manner: Manner
) -> Answer:
    """Carry it out, in the queue of the team where there is one."""
    enlisted, ending = enlist(order, context), None
    manner = replace(manner, is_lost=enlisted.is_lost) if enlisted is not None else manner
    try:
        with enlisted.listening() if enlisted is not None else contextlib.nullcontext():
            ending = carry_out(order, context, manner)
            while ending.state == INTERRUPTED and enlisted is None:
                said = _ask_interrupted(order, context, manner)
                if not said:
                    break
                ending = _go_on_or_stop(said, order, context, manner)
    except KeyboardInterrupt:  # once more, while the first one was heard: a run that has begun rests either way
        if not os.path.isdir(run_folder(order.root, order.run)):
            raise
        ending = carrying.interrupted(order)
    finally:
        if enlisted is not None:
            enlisted.say_ended(ending)
    is_landed = ending.state in ("complete", "phase_done") and order.options.landing != "pr"
    upstream = remote_of(order.root, order.target) if is_landed and enlisted is not None else None
    if enlisted is None and ending.state not in (INTERRUPTED, "paused"):  # the queue of a team knows it
        try:
            ending = follow_ending(order, context, ending)
        except PlanrailError as error:  # the run is what counts, and has ended
            manner.display.note(error.message)
    state, code = ending.state, CODES.get(ending.state, 1)
    if state == INTERRUPTED:
        return Answer(warnings=[(ending.text, name_here(order.path, order.root, ending.command))], code=code)
    text, command = (name_here(order.path, order.root, words) for words in (ending.text, ending.command))
    told = {"state": state, "text": text, "phase": ending.phase or None, "command": command}
    document = {"run": order.run, "plan": order.path, **told, "until": ending.until or None}
    shown = cut_clauses(text) if state == "failed" else text
    lines = [f"{state.replace('_', ' ')}: {shown}"]
    lines += [f"all of it: planrail report {quote_file(order.root, order.path)} --full"] if shown != text else []
    answer = Answer(document, lines, command=command, code=code)
    if upstream is not None:  # workers build on a remote: what did not get there they would do again
        push = f"git push {quote(upstream.remote)} {quote(upstream.branch)}"
        return replace(answer, document={**document, "command": push}, command=push)
    return _name_next(answer, context)


def _ask_interrupted(order: Order, context: RunContext, manner: Manner) -> str:
    """What becomes of a run that was left by Ctrl-C, as its person says at this terminal; "" where nobody does."""
    terminal = find_person().open_terminal(context.policy.agents) if not manner.display.is_quiet else None
    if terminal is None or isinstance(terminal, ChannelRefusal):
        return ""
    later = name_here(order.path, order.root, f"planrail resume {quote(order.path)}")
    lines = ["interrupted; an agent that is at work goes on", f"  {_GO_ON}  go on here"]
    lines += [f"  {_STOP}  stop the run and its agent", f"  anything else: leave it, and go on later by {later}"]
    said = ""
    with contextlib.suppress(KeyboardInterrupt):
        terminal.say(clean("\n".join(lines)))
        said = terminal.ask(f"and now? [{_GO_ON}/{_STOP}] ").strip().lower()
    terminal.close()
    return said if said in (_GO_ON, _STOP) else ""


def _go_on_or_stop(said: str, order: Order, context: RunContext, manner: Manner) -> Ending:
    """What a person has said of a run that this process has just let go of."""
    if said == _GO_ON:
        return carrying.go_on_with(order, context, manner)
    folder = run_folder(order.root, order.run)
    end_dead_run(load_run(order.root, folder))
    return load_run(order.root, folder).ending or carrying.stopped(order)


def _name_next(answer: Answer, context: RunContext) -> Answer:
    """The answer with what every other command names next, too; as it is where the plan's file is gone by now."""
    if answer.document is None:
        return answer
    with contextlib.suppress(PlanrailError):
        command = following(look(open_plan_file(context.plan_file.source.path), time.time()))
        return replace(answer, document={**answer.document, "command": command}, command=command)
    return answer
