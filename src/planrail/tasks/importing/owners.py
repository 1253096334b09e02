"""Which folder belongs to which task. A folder of no task is told, and left where it is: no task is made up for it."""

from collections.abc import Sequence
from shlex import quote

from planrail.base.records import record
from planrail.tasks.importing.divergences import Remarks, plural
from planrail.tasks.importing.folders import Folder, Shelf
from planrail.tasks.importing.model import Draft


@record
class Owners:
    """The folders of each draft, by its place in the list, and those of nobody."""

    folders: dict[int, tuple[Folder, ...]]
    left: tuple[Folder, ...]

    def folders_of(self, draft: Draft) -> tuple[Folder, ...]:
        """The folders of a draft."""
        return self.folders.get(id(draft), ())


def find_owners(drafts: Sequence[Draft], shelf: Shelf) -> Owners:
    """Give each folder to the task of its number and name, else to the only one of its number."""
    by_number: dict[int, list[Draft]] = {}
    for draft in drafts:
        for number in {draft.number, _said_number(draft)}:
            by_number.setdefault(number, []).append(draft)
    found: dict[int, list[Folder]] = {}
    left = []
    for folder in shelf.folders:
        owner = _owner(folder, by_number.get(folder.number, []), shelf.by_number[folder.number])
        if owner is None:
            left.append(folder)
        else:
            found.setdefault(id(owner), []).append(folder)
    return Owners({key: tuple(folders) for key, folders in found.items()}, tuple(left))


def compare_folders(owners: Owners, drafts: Sequence[Draft], remarks: Remarks) -> None:
    """Tell of folders without a task, with another name than their task, and of tasks with several."""
    for folder in owners.left:
        told = f"{folder.path} ({plural(len(folder.files), 'file')}) belongs to no task"
        remarks.add("folder_without_task", folder.number, told, f"planrail task recover {quote(folder.path)}")
    for draft in drafts:
        folders = owners.folders_of(draft)
        for folder in folders:
            if not folder.is_canonical or folder.name != draft.name:
                told = f"task {draft.number} `{draft.name}` has the folder {folder.path}"
                remarks.add("folder_name", draft.number, told)
            if folder.is_archived != draft.is_archived:
                where = (
                    "open, and its folder is in the archive"
                    if folder.is_archived
                    else "archived, and its folder is not"
                )
                remarks.add("folder_misplaced", draft.number, f"task {draft.number} is {where}: {folder.path}")
        if len(folders) > 1:
            told = f"task {draft.number} has {len(folders)} folders: {', '.join(folder.path for folder in folders)}"
            remarks.add("folder_twice", draft.number, told)


def _owner(folder: Folder, drafts: Sequence[Draft], rivals: Sequence[Folder]) -> Draft | None:
    """The task of a folder: of its name, an open one for an open folder; else one that lists its documents.

    A task that has its number alone, and no folder of its own name, was renamed.
    """
    same = [draft for draft in drafts if draft.name == folder.name]
    if same:
        return min(same, key=lambda draft: (draft.is_archived != folder.is_archived, not draft.entry.get("artifacts")))
    listing = [draft for draft in drafts if _lists(draft, folder)]
    if listing:
        return listing[0]
    names = {draft.name for draft in drafts}
    was_renamed = len(names) == 1 and len(rivals) == 1 and drafts[0].is_archived == folder.is_archived
    return drafts[0] if was_renamed else None


def _lists(draft: Draft, folder: Folder) -> bool:
    items = draft.entry.get("artifacts")
    last = folder.path.rsplit("/", 1)[-1]
    paths = [item.get("path") for item in items if isinstance(item, dict)] if isinstance(items, list) else []
    return any(isinstance(path, str) and last in path.split("/") for path in paths)


def _said_number(draft: Draft) -> int:
    said = draft.kept.get("number")
    return said if isinstance(said, int) else draft.number
