"""Carrying out a run: the claim, the pipeline, the one terminal transition. Others tell people about it.

The command line does this in its own process, a worker in one for each run: both by this door.
"""

import contextlib
import hashlib
import os
import time
import uuid
from collections.abc import Callable, Iterator

from planrail.ask.durable import Durable
from planrail.ask.interruptions import HungUp, Interruptions, Stopped
from planrail.base.errors import Fenced, Held, PlanrailError, ToolFailed
from planrail.base.notifier import start_notifier
from planrail.base.records import record, replace
from planrail.base.run_model import YIELDED, Ending, Order
from planrail.base.wording import quote
from planrail.git.remotes.pushing import find_pushed
from planrail.runs.checks.running import end_forgotten_checks
from planrail.runs.forge.steps import announce_unpushed
from planrail.runs.landing.fences import raise_fence
from planrail.runs.phases.viewpoints import announce
from planrail.runs.pipeline import run_plan
from planrail.runs.reporting.gathering import write_report
from planrail.runs.request.display import Display
from planrail.runs.request.ordering import RunContext, approver
from planrail.runs.steps.parts import Parts
from planrail.runs.steps.site import Site, note_run
from planrail.runs.steps.workspaces import end_run
from planrail.store.claim_rules import ISSUE, PLAN, Claim, HeldBy, name_host
from planrail.store.failures import DatabaseGone
from planrail.store.ledger import open_store
from planrail.store.owners import describe_process
from planrail.store.places import common_directory, write_synced
from planrail.store.runs import run_folders
from planrail.store.runs.run_facts import add_adoption

_ASKS_NOTHING = (YIELDED, "waiting")
_ORDERED = "order"  # the facts that say what was ordered
HOME, MOVED, COPIED = "home", "moved", "copied"
INTERRUPTED = "interrupted"  # the state of a run that rests because its planrail was told to leave


@record
class Manner:
    """How a run is carried out: what shows it, whether it gives way to others, what is done while it lives."""

    display: Display
    is_answered: bool = False  # it rested at a question, and a person has said that it goes on
    gives_way: Callable[[bool], bool] | None = None  # whether a phase was done since it was taken up
    is_lost: Callable[[], bool] = lambda: False  # it was stopped or taken over, and nobody may have told it yet
    arrive: Callable[[], None] = lambda: None  # once, when the plan is ours


def is_question(rested: str) -> bool:
    """Whether a run that rests in this state asked something, which is answered by resuming it."""
    return rested not in _ASKS_NOTHING


def begin_run(order: Order, context: RunContext, manner: Manner) -> Ending:
    with _claimed(order, manner) as claim:
        folder = run_folders.new_folder(order.root, order, context.plan_file.source.text)
        seal_order(order, folder)
        open_store(order.root).save_run(order, context.plan_file.source.text)
        return _carry_out(order, context, folder, claim, manner, is_resumed=False)


def go_on_with(order: Order, context: RunContext, manner: Manner) -> Ending:
    folder = run_folders.run_folder(order.root, order.run)
    with _claimed(order, manner) as claim:
        manner.arrive()
        found = run_folders.load_run(order.root, folder)
        if found.is_over and found.ending is not None:  # by the process that had it until a moment ago
            open_store(order.root).save_ending(order.run, found.ending)
            return found.ending
        refuse_rewritten(order, folder)
        if order.options.auto and not found.order.options.auto:
            change_order(replace(found.order, options=replace(found.order.options, auto=True)), folder)
        open_store(order.root).save_run(order, context.plan_file.source.text)
        return _carry_out(order, context, folder, claim, manner, is_resumed=True)


