"""Where a task stands, as far as its next step depends on it: read from the book, its documents and its stages."""

import os

from planrail.base.errors import PlanrailError
from planrail.tasks.book.task_rows import open_book
from planrail.tasks.desk.desk import Desk
from planrail.tasks.model import PLAN, REPORT, Task, latest
from planrail.tasks.orchestrating import Stand, read_escalations
from planrail.tasks.stage_folders import newest_stage
from planrail.tasks.stages.installed import is_installed
from planrail.tasks.stages.running import load_all_settings
from planrail.tasks.statuses import open_phases
from planrail.tasks.waiting import decide_waiting
from planrail.tasks.work.plan_phases import plan_path, read_phases
from planrail.tasks.work.task_runs import is_approved


def read_stand(desk: Desk, number: int) -> Stand:
    """All that the next step of a task depends on."""
    with open_book(desk.root) as book:
        task, history = book.load(number), book.history(number)
        briefs = book.briefs()
    states = {brief.number: brief.status for brief in briefs}
    report, plan = latest(task, REPORT), latest(task, PLAN)
    place, phases = plan_path(desk.root, task), read_phases(desk.root, task)
    return Stand(
        number,
        task.status,
        report.round if report is not None else None,
        plan.round if plan is not None and phases is not None else None,
        phases,
        is_approved=_may_run(place, [phase.id for phase in open_phases(phases)]) if phases else False,
        path=os.path.relpath(place) if place else "",
        waits=decide_waiting(task, states, {brief.number: brief.dependencies for brief in briefs}),
        escalations=read_escalations(history),
        why=task.why,
        begun=_begun(desk, task),
    )


def find_lack(desk: Desk, agent: str) -> str:
    """Why the agent of stages cannot be started here; "" where nothing is known against it. `agent` is the wish."""
    name = agent or load_all_settings(desk.root).planning.agent
    return "" if is_installed(name, os.environ) else f"{name} was not found on the PATH"


def _begun(desk: Desk, task: Task) -> str:
    """The stage that was last worked on and has not ended; "" where there is none."""
    stage = newest_stage(desk.root, task.number, task.id)
    return stage.order.stage if stage is not None else ""


def _may_run(place: str, phases: list[str]) -> bool:
    """Whether people have said yes. What cannot be judged is refused by the run, which says why."""
    try:
        return is_approved(place, phases)
    except PlanrailError:
        return True
