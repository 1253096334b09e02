"""When did a run come to rest, and how long did it take? The journal knows of steps; a stop in the middle has none."""

import os

from planrail.store.runs.run_folders import ENDING, RUNNING, RunState

_SIGNS = ("events.jsonl", "log", "outcome.json")  # what an agent that works writes to


def rested_at(run: RunState) -> float:
    """When a run that is not at work gave its last sign: its last word, its journal's, or that of its agent."""
    signs = [os.path.join(run.folder, ENDING)]
    if run.ending is None and run.agent_folder:
        signs += [os.path.join(run.agent_folder, name) for name in _SIGNS]
    return max([run.last_at, *map(_changed, signs)])


def elapsed(run: RunState, now: float) -> float:
    """How long a run has taken so far, or took until it came to rest."""
    return max(0.0, (now if run.state == RUNNING else rested_at(run)) - run.started)


def _changed(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0
