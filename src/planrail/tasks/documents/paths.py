"""Where a document of a task lies: `specs/007_slug/plans/02_short-slug.md`, with the number of its round."""

from collections.abc import Collection

from planrail.tasks.model import FOLDERS, Task, folder_of
from planrail.tasks.naming import short_slug


def artifact_path(
    task: Task, type_: str, round_: int, title: str, taken: Collection[str], folder: str = "specs"
) -> str:
    """A path for a new document, from the root on; it keeps clear of the paths that are `taken`, by `-v2` and so on."""
    slug = short_slug(title) or short_slug(task.title) or FOLDERS[type_].rstrip("s")
    base = f"{folder_of(task, folder)}/{FOLDERS[type_]}/{max(round_, 1):02d}_{slug}"
    used = {path.lower() for path in taken}  # some disks know no letter case
    number = 1
    while (path := f"{base}.md" if number == 1 else f"{base}-v{number}.md").lower() in used:
        number += 1
    return path