@contextlib.contextmanager
def _claimed(order: Order, manner: Manner) -> Iterator[Claim]:
    """The plan is ours while this is open; its issues too, where nobody else has them.

    Where claims are leased, the caller gives signs of life for them: it holds a place in the queue of the team.
    """
    owner = describe_process(os.getpid(), order.run, order.run)
    now, claims = int(time.time()), open_store(order.root).claims
    taken = claims.acquire(PLAN, order.plan, owner, now, path=order.path)
    if isinstance(taken, HeldBy):
        raise held(order.path, taken.claim)
    held_too = [taken.claim]
    for issue in order.issues:
        other = claims.acquire(ISSUE, str(issue), owner, now, path=order.path)
        if isinstance(other, HeldBy):
            manner.display.note(f"issue {issue} is held by {other.claim.owner.id}; going on")
        else:
            held_too.append(other.claim)
    try:
        if order.remote:  # from here on no run that had the plan before can land anything of it
            told = raise_fence(order.root, order.remote, order.plan, taken.claim.fence, order.run)
            if told:
                manner.display.note(told)
        yield taken.claim
    finally:
        for claim in held_too:  # by its fence: one that was taken over is another's by now
            with contextlib.suppress(DatabaseGone):  # then its lease runs out
                claims.release(claim.kind, claim.name, order.run, fence=claim.fence)


def held(path: str, claim: Claim) -> Held:
    where = f"process {claim.owner.pid} on {name_host(claim.owner.host)}"
    stop = f"planrail stop {quote(path)}" if claim.owner.run else "wait until it has ended"
    return Held(
        f"{path} is held by {claim.owner.id} ({where}); nothing was started",
        remedy=f"planrail watch {quote(path)}, or {stop}",
    )


def _carry_out(
    order: Order, context: RunContext, folder: str, claim: Claim, manner: Manner, *, is_resumed: bool
) -> Ending:
    display, interruptions = manner.display, Interruptions()
    with run_folders.hold_run(folder), interruptions.listening():
        approve = approver(context, auto=order.options.auto)
        given = (context.settings, os.environ, display, approve, claim, interruptions, manner.is_lost)
        site = Site(order, folder, *given, is_resumed=is_resumed, is_answered=manner.is_answered)
        try:
            ending = _work(site, manner)
        except Stopped:
            store = open_store(order.root)
            if store.is_shared and not store.claims.renew(claim):
                raise Fenced("another machine has this run", remedy=f"planrail status {quote(order.path)}") from None
            ending = run_folders.load_ending(folder) or end_run(order, folder, stopped(order), site.fence)
        except KeyboardInterrupt as error:
            _note_interruption(order, display, error)
            return interrupted(order)
        except Fenced:  # it has nothing more to say about this run
            display.close()
            raise
        except (PlanrailError, OSError) as error:
            _note_interruption(order, display, error)
            raise _with_resume(order, error) from error
        open_store(order.root).save_ending(order.run, ending)
        with contextlib.suppress(PlanrailError, OSError):
            write_report(order, context.settings.run.reports)
        display.end(ending)
    return ending


def _work(site: Site, manner: Manner) -> Ending:
    """Walk the pipeline to its end; what an earlier planrail had begun here is ended or taken over first."""
    order, display, store = site.order, manner.display, open_store(site.root)
    run_folders.clear_ending(site.folder)
    if site.is_resumed:
        store.save_ending(order.run, None)
        end_forgotten_checks(site.folder)
    note_run(order, "resumed" if site.is_resumed else "began", pid=os.getpid())
    start_notifier(site.root)
    if order.adopted:  # done before planrail's first run, where nobody was asked about them
        with store.open_ledger() as ledger:
            key = f"{order.plan}/first-run"
            add_adoption(ledger, order.plan, order.adopted, "settings", key=key, at=order.began)
    display.begin(order)
    for told in filter(None, (announce_unpushed(order.unpushed) if order.unpushed else "", announce(order))):
        display.note(told)
    with contextlib.closing(store.open_journal(order.run, site.folder, site.claim.fence)) as journal:
        return run_plan(Durable(journal, display.step).do, Parts(site, manner.gives_way), order)


def interrupted(order: Order) -> Ending:
    return Ending(INTERRUPTED, "interrupted; an agent that is at work goes on", _resume(order))


def stopped(order: Order) -> Ending:
    text = f"the run was stopped; what had landed stays, what was begun is under refs/planrail/runs/{order.run}/"
    branch = order.line.removeprefix("refs/heads/")
    remote = find_pushed(order.root, branch) if order.options.landing == "pr" and not order.remote else ""
    if remote:
        away = f"git push {quote(remote)} --delete {quote(branch)}"
        text += f"; its branch {branch} stays on {remote} (to take it away there: {away})"
    return Ending("stopped", text, f"planrail run {quote(order.path)}")


