"""TODO.md beside state.json: what only it says is taken over, what it says differently is told. state.json counts."""

from collections.abc import Iterator, Mapping, Sequence

from planrail.base.records import replace
from planrail.tasks.importing.documents import Shelf
from planrail.tasks.importing.drafts import TaskDraft, fold_status, known_status
from planrail.tasks.importing.model import Remarks
from planrail.tasks.importing.todo_reading import Todo, TodoEntry
from planrail.tasks.model import Task
from planrail.tasks.naming import make_slug
from planrail.tasks.statuses import STATUSES, TERMINAL
from planrail.tasks.views.todo import plain_text, title_of

_EMPTY = ("", "none", "tbd", "n/a", "unknown")


def match_todo(todo: Todo, drafts: list[TaskDraft], shelf: Shelf, free: Iterator[int], remarks: Remarks) -> None:
    """Give each open draft its entry of TODO.md. One that only TODO.md has becomes a draft, at the end of the list."""
    opened = {draft.number: draft for draft in drafts if not draft.is_archived}
    for draft in opened.values():
        draft.is_in_state = True
    for entry in todo.entries:
        title = entry.text("title")
        own, label = opened.get(entry.number), f"task {entry.number} `{title[:60]}`"
        if own is not None and own.todo is None:
            own.todo = entry
        elif any(_is_about(entry, draft) for draft in drafts if draft.is_archived and draft.number == entry.number):
            remarks.add("number_clash", entry.number, f"{label} is in the archive, and TODO.md still has it")
        elif own is not None and own.todo is not None and own.todo.text("title") == title:
            remarks.add("number_clash", entry.number, f"TODO.md has task {entry.number} twice; the first counts")
            own.kept.setdefault("todo_again", entry.said)
        else:
            number = entry.number if entry.number and own is None else next(free)
            kind, told = "only_in_one", f"only TODO.md has {label}; it was taken from there"
            if number != entry.number:  # another task has it
                kind, told = "number_clash", f"TODO.md has a second {label}; it is task {number} now"
            remarks.add(kind, entry.number, told, f"planrail task show {number}")
            opened[number] = _draft_of(replace(entry, number=number), entry.number, shelf, remarks)
            drafts.append(opened[number])
    for draft in drafts:
        if draft.is_in_state and draft.todo is None:
            draft.tell("only_in_one", f" `{draft.name}` is not in TODO.md")


def _draft_of(entry: TodoEntry, said: int, shelf: Shelf, remarks: Remarks) -> TaskDraft:
    """A draft of an entry of TODO.md. Its name is that of its folder, where there is one."""
    linked = {path.split("/")[0].partition("_")[2] for _, path in entry.links if "/" in path}
    folders = shelf.by_number.get(said, ())
    names = [folder.name for folder in folders if folder.name in linked or not folder.is_archived]
    name = next(iter([*names, make_slug(entry.text("title"))]))
    draft = TaskDraft({"project_number": entry.number, "project_name": name}, remarks)
    draft.kept |= {"number": said} if said != entry.number else {}
    draft.todo = entry
    return draft


def _is_about(entry: TodoEntry, draft: TaskDraft) -> bool:
    """Whether an entry of TODO.md is about an archived task: by its title, its name or its folder."""
    linked = {part for _, path in entry.links for part in path.split("/")[:3]}
    names = {f"{number}_{draft.name}" for number in (f"{draft.number:03d}", draft.number, f"OC_{draft.number}")}
    title = entry.text("title")
    return draft.entry.get("title") == title or draft.name == make_slug(title or "task") or bool(names & linked)


def merge_todo(draft: TaskDraft) -> None:
    """Compare a draft with its entry of TODO.md, field by field: what only TODO.md says is taken."""
    todo, entry = draft.todo, draft.entry
    taken = []
    for field, theirs in todo.said.items() if todo is not None else ():
        mine = entry.get(field)
        if theirs == "":
            continue
        if mine in (None, ""):
            word = fold_status(str(theirs))
            entry[field] = word if field == "status" and word in STATUSES else theirs
            taken += [field] if theirs else []
        elif field != "status" and not _agree(draft, field, theirs):  # the status is compared once it is settled
            draft.remarks.differ(draft.number, field, {"state.json": mine, "TODO.md": theirs}, mine)
            draft.kept |= {"todo_description": theirs} if field == "description" else {}
    draft.kept |= todo.kept if todo is not None else {}
    if taken and draft.is_in_state:
        draft.tell("only_in_one", f": only TODO.md says {', '.join(taken)}; taken from there")


def compare_status(draft: TaskDraft, listed: Sequence[tuple[str, int]]) -> None:
    """Tell where TODO.md gives another status than the one that was settled: in its entry, or in lines of its order."""
    word = draft.todo.text("status") if draft.todo is not None else ""
    own = [("TODO.md", word)] if word else []
    status, side = draft.entry["status"], "state.json" if draft.is_in_state else "TODO.md"
    for other, word in [*own, *((f"the order (line {line})", word) for word, line in listed)]:
        if known_status(word) != status:
            draft.remarks.differ(draft.number, "status", {side: status, other: word}, status)


def compare_order(todo: Todo, tasks: Mapping[int, Task], remarks: Remarks) -> None:
    """Tell of tasks that only the order has, that it leaves out, or that it has before what they wait for."""
    if not todo.has_order:
        return
    listed = {*todo.order, *todo.waves}
    for number in sorted(listed - set(tasks)):
        remarks.add("only_in_one", number, f"only the order of TODO.md has an open task {number}; it was not taken")
    for number, task in tasks.items():
        if task.status not in TERMINAL and number not in listed:
            remarks.tell("only_in_one", number, " is open, and the order of TODO.md leaves it out")
        wave = todo.waves.get(number, 0)
        needs = [other for other in task.dependencies if other in tasks and tasks[other].status not in TERMINAL]
        late = [other for other in needs if wave and todo.waves.get(other, 0) >= wave]
        if late:
            after = f"after that of {', '.join(map(str, late))}"
            remarks.differ(number, "wave", {"state.json": after, "the order of TODO.md": wave}, after)


def _fold(text: str) -> str:
    """A text as far as it counts: not the blanks, nor the signs that keep Markdown from being read as structure."""
    folded = " ".join(text.replace("\\", "").split()).strip().lower()
    return "" if folded in _EMPTY else folded


def _agree(draft: TaskDraft, field: str, theirs: object) -> bool:
    """Whether TODO.md says what it would say if planrail had written it."""
    mine = draft.entry[field]
    if isinstance(mine, list) and isinstance(theirs, list):
        return set(mine) == set(theirs)
    shown = [str(mine), plain_text(str(mine))]
    shown += [title_of(Task(draft.number, draft.name, str(mine)))] if field == "title" else []
    return _fold(str(theirs)) in map(_fold, shown)
