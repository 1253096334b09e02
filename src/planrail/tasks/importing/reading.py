"""The one entry to an import: a `specs/` folder in, its tasks and all its divergences out."""

from collections.abc import Iterable, Sequence

from planrail.base.records import replace
from planrail.base.wording import plural
from planrail.tasks.importing import documents as papers
from planrail.tasks.importing.checking import compare_needs, compare_plans, tell_ownerless
from planrail.tasks.importing.model import KEPT, Draft, Imported, Remarks, Specs, group_archived, tell_skipped
from planrail.tasks.importing.normalising import normalise, settle_numbers, settle_status
from planrail.tasks.importing.state_reading import StateFile, read_errors, read_state
from planrail.tasks.importing.todo_comparing import compare_order, compare_with_todo, match_todo
from planrail.tasks.importing.todo_reading import Todo, TodoEntry, read_todo
from planrail.tasks.model import PLAN, REPORT, Task
from planrail.tasks.views.entries import from_entry

_NO_TODO = Todo(None, (), (), {}, (), has_order=False)
_MOST_NUMBERED = 1_000_000  # what a folder of no task counts for: `20260131_notes` has a date, not a number
_ARCHIVE_HEAD = "archive_fields"
_NOBODY = 0  # instead of the `id` of a draft
Owners = dict[int, list[papers.Folder]]  # the folders of each draft, by its `id`


def read_specs(specs: Specs) -> Imported:
    """The tasks of a folder. Each entry of each file becomes a task or part of one; what does not fit is told."""
    remarks = Remarks()
    _tell_files(specs, remarks)
    state, archive = _read_states(specs, remarks)
    todo = read_todo(specs.todo) if specs.todo is not None else _NO_TODO
    place = papers.Place(
        papers.read_shelf(specs.files, specs.folder, specs.empty), frozenset(specs.others), base=specs.folder
    )
    drafts = [*state.drafts, *archive.drafts]
    following = _following(state, todo, drafts, place.shelf, remarks)
    following = settle_numbers(drafts, following, remarks)
    texts, following = match_todo(todo, drafts, place.shelf, following, remarks)
    for draft in state.drafts if specs.todo is not None else ():
        if not draft.is_archived and draft.number not in texts:
            draft.tell("not_in_todo", f" `{draft.name}` is not in TODO.md")
    _tell_archived_twice(drafts, remarks)
    tasks = _finish(drafts, texts, place, remarks)
    opened = {task.number: task for task in tasks if not task.is_archived}
    for number, entry in texts.items():
        compare_with_todo(opened[number], entry, remarks)
    compare_order(todo, opened, remarks)
    compare_needs(opened, {task.number for task in tasks if task.is_archived}, remarks)
    compare_plans(tasks, specs.plans, remarks)
    for title, text in todo.notes:
        where = f"under `{title}`" if title else "before its first heading"
        lines = plural(text.count("\n") + 1, "line")
        remarks.add("todo_text", 0, f"TODO.md has {lines} {where} of no task; the file is kept aside")
    beside = {key: value for key, value in archive.head.items() if value not in ([], {}, None, "")}
    return Imported(
        tasks=tuple(sorted((task for task in tasks if not task.is_archived), key=lambda task: task.number)),
        archived=tuple(task for task in tasks if task.is_archived),
        head={**state.head, **({_ARCHIVE_HEAD: beside} if beside else {})},
        next_number=following,
        errors=tuple(read_errors(specs.errors, f"{specs.folder}/errors.json", remarks)),
        divergences=tuple(remarks.found),
    )


def named_elsewhere(specs: Specs) -> set[str]:
    """The documents that entries name and that lie outside the folder: somebody has to look whether they are there."""
    drafts = [draft for file in _read_states(specs, Remarks()) for draft in file.drafts]
    said = [path for draft in drafts for path in papers.named_paths(draft) if isinstance(path, str) and path.strip()]
    found = {papers.clean_path(path, specs.folder) for path in said}
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
            remarks.add("file_missing", 0, f"there is no {specs.folder}/{name}")
    tell_skipped(specs.skipped, remarks)
    for path in specs.garbled:
        remarks.add("file_encoding", 0, f"{path} is not UTF-8; what could not be read is marked in it")


