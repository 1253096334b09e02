"""Ending a run whose planrail is gone: its agents, its working trees, its claim; on record."""

import time

from planrail.cli.running.conducting import stopped
from planrail.engine.endings import end_run
from planrail.ledger import claims, run_facts
from planrail.ledger.run_folders import hold_run, load_run
from planrail.ledger.store import open_ledger
from planrail.runs.claims import ISSUE, PLAN
from planrail.runs.history import RunFact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from planrail.ledger.run_folders import RunState
    from planrail.runs.model import Ending, Order


def end_dead_run(found: "RunState") -> None:
    """End what is left of a run. One that has ended by itself meanwhile is left as it is."""
    order = found.order
    with hold_run(found.folder):
        if not load_run(order.root, found.folder).is_over:
            end_run(order, found.folder, stopped(order), lambda ending: _record(order, ending))
    claims.release(order.root, PLAN, order.plan, order.run)
    for issue in order.issues:
        claims.release(order.root, ISSUE, str(issue), order.run)


def _record(order: "Order", ending: "Ending") -> None:
    now = int(time.time())
    fact = RunFact(order.run, "stopped", text=ending.text, slug=order.slug, path=order.path, title=order.title)
    with open_ledger(order.root) as ledger:
        run_facts.add_run(ledger, order.plan, fact, key=f"{order.run}/stopped/{now}", at=now)
