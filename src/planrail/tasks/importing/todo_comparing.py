"""TODO.md beside state.json: what only it says is taken over, what it says differently is told. state.json counts."""

from collections.abc import Iterable, Mapping

from planrail.base.records import replace
from planrail.tasks.importing.documents import Shelf
from planrail.tasks.importing.model import Draft, Remarks, group_archived
from planrail.tasks.importing.normalising import fold_status, known_status
from planrail.tasks.importing.todo_reading import Todo, TodoEntry, status_word
from planrail.tasks.model import Task
from planrail.tasks.naming import make_slug
from planrail.tasks.statuses import STATUSES, TERMINAL, marker
from planrail.tasks.views.todo import plain_line, plain_text, title_of

_FIELDS = ("task_type", "topic", "effort")
_EMPTY = ("", "none", "tbd", "n/a", "unknown")


def fill_from_todo(draft: Draft, todo: TodoEntry, *, is_told: bool = True) -> None:
    said = {"title": todo.title, "description": todo.text, **{key: todo.fields.get(key, "") for key in _FIELDS}}
    taken = [key for key, value in said.items() if value and not _says(draft.entry, key)]
    for key in taken:
        draft.entry[key] = said[key]
    if todo.dependencies is not None and not _says(draft.entry, "dependencies"):
        taken += ["dependencies"] if todo.dependencies else []
        draft.entry["dependencies"] = list(todo.dependencies)
    if not draft.entry.get("status") and todo.fields.get("status"):
        word = status_word(todo.fields["status"])
        draft.entry["status"] = fold_status(word) if fold_status(word) in STATUSES else word
        taken.append("status")
    beside = {"todo": dict(todo.others), "todo_text": todo.more}
    draft.kept |= {name: value for name, value in beside.items() if value}
    description = draft.entry.get("description")
    shown = (_fold(description), _fold(plain_text(description))) if isinstance(description, str) else ()
    if todo.text and shown and _fold(todo.text) not in shown:
        draft.kept["todo_description"] = todo.text
    if taken and is_told:
        draft.tell("todo_adds", f": only TODO.md says {', '.join(taken)}; taken from there")


def compare_with_todo(task: Task, todo: TodoEntry, remarks: Remarks) -> None:
    wrong, status = [], status_word(todo.fields.get("status", ""))
    if status and known_status(status) != task.status:
        wrong.append(f"the status is {marker(task.status)}, there {status[:40]}")
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
    if not todo.has_order:
        return
    for line in todo.order:
        task = tasks.get(line.number)
        if task is None:
            told = f"the order has task {line.number} (line {line.line}), which is not there"
            remarks.add("order_unknown", line.number, told)
        elif known_status(line.status) != task.status:
            told = f"task {line.number} is {marker(task.status)}, the order says {line.status} (line {line.line})"
            remarks.add("order_differs", line.number, told)
    named = {line.number for line in todo.order} | set(todo.waves)
    for task in tasks.values():
        if task.status not in TERMINAL and task.number not in named:
            remarks.add("order_missing", task.number, f"task {task.number} is open, and the order leaves it out")
    for number, wave in todo.waves.items():
        task = tasks.get(number)
        if task is None:
            remarks.add("order_unknown", number, f"the table of waves has task {number}, which is not there")
            continue
        later = [other for other in task.dependencies if todo.waves.get(other, 0) >= wave and other in tasks]
        late = [other for other in later if tasks[other].status not in TERMINAL]
        if late:
            told = f"task {number} is in wave {wave}, and depends on {_numbers(late)}, which comes no earlier"
            remarks.add("order_wave", number, told)


def _says(entry: dict[str, object], key: str) -> bool:
    aliases = {"task_type": ("task_type", "language"), "dependencies": ("dependencies", "depends_on")}
    return any(entry.get(name) not in (None, "") for name in aliases.get(key, (key,)))


def _numbers(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, sorted(numbers))) or "nothing"


def _fold(text: str) -> str:
    """A text as far as it counts: not the blanks, nor the signs that keep Markdown from being read as structure."""
    folded = " ".join(text.replace("\\", "").split()).strip().lower()
    return "" if folded in _EMPTY else folded


def match_todo(
    todo: Todo, drafts: list[Draft], shelf: Shelf, following: int, remarks: Remarks
) -> tuple[dict[int, TodoEntry], int]:
    """The entry of TODO.md for each open task. One that only TODO.md has becomes a draft, at the end of the list."""
    opened = {draft.number: draft for draft in drafts if not draft.is_archived}
    archived = group_archived(drafts)
    texts: dict[int, TodoEntry] = {}
    for entry in todo.entries:
        if entry.number in opened and entry.number not in texts:
            texts[entry.number] = entry
            fill_from_todo(opened[entry.number], entry)
        elif _is_archived_there(entry, archived.get(entry.number, [])):
            told = f"task {entry.number} `{entry.title[:60]}` is in the archive, and TODO.md still has it"
            remarks.add("number_archived", entry.number, told)
        elif entry.number in texts and texts[entry.number].title == entry.title:
            remarks.add("number_twice", entry.number, f"TODO.md has task {entry.number} twice; the first counts")
            opened[entry.number].kept.setdefault("todo_again", {**entry.fields, "text": entry.text})
        else:
            number, kind = entry.number, "not_in_state"
            told = f"only TODO.md has task {number} `{entry.title[:60]}`; it was taken from there"
            if not number or number in opened:  # another task has it
                number, following, kind = following, following + 1, "number_twice"
                told = f"TODO.md has a second task {entry.number} `{entry.title[:60]}`; it is task {number} now"
            remarks.add(kind, entry.number, told, f"planrail task show {number}")
            opened[number] = _draft_of(entry, number, shelf, remarks)
            drafts.append(opened[number])
            texts[number] = replace(entry, number=number)
    return texts, following


def _draft_of(entry: TodoEntry, number: int, shelf: Shelf, remarks: Remarks) -> Draft:
    """A draft of an entry of TODO.md. Its name is that of its folder, where there is one."""
    linked = {path.split("/")[0].partition("_")[2] for _, path in entry.links if "/" in path}
    folders = shelf.by_number.get(entry.number, ())
    names = [folder.name for folder in folders if folder.name in linked or not folder.is_archived]
    name = next(iter([*names, make_slug(entry.title)]))
    draft = Draft({}, remarks, number, name)
    if number != entry.number:
        draft.kept["number"] = entry.number
    fill_from_todo(draft, entry, is_told=False)  # that only TODO.md has it is told already
    return draft


def _is_archived_there(entry: TodoEntry, archived: Iterable[Draft]) -> bool:
    """Whether an entry of TODO.md is about a task that the archive has: by its title, its name or its folder."""
    slug = make_slug(entry.title or "task")
    linked = {part for _, path in entry.links for part in path.split("/")[:3]}
    for draft in archived:
        names = {f"{number}_{draft.name}" for number in (f"{draft.number:03d}", draft.number, f"OC_{draft.number}")}
        if draft.name == slug or names & linked or draft.entry.get("title") == entry.title:
            return True
    return False
