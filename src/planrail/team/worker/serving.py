"""Serving one submission, in a process of its own: find the plan, carry out its run, say what became of it."""

import contextlib
import os
import signal
import sys
import time

from planrail.base.errors import Fenced, Held, PlanrailError, ToolFailed, UsageError
from planrail.base.identity import branch_name, slug
from planrail.base.records import replace
from planrail.base.run_model import Ending, Order, Refusal
from planrail.base.wording import quote
from planrail.git.git_writing import ask_git
from planrail.git.remotes.mirrors import bring_branch
from planrail.planning.headless.board import Screen
from planrail.runs.phases.choosing import choose
from planrail.runs.request.carrying import Manner, begin_run, go_on_with, is_question
from planrail.runs.request.display import Display
from planrail.runs.request.ordering import RunContext, find_unfinished, read_context
from planrail.runs.request.orders import find_contradictions, order_run, prefer_settings
from planrail.runs.request.plan_texts import describe_edits
from planrail.runs.request.preflight import refuse_run
from planrail.runs.request.requests import RunRequest
from planrail.store.failures import DatabaseGone
from planrail.store.ledger import open_ledger
from planrail.store.runs.run_facts import phase_states
from planrail.team import queueing
from planrail.team.holding import Holding
from planrail.team.queueing import FOR_A_PERSON, IN_OTHER_HANDS, INTERRUPTED, NOT_BEGUN, Rest, Submission, decide_rest
from planrail.team.worker.run_homes import REMOTE, find_order, list_clones, move_in, open_home, tidy


def serve(submission: Submission, hold: Holding, *, turn: float) -> Rest:
    """Carry out what was submitted, as far as it goes now; where the submission goes then.

    While others wait its turn is so long (seconds).
    """
    display = Display(Screen(sys.stderr))
    try:
        ending = _carry_out(submission, hold, display, turn)
    except KeyboardInterrupt:
        ending = Ending(INTERRUPTED, "its worker was told to leave before the run began", "planrail queue")
    except (Fenced, Held) as error:  # another process or machine has the run
        ending = Ending(IN_OTHER_HANDS, error.message, error.remedy)
    except DatabaseGone as error:  # that is no fault of the plan, however often it happens
        submission = replace(submission, tries=min(submission.tries, 2))
        ending = Ending(NOT_BEGUN, error.message, error.remedy)
    except ToolFailed as error:  # a run that had begun is kept for its home for a while
        ending = Ending(NOT_BEGUN, error.message, error.remedy)
        with contextlib.suppress(PlanrailError), hold.open() as dispatch:
            found = dispatch.find_by_id(submission.id)
            ending = replace(ending, state=INTERRUPTED) if found is not None and found.run else ending
    except PlanrailError as error:
        ending = Ending("failed", error.message, error.remedy)
    except OSError as error:
        ending = Ending(NOT_BEGUN, str(error), "planrail doctor")
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is on its way out
    display.note(f"{ending.state}: {ending.text}")
    if ending.state in (INTERRUPTED, IN_OTHER_HANDS) and os.getcwd() in list_clones():
        with contextlib.suppress(PlanrailError):  # others may have taken over runs of this clone
            tidy(os.getcwd())
    with hold.open() as dispatch:
        until = float(ending.until)
        if ending.state == "parked" and ending.until and submission.account:  # nothing of it starts before that
            dispatch.hold_account(submission.account, until)
        return decide_rest(ending.state, until, now=dispatch.tables.now(), tries=submission.tries, said=ending.text)


def read_request(submission: Submission) -> RunRequest:
    """What was submitted; a `UsageError` where this planrail does not understand it."""
    request = submission.wish.request
    if not request.plan:
        text = f"what the queue has for {submission.path} is nothing that this planrail can run"
        raise UsageError(text, remedy=f"planrail run {quote(submission.path)}")
    return request


