"""The turn that workers take on a stage, without git and agents: it writes down what happens, and waits for a word.

What it does is in the options of the request. `phases`: so many land, one after the other (1). `waits`: each waits
until the stage says go. `seconds`: so long each takes. `ending`: how the last one ends the turn (complete). Between two
phases others get their turn.
"""

import json
import os
import signal
import time
from pathlib import Path

from planrail.base.records import record
from planrail.team.queueing import INTERRUPTED, STOPPED, STOPPING, TAKEN, YIELDED, Rest, Submission, decide_rest
from planrail.testing.dispatch_port import Hold
from planrail.testing.dispatch_worker import MACHINE

BEGAN, LANDED, LEFT = "began", "landed", "left"
NOTES = "notes.jsonl"
_LONGEST = 600.0  # seconds that a turn waits, should the test have died


@record
class TurnNote:
    """What happened in a turn: it began, it heard a word from its hold, a phase landed, it left."""

    plan: str
    what: str
    pid: int
    machine: str
    repository: str
    account: str


def take_turn(submission: Submission, hold: Hold) -> Rest:
    """A turn of a plan, as its request says."""
    told: list[int] = []
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda heard, _: told.append(heard))
    folder, options = Path(submission.root), submission.wish.options
    write_note(folder, submission, BEGAN)
    try:
        return _work(submission, hold, told, folder, options)
    finally:
        write_note(folder, submission, LEFT)


def _work(submission: Submission, hold: Hold, told: list[int], folder: Path, options: dict[str, str]) -> Rest:
    phases = int(options.get("phases", "1"))
    while True:
        end = time.monotonic() + _LONGEST
        while "waits" in options and not told and not go_file(folder, submission.plan).exists():
            assert time.monotonic() < end, "nobody said go"
            time.sleep(0.02)
        time.sleep(float(options.get("seconds", "0")))
        heard = hold.beat()
        write_note(folder, submission, heard)
        if heard != TAKEN or told:
            ending = STOPPED if heard == STOPPING else INTERRUPTED
            return decide_rest(ending, 0.0, now=time.time(), tries=submission.tries, said=heard)
        write_note(folder, submission, LANDED)
        if sum(note.what == LANDED and note.plan == submission.plan for note in read_notes(folder)) >= phases:
            return decide_rest(options.get("ending", "complete"), 0.0, now=time.time(), tries=submission.tries)
        if hold.wants_turn():
            return decide_rest(YIELDED, 0.0, now=time.time(), tries=submission.tries)


def write_note(folder: Path, submission: Submission, what: str) -> None:
    """One line, whole: what is appended in one step is not mixed with what others append."""
    machine = Path(os.environ.get(MACHINE, "")).name
    line = [submission.plan, what, os.getpid(), machine, submission.repository, submission.account]
    descriptor = os.open(folder / NOTES, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(descriptor, json.dumps(line).encode() + b"\n")
    finally:
        os.close(descriptor)


def read_notes(folder: Path) -> list[TurnNote]:
    """All that was written down, in the order in which it happened."""
    path = folder / NOTES
    return [TurnNote(*json.loads(line)) for line in path.read_text().splitlines()] if path.exists() else []


def go_file(folder: Path, plan: str) -> Path:
    """The file that lets a plan's turns go on."""
    return folder / f"{plan}.go"
