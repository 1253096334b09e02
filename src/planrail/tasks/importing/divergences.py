"""Where two of the places disagree that speak about tasks: one line each, with what to do about it."""

from collections.abc import Iterable, Mapping
from shlex import quote

from planrail.base.records import record
from planrail.tasks.views.plain import plain_line

# Every kind, in the words of a summary, for one and for several: "12 documents that are listed and are not there".
KINDS: Mapping[str, tuple[str, str]] = {
    # the files themselves
    "file_unreadable": ("file that cannot be read as JSON", "files that cannot be read as JSON"),
    "file_skipped": ("place that was not looked into", "places that were not looked into"),
    "file_encoding": ("file that is not UTF-8", "files that are not UTF-8"),
    "file_missing": ("file that is not there", "files that are not there"),
    "key_repeated": ("field that is said twice in one entry", "fields that are said twice in one entry"),
    "list_unusual": ("list of tasks under another name than usual", "lists of tasks under another name than usual"),
    "todo_text": ("part of TODO.md that belongs to no task", "parts of TODO.md that belong to no task"),
    # numbers
    "number_missing": ("entry without a number of its own", "entries without a number of their own"),
    "number_twice": ("number that is used twice", "numbers that are used twice"),
    "number_archived": ("open task that is in the archive, too", "open tasks that are in the archive, too"),
    "next_number": ("next number that is wrong", "next numbers that are wrong"),
    # one task, two places
    "not_in_todo": ("task that TODO.md does not have", "tasks that TODO.md does not have"),
    "not_in_state": ("task that only TODO.md has", "tasks that only TODO.md has"),
    "todo_adds": ("task of which only TODO.md says everything", "tasks of which only TODO.md says everything"),
    "todo_differs": (
        "task that TODO.md and state.json tell differently",
        "tasks that TODO.md and state.json tell differently",
    ),
    "order_differs": ("line of the order that gives another status", "lines of the order that give another status"),
    "order_unknown": (
        "line of the order about a task that is not there",
        "lines of the order about tasks that are not there",
    ),
    "order_missing": ("open task that the order leaves out", "open tasks that the order leaves out"),
    "order_wave": (
        "task in the order before something that it depends on",
        "tasks in the order before something that they depend on",
    ),
    # one entry
    "status_unknown": ("status that planrail does not have", "statuses that planrail does not have"),
    "field_unusable": (
        "field that holds something else than it should",
        "fields that hold something else than they should",
    ),
    "round_differs": ("round that is behind its documents", "rounds that are behind their documents"),
    "dependency_unknown": ("dependency on a task that is not there", "dependencies on tasks that are not there"),
    "dependency_circle": ("circle of tasks that wait for each other", "circles of tasks that wait for each other"),
    # documents
    "artifact_type": (
        "document of a type that planrail does not have",
        "documents of a type that planrail does not have",
    ),
    "artifact_moved": ("document that lies elsewhere than listed", "documents that lie elsewhere than listed"),
    "artifact_missing": (
        "document that is listed and is not there",
        "documents that are listed and are not there",
    ),
    "artifact_twice": ("document that is listed twice", "documents that are listed twice"),
    "file_unlisted": (
        "document that is there and was not listed",
        "documents that are there and were not listed",
    ),
    "folder_name": ("folder that is not named like its task", "folders that are not named like their task"),
    "folder_misplaced": (
        "folder that is not where its task is, open or archived",
        "folders that are not where their task is, open or archived",
    ),
    "folder_twice": ("task with more than one folder", "tasks with more than one folder"),
    "folder_without_task": ("folder of no task", "folders of no task"),
    # what is claimed and what is so
    "open_phases": (
        "completed task whose plan has open phases",
        "completed tasks whose plan has open phases",
    ),
    "no_plan": ("line about completed tasks without a plan", "lines about completed tasks without a plan"),
    "plan_header": (
        "plan whose header says something else than its task",
        "plans whose header says something else than their task",
    ),
    "error_unusable": ("list of errors with some that cannot be read", "lists of errors with some that cannot be read"),
    # against the ledger
    "claimed": (
        "task that the files call completed, and that nothing proves",
        "tasks that the files call completed, and that nothing proves",
    ),
    "state_refused": (
        "state in the files to which no step leads",
        "states in the files to which no step leads",
    ),
    "differs": (
        "task that the ledger and the files tell differently",
        "tasks that the ledger and the files tell differently",
    ),
    "number_taken": (
        "number that the ledger has given to another task",
        "numbers that the ledger has given to another task",
    ),
    "only_in_ledger": ("task that only the ledger has", "tasks that only the ledger has"),
    "view_differs": ("view that is not what the ledger says", "views that are not what the ledger says"),
}
# What could not be read: all else that an import tells has to be seen in this light, so it is told first, and in full.
UNREAD = ("file_unreadable", "file_skipped", "file_encoding")


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


def tell_skipped(skipped: Mapping[str, str], remarks: Remarks) -> None:
    """Tell what in a folder of tasks was not looked into, and why."""
    for path, why in skipped.items():
        remarks.add("file_skipped", 0, f"{path} {why}; it was not looked into", f"ls -ld {quote(path)}")


def count_kinds(divergences: Iterable[Divergence]) -> dict[str, int]:
    """How many there are of each kind, most first."""
    counts: dict[str, int] = {}
    for divergence in divergences:
        counts[divergence.kind] = counts.get(divergence.kind, 0) + 1
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def name_kind(kind: str, count: int) -> str:
    """What so many divergences of a kind are called: "file that is not there", "files that are not there"."""
    one, several = KINDS.get(kind, (kind, kind))
    return one if count == 1 else several


def plural(count: int, one: str, several: str = "") -> str:
    """A number of things: "1 file", "2 files", "2 entries"."""
    return f"{count} {one if count == 1 else several or f'{one}s'}"


def describe(divergence: Divergence) -> dict[str, object]:
    """A divergence for programs."""
    return {
        "kind": divergence.kind,
        "task": divergence.number or None,
        "text": divergence.text,
        "remedy": divergence.remedy,
    }
