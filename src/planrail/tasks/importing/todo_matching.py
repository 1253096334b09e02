"""Which entry of TODO.md is about which task. One that only TODO.md has becomes a task of its own."""

from collections.abc import Iterable

from planrail.base.records import replace
from planrail.tasks.importing.divergences import Remarks
from planrail.tasks.importing.folders import Shelf
from planrail.tasks.importing.model import Draft, make_draft
from planrail.tasks.importing.state_reading import StateFile
from planrail.tasks.importing.todo_comparing import entry_of, fill_from_todo, keep_rest
from planrail.tasks.importing.todo_entries import TodoEntry
from planrail.tasks.importing.todo_reading import Todo
from planrail.tasks.naming import make_slug


def match_todo(
    todo: Todo, drafts: list[Draft], shelf: Shelf, following: int, remarks: Remarks
) -> tuple[dict[int, TodoEntry], int]:
    """The entry of TODO.md for each open task. One that only TODO.md has becomes a draft, at the end of the list."""
    opened = {draft.number: draft for draft in drafts if not draft.is_archived}
    archived: dict[int, list[Draft]] = {}
    for draft in drafts:
        if draft.is_archived:
            archived.setdefault(draft.number, []).append(draft)
    texts: dict[int, TodoEntry] = {}
    for entry in todo.entries:
        if entry.number in opened and entry.number not in texts:
            texts[entry.number] = entry
            fill_from_todo(opened[entry.number], entry, remarks)
        elif _is_archived_there(entry, archived.get(entry.number, []), shelf):
            told = f"task {entry.number} `{entry.title[:60]}` is in the archive, and TODO.md still has it"
            remarks.add("number_archived", entry.number, told)
        elif entry.number in texts and texts[entry.number].title == entry.title:
            remarks.add("number_twice", entry.number, f"TODO.md has task {entry.number} twice; the first counts")
            opened[entry.number].kept.setdefault("todo_again", {**entry.fields, "text": entry.text})
        else:
            number, following = _new_number(entry, opened, following, remarks)
            draft = _draft_of(entry, number, shelf)
            drafts.append(draft)
            opened[number] = draft
            texts[number] = replace(entry, number=number)
    return texts, following


def tell_absent(state: StateFile, texts: dict[int, TodoEntry], remarks: Remarks) -> None:
    """Tell which tasks of state.json TODO.md does not have."""
    for draft in state.drafts:
        if not draft.is_archived and draft.number not in texts:
            remarks.add("not_in_todo", draft.number, f"task {draft.number} `{draft.name}` is not in TODO.md")


def _new_number(entry: TodoEntry, opened: dict[int, Draft], following: int, remarks: Remarks) -> tuple[int, int]:
    """The number of a task that only TODO.md has: its own, unless another task has it."""
    if entry.number and entry.number not in opened:
        told = f"only TODO.md has task {entry.number} `{entry.title[:60]}`; it was taken from there"
        remarks.add("not_in_state", entry.number, told, f"planrail task show {entry.number}")
        return entry.number, following
    told = f"TODO.md has a second task {entry.number} `{entry.title[:60]}`; it is task {following} now"
    remarks.add("number_twice", entry.number, told, f"planrail task show {following}")
    return following, following + 1


def _draft_of(entry: TodoEntry, number: int, shelf: Shelf) -> Draft:
    """A draft of an entry of TODO.md. Its name is that of its folder, where there is one."""
    linked = {path.split("/")[0].partition("_")[2] for _, path in entry.links if "/" in path}
    folders = shelf.by_number.get(entry.number, ())
    names = [folder.name for folder in folders if folder.name in linked or not folder.is_archived]
    name = next(iter([*names, make_slug(entry.title)]))
    draft = make_draft(entry_of(entry), number=number, name=name)
    if number != entry.number:
        draft.kept["number"] = entry.number
    keep_rest(draft, entry)
    return draft


def _is_archived_there(entry: TodoEntry, archived: Iterable[Draft], shelf: Shelf) -> bool:
    """Whether an entry of TODO.md is about a task that the archive has: by its title, its name or its folder."""
    slug = make_slug(entry.title or "task")
    linked = {part for _, path in entry.links for part in path.split("/")[:3]}
    for draft in archived:
        names = {f"{draft.number:03d}_{draft.name}", f"{draft.number}_{draft.name}", f"OC_{draft.number}_{draft.name}"}
        if draft.name == slug or names & linked or draft.entry.get("title") == entry.title:
            return True
    return False
