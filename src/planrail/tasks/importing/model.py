"""What an import is given, and what comes of it."""

from collections.abc import Mapping

from planrail.base.records import mutable_record, record
from planrail.tasks.importing.divergences import Divergence
from planrail.tasks.model import Task

KEPT = "imported"  # in a task's `extra`: what its file said and planrail has no place for


@record
class Specs:
    """A `specs/` folder: its texts (None where there is no such file), and the names of all files in it.

    `files` are paths from the root of the repository on, `others` those outside the folder that exist and that an
    entry names. `plans` are the texts of plans by path, as far as somebody wants them compared with their tasks.
    """

    state: str | None = None
    todo: str | None = None
    archive: str | None = None
    errors: str | None = None
    files: tuple[str, ...] = ()
    empty: tuple[str, ...] = ()  # folders of tasks without a file
    others: tuple[str, ...] = ()
    plans: Mapping[str, str] = {}
    folder: str = "specs"
    garbled: tuple[str, ...] = ()  # files that are not UTF-8
    skipped: Mapping[str, str] = {}


@record
class Imported:
    """The tasks of a folder, those of its archive, and where it disagrees with itself. `head` is kept for the view."""

    tasks: tuple[Task, ...]
    archived: tuple[Task, ...]
    head: dict[str, object]
    next_number: int
    errors: tuple[dict[str, object], ...]
    divergences: tuple[Divergence, ...]


@mutable_record
class Draft:
    """An entry on its way to becoming a task. `kept` is what its file said and planrail has no place for."""

    entry: dict[str, object]
    number: int = 0
    name: str = ""
    is_archived: bool = False
    kept: dict[str, object] = None  # type: ignore[assignment] # set by `make_draft`


def make_draft(entry: dict[str, object], *, number: int = 0, name: str = "", is_archived: bool = False) -> Draft:
    """A draft of an entry; what an earlier import has kept stays kept."""
    earlier = entry.get(KEPT)
    kept = dict(earlier) if isinstance(earlier, dict) else {}
    rest = {key: value for key, value in entry.items() if key != KEPT or not isinstance(earlier, dict)}
    return Draft(rest, number, name, is_archived, kept)
