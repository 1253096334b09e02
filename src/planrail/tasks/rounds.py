"""Which number does the next document of a task get? That of its round: research opens one, all else belongs to it."""

from collections.abc import Iterable

from planrail.base.records import record
from planrail.tasks.model import Task

RESEARCH = "research"


@record
class Numbered:
    """The number of a document, and what `next_artifact_number` says afterwards (None: it says nothing still)."""

    number: int
    next_after: int | None


def number_for(operation: str, next_number: int | None, files: Iterable[str] = ()) -> Numbered:
    """The number of a document: research takes the next one, a plan or a summary that of the round before it.

    Only a report opens a round, so only reports count of the files on the disk: one that nobody has linked is not
    written over, and where the number was never kept they say it. A plan never moves to another round because of them.
    """
    opened = max((number_of(path) for path in files if _is_report(path)), default=0)
    if operation == RESEARCH:
        number = max(next_number or 1, opened + 1)
        return Numbered(number, number + 1)
    if next_number is None:
        return Numbered(max(opened, 1), opened + 1 if opened else None)
    return Numbered(max(next_number - 1, 1), next_number)


def round_for(task: Task, operation: str, files: Iterable[str] = ()) -> int:
    """The round that a document of this task belongs to; for research the one that it opens."""
    return number_for(operation, task.round + 1, files).number


def number_of(path: str) -> int:
    """The round that a file name states: `02_short-slug.md`, in older trees `research-002.md`; 0 where none does."""
    stem = path.rsplit("/", 1)[-1].rsplit(".", 1)[0]
    digits = stem[: len(stem) - len(stem.lstrip("0123456789"))]
    if digits and stem[len(digits) :][:1] in ("", "_", "-"):
        return _small(digits)
    return _small(stem.rsplit("-", 1)[-1]) if "-" in stem else 0


def _small(digits: str) -> int:
    """A number of at most three digits: what is longer is a year, a date, or no number at all."""
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= 3 else 0


def _is_report(path: str) -> bool:
    return "reports" in path.split("/")[:-1]