def _note_interruption(order: Order, display: Display, error: BaseException) -> None:
    """Say on record that the run rests, and why, as far as the disk still takes it."""
    display.close()
    if isinstance(error, HungUp):  # nobody's word: a worker goes on with it, as after a kill
        return
    if isinstance(error, KeyboardInterrupt):
        text = "it was left by Ctrl-C"
    elif isinstance(error, PlanrailError):
        text = f"{error.message} ({error.remedy})" if error.remedy else error.message
    else:
        text = str(error) or type(error).__name__
    with contextlib.suppress(PlanrailError):
        note_run(order, INTERRUPTED, text=text)


def _with_resume(order: Order, error: PlanrailError | OSError) -> PlanrailError:
    command = _resume(order)
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        return ToolFailed(
            f"the run cannot go on: {where}{error.strerror or error}", remedy=f"repair that, then: {command}"
        )
    if error.remedy.endswith("planrail resume"):  # advice ends with the command to type, and says it once
        error.remedy = error.remedy.removesuffix("planrail resume") + command
    else:
        error.remedy = f"{error.remedy}; then: {command}" if error.remedy else command
    return error


def _resume(order: Order) -> str:
    return f"planrail resume {quote(order.path)}"


# What was ordered is what is resumed: the order of a run is put on record when it begins, and compared afterwards.
# Between a kill and a resumption the folder of a run is open to other processes; one that rewrites an order has to
# rewrite the ledger as well, which keeps its rows.


def seal_order(order: Order, folder: str) -> None:
    _add(order, folder, f"{_ORDERED}:{order.run}")


def seal_anew(order: Order, folder: str) -> None:
    """The same for a run that has moved to another machine, with other folders. The caller holds the plan."""
    _add(order, folder, f"{_ORDERED}:{order.run}:{uuid.uuid4().hex}")


def change_order(order: Order, folder: str) -> None:
    """Put an order in the place of the one that this run had. On record first: dying in between leaves the old one."""
    text = run_folders.pack_order(order)
    _add(order, folder, f"{_ORDERED}:{order.run}:{uuid.uuid4().hex}", text.encode())
    write_synced(os.path.join(folder, run_folders.ORDER), text)


def _add(order: Order, folder: str, name: str, text: bytes | None = None) -> None:
    with open_store(order.root).open_ledger() as ledger:
        ledger.add(_ORDERED, order.plan, {"run": order.run, "hash": _hash(folder, text)}, id=name, at=int(time.time()))


def refuse_rewritten(order: Order, folder: str) -> None:
    with open_store(order.root).open_ledger() as ledger:
        facts = (fact.value for fact in ledger.facts(_ORDERED, order.plan))
        known = {value.get("hash") for value in facts if value.get("run") == order.run}
    if not known and not run_folders.read_journal(folder):  # it died before anything was done
        seal_order(order, folder)
    elif _hash(folder) not in known:
        raise PlanrailError(
            f"the order of the run {order.run} is not the one that was given: it was rewritten",
            remedy=f"planrail stop {order.path}, then planrail run {order.path}",
        )


def _hash(folder: str, order: bytes | None = None) -> str:
    """The hash of an order and its plan's text; of the order that stands in the folder, unless another is given."""
    texts = [order] if order is not None else []
    for name in (run_folders.ORDER, run_folders.TEXT)[len(texts) :]:
        with open(os.path.join(folder, name), "rb") as file:
            texts.append(file.read())
    return hashlib.sha256(b"".join(hashlib.sha256(text).digest() for text in texts)).hexdigest()


def find_home(order: Order, root: str) -> str:
    """Whether the repository that a run was found in is the one that it was begun in: home, moved or copied."""
    here, there = common_directory(root), common_directory(order.root)
    if here is not None and here == there:
        return HOME
    return MOVED if there is None else COPIED


def refuse_elsewhere(order: Order, root: str) -> None:
    """A run goes on where it was begun, and nowhere else."""
    home = find_home(order, root)
    if home == HOME:
        return
    what = f"{order.root} is gone" if home == MOVED else f"it belongs to {order.root}, of which this is a copy"
    raise PlanrailError(
        f"the run of {order.path} cannot go on here: {what}; nothing was started",
        remedy=f"planrail stop {quote(order.path)}, then planrail run {quote(order.path)}",
    )
