"""Lines for those who look on at a stage; where it did not come to its end, what a person and the log are told."""

import contextlib
import os
import threading
import time

from planrail.base.one_line import one_line
from planrail.base.wording import quote
from planrail.tasks.desk.desk import Desk
from planrail.tasks.desk.error_records import log_error
from planrail.tasks.error_log import Where
from planrail.tasks.questions.model import DIVIDE
from planrail.tasks.stage_folders import StageFolder
from planrail.tasks.stages.asking import Halted
from planrail.tasks.stages.installed import list_installed, suggest
from planrail.tasks.stages.wishes import (
    FAILED,
    INVALID,
    LIMIT,
    MISSING,
    REFUSED,
    SPENT,
    STOPPED,
    TIMED_OUT,
    StageEnd,
    StageWish,
    Tell,
)

_WORDS = {"research": "research", "plan": "planning", "revise": "revising", "divide": "dividing"}
# What went wrong, by the closed set of the log. Where a person or a limit ended it, nothing did.
_TYPES = {
    TIMED_OUT: "timeout",
    MISSING: "tool_unavailable",
    INVALID: "validation_failed",
    FAILED: "delegation_interrupted",
}


def teller(desk: Desk, prefix: str = "") -> Tell:
    """Lines for those who look on; whole ones, also from several threads."""
    lock = threading.Lock()

    def tell(text: str) -> None:
        with lock, contextlib.suppress(OSError):  # nobody reads on (`2>&1 | head -1`): the stage goes on
            desk.tell(f"{prefix}{text}")

    return tell


def end_of(folder: StageFolder, halted: Halted, minutes: float, progress: str) -> StageEnd:
    """The end of a stage that something stood in the way of: what, how far it is, and how to go on."""
    order = folder.order
    if halted.status == REFUSED:
        text = f"task {order.number} {halted.text}: nothing more is asked, and what was answered is kept"
        return StageEnd(False, REFUSED, f"{text} ({progress})", halted.command, task=order.number)
    why = _reason(halted, minutes)
    text = f"{_WORDS[order.stage]} {why}: {progress}"
    return StageEnd(False, halted.status, text, _again(folder, halted), task=order.number)


def log_halt(desk: Desk, folder: StageFolder, halted: Halted, end: StageEnd) -> None:
    """Keep what went wrong in the log, where something did."""
    type_ = _TYPES.get(halted.status)
    if type_ is None:
        return
    where = Where(command=f"task {folder.order.stage}", task=folder.order.number, checkpoint=folder.order.stage)
    message = f"{end.text} ({halted.text})" if halted.text and halted.text not in end.text else end.text
    log_error(desk, type_, message, where, action=end.command, is_recoverable=True)


def _again(folder: StageFolder, halted: Halted) -> str:
    """The command that goes on. Without parts and without an agent, a division is nobody's to make."""
    order = folder.order
    if halted.status == MISSING:
        return suggest(StageWish(order.stage), order.number, list_installed(os.environ))
    if order.stage == DIVIDE:
        return f"planrail task expand {order.number} --agent {quote(folder.text('agent'))}"
    return f"planrail task {order.stage} {order.number}"


def _reason(halted: Halted, minutes: float) -> str:
    if halted.status == LIMIT:
        until = f" until {time.strftime('%H:%M', time.localtime(halted.resets_at))}" if halted.resets_at else ""
        return f"stopped, the agent is at its usage limit{until}"
    words = {TIMED_OUT: f"stopped after {_minutes(minutes)}", STOPPED: "was stopped", SPENT: f"rests, {halted.text}"}
    return words.get(halted.status, f"failed, {one_line(halted.text)}")


def _minutes(minutes: float) -> str:
    return f"{minutes:g} minute{'s' * (minutes != 1)}"
