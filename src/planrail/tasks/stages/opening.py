"""Which stage is worked on, by which agents: one that was begun and has not ended goes on; else a new one begins."""

import os

from planrail.agents import claude, codex
from planrail.agents.environment import find_program
from planrail.agents.jobs.runner import stop_job
from planrail.agents.scripted import SCRIPT
from planrail.ask.asking import put_aside
from planrail.base.crash_points import reach
from planrail.base.settings import FILE_NAME, Settings
from planrail.base.wording import quote
from planrail.tasks.context.context import Context
from planrail.tasks.context.files import files_of, read_plan
from planrail.tasks.model import REPORT, Task, round_for
from planrail.tasks.questions.model import DIVIDE, NORMAL, PLAN, RESEARCH, REVISE, ROUNDS, StageOrder, kind_of
from planrail.tasks.stage_folders import StageFolder, attempts_at_work, create, open_stages
from planrail.tasks.stages.finishing import finish, is_complete
from planrail.tasks.stages.gathering import gather
from planrail.tasks.stages.requests import MISSING, StageEnd, StageRequest, Tell

_PROGRAMS = {"claude": claude.INSTALL, "codex": codex.INSTALL}  # those that a person can install
_LONGEST_FOCUS = 200


def open_stage(context: Context, task: Task, request: StageRequest, settings: Settings, tell: Tell) -> StageFolder:
    """The stage to work on. What another stage of the task left at work is ended, or brought to its end."""
    found = None
    for folder in open_stages(context.root, task.number):
        is_ours, is_same = folder.text("task") == task.id, folder.order.stage == request.stage
        if _is_meant(folder, task, request):
            if found is not None:
                put_aside(found.path, "left")
            found = folder
        elif is_ours and not is_same and is_complete(folder):
            tell(f"the {folder.order.stage} of round {folder.order.round} had its document; it is linked now")
            finish(context, folder)
        else:
            end_agents(folder)
            if is_same or not is_ours:
                put_aside(folder.path, "left")
    if found is not None:
        return _go_on(found, request, tell)
    task = context.load(task.number)  # another stage may just have come to its end
    return _begin(context, task, request, settings)


def _is_meant(folder: StageFolder, task: Task, request: StageRequest) -> bool:
    """Whether such a call goes on with a stage: it has a document, or agents to ask for a round that is the newest."""
    order = folder.order
    if folder.text("task") != task.id or order.stage != request.stage or request.restart:
        return False
    is_newest = order.stage == RESEARCH or order.round >= max(task.round, 1)
    return is_complete(folder) or (bool(folder.text("agent")) and is_newest)


def leave_stages(context: Context, task: Task, stage: str) -> None:
    """Let go of what was begun of a stage: its agents are ended, its answers kept aside."""
    for folder in open_stages(context.root, task.number):
        if folder.order.stage == stage:
            end_agents(folder)
            put_aside(folder.path, "left")


def end_agents(folder: StageFolder) -> None:
    """End what is still at work for a stage that nobody waits for."""
    for place in attempts_at_work(folder):
        stop_job(place)


def next_round(context: Context, task: Task, stage: str) -> int:
    return round_for(task, kind_of(stage), files_of(context, task, REPORT))


def _begin(context: Context, task: Task, request: StageRequest, settings: Settings) -> StageFolder:
    """A new stage, on the disk: what it asks is settled now, for every call that goes on with it."""
    round_ = next_round(context, task, request.stage)
    given, shown = gather(context, task, request, round_)
    order = StageOrder(
        stage=request.stage,
        number=task.number,
        round=round_,
        title=task.title,
        context=given,
        effort=request.effort or NORMAL,
        team=max(request.team, 1),
        has_plan=request.stage == REVISE and read_plan(context.root, task) is not None,
    )
    about = {
        "task": task.id,
        "session": context.session,
        "began": context.now(),
        "agent": request.agent or settings.planning.agent,
        "critic": request.critic or settings.planning.critic,
        "model": request.model,
        "focus": request.focus,
        "shown": shown,
    }
    folder = create(context.root, order, about)
    reach("stage.opened")
    return folder


def _go_on(folder: StageFolder, request: StageRequest, tell: Tell) -> StageFolder:
    """The stage with the agents that are named now. What it asks was settled when it began, and that is said."""
    changed = {name: value for name in ("agent", "critic", "model") if (value := getattr(request, name))}
    if request.agent and request.agent != folder.text("agent") and not request.model:
        changed["model"] = ""  # a model's name means something to one program only
    settled = {"focus": folder.text("focus"), "effort": folder.order.effort, "team": folder.order.team}
    others = [name for name, value in settled.items() if getattr(request, name) and getattr(request, name) != value]
    own = f", by its own {' and '.join(others)}; to begin anew: --restart" if others else ""
    tell(f"going on with what was begun{own}")
    return folder.note(**changed) if changed else folder


# ---- by which agents ----


def find_missing(context: Context, task: Task, request: StageRequest, settings: Settings) -> StageEnd | None:
    """The end of a stage that cannot begin, since an agent of it is not installed; None where all are there."""
    for option, name in _needed(context, task, request, settings).items():
        if name and not is_installed(name):
            what = f"{'the critic ' if option == 'critic' else ''}{name} was not found on the PATH"
            if name == "scripted":
                what = f"the scripted agent has no script; set {SCRIPT} to the path of one"
            install = f"Install it with `{_PROGRAMS[name]}`, name" if name in _PROGRAMS else "Name"
            other = [*filter(is_installed, _PROGRAMS), *(one for one in _PROGRAMS if one != name)][0]
            choose = f'another one, or choose one for good: [planning] {option} = "{other}" in {FILE_NAME}'
            text = f"{what}; nothing was begun. {install} {choose}"
            return StageEnd(MISSING, text, suggest(request, task.number, option), task.number)
    return None


def _needed(context: Context, task: Task, request: StageRequest, settings: Settings) -> dict[str, str]:
    """The agents to ask: by the call, else by what was begun, else by the settings. None where it has its document."""
    begun = [folder for folder in open_stages(context.root, task.number) if _is_meant(folder, task, request)]
    if begun and is_complete(begun[-1]):
        return {}
    planning, effort = settings.planning, request.effort or NORMAL
    said = {"agent": planning.agent, "critic": planning.critic}
    if begun:
        said, effort = {name: begun[-1].text(name) for name in said}, begun[-1].order.effort
    said |= {name: value for name in said if (value := getattr(request, name))}
    has_plan = request.stage == PLAN or (request.stage == REVISE and read_plan(context.root, task) is not None)
    return said if has_plan and ROUNDS[effort] > 0 else {"agent": said["agent"]}


def is_installed(name: str) -> bool:
    """Whether an agent's program is there. The scripted one is part of planrail, and needs a script."""
    if name == "scripted":
        return os.path.isfile(os.environ.get(SCRIPT, ""))
    return find_program(name, os.environ) is not None


def suggest(request: StageRequest, number: int, option: str = "agent") -> str:
    """What to type instead: another agent that is there, else a document of one's own."""
    others = [name for name in _PROGRAMS if is_installed(name)]
    focus = request.focus if len(request.focus) <= _LONGEST_FOCUS and "\n" not in request.focus else ""
    named = f"planrail task {request.stage} {number}{f' {quote(focus)}' if focus else ''}"
    if request.stage == DIVIDE:
        named = f"planrail task expand {number}"
    if others:
        return f"{named} --{option} {others[0]}"
    if request.stage == DIVIDE:
        return f'{named} "first part" "second part"'
    return f"planrail task {request.stage} {number} --from FILE" if option == "agent" else f"{named} --effort fast"