def _carry_out(submission: Submission, hold: Holding, display: Display, turn: float) -> Ending:
    root, remote = open_home(submission, hold.root), REMOTE if submission.remote else ""
    if hold.is_lost():
        raise Held(f"{submission.path} is held by another worker by now", remedy=f"planrail status {submission.path}")
    os.chdir(root)
    context = read_context(os.path.join(root, submission.path), target=submission.target)
    request = read_request(submission)
    if not remote and context.edits and not request.as_committed:  # a person is at work on the plan itself
        raise Held(describe_edits(context), remedy=f"git commit -- {submission.path}")
    found = find_unfinished(context)
    display.note(f"{submission.path} in {root}")
    gives_way = _GivesWay(hold, turn)
    if found is not None:
        order, state = find_order(found, root, remote), found.ending.state if found.ending is not None else ""
        is_other = order.run != submission.run and bool(find_contradictions(request, order))
        if is_other and state in FOR_A_PERSON:  # it is theirs; what was submitted has its turn when it has ended
            why = f"another run of {submission.path} waits for its person"
            raise Held(why, remedy=f"planrail resume {quote(submission.path)}")
        if request.auto and not is_other:  # it asks no more, as in a terminal
            order = replace(order, options=replace(order.options, auto=True))

        def arrive() -> None:  # before that it is another's run, and this submission none of it
            hold.name_run(order.run)
            move_in(found, order)

        manner = Manner(display, _is_answered(submission, found.ending), gives_way, hold.is_lost, arrive=arrive)
        ending = go_on_with(order, context, manner)
        # Of another run this submission has its own turn: when that has ended, or its person has gone on with it.
        after = {"phase_done": queueing.YIELDED, **dict.fromkeys(FOR_A_PERSON, IN_OTHER_HANDS)} if is_other else {}
        if ending.state in FOR_A_PERSON and is_other:
            hold.name_run("")
        return replace(ending, state=after.get(ending.state, ending.state))
    order = _order(request, context, remote)
    hold.name_run(order.run)
    return begin_run(order, context, Manner(display, False, gives_way, hold.is_lost))


def _order(request: RunRequest, context: RunContext, remote: str) -> Order:
    if remote and prefer_settings(request, context).landing == "pr":  # another machine may have begun its branch
        branch = branch_name(context.settings.run.branch_prefix, slug(context.plan_file.path))
        bring_branch(context.root, f"refs/heads/{branch}")
    order = replace(order_run(request, context), remote=remote)
    refusal = refuse_run(order, context)
    if refusal is not None:
        raise PlanrailError(refusal.text, remedy=refusal.command)
    chosen = choose(order, ())
    if not remote or isinstance(chosen, Refusal) or order.options.again:
        return order
    with open_ledger(order.root) as ledger:  # what landed in a checkout and is not on the remote is not done once more
        states = phase_states(ledger, order.plan)
    for name in chosen:
        fact = states.get(name)
        if fact is not None and fact.is_done and fact.commit and not ask_git(order.root, "cat-file", "-t", fact.commit):
            raise PlanrailError(
                f"phase {name} has landed as {fact.commit[:12]}, which {order.remote} does not have",
                remedy=f"git push, where it landed; or, to do it once more: planrail run {order.path} {name} --again",
            )
    return order


def _is_answered(submission: Submission, rested: Ending | None) -> bool:
    """Nobody can be asked here. One that was parked goes on; a question is answered by a person who resumed it."""
    is_told = queueing.ANSWERED in submission.wish.options
    return rested is not None and (rested.state == "parked" or (is_told and is_question(rested.state)))


class _GivesWay:
    """Whether a run lets others work at the border of a phase: when its worker drains, or when its turn is over."""

    def __init__(self, hold: Holding, turn: float) -> None:
        self._hold, self._turn, self._began = hold, turn, time.monotonic()
        self._is_told = False
        signal.signal(signal.SIGUSR1, self._hear)

    def __call__(self, has_worked: bool) -> bool:  # noqa: FBT001 - see Manner
        if self._is_told or not has_worked:  # turns without a phase: two plans would give way to each other for ever
            return self._is_told
        return time.monotonic() - self._began >= self._turn and self._hold.wants_turn()

    def _hear(self, number: int, frame: object) -> None:
        self._is_told = True
