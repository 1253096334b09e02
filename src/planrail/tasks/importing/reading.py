"""The one entry to an import: a `specs/` folder in, its tasks and all its divergences out."""

from collections.abc import Iterable, Sequence

from planrail.base.records import replace
from planrail.tasks.importing.divergences import Remarks, plural, tell_skipped
from planrail.tasks.importing.documents import Surroundings, link_unlisted, read_documents, settle_round
from planrail.tasks.importing.error_reading import read_errors
from planrail.tasks.importing.folders import Shelf, clean_path, read_shelf
from planrail.tasks.importing.model import KEPT, Draft, Imported, Specs
from planrail.tasks.importing.needs import compare_needs
from planrail.tasks.importing.normalising import normalise, settle_status
from planrail.tasks.importing.numbering import Numbers, next_number, settle_numbers
from planrail.tasks.importing.owners import Owners, compare_folders, find_owners
from planrail.tasks.importing.plan_comparing import compare_plans
from planrail.tasks.importing.state_reading import StateFile, read_state
from planrail.tasks.importing.todo_comparing import compare_order, compare_with_todo
from planrail.tasks.importing.todo_entries import TodoEntry
from planrail.tasks.importing.todo_matching import match_todo, tell_absent
from planrail.tasks.importing.todo_reading import Todo, read_todo
from planrail.tasks.model import PLAN, REPORT, Task
from planrail.tasks.views.entries import from_entry

_NO_STATE = StateFile((), {}, None, is_whole=True)
_NO_TODO = Todo(None, (), (), {}, (), has_order=False)
_MOST_NUMBERED = 1_000_000  # what a folder of no task counts for: `20260131_notes` has a date, not a number
_ARCHIVE_HEAD = "archive_fields"


def read_specs(specs: Specs) -> Imported:
    """The tasks of a folder. Each entry of each file becomes a task or part of one; what does not fit is told."""
    remarks = Remarks()
    _tell_files(specs, remarks)
    state, archive = _read_states(specs, remarks)
    todo = read_todo(specs.todo) if specs.todo is not None else _NO_TODO
    world = Surroundings(read_shelf(specs.files, specs.folder, specs.empty), frozenset(specs.others), specs.folder)
    drafts = [*state.drafts, *archive.drafts]
    following = _following(state, todo, drafts, world.shelf, remarks)
    following = settle_numbers(drafts, following, remarks)
    texts, following = match_todo(todo, drafts, world.shelf, following, remarks)
    if specs.todo is not None:
        tell_absent(state, texts, remarks)
    _tell_archived_twice(drafts, remarks)
    tasks = _finish(drafts, texts, world, remarks)
    _compare(tasks, texts, todo, specs, remarks)
    _tell_notes(todo, remarks)
    return Imported(
        tasks=tuple(sorted((task for task in tasks if not task.is_archived), key=lambda task: task.number)),
        archived=tuple(task for task in tasks if task.is_archived),
        head=_head(state, archive),
        next_number=following,
        errors=tuple(read_errors(specs.errors, f"{specs.folder}/errors.json", remarks)),
        divergences=tuple(remarks.found),
    )


def named_elsewhere(specs: Specs) -> set[str]:
    """The documents that entries name and that lie outside the folder: somebody has to look whether they are there."""
    remarks = Remarks()
    drafts = [draft for file in _read_states(specs, remarks) for draft in file.drafts]
    found: set[str] = set()
    for draft in drafts:
        items = draft.entry.get("artifacts")
        for item in items if isinstance(items, list) else [items]:
            path = item.get("path") if isinstance(item, dict) else item
            if isinstance(path, str) and path.strip():
                found.add(clean_path(path, specs.folder))
    return {path for path in found if not path.startswith((f"{specs.folder}/", "/")) and ".." not in path.split("/")}


def _read_states(specs: Specs, remarks: Remarks) -> tuple[StateFile, StateFile]:
    base = specs.folder
    todo = f"{base}/TODO.md" if specs.todo is not None else ""
    state = _NO_STATE
    if specs.state is not None:
        state = read_state(specs.state, f"{base}/state.json", remarks, instead=todo)
    if specs.archive is None:
        return state, _NO_STATE
    return state, read_state(specs.archive, f"{base}/archive/state.json", remarks, is_archive=True)


