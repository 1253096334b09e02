"""Ending a run whose planrail is gone: its agents, its working trees, its claim; on record."""

import time

from planrail.base.records import replace
from planrail.base.run_model import Ending, Order
from planrail.runs.request.carrying import stopped
from planrail.runs.request.order_seal import MOVED, find_home
from planrail.runs.steps.endings import end_run
from planrail.store.claim_rules import ISSUE, PLAN
from planrail.store.ledger import open_ledger, open_store
from planrail.store.runs import run_facts
from planrail.store.runs.run_folders import RunState, hold_run, load_run, save_ending
from planrail.store.runs.run_history import RunFact


def end_dead_run(found: RunState) -> None:
    """End what is left of a run. One that has ended by itself meanwhile is left as it is."""
    order = found.order
    with hold_run(found.folder):
        if not load_run(order.root, found.folder).is_over:
            end_run(order, found.folder, stopped(order), lambda ending: _record(order, ending))
    open_store(order.root).claims.release(PLAN, order.plan, order.run)
    for issue in order.issues:
        open_store(order.root).claims.release(ISSUE, str(issue), order.run)


def end_away_run(found: RunState, root: str) -> None:
    """End a run of another machine, or in a worker's clone, that nobody is at work on: on record.

    What lies there of it is cleared away by the worker of that machine, when it looks.
    """
    order = replace(found.order, root=root)
    open_store(order.root).save_ending(order.run, stopped(order))
    _record(order, stopped(order))
    open_store(root).claims.release(PLAN, order.plan, order.run)


def end_strange_run(found: RunState, root: str) -> None:
    """End a run that was begun elsewhere: of a repository that was moved all of it, of a copy its record alone."""
    order = replace(found.order, root=root)
    with hold_run(found.folder):
        if find_home(found.order, root) == MOVED:
            end_run(order, found.folder, stopped(order), lambda ending: _record(order, ending))
        else:
            save_ending(found.folder, stopped(order))


def _record(order: Order, ending: Ending) -> None:
    now = int(time.time())
    fact = RunFact(order.run, "stopped", text=ending.text, slug=order.slug, path=order.path, title=order.title)
    with open_ledger(order.root) as ledger:
        run_facts.add_fact(ledger, order.plan, fact, key=f"{order.run}/stopped/{now}", at=now)
