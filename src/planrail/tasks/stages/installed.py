"""Are the agents of a stage there at all? Who is missing is told before anything begins, with what works here."""

import os
from collections.abc import Mapping

from planrail.agents import claude, codex
from planrail.agents.environment import find_program
from planrail.agents.scripted import SCRIPT
from planrail.base.records import record
from planrail.base.settings import FILE_NAME, Settings
from planrail.base.wording import quote
from planrail.tasks.desk.desk import Desk
from planrail.tasks.model import Task
from planrail.tasks.questions.model import DIVIDE, NORMAL, PLAN, REVISE, ROUNDS
from planrail.tasks.stages.finishing import is_complete
from planrail.tasks.stages.opening import find_begun
from planrail.tasks.stages.surroundings import read_plan
from planrail.tasks.stages.wishes import MISSING, StageEnd, StageWish

_PROGRAMS = ("claude", "codex")  # those that a person can install
_LONGEST_FOCUS = 200


@record
class Needed:
    """The agents of a stage; `critic` is "" where nobody criticises."""

    agent: str
    critic: str = ""


def find_missing(
    desk: Desk, task: Task, wish: StageWish, settings: Settings, environment: Mapping[str, str]
) -> StageEnd | None:
    """The end of a stage that cannot begin, since an agent of it is not installed; None where all are there."""
    needed = _needed(desk, task, wish, settings)
    if needed is None:
        return None
    for option, name in (("agent", needed.agent), ("critic", needed.critic)):
        if name and not is_installed(name, environment):
            others = list_installed(environment)
            text = f"{_describe(option, name)}; nothing was begun. {_advise(option, name, others)}"
            return StageEnd(False, MISSING, text, suggest(wish, task.number, others, option), task=task.number)
    return None


def is_installed(name: str, environment: Mapping[str, str]) -> bool:
    """Whether an agent's program is there. The scripted one is part of planrail, and needs a script."""
    if name == "scripted":
        return os.path.isfile(environment.get(SCRIPT, ""))
    return find_program(name, environment) is not None


def list_installed(environment: Mapping[str, str]) -> list[str]:
    """The agents that could be asked here."""
    return [name for name in _PROGRAMS if is_installed(name, environment)]


def suggest(wish: StageWish, number: int, others: list[str], option: str = "agent") -> str:
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


def _needed(desk: Desk, task: Task, wish: StageWish, settings: Settings) -> Needed | None:
    """Who is asked: by the call, else by what was begun, else by the settings. None where nobody is."""
    begun, planning = find_begun(desk, task, wish), settings.planning
    if begun is not None and is_complete(begun):
        return None
    said = (begun.text("agent"), begun.text("critic")) if begun is not None else (planning.agent, planning.critic)
    effort = begun.order.effort if begun is not None else wish.effort or NORMAL
    has_plan = wish.stage == PLAN or (wish.stage == REVISE and read_plan(desk.root, task) is not None)
    is_criticised = has_plan and ROUNDS[effort] > 0
    return Needed(wish.agent or said[0], (wish.critic or said[1]) if is_criticised else "")


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