def _tell_files(specs: Specs, remarks: Remarks) -> None:
    for name, text in (("state.json", specs.state), ("TODO.md", specs.todo)):
        if text is None and f"{specs.folder}/{name}" not in specs.skipped:
            remarks.add("file_missing", 0, f"there is no {specs.folder}/{name}")
    tell_skipped(specs.skipped, remarks)
    for path in specs.garbled:
        remarks.add("file_encoding", 0, f"{path} is not UTF-8; what could not be read is marked in it")


def _following(state: StateFile, todo: Todo, drafts: Sequence[Draft], shelf: Shelf, remarks: Remarks) -> int:
    """Where numbering goes on."""
    opened = [draft.number for draft in drafts if not draft.is_archived]
    active_folders = [one.number for one in shelf.folders if not one.is_archived and one.number < _MOST_NUMBERED]
    numbers = Numbers(
        state=state.next_number,
        todo=todo.next_number,
        highest=max([0, *opened, *active_folders, *(entry.number for entry in todo.entries)]),
        highest_archived=max([0, *(draft.number for draft in drafts if draft.is_archived)]),
        is_vaulted=bool(state.head.get("vault_count")),
    )
    return next_number(numbers, remarks)


def _tell_archived_twice(drafts: Iterable[Draft], remarks: Remarks) -> None:
    """Numbers that the archive has more than once, or that an open task has as well. All of these tasks are kept."""
    archived: dict[int, list[Draft]] = {}
    opened = {draft.number: draft for draft in drafts if not draft.is_archived}
    for draft in drafts:
        if draft.is_archived:
            archived.setdefault(draft.number, []).append(draft)
    for number, found in archived.items():
        names = list(dict.fromkeys(draft.name for draft in found))
        if len(found) > 1:
            told = (
                f"the archive has the number {number} {len(found)} times: {', '.join(names[:4])}; all of them are kept"
            )
            remarks.add("number_twice", number, told)
        if number in opened:
            is_same = opened[number].name in names
            what = (
                "is open and in the archive" if is_same else f"is open, and in the archive it is {', '.join(names[:4])}"
            )
            remarks.add("number_archived", number, f"task {number} `{opened[number].name}` {what}; both are kept")


def _finish(drafts: Sequence[Draft], texts: dict[int, TodoEntry], world: Surroundings, remarks: Remarks) -> list[Task]:
    """The drafts as tasks, with their documents."""
    entries = [normalise(draft, remarks) for draft in drafts]
    for draft, entry in zip(drafts, entries, strict=True):
        draft.entry = entry
    owners = find_owners(drafts, world.shelf)
    compare_folders(owners, drafts, remarks)
    return [_finish_one(draft, texts, owners, world, remarks) for draft in drafts]


def _finish_one(
    draft: Draft, texts: dict[int, TodoEntry], owners: Owners, world: Surroundings, remarks: Remarks
) -> Task:
    todo = texts.get(draft.number) if not draft.is_archived else None
    read_documents(draft, todo.links if todo is not None else (), world, remarks)
    link_unlisted(draft, owners.folders_of(draft), remarks)
    settle_round(draft, remarks)
    items = draft.entry["artifacts"]
    types = {item["type"] for item in items} if isinstance(items, list) else set()
    status = settle_status(draft.entry, draft, remarks, has_plan=PLAN in types, has_report=REPORT in types)
    kept = {KEPT: draft.kept} if draft.kept else {}
    return replace(from_entry({**draft.entry, "status": status, **kept}), is_archived=draft.is_archived)


def _compare(tasks: Sequence[Task], texts: dict[int, TodoEntry], todo: Todo, specs: Specs, remarks: Remarks) -> None:
    """What can be said only when all tasks are known."""
    opened = {task.number: task for task in tasks if not task.is_archived}
    for number, entry in texts.items():
        compare_with_todo(opened[number], entry, remarks)
    compare_order(todo, opened, remarks)
    compare_needs(opened, {task.number for task in tasks if task.is_archived}, remarks)
    compare_plans(tasks, specs.plans, remarks)


def _tell_notes(todo: Todo, remarks: Remarks) -> None:
    for title, text in todo.notes:
        lines = text.count("\n") + 1
        where = f"under `{title}`" if title else "before its first heading"
        told = f"TODO.md has {plural(lines, 'line')} {where} of no task; the file is kept aside"
        remarks.add("todo_text", 0, told)


def _head(state: StateFile, archive: StateFile) -> dict[str, object]:
    """The other fields of the files. Those of the archive get a name of their own."""
    beside = {key: value for key, value in archive.head.items() if value not in ([], {}, None, "")}
    return {**state.head, **({_ARCHIVE_HEAD: beside} if beside else {})}
