"""Tasks beside their plans: what is called completed, and whose phases are open all the same."""

from collections.abc import Iterable, Mapping

from planrail.plans.model import Plan
from planrail.plans.reading import read
from planrail.plans.states import State
from planrail.plans.text.source import Source
from planrail.tasks.importing.divergences import Remarks, plural
from planrail.tasks.model import PLAN, Task, latest
from planrail.tasks.statuses import COMPLETED, TERMINAL, marker

_SHOWN = 3  # phases in a line
_LISTED = 10  # tasks
_DONE = (State.DONE, State.SKIPPED)


def compare_plans(tasks: Iterable[Task], plans: Mapping[str, str], remarks: Remarks) -> None:
    """Tell which tasks are called completed while their plan has open phases, and which plans are headed otherwise."""
    for task in tasks:
        artifact = latest(task, PLAN)
        text = plans.get(artifact.path) if artifact is not None else None
        if artifact is None or text is None or task.status != COMPLETED:
            continue
        plan = read(Source(artifact.path, text))
        _compare_phases(task, plan, remarks)
        _compare_header(task, artifact.path, plan, remarks)


def lacks_plan(task: Task) -> bool:
    """Whether a task is called completed, and has no plan that could prove it."""
    return task.status == COMPLETED and latest(task, PLAN) is None


def tell_unproven(tasks: Iterable[Task], remarks: Remarks) -> None:
    """Tell which tasks are called completed without a plan: all of them in one line, since an import brings many."""
    found = [task.number for task in tasks if lacks_plan(task)]
    if not found:
        return
    shown = ", ".join(map(str, found[:_LISTED])) + (" …" if len(found) > _LISTED else "")
    are = (
        "is COMPLETED without a plan that proves it" if len(found) == 1 else "are COMPLETED without plans that prove it"
    )
    told = f"{plural(len(found), 'task')} {are}: {shown} (planrail task archive puts away what is done)"
    remarks.add("no_plan", found[0], told, f"planrail task reopen {found[0]} --force")


def wanted_plans(tasks: Iterable[Task]) -> list[str]:
    """The plans that `compare_plans` wants to read."""
    found = (latest(task, PLAN) for task in tasks if task.status in TERMINAL)
    return [artifact.path for artifact in found if artifact is not None]


def _compare_phases(task: Task, plan: Plan, remarks: Remarks) -> None:
    left = [phase for phase in plan.phases if phase.status not in _DONE]
    if not left:
        return
    shown = ", ".join(f"{phase.id} {phase.title}".strip()[:60] for phase in left[:_SHOWN])
    more = f" and {len(left) - _SHOWN} more" if len(left) > _SHOWN else ""
    told = f"task {task.number} is COMPLETED, and {len(left)} of {len(plan.phases)} phases are open: {shown}{more}"
    remedy = (
        f"planrail task recover {task.number}" if task.is_archived else f"planrail task reopen {task.number} --force"
    )
    remarks.add("open_phases", task.number, told, remedy)


def _compare_header(task: Task, path: str, plan: Plan, remarks: Remarks) -> None:
    header = plan.header
    if header is None or header.state is None or header.state in _DONE:
        return
    told = f"task {task.number} is {marker(task.status)}, and {path} says {' '.join(header.text.split())[:40]}"
    remarks.add("plan_header", task.number, told)
