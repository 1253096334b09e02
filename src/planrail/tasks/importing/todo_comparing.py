"""TODO.md beside state.json: what only it says is taken over, what it says differently is told. state.json counts."""

from collections.abc import Iterable, Mapping

from planrail.tasks.importing.divergences import Remarks
from planrail.tasks.importing.model import Draft
from planrail.tasks.importing.status_words import fold_status, known_status
from planrail.tasks.importing.todo_entries import TodoEntry, status_word
from planrail.tasks.importing.todo_reading import Todo
from planrail.tasks.model import Task
from planrail.tasks.statuses import STATUSES, TERMINAL, marker
from planrail.tasks.views.plain import plain_line, plain_text
from planrail.tasks.views.todo import title_of

_FIELDS = ("task_type", "topic", "effort")
_EMPTY = ("", "none", "tbd", "n/a", "unknown")


def fill_from_todo(draft: Draft, todo: TodoEntry, remarks: Remarks) -> None:
    """Take what only TODO.md says of a task, in place."""
    said = {"title": todo.title, "description": todo.text, **{key: todo.fields.get(key, "") for key in _FIELDS}}
    taken = [key for key, value in said.items() if value and not _says(draft.entry, key)]
    for key in taken:
        draft.entry[key] = said[key]
    if todo.dependencies is not None and not _says(draft.entry, "dependencies"):
        if todo.dependencies:
            taken.append("dependencies")
        draft.entry["dependencies"] = list(todo.dependencies)
    if not draft.entry.get("status") and todo.fields.get("status"):
        draft.entry["status"] = _spelled(todo.fields["status"])
        taken.append("status")
    keep_rest(draft, todo)
    if taken:
        told = f"task {draft.number}: only TODO.md says {', '.join(taken)}; taken from there"
        remarks.add("todo_adds", draft.number, told)


def compare_with_todo(task: Task, todo: TodoEntry, remarks: Remarks) -> None:
    """Tell where TODO.md says something else about a task."""
    wrong = [f"the status is {marker(task.status)}, there {_shown(todo)}"] if _other_status(task, todo) else []
    if _fold(todo.title) != _fold(title_of(task)):
        wrong.append(f"the title there is `{todo.title[:60]}`")
    for key in _FIELDS:
        said = todo.fields.get(key)
        if said and _fold(said) != _fold(plain_line(getattr(task, key))):
            wrong.append(f"{key} is `{getattr(task, key)[:40]}`, there `{said[:40]}`")
    if todo.dependencies is not None and set(todo.dependencies) - {task.number} != set(task.dependencies):
        wrong.append(f"it depends on {_numbers(task.dependencies)}, there on {_numbers(todo.dependencies)}")
    if todo.text and _fold(todo.text) not in (_fold(task.description), _fold(plain_text(task.description))):
        wrong.append("the description is another")
    if wrong:
        remarks.add("todo_differs", task.number, f"task {task.number}: {'; '.join(wrong)} (in TODO.md)")


def compare_order(todo: Todo, tasks: Mapping[int, Task], remarks: Remarks) -> None:
    """Tell where the order of TODO.md is not that of the tasks."""
    if not todo.has_order:
        return
    for line in todo.order:
        task = tasks.get(line.number)
        if task is None:
            remarks.add(
                "order_unknown", line.number, f"the order has task {line.number} (line {line.line}), which is not there"
            )
        elif known_status(line.status) != task.status:
            told = f"task {line.number} is {marker(task.status)}, the order says {line.status} (line {line.line})"
            remarks.add("order_differs", line.number, told)
    named = {line.number for line in todo.order} | set(todo.waves)
    for task in tasks.values():
        if task.status not in TERMINAL and task.number not in named:
            remarks.add("order_missing", task.number, f"task {task.number} is open, and the order leaves it out")
    _compare_waves(todo.waves, tasks, remarks)


def entry_of(todo: TodoEntry) -> dict[str, object]:
    """The entry of a task that only TODO.md has."""
    entry: dict[str, object] = {"title": todo.title, "description": todo.text}
    entry |= {key: todo.fields[key] for key in _FIELDS if key in todo.fields}
    entry["dependencies"] = list(todo.dependencies or ())
    if todo.fields.get("status"):
        entry["status"] = _spelled(todo.fields["status"])
    return entry


def keep_rest(draft: Draft, todo: TodoEntry) -> None:
    """Keep what TODO.md says beyond the fields of a task."""
    if todo.others:
        draft.kept["todo"] = dict(todo.others)
    if todo.more:
        draft.kept["todo_text"] = todo.more
    description = draft.entry.get("description")
    shown = (_fold(description), _fold(plain_text(description))) if isinstance(description, str) else ()
    if todo.text and shown and _fold(todo.text) not in shown:
        draft.kept["todo_description"] = todo.text


def _compare_waves(waves: Mapping[int, int], tasks: Mapping[int, Task], remarks: Remarks) -> None:
    for number, wave in waves.items():
        task = tasks.get(number)
        if task is None:
            remarks.add("order_unknown", number, f"the table of waves has task {number}, which is not there")
            continue
        late = [other for other in task.dependencies if waves.get(other, 0) >= wave and _is_open(tasks.get(other))]
        if late:
            told = f"task {number} is in wave {wave}, and depends on {_numbers(late)}, which comes no earlier"
            remarks.add("order_wave", number, told)


def _is_open(task: Task | None) -> bool:
    return task is not None and task.status not in TERMINAL


def _says(entry: dict[str, object], key: str) -> bool:
    aliases = {"task_type": ("task_type", "language"), "dependencies": ("dependencies", "depends_on")}
    return any(entry.get(name) not in (None, "") for name in aliases.get(key, (key,)))


def _other_status(task: Task, todo: TodoEntry) -> bool:
    said = todo.fields.get("status")
    return bool(said) and known_status(status_word(said or "")) != task.status


def _spelled(value: str) -> str:
    """A status of TODO.md as state.json spells it, where it is one."""
    word = status_word(value)
    return fold_status(word) if fold_status(word) in STATUSES else word


def _shown(todo: TodoEntry) -> str:
    return status_word(todo.fields.get("status", ""))[:40]


def _numbers(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, sorted(numbers))) or "nothing"


def _fold(text: str) -> str:
    """A text as far as it counts: not the blanks, nor the signs that keep Markdown from being read as structure."""
    folded = " ".join(text.replace("\\", "").split()).strip().lower()
    return "" if folded in _EMPTY else folded
