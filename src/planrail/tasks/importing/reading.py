"""The one entry to an import: a `specs/` folder in, its tasks and all its divergences out."""

from collections.abc import Sequence
from itertools import count

from planrail.base.wording import plural
from planrail.tasks.importing import documents
from planrail.tasks.importing.checking import compare_needs, compare_plans, tell_ownerless
from planrail.tasks.importing.drafts import TaskDraft, name_draft, normalise, settle_numbers, settle_status
from planrail.tasks.importing.model import Imported, Remarks, Specs, tell_skipped
from planrail.tasks.importing.state_reading import StateFile, read_state
from planrail.tasks.importing.todo_comparing import compare_order, compare_status, match_todo, merge_todo
from planrail.tasks.importing.todo_reading import Todo, read_todo
from planrail.tasks.model import Task

_MOST_NUMBERED = 1_000_000  # what a folder of no task counts for: `20260131_notes` has a date, not a number
_ARCHIVE_HEAD = "archive_fields"


def read_specs(specs: Specs) -> Imported:
    """The tasks of a folder. Each entry of each file becomes a task or part of one; what does not fit is told."""
    remarks = Remarks()
    _tell_files(specs, remarks)
    state, archive = _read_states(specs, remarks)
    todo = read_todo(specs.todo or "")
    shelf = documents.Shelf(specs.files, specs.folder, specs.empty, frozenset(specs.others))
    drafts = [*state.drafts, *archive.drafts]
    free = count(_following(state, todo, drafts, shelf, remarks))
    settle_numbers(drafts, free)
    if specs.todo is not None:
        match_todo(todo, drafts, shelf, free, remarks)
    _tell_archived_twice(drafts, remarks)
    tasks = _finish(drafts, todo, shelf, remarks)
    opened = {task.number: task for task in tasks if not task.is_archived}
    compare_order(todo, opened, remarks)
    compare_needs(opened, {task.number for task in tasks if task.is_archived}, remarks)
    compare_plans(tasks, specs.plans, remarks)
    for title, text in todo.notes:
        where = f"under `{title}`" if title else "before its first heading"
        lines = plural(text.count("\n") + 1, "line")
        remarks.add("file_odd", 0, f"TODO.md has {lines} {where} of no task; the file is kept aside")
    beside = {key: value for key, value in archive.head.items() if value not in ([], {}, None, "")}
    return Imported(
        tasks=tuple(opened[number] for number in sorted(opened)),
        archived=tuple(task for task in tasks if task.is_archived),
        head={**state.head, **({_ARCHIVE_HEAD: beside} if beside else {})},
        next_number=next(free),
        divergences=tuple(remarks.found),
    )


def named_elsewhere(specs: Specs) -> set[str]:
    """The documents that entries name and that lie outside the folder: the caller must look whether they are there."""
    drafts = [draft for file in _read_states(specs, Remarks()) for draft in file.drafts]
    found = {documents.clean_path(path, specs.folder) for draft in drafts for path in documents.named_paths(draft)}
    return {path for path in found if not path.startswith((f"{specs.folder}/", "/")) and ".." not in path.split("/")}


def _read_states(specs: Specs, remarks: Remarks) -> tuple[StateFile, StateFile]:
    base, todo = specs.folder, f"{specs.folder}/TODO.md" if specs.todo is not None else ""
    return (
        read_state(specs.state, f"{base}/state.json", remarks, instead=todo),
        read_state(specs.archive, f"{base}/archive/state.json", remarks, is_archive=True),
    )


def _tell_files(specs: Specs, remarks: Remarks) -> None:
    for name, text in (("state.json", specs.state), ("TODO.md", specs.todo)):
        if text is None and f"{specs.folder}/{name}" not in specs.skipped:
            remarks.add("file_odd", 0, f"there is no {specs.folder}/{name}")
    tell_skipped(specs.skipped, remarks)
    for path in specs.garbled:
        remarks.add("file_unread", 0, f"{path} is not UTF-8; what could not be read is marked in it")


def _following(
    state: StateFile, todo: Todo, drafts: Sequence[TaskDraft], shelf: documents.Shelf, remarks: Remarks
) -> int:
    opened = [draft.number for draft in drafts if not draft.is_archived]
    active_folders = [one.number for one in shelf.folders if not one.is_archived and one.number < _MOST_NUMBERED]
    archived = [draft.number for draft in drafts if draft.is_archived]
    is_vaulted = bool(state.head.get("vault_count"))  # numbers began anew once, so those in the archive may be higher
    counted = [*opened, *active_folders, *(entry.number for entry in todo.entries), *(() if is_vaulted else archived)]
    highest = max(counted, default=0)
    said = {name: file.next_number for name, file in (("state.json", state), ("TODO.md", todo)) if file.next_number}
    wanted = max([*said.values(), highest + 1])
    if any(value != wanted for value in said.values()):
        remarks.differ(0, "next number", {**said, "the highest number in use": highest}, wanted)
    return wanted


def _tell_archived_twice(drafts: Sequence[TaskDraft], remarks: Remarks) -> None:
    """Numbers that the archive has more than once, or that an open task has as well. All of these tasks are kept."""
    opened = {draft.number: draft for draft in drafts if not draft.is_archived}
    archived: dict[int, list[str]] = {}
    for draft in drafts:
        if draft.is_archived:
            archived.setdefault(draft.number, []).append(draft.name)
    for number, names in archived.items():
        named = ", ".join(list(dict.fromkeys(names))[:4])
        if len(names) > 1:
            told = f"the archive has the number {number} {len(names)} times: {named}; all of them are kept"
            remarks.add("number_clash", number, told)
        if number in opened:
            told = f" `{opened[number].name}` is open, and the archive has {named} of this number; both are kept"
            remarks.tell("number_clash", number, told)


def _finish(drafts: Sequence[TaskDraft], todo: Todo, shelf: documents.Shelf, remarks: Remarks) -> list[Task]:
    for draft in drafts:
        normalise(draft)
        merge_todo(draft)
        name_draft(draft)
    owners = []
    for draft in drafts:
        numbers = (draft.number, documents.said_number(draft.kept, draft.number))
        owners.append(documents.DocumentOwner(numbers, draft.name, draft.is_archived, documents.named_paths(draft)))
    owned = documents.find_owners(owners, shelf, with_renamed=True)
    tell_ownerless(owned.get(-1, ()), remarks)
    for at, draft in enumerate(drafts):
        _tell_folders(draft, owned.get(at, []))
        documents.settle_documents(draft, owned.get(at, []), shelf)
        settle_status(draft)
        if not draft.is_archived:
            compare_status(draft, todo.order.get(draft.number, ()))
    return [draft.finish() for draft in drafts]


def _tell_folders(draft: TaskDraft, folders: Sequence[documents.Folder]) -> None:
    """Tell of folders with another name than their task or in the wrong place, and of several."""
    for folder in folders:
        if not folder.is_canonical or folder.name != draft.name:
            draft.tell("folder_name", f" `{draft.name}` has the folder {folder.path}")
        if folder.is_archived != draft.is_archived:
            away = ("archived, and its folder is not", "open, and its folder is in the archive")[folder.is_archived]
            draft.tell("folder_misplaced", f" is {away}: {folder.path}")
    if len(folders) > 1:
        draft.tell("folder_name", f" has {len(folders)} folders: {', '.join(one.path for one in folders)}")
