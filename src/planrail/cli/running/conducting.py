"""Conducting a run: taking the claim, walking the pipeline, and telling how it ended."""

import contextlib
import os
import sys
import time

from planrail.cli.running.display import open_display
from planrail.cli.running.order_seal import refuse_rewritten, seal_order
from planrail.cli.running.ordering import Ground, approver
from planrail.cli.screen import print_json, print_next, quote, say
from planrail.engine.book import Book
from planrail.engine.durable import Durable
from planrail.engine.endings import end_run
from planrail.engine.interruptions import Interruptions, Stopped
from planrail.engine.journal import Journal
from planrail.engine.site import Site
from planrail.engine.workshop import RealWorkshop
from planrail.errors import Held, PlanrailError, ToolFailed
from planrail.ledger import claims
from planrail.ledger.owners import describe_process
from planrail.ledger.run_folders import clear_ending, hold_run, load_ending, load_run, new_folder, run_folder
from planrail.records import replace
from planrail.repo.check_running import end_forgotten_checks
from planrail.runs.claims import ISSUE, PLAN, Claim, HeldBy, name_host
from planrail.runs.model import Ending
from planrail.runs.phases.viewpoints import announce
from planrail.runs.pipeline import run_plan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from planrail.cli.running.display import Display
    from planrail.runs.model import Order

_INTERRUPTED = 130
_CODES = {"pr_ready": 0, "complete": 0, "phase_done": 0, "paused": 0, "parked": 0, "stopped": 130}


def begin(order: "Order", ground: Ground, *, is_json: bool) -> int:
    """Start a new run."""
    with _claimed(order) as claim:
        folder = new_folder(order.root, order, ground.paper.source.text)
        seal_order(order, folder)
        return _conduct(order, ground, folder, claim, is_json=is_json, is_resumed=False)


def go_on(order: "Order", ground: Ground, *, is_json: bool) -> int:
    """Take up a run that was killed, paused or parked."""
    folder = run_folder(order.root, order.run)
    with _claimed(order) as claim:
        if load_run(order.root, folder).is_over:  # by whoever had it until a moment ago
            raise PlanrailError(f"the run of {order.path} has ended meanwhile", remedy=f"planrail report {order.path}")
        refuse_rewritten(order, folder)
        return _conduct(order, ground, folder, claim, is_json=is_json, is_resumed=True)


@contextlib.contextmanager
def _claimed(order: "Order") -> "Iterator[Claim]":
    """The plan is ours while this is open; its issues too, where nobody else has them."""
    owner = replace(describe_process(os.getpid()), id=order.run, run=order.run)
    now = int(time.time())
    taken = claims.acquire(order.root, PLAN, order.plan, owner, now, path=order.path)
    if isinstance(taken, HeldBy):
        raise held(order.path, taken.claim)
    held_too = [taken.claim]
    for issue in order.issues:
        other = claims.acquire(order.root, ISSUE, str(issue), owner, now, path=order.path)
        if isinstance(other, HeldBy):
            print(f"planrail: issue {issue} is in the hands of {other.claim.owner.id}; going on", file=sys.stderr)
        else:
            held_too.append(other.claim)
    try:
        yield taken.claim
    finally:
        for claim in held_too:  # by its fence: one that was taken over is somebody else's by now
            claims.release(order.root, claim.kind, claim.name, order.run, fence=claim.fence)


def held(path: str, claim: Claim) -> Held:
    """The error of a plan that is in other hands."""
    where = f"process {claim.owner.pid} on {name_host(claim.owner.host)}"
    stop = f"planrail stop {quote(path)}" if claim.owner.run else "wait until it has ended"
    return Held(
        f"{path} is in the hands of {claim.owner.id} ({where}); nothing was started",
        remedy=f"planrail status {quote(path)}, or {stop}",
    )


