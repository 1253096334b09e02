"""May the plan of a task be carried out, while tasks that it depends on are not completed? Pure."""

from planrail.tasks.model import Brief
from planrail.tasks.statuses import STEPS, TERMINAL, Refuse, marker
from planrail.tasks.waves import unmet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from planrail.tasks.model import Task


def decide_waiting(task: "Task", states: "Mapping[int, str]") -> Refuse | None:
    """Why a task has to wait, and what to type instead; None where it does not. `states` are those of all tasks.

    A dependency that is closed without being completed never will be by itself: then the task is to be edited.
    """
    waits = unmet(Brief(task.number, task.title, task.status, "", task.dependencies), states)
    if not waits:
        return None
    named = ", ".join(f"task {number}, which is {marker(states[number])}" for number in waits)
    first = waits[0]
    if states[first] in TERMINAL:
        left = ",".join(str(number) for number in task.dependencies if number != first) or "none"
        return Refuse(f"task {task.number} waits for {named}", f"planrail task edit {task.number} --depends {left}")
    return Refuse(f"task {task.number} waits for {named}", f"planrail task {STEPS[states[first]]} {first}")
