"""Ending a run whose planrail is gone: its agents, its working trees, its claim; on record. And letting one rest."""

import contextlib
import os
import signal

from planrail.base.records import replace
from planrail.runs.request.carrying import MOVED, find_home, stopped
from planrail.runs.steps.site import note_run
from planrail.runs.steps.workspaces import end_run
from planrail.store.claim_rules import ISSUE, PLAN
from planrail.store.ledger import open_store
from planrail.store.owners import is_surely_here
from planrail.store.runs.run_folders import RunState, hold_run, load_run, save_ending


def end_dead_run(found: RunState) -> None:
    """End what is left of a run. One that has ended by itself meanwhile is left as it is."""
    order = found.order
    with hold_run(found.folder):
        if not load_run(order.root, found.folder).is_over:
            end_run(order, found.folder, stopped(order))
    open_store(order.root).claims.release(PLAN, order.plan, order.run)
    for issue in order.issues:
        open_store(order.root).claims.release(ISSUE, str(issue), order.run)


def end_away_run(found: RunState, root: str) -> None:
    """End a run of another machine, or in a worker's clone, that nobody is at work on: on record.

    What lies there of it is cleared away by the worker of that machine, when it looks.
    """
    order = replace(found.order, root=root)
    open_store(order.root).save_ending(order.run, stopped(order))
    note_run(order, "stopped", stopped(order))
    open_store(root).claims.release(PLAN, order.plan, order.run)


def end_strange_run(found: RunState, root: str) -> None:
    """End a run that was begun elsewhere: of a repository that was moved all of it, of a copy its record alone."""
    order = replace(found.order, root=root)
    with hold_run(found.folder):
        if find_home(found.order, root) == MOVED:
            end_run(order, found.folder, stopped(order))
        else:
            save_ending(found.folder, stopped(order))


def pause_run(found: RunState) -> bool:
    """Ask the planrail of a live run to rest, as Ctrl-C does: its agent goes on, and `resume` takes up both.

    False where its process is not one of this machine.
    """
    holder = open_store(found.order.root).claims.holder(PLAN, found.order.plan)
    if holder is None or holder.owner.run != found.order.run or not is_surely_here(holder.owner):
        return False
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(holder.owner.pid, signal.SIGINT)
        return True
    return False