def _conduct(order: "Order", ground: Ground, folder: str, claim: Claim, *, is_json: bool, is_resumed: bool) -> int:
    display, interruptions = open_display(is_quiet=is_json), Interruptions()
    with hold_run(folder), interruptions.listening():
        site = _site(order, ground, folder, claim, display, interruptions, is_resumed=is_resumed)
        book = Book(site)
        try:
            ending = _work(site, book, display)
        except Stopped:
            ending = load_ending(folder) or end_run(order, folder, stopped(order), book.add_ending)
        except KeyboardInterrupt as error:
            _note_interruption(book, display, error)
            return _tell_interrupted(order)
        except (PlanrailError, OSError) as error:
            _note_interruption(book, display, error)
            raise _with_resume(order, error) from error
        _write_report(site)
        display.end(ending)
    return _tell(order, ending, is_json=is_json)


def _work(site: Site, book: Book, display: "Display") -> Ending:
    """Walk the pipeline to its end; what an earlier planrail had begun here is ended or taken over first."""
    clear_ending(site.folder)
    if site.is_resumed:
        end_forgotten_checks(site.folder)
    book.add_run("resumed" if site.is_resumed else "began", pid=os.getpid())
    book.adopt()
    display.begin(site.order)
    if told := announce(site.order):
        display.note(told)
    with contextlib.closing(Journal(os.path.join(site.folder, "journal.jsonl"))) as journal:
        return run_plan(Durable(journal, display.step).do, RealWorkshop(site, book), site.order)


def stopped(order: "Order") -> Ending:
    """The end of a run that somebody stopped."""
    text = f"the run was stopped; what had landed stays, what was begun is under refs/planrail/runs/{order.run}/"
    return Ending("stopped", text, f"planrail run {quote(order.path)}")


def _site(
    order: "Order",
    ground: Ground,
    folder: str,
    claim: Claim,
    display: "Display",
    interruptions: Interruptions,
    *,
    is_resumed: bool,
) -> Site:
    return Site(
        order=order,
        folder=folder,
        settings=ground.settings,
        environment=os.environ,
        watcher=display,
        ask=display.ask,
        approve=approver(ground, auto=order.options.auto),
        holds_claim=lambda: claims.check_fence(order.root, claim),
        now=time.time,
        interruptions=interruptions,
        is_resumed=is_resumed,
        is_answered=is_resumed and load_ending(folder) is not None,
    )


def _note_interruption(book: Book, display: "Display", error: BaseException) -> None:
    """Say on record that the run rests, as far as the disk still takes it."""
    display.close()
    with contextlib.suppress(PlanrailError):
        book.add_run("interrupted", text=str(error) or type(error).__name__)


def _with_resume(order: "Order", error: PlanrailError | OSError) -> PlanrailError:
    command = f"planrail resume {quote(order.path)}"
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        return ToolFailed(
            f"the run cannot go on: {where}{error.strerror or error}", remedy=f"mend that, then: {command}"
        )
    error.remedy = _and_then(error.remedy, command)
    return error


def _tell_interrupted(order: "Order") -> int:
    command = f"planrail resume {quote(order.path)}"
    print(f"planrail: interrupted; an agent that is at work goes on\n  → {command}", file=sys.stderr)
    return _INTERRUPTED


def _and_then(remedy: str, command: str) -> str:
    """Advice that ends with the command to type, and says it once."""
    if remedy.endswith("planrail resume"):
        return remedy.removesuffix("planrail resume") + command
    return f"{remedy}; then: {command}" if remedy else command


def _write_report(site: Site) -> None:
    from planrail.cli.running.reporting import write_report

    with contextlib.suppress(PlanrailError, OSError):
        write_report(site.order, site.settings.run.reports)


def _tell(order: "Order", ending: Ending, *, is_json: bool) -> int:
    typed = quote(os.path.relpath(os.path.join(order.root, order.path)))  # as one would type it here
    ending = replace(ending, command=ending.command.replace(order.path, typed))
    if is_json:
        told = {"state": ending.state, "text": ending.text, "phase": ending.phase or None, "command": ending.command}
        print_json({"run": order.run, "plan": order.path, **told, "until": ending.until or None})
    else:
        say(f"{ending.state.replace('_', ' ')}: {ending.text}")
        print_next(ending.command)
    return _CODES.get(ending.state, 1)
