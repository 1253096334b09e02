"""When and why did a run come to rest, and how long did it take? The journal knows of steps, a stop has none."""

import os

from planrail.store.ledger import has_ledger, open_ledger
from planrail.store.runs.run_facts import last_event
from planrail.store.runs.run_folders import ENDING, INTERRUPTED, RUNNING, RunState, is_own

_SIGNS = ("events.jsonl", "log", "outcome.json")  # what an agent that works writes to


def rested_at(run: RunState) -> float:
    """When a run that is not at work gave its last sign: its last word, its journal's, or that of its agent.

    In a copy the times of files say when that was made.
    """
    signs = [os.path.join(run.folder, ENDING)]
    at = run.ending.at if run.ending is not None else 0.0
    if run.ending is None and run.agent_folder:
        signs += [os.path.join(run.agent_folder, name) for name in _SIGNS]
    times = [changed_at(sign) for sign in signs] if not at and is_own(run.folder, run.order) else []
    return max([run.last_at, at, *times])


def elapsed(run: RunState, now: float) -> float:
    """How long a run has taken so far, or took until it came to rest."""
    return max(0.0, (now if run.state == RUNNING else rested_at(run)) - run.started)


def changed_at(path: str) -> float:
    """When a file was last written; 0 where there is none."""
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0


def last_word(run: RunState) -> str:
    """Why a run ended or rests; of one that an error cut off, the error. "" where it died without a word."""
    if run.ending is not None:
        return run.ending.text
    if run.state != INTERRUPTED or not has_ledger(run.order.root):
        return ""
    with open_ledger(run.order.root) as ledger:
        last = last_event(ledger, run.order.plan, run.order.run)
    return last.text if last is not None and last.event == INTERRUPTED else ""
