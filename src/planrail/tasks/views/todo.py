"""`specs/TODO.md`: the order of the tasks that are open, then every task, the newest first."""

from collections.abc import Iterable

from planrail.tasks.model import REPORT, SUMMARY, Task
from planrail.tasks.statuses import marker
from planrail.tasks.views.plain import flat, plain_line, plain_text

BETWEEN = "\n---\n\n"  # two sections, each of which ends its last line
TASKS = "\n## Tasks\n\n"
_SHORT = 65  # characters of a description in the order
_NAMES = {REPORT: "Research", SUMMARY: "Summary"}


def render_section(task: Task, folder: str = "specs") -> str:
    """The part of TODO.md about one task."""
    lines = [f"### {task.number}. {title_of(task)}"]
    lines += _field("Effort", task.effort)
    lines.append(f"- **Status**: [{marker(plain_line(task.status))}]")
    lines += _field("Task Type", task.task_type)
    lines += _field("Topic", task.topic)
    lines.append(f"- **Dependencies**: {', '.join(f'Task {number}' for number in task.dependencies) or 'None'}")
    lines += _links(task, f"{folder}/")
    if task.description.strip():
        lines += ["", f"**Description**: {plain_text(task.description)}"]
    return "\n".join(lines) + "\n"


def title_of(task: Task) -> str:
    """The title as one line; a task without one is called by its name."""
    title = plain_line(task.title)
    if title:
        return title
    name = plain_line(task.name.replace("_", " "))
    return name[:1].upper() + name[1:] if name else f"Task {task.number}"


def gist_of(task: Task) -> str:
    """What the order says of a task: how its description begins."""
    text = (task.description or task.name).removeprefix(" ")[:_SHORT]
    return flat(text) if plain_line(text) else "(no description)"


def render_todo(next_number: int, order: str, sections: Iterable[str]) -> str:
    """The whole file."""
    return f"{render_front(next_number)}{order}{TASKS}{BETWEEN.join(sections)}"


def render_front(next_number: int) -> str:
    """What stands before the order."""
    return f"---\nnext_project_number: {next_number}\n---\n\n# TODO\n\n"


def _field(name: str, value: str) -> list[str]:
    line = plain_line(value)
    return [f"- **{name}**: {line}"] if line else []


def _links(task: Task, prefix: str) -> list[str]:
    paths: dict[str, list[str]] = {}
    for artifact in task.artifacts:
        path = plain_line(artifact.path).removeprefix(prefix)
        if path:
            name = _NAMES.get(artifact.type) or plain_line(artifact.type)
            paths.setdefault(name[:1].upper() + name[1:] or "Unknown", []).append(path)
    return [line for name, found in paths.items() for line in _links_of(name, found)]


def _links_of(name: str, paths: list[str]) -> list[str]:
    if len(paths) == 1:
        return [f"- **{name}**: [{paths[0]}]"]
    return [f"- **{name}**:", *(f"  - [{path}]" for path in paths)]
