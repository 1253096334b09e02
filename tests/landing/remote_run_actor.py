"""A process that carries out a whole run in a clone of planrail's own, as a worker does: `CLONE URL PLAN [LANDING]`.

A run that was begun there and has not ended is gone on with.
"""

import contextlib
import os
import sys
import time

from planrail.agents.model import Event
from planrail.ask.durable import Durable
from planrail.ask.interruptions import Interruptions
from planrail.base.errors import PlanrailError
from planrail.base.identity import branch_name, slug
from planrail.base.records import replace
from planrail.base.run_model import Ending, Options, Order
from planrail.git.remotes.mirrors import REMOTE, bring_branch, open_mirror, write_plan_file
from planrail.runs.landing.fences import raise_fence
from planrail.runs.pipeline import run_plan
from planrail.runs.request.ordering import RunContext, approver, read_context
from planrail.runs.request.orders import make_order
from planrail.runs.steps.parts import Parts
from planrail.runs.steps.site import Site
from planrail.store.claim_rules import PLAN, HeldBy
from planrail.store.journal import Journal
from planrail.store.ledger import open_store
from planrail.store.owners import describe_process
from planrail.store.runs.run_folders import hold_run, list_runs, new_folder, run_folder

TARGET = "refs/heads/main"


class Teller:
    """Says on the standard output what people would be told."""

    def event(self, phase: str, event: Event) -> None:
        """Something that an agent did."""

    def note(self, text: str, topic: str = "") -> None:
        """A line for people."""
        print(text)

    def ask(self, question: str) -> bool | None:
        """Nobody is there."""


def main(folder: str, url: str, plan: str, landing: str = "cherry-pick") -> int:
    """Carry it out until it rests; how it ended is printed."""
    try:
        root = open_mirror(folder, url, TARGET)
        context = read_context(write_plan_file(root, TARGET, plan), TARGET)
        ending = _carry_out(context, *_find_order(context, landing))
    except PlanrailError as error:
        print(f"{type(error).__name__}: {error.message} -> {error.remedy}")
        return error.exit_code
    print(f"{ending.state}: {ending.text} -> {ending.command}")
    return 0 if ending.state == "complete" else 1


def _find_order(context: RunContext, landing: str) -> tuple[Order, bool]:
    begun = [state for state in list_runs(context.root, context.plan_file.id) if not state.is_over]
    if begun:
        return begun[0].order, True
    if landing == "pr":
        bring_branch(context.root, f"refs/heads/{branch_name('feat/', slug(context.plan_file.path))}")
    order = replace(make_order(context, Options(auto=True, finish=True, landing=landing)), remote=REMOTE)
    new_folder(order.root, order, context.plan_file.source.text)
    return order, False


def _carry_out(context: RunContext, order: Order, is_resumed: bool) -> Ending:
    owner = replace(describe_process(os.getpid()), id=order.run, run=order.run)
    taken = open_store(order.root).claims.acquire(PLAN, order.plan, owner, int(time.time()), path=order.path)
    assert not isinstance(taken, HeldBy)
    claim, folder, interruptions = taken.claim, run_folder(order.root, order.run), Interruptions()
    raise_fence(order.root, REMOTE, order.plan, claim.fence, order.run)
    with hold_run(folder), contextlib.closing(Journal(os.path.join(folder, "journal.jsonl"))) as journal:
        site = Site(
            order=order,
            folder=folder,
            settings=context.settings,
            environment=os.environ,
            watcher=Teller(),
            approve=approver(context, auto=True),
            claim=claim,
            interruptions=interruptions,
            is_resumed=is_resumed,
        )
        return run_plan(Durable(journal).do, Parts(site), order)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