def _following(state: StateFile, todo: Todo, drafts: Sequence[Draft], shelf: papers.Shelf, remarks: Remarks) -> int:
    opened = [draft.number for draft in drafts if not draft.is_archived]
    active_folders = [one.number for one in shelf.folders if not one.is_archived and one.number < _MOST_NUMBERED]
    archived = [draft.number for draft in drafts if draft.is_archived]
    is_vaulted = bool(state.head.get("vault_count"))  # numbers began anew once, so those in the archive may be higher
    counted = [*opened, *active_folders, *(entry.number for entry in todo.entries), *(() if is_vaulted else archived)]
    highest = max(counted, default=0)
    said = {name: file.next_number for name, file in (("state.json", state), ("TODO.md", todo)) if file.next_number}
    wanted = max([*said.values(), highest + 1])
    wrong = [f"{name} says {value}" for name, value in said.items() if value != wanted]
    if wrong:
        told = f"the next number: {' and '.join(wrong)}, the highest in use is {highest}; it is {wanted} now"
        remarks.add("next_number", 0, told)
    return wanted


def _tell_archived_twice(drafts: Iterable[Draft], remarks: Remarks) -> None:
    """Numbers that the archive has more than once, or that an open task has as well. All of these tasks are kept."""
    opened = {draft.number: draft for draft in drafts if not draft.is_archived}
    for number, found in group_archived(drafts).items():
        names = list(dict.fromkeys(draft.name for draft in found))
        named = ", ".join(names[:4])
        if len(found) > 1:
            told = f"the archive has the number {number} {len(found)} times: {named}; all of them are kept"
            remarks.add("number_twice", number, told)
        if number in opened:
            what = " and in the archive" if opened[number].name in names else f", and in the archive it is {named}"
            remarks.add(
                "number_archived", number, f"task {number} `{opened[number].name}` is open{what}; both are kept"
            )


def _finish(drafts: Sequence[Draft], texts: dict[int, TodoEntry], place: papers.Place, remarks: Remarks) -> list[Task]:
    for draft in drafts:
        draft.entry = normalise(draft)
    owners = find_owners(drafts, place.shelf)
    compare_folders(owners, drafts, remarks)
    tasks = []
    for draft in drafts:
        todo = texts.get(draft.number) if not draft.is_archived else None
        papers.read_documents(draft, todo.links if todo is not None else (), place)
        papers.link_unlisted(draft, owners.get(id(draft), ()))
        papers.settle_round(draft)
        types = {item["type"] for item in papers.listed(draft)}
        status = settle_status(draft, has_plan=PLAN in types, has_report=REPORT in types)
        kept = {KEPT: draft.kept} if draft.kept else {}
        tasks.append(replace(from_entry({**draft.entry, "status": status, **kept}), is_archived=draft.is_archived))
    return tasks


def find_owners(drafts: Sequence[Draft], shelf: papers.Shelf) -> Owners:
    """Give each folder to the task of its number and name, else to the only one of its number."""
    by_number: dict[int, list[Draft]] = {}
    for draft in drafts:
        said = draft.kept.get("number")
        for number in {draft.number, said if isinstance(said, int) else draft.number}:
            by_number.setdefault(number, []).append(draft)
    found: Owners = {}
    for folder in shelf.folders:
        owner = _owner(folder, by_number.get(folder.number, []), shelf.by_number[folder.number])
        found.setdefault(id(owner) if owner is not None else _NOBODY, []).append(folder)
    return found


def compare_folders(owners: Owners, drafts: Sequence[Draft], remarks: Remarks) -> None:
    """Tell of folders without a task, with another name than their task, and of tasks with several."""
    tell_ownerless(owners.get(_NOBODY, ()), remarks)
    for draft in drafts:
        folders = owners.get(id(draft), ())
        for folder in folders:
            if not folder.is_canonical or folder.name != draft.name:
                draft.tell("folder_name", f" `{draft.name}` has the folder {folder.path}")
            if folder.is_archived != draft.is_archived:
                away = ("archived, and its folder is not", "open, and its folder is in the archive")[folder.is_archived]
                draft.tell("folder_misplaced", f" is {away}: {folder.path}")
        if len(folders) > 1:
            draft.tell("folder_twice", f" has {len(folders)} folders: {', '.join(one.path for one in folders)}")


def _owner(folder: papers.Folder, drafts: Sequence[Draft], rivals: Sequence[papers.Folder]) -> Draft | None:
    """The task of a folder: of its name, an open one for an open folder; else one that lists its documents.

    A task that has its number alone, and no folder of its own name, was renamed.
    """
    same = [draft for draft in drafts if draft.name == folder.name]
    if same:
        return min(same, key=lambda draft: (draft.is_archived != folder.is_archived, not draft.entry.get("artifacts")))
    last = folder.path.rsplit("/", 1)[-1]
    for draft in drafts:
        if any(isinstance(path, str) and last in path.split("/") for path in papers.named_paths(draft)):
            return draft
    names = {draft.name for draft in drafts}
    was_renamed = len(names) == 1 and len(rivals) == 1 and drafts[0].is_archived == folder.is_archived
    return drafts[0] if was_renamed else None
