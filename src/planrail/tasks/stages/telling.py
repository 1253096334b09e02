"""Lines for those who look on at a stage; where it did not come to its end, what a person and the log are told."""

import contextlib
import os
import threading
import time
from collections.abc import Mapping

from planrail.agents import claude, codex
from planrail.agents.environment import find_program
from planrail.agents.scripted import SCRIPT
from planrail.base.one_line import one_line
from planrail.base.settings import FILE_NAME, Settings
from planrail.base.wording import quote
from planrail.tasks.desk.desk import Desk
from planrail.tasks.desk.error_records import log_error
from planrail.tasks.model import Task
from planrail.tasks.questions.model import DIVIDE, NORMAL, PLAN, REVISE, ROUNDS
from planrail.tasks.stage_folders import StageFolder
from planrail.tasks.stages import wishes
from planrail.tasks.stages.asking import Halted
from planrail.tasks.stages.finishing import is_complete
from planrail.tasks.stages.opening import find_begun
from planrail.tasks.stages.surroundings import read_plan

_PROGRAMS = ("claude", "codex")  # those that a person can install
_LONGEST_FOCUS = 200
_WORDS = {"research": "research", "plan": "planning", "revise": "revising", "divide": "dividing"}
# What went wrong, by the closed set of the log. Where a person or a limit ended it, nothing did.
_TYPES = {
    wishes.TIMED_OUT: "timeout",
    wishes.MISSING: "tool_unavailable",
    wishes.INVALID: "validation_failed",
    wishes.FAILED: "delegation_interrupted",
}


def teller(desk: Desk, prefix: str = "") -> wishes.Tell:
    """Lines for those who look on; whole ones, also from several threads."""
    lock = threading.Lock()

    def tell(text: str) -> None:
        with lock, contextlib.suppress(OSError):  # nobody reads on (`2>&1 | head -1`): the stage goes on
            desk.tell(f"{prefix}{text}")

    return tell


def end_of(folder: StageFolder, halted: Halted, minutes: float, progress: str) -> wishes.StageEnd:
    """The end of a stage that something stood in the way of: what, how far it is, and how to go on."""
    order = folder.order
    if halted.status == wishes.REFUSED:
        text = f"task {order.number} {halted.text}: nothing more is asked, and what was answered is kept"
        return wishes.StageEnd(False, wishes.REFUSED, f"{text} ({progress})", halted.command, task=order.number)
    why = _reason(halted, minutes)
    text = f"{_WORDS[order.stage]} {why}: {progress}"
    return wishes.StageEnd(False, halted.status, text, _again(folder, halted), task=order.number)


def log_halt(desk: Desk, folder: StageFolder, halted: Halted, end: wishes.StageEnd) -> None:
    type_ = _TYPES.get(halted.status)
    if type_ is None:
        return
    stage = folder.order.stage
    where = {"command": f"task {stage}", "task": folder.order.number, "checkpoint": stage}
    message = f"{end.text} ({halted.text})" if halted.text and halted.text not in end.text else end.text
    log_error(desk, type_, message, action=end.command, is_recoverable=True, **where)


def _again(folder: StageFolder, halted: Halted) -> str:
    """The command that goes on. Without parts and without an agent, a division is nobody's to make."""
    order = folder.order
    if halted.status == wishes.MISSING:
        return suggest(wishes.StageWish(order.stage), order.number, list_installed(os.environ))
    if order.stage == DIVIDE:
        return f"planrail task expand {order.number} --agent {quote(folder.text('agent'))}"
    return f"planrail task {order.stage} {order.number}"


def _reason(halted: Halted, minutes: float) -> str:
    if halted.status == wishes.LIMIT:
        until = f" until {time.strftime('%H:%M', time.localtime(halted.resets_at))}" if halted.resets_at else ""
        return f"stopped, the agent is at its usage limit{until}"
    words = {
        wishes.TIMED_OUT: f"stopped after {_minutes(minutes)}",
        wishes.STOPPED: "was stopped",
        wishes.SPENT: f"rests, {halted.text}",
    }
    return words.get(halted.status, f"failed, {one_line(halted.text)}")


def _minutes(minutes: float) -> str:
    return f"{minutes:g} minute{'s' * (minutes != 1)}"


def find_missing(
    desk: Desk, task: Task, wish: wishes.StageWish, settings: Settings, environment: Mapping[str, str]
) -> wishes.StageEnd | None:
    """The end of a stage that cannot begin, since an agent of it is not installed; None where all are there."""
    for option, name in _needed(desk, task, wish, settings).items():
        if name and not is_installed(name, environment):
            others = list_installed(environment)
            text = f"{_describe(option, name)}; nothing was begun. {_advise(option, name, others)}"
            return wishes.StageEnd(
                False, wishes.MISSING, text, suggest(wish, task.number, others, option), task=task.number
            )
    return None


def is_installed(name: str, environment: Mapping[str, str]) -> bool:
    """Whether an agent's program is there. The scripted one is part of planrail, and needs a script."""
    if name == "scripted":
        return os.path.isfile(environment.get(SCRIPT, ""))
    return find_program(name, environment) is not None


def list_installed(environment: Mapping[str, str]) -> list[str]:
    return [name for name in _PROGRAMS if is_installed(name, environment)]


def suggest(wish: wishes.StageWish, number: int, others: list[str], option: str = "agent") -> str:
    """What to type instead: another agent that is there, else a document of one's own."""
    focus = wish.focus if len(wish.focus) <= _LONGEST_FOCUS and "\n" not in wish.focus else ""
    named = f"planrail task {wish.stage} {number}{f' {quote(focus)}' if focus else ''}"
    if wish.stage == DIVIDE:
        named = f"planrail task expand {number}"
    if others:
        return f"{named} --{option} {others[0]}"
    if wish.stage == DIVIDE:
        return f'{named} "first part" "second part"'
    return f"planrail task {wish.stage} {number} --from FILE" if option == "agent" else f"{named} --effort fast"


def _needed(desk: Desk, task: Task, wish: wishes.StageWish, settings: Settings) -> dict[str, str]:
    """Who is asked: by the call, else by what was begun, else by the settings. Nobody is where it has its document."""
    begun, planning = find_begun(desk, task, wish), settings.planning
    if begun is not None and is_complete(begun):
        return {}
    said = (begun.text("agent"), begun.text("critic")) if begun is not None else (planning.agent, planning.critic)
    effort = begun.order.effort if begun is not None else wish.effort or NORMAL
    has_plan = wish.stage == PLAN or (wish.stage == REVISE and read_plan(desk.root, task) is not None)
    is_criticised = has_plan and ROUNDS[effort] > 0
    return {"agent": wish.agent or said[0], "critic": (wish.critic or said[1]) if is_criticised else ""}


def _describe(option: str, name: str) -> str:
    if name == "scripted":
        return f"the scripted agent has no script; set {SCRIPT} to the path of one"
    return f"{'the critic ' if option == 'critic' else ''}{name} was not found on the PATH"


def _advise(option: str, name: str, others: list[str]) -> str:
    install = f"Install it with `{_install(name)}`, name" if name in _PROGRAMS else "Name"
    other = others[0] if others else next(one for one in _PROGRAMS if one != name)
    return f'{install} another one, or choose one for good: [planning] {option} = "{other}" in {FILE_NAME}'


def _install(name: str) -> str:
    return {"claude": claude.INSTALL, "codex": codex.INSTALL}[name]
