"""Where two of the places disagree that speak about tasks: one line each, with what to do about it."""

from planrail.records import record
from planrail.tasks.views.plain import plain_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# Every kind, in the words of a summary: "12 documents that are listed and are not there".
KINDS: "Mapping[str, str]" = {
    # the files themselves
    "file_missing": "files that are not there",
    "file_unreadable": "files that cannot be read as JSON",
    "file_encoding": "files that are not UTF-8",
    "key_repeated": "fields that are said twice in one entry",
    "list_unusual": "lists of tasks under another name than usual",
    "todo_text": "parts of TODO.md that belong to no task",
    # numbers
    "number_missing": "entries without a number of their own",
    "number_twice": "numbers that are used twice",
    "number_archived": "open tasks that are in the archive, too",
    "next_number": "next numbers that are wrong",
    # one task, two places
    "not_in_todo": "tasks that TODO.md does not have",
    "not_in_state": "tasks that only TODO.md has",
    "todo_adds": "tasks of which only TODO.md says everything",
    "todo_differs": "tasks that TODO.md and state.json tell differently",
    "order_differs": "lines of the order that give another status",
    "order_unknown": "lines of the order about tasks that are not there",
    "order_missing": "open tasks that the order leaves out",
    "order_wave": "tasks in the order before something that they depend on",
    # one entry
    "status_unknown": "statuses that planrail does not have",
    "field_unusable": "fields that hold something else than they should",
    "round_differs": "rounds that are behind their documents",
    "dependency_unknown": "dependencies on tasks that are not there",
    "dependency_circle": "tasks that wait for each other in a circle",
    # documents
    "artifact_type": "documents of a type that planrail does not have",
    "artifact_moved": "documents that lie elsewhere than listed",
    "artifact_missing": "documents that are listed and are not there",
    "artifact_twice": "documents that are listed twice",
    "file_unlisted": "documents that are there and were not listed",
    "folder_name": "folders that are not named like their task",
    "folder_misplaced": "folders that are not where their task is, open or archived",
    "folder_twice": "tasks with more than one folder",
    "folder_without_task": "folders of no task",
    # what is claimed and what is so
    "open_phases": "completed tasks whose plan has open phases",
    "plan_header": "plans whose header says something else than their task",
    "error_unusable": "errors that cannot be read",
    # against the ledger
    "differs": "tasks that the ledger and the files tell differently",
    "number_taken": "numbers that the ledger has given to another task",
    "only_in_ledger": "tasks that only the ledger has",
    "view_differs": "views that are not what the ledger says",
}


@record
class Divergence:
    """One disagreement. `number` is that of the task, 0 for a file's; `remedy` a command, "" where none is needed."""

    kind: str
    number: int
    text: str
    remedy: str = ""


class Remarks:
    """The divergences that one reading has found so far."""

    def __init__(self) -> None:
        """None yet."""
        self.found: list[Divergence] = []

    def add(self, kind: str, number: int, text: str, remedy: str = "") -> None:
        """One more. It is one line, whatever the names in it are."""
        self.found.append(Divergence(kind, number, plain_line(text), plain_line(remedy)))


def count_kinds(divergences: "Iterable[Divergence]") -> dict[str, int]:
    """How many there are of each kind, most first."""
    counts: dict[str, int] = {}
    for divergence in divergences:
        counts[divergence.kind] = counts.get(divergence.kind, 0) + 1
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def describe(divergence: Divergence) -> dict[str, object]:
    """A divergence for programs."""
    return {
        "kind": divergence.kind,
        "task": divergence.number or None,
        "text": divergence.text,
        "remedy": divergence.remedy,
    }
