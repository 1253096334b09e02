"""Which stage is worked on: one that was begun and has not ended is gone on with; else a new one begins."""

import math

from planrail.agents.drivers import NAMES
from planrail.agents.jobs.runner import stop_job
from planrail.ask.asking import put_aside
from planrail.base.crash_points import reach
from planrail.base.errors import UsageError
from planrail.base.settings import Settings
from planrail.tasks.book.task_rows import open_book
from planrail.tasks.desk.desk import Desk
from planrail.tasks.model import REPORT, Task, round_for
from planrail.tasks.questions.model import MOST_TEAM, NORMAL, RESEARCH, REVISE, ROUNDS, StageOrder
from planrail.tasks.stage_folders import StageFolder, attempts_at_work, create, open_stages
from planrail.tasks.stages.finishing import finish, is_complete
from planrail.tasks.stages.surroundings import files_of, gather, read_plan
from planrail.tasks.stages.wishes import StageWish, Tell


def check_wish(wish: StageWish) -> None:
    for name in (wish.agent, wish.critic):
        if name and name not in NAMES:
            raise UsageError(
                f"{name!r} is not an agent that is held to reading", remedy=f"use one of: {', '.join(NAMES)}"
            )
    if wish.effort and wish.effort not in ROUNDS:
        raise UsageError(f"{wish.effort!r} is no effort", remedy=f"use one of: {', '.join(ROUNDS)}")
    if not 0 <= wish.team <= MOST_TEAM:
        raise UsageError(f"a team of {wish.team} cannot be had", remedy=f"choose 1 to {MOST_TEAM}: --team 3")
    if not 0 <= wish.timeout < math.inf:  # 0: as the settings say
        raise UsageError(f"{wish.timeout:g} minutes are no time", remedy="choose more: --timeout 30")


def open_stage(desk: Desk, task: Task, wish: StageWish, settings: Settings, tell: Tell) -> StageFolder:
    """The stage to work on. What another stage of the task left at work is ended, or brought to its end."""
    found = _settle_others(desk, task, wish, tell)
    if found is not None:
        return _go_on(found, wish, tell)
    with open_book(desk.root) as book:
        task = book.load(task.number)  # another stage may just have come to its end
    round_ = round_for(task, RESEARCH if wish.stage == RESEARCH else "plan", files_of(desk, task, REPORT))
    return begin(desk, task, wish, settings, round_)


def find_begun(desk: Desk, task: Task, wish: StageWish) -> StageFolder | None:
    """The stage that such a call would go on with; None where it would begin a new one."""
    begun = [folder for folder in open_stages(desk.root, task.number) if _is_meant(folder, task, wish)]
    return begun[-1] if begun else None


def _is_meant(folder: StageFolder, task: Task, wish: StageWish) -> bool:
    is_ours, is_same = folder.text("task") == task.id, folder.order.stage == wish.stage
    return is_ours and is_same and not wish.restart and _can_go_on(folder, task)


def leave_stages(desk: Desk, task: Task, stage: str) -> None:
    """Let go of what was begun of a stage: its agents are ended, its answers kept aside."""
    for folder in open_stages(desk.root, task.number):
        if folder.order.stage == stage:
            end_agents(folder)
            put_aside(folder.path, "left")


def end_agents(folder: StageFolder) -> None:
    """End what is still at work for a stage that nobody waits for."""
    for place in attempts_at_work(folder):
        stop_job(place)


def begin(desk: Desk, task: Task, wish: StageWish, settings: Settings, round_: int) -> StageFolder:
    """A new stage, on the disk: what it asks is settled now, whoever goes on with it."""
    has_plan = wish.stage == REVISE and read_plan(desk.root, task) is not None
    context, shown = gather(desk, task, wish.stage, round_, wish.focus, clean=wish.clean)
    order = StageOrder(
        stage=wish.stage,
        number=task.number,
        round=round_,
        title=task.title,
        context=context,
        effort=wish.effort or NORMAL,
        team=max(wish.team, 1),
        has_plan=has_plan,
    )
    planning = settings.planning
    about = {
        "task": task.id,
        "session": desk.session,
        "began": desk.now(),
        "agent": wish.agent or planning.agent,
        "critic": wish.critic or planning.critic,
        "model": wish.model,
        "focus": wish.focus,
        "shown": shown,
    }
    folder = create(desk.root, order, about)
    reach("stage.opened")
    return folder


def _settle_others(desk: Desk, task: Task, wish: StageWish, tell: Tell) -> StageFolder | None:
    """The stage that can be gone on with, None for none; the others of this task come to an end here."""
    found = None
    for folder in open_stages(desk.root, task.number):
        is_ours, is_same = folder.text("task") == task.id, folder.order.stage == wish.stage
        if _is_meant(folder, task, wish):
            if found is not None:
                put_aside(found.path, "left")
            found = folder
        elif is_ours and not is_same and is_complete(folder):
            tell(f"the {folder.order.stage} of round {folder.order.round} had its document; it is linked now")
            finish(desk, folder)
        else:
            end_agents(folder)
            if is_same or not is_ours:
                put_aside(folder.path, "left")
    return found


def _can_go_on(folder: StageFolder, task: Task) -> bool:
    """Whether a stage has what it needs: a document, or agents to ask for a round that is still the newest."""
    if is_complete(folder):
        return True
    return bool(folder.text("agent")) and (folder.order.stage == RESEARCH or (folder.order.round >= max(task.round, 1)))


def _go_on(folder: StageFolder, wish: StageWish, tell: Tell) -> StageFolder:
    """The stage with the agents that are named now. What it asks was settled when it began, and that is said."""
    changed = {name: value for name in ("agent", "critic", "model") if (value := getattr(wish, name))}
    if wish.agent and wish.agent != folder.text("agent") and not wish.model:
        changed["model"] = ""  # a model's name means something to one program only
    settled = {"focus": folder.text("focus"), "effort": folder.order.effort, "team": folder.order.team}
    others = [name for name, value in settled.items() if getattr(wish, name) and getattr(wish, name) != value]
    if others:
        tell(f"going on with what was begun, by its own {' and '.join(others)}; to begin anew: --restart")
    else:
        tell("going on with what was begun")
    return folder.note(**changed) if changed else folder
