"""What an import is given, and what comes of it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from shlex import quote

from planrail.base.records import record
from planrail.base.wording import clip, paint, plural
from planrail.tasks.model import Task
from planrail.tasks.views.todo import plain_line

# Every kind, in the words of a summary; `one|several` where they differ.
KINDS: Mapping[str, str] = {
    # the files themselves
    "file_unreadable": "file|files that cannot be read as JSON",
    "file_skipped": "place|places that was|were not looked into",
    "file_encoding": "file|files that is|are not UTF-8",
    "file_missing": "file|files that is|are not there",
    "key_repeated": "field|fields that is|are said twice in one entry",
    "list_unusual": "list|lists of tasks under another name than usual",
    "todo_text": "part|parts of TODO.md that belongs|belong to no task",
    # numbers
    "number_missing": "entry|entries without a number of its|their own",
    "number_twice": "number|numbers that is|are used twice",
    "number_archived": "open task|tasks that is|are in the archive, too",
    "next_number": "next number|numbers that is|are wrong",
    # one task, two places
    "not_in_todo": "task|tasks that TODO.md does not have",
    "not_in_state": "task|tasks that only TODO.md has",
    "todo_adds": "task|tasks of which only TODO.md says everything",
    "todo_differs": "task|tasks that TODO.md and state.json tell differently",
    "order_differs": "line|lines of the order that gives|give another status",
    "order_unknown": "line|lines of the order about a| task|tasks that is|are not there",
    "order_missing": "open task|tasks that the order leaves out",
    "order_wave": "task|tasks in the order before something that it|they depends|depend on",
    # one entry
    "status_unknown": "status|statuses that planrail does not have",
    "field_unusable": "field|fields that holds|hold something else than it|they should",
    "round_differs": "round|rounds that is|are behind its|their documents",
    "dependency_unknown": "dependency|dependencies on a| task|tasks that is|are not there",
    "dependency_circle": "circle|circles of tasks that wait for each other",
    # documents
    "artifact_type": "document|documents of a type that planrail does not have",
    "artifact_moved": "document|documents that lies|lie elsewhere than listed",
    "artifact_missing": "document|documents that is|are listed and is|are not there",
    "artifact_twice": "document|documents that is|are listed twice",
    "file_unlisted": "document|documents that is|are there and was|were not listed",
    "folder_name": "folder|folders that is|are not named like its|their task",
    "folder_misplaced": "folder|folders that is|are not where its|their task is, open or archived",
    "folder_twice": "task|tasks with more than one folder",
    "folder_without_task": "folder|folders of no task",
    # what is claimed and what is so
    "open_phases": "completed task|tasks whose plan has open phases",
    "no_plan": "line|lines about completed tasks without a plan",
    "plan_header": "plan|plans whose header says something else than its|their task",
    "error_unusable": "list|lists of errors with some that cannot be read",
    # against the ledger
    "claimed": "task|tasks that the files call completed, and that nothing proves",
    "state_refused": "state|states in the files to which no step leads",
    "differs": "task|tasks that the ledger and the files tell differently",
    "number_taken": "number|numbers that the ledger has given to another task",
    "only_in_ledger": "task|tasks that only the ledger has",
    "view_differs": "view|views that is|are not what the ledger says",
}
# What could not be read: all else that an import tells has to be seen in this light, so it is told first, and in full.
UNREAD = ("file_unreadable", "file_skipped", "file_encoding")
SCREEN, _MOST_UNREAD, _WIDTH = 20, 5, 160  # lines, those of them about files, and characters of each
KEPT = "imported"  # in a task's `extra`: what its file said and planrail has no place for


@record
class Divergence:
    """One disagreement. `number` is that of the task, 0 for a file's; `remedy` a command, "" where none is needed."""

    kind: str
    number: int
    text: str
    remedy: str = ""


class Remarks:
    def __init__(self) -> None:
        self.found: list[Divergence] = []

    def add(self, kind: str, number: int, text: str, remedy: str = "") -> None:
        """One more. It is one line, whatever the names in it are."""
        self.found.append(Divergence(kind, number, plain_line(text), plain_line(remedy)))

    def tell(self, kind: str, number: int, text: str, remedy: str = "") -> None:
        """One more about a task, whose number stands before the text."""
        self.add(kind, number, f"task {number}{text}", remedy)


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


class Draft:
    """An entry on its way to becoming a task. `kept` is what its file said and planrail has no place for."""

    def __init__(
        self, entry: dict[str, object], remarks: Remarks, number: int = 0, name: str = "", *, is_archived: bool = False
    ) -> None:
        earlier = entry.get(KEPT)
        self.kept: dict[str, object] = dict(earlier) if isinstance(earlier, dict) else {}
        self.entry = {key: value for key, value in entry.items() if key != KEPT or not isinstance(earlier, dict)}
        self.number, self.name, self.is_archived, self._remarks = number, name, is_archived, remarks

    def tell(self, kind: str, text: str, remedy: str = "") -> None:
        self._remarks.tell(kind, self.number, text, remedy)


def group_archived(drafts: Iterable[Draft]) -> dict[int, list[Draft]]:
    found: dict[int, list[Draft]] = {}
    for draft in drafts:
        if draft.is_archived:
            found.setdefault(draft.number, []).append(draft)
    return found


def tell_skipped(skipped: Mapping[str, str], remarks: Remarks) -> None:
    for path, why in skipped.items():
        remarks.add("file_skipped", 0, f"{path} {why}; it was not looked into", f"ls -ld {quote(path)}")


def count_kinds(divergences: Iterable[Divergence]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for divergence in divergences:
        counts[divergence.kind] = counts.get(divergence.kind, 0) + 1
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def name_kind(kind: str, count: int) -> str:
    """What so many divergences of a kind are called: "file that is not there", "files that are not there"."""
    words = KINDS.get(kind, kind).split(" ")
    said = (word.partition("|")[0] if count == 1 else word.rpartition("|")[2] for word in words)
    return " ".join(filter(None, said))


def describe(divergence: Divergence) -> dict[str, object]:
    return {
        "kind": divergence.kind,
        "task": divergence.number or None,
        "text": divergence.text,
        "remedy": divergence.remedy,
    }


def render_divergences(
    divergences: Sequence[Divergence], *, all_of_them: str, with_first: bool = False
) -> Iterator[str]:
    """Divergences as far as they fit: more than a screen of them are counted, and `all_of_them` says where they are.

    What could not be read comes first. `with_first`: the first of the others follow the counts.
    """
    unread = [one for one in divergences if one.kind in UNREAD]
    others = [one for one in divergences if one.kind not in UNREAD]
    yield f"{plural(len(divergences), 'divergence')}:"
    if len(divergences) <= SCREEN:
        yield from map(_render, (*unread, *others))
        return
    yield from map(_render, unread[:_MOST_UNREAD])
    for kind, count in count_kinds(divergences).items():
        yield f"  {count:>6}  {name_kind(kind, count)}"
    yield f"  all of them: {all_of_them}"
    if with_first:
        yield from ("the first of them:", *map(_render, others[:SCREEN]))


def _render(one: Divergence) -> str:
    return f"  {clip(one.text, _WIDTH)}{paint(f'  → {one.remedy}', 'dim') if one.remedy else ''}"
