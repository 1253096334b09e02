"""What an import is given, and what comes of it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from shlex import quote

from planrail.base.records import record
from planrail.base.wording import clip, paint, plural
from planrail.tasks.model import Task
from planrail.tasks.views.todo import plain_line

# Every kind, in the words of a summary; `one|several` where they differ.
KINDS: Mapping[str, str] = {
    "file_unread": "file|files or place|places that could not be read, or not as a whole",
    "file_odd": "file|files with something else in it|them than usual",
    "number_clash": "number|numbers that is|are used twice, missing or wrong",
    "only_in_one": "task|tasks of which only one side says everything",
    "says_differ": "field|fields that two sides tell differently",
    "status_unknown": "status|statuses that planrail does not have",
    "field_unusable": "field|fields that holds|hold something else than it|they should",
    "dependency": "dependency|dependencies on a| task|tasks that is|are not there, or in a circle",
    "artifact_moved": "document|documents that lies|lie elsewhere than listed",
    "artifact_missing": "document|documents that is|are listed and is|are not there",
    "file_unlisted": "document|documents that is|are there and was|were not listed",
    "folder_name": "folder|folders that is|are not named like its|their task, or not the only one|ones",
    "folder_misplaced": "folder|folders that is|are not where its|their task is, open or archived",
    "folder_without_task": "folder|folders of no task",
    "open_phases": "completed task|tasks whose plan says otherwise",
    "no_plan": "line|lines about completed tasks without a plan",
    "claimed": "task|tasks that the files call completed, and that nothing proves",
    "state_refused": "state|states in the files to which no step leads",
    "view_differs": "view|views that is|are not what the ledger says",
}
# All else that an import tells has to be seen in this light, so it is told first, and in full.
_UNREAD = "file_unread"
SCREEN, _MOST_UNREAD, _WIDTH = 20, 5, 160  # lines, those of them about files, and characters of each
_LONGEST_VALUE = 60  # characters of what a side says
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

    def differ(self, number: int, field: str, said: Mapping[str, object], taken: object, remedy: str = "") -> None:
        """What each side says about a field, and what was taken."""
        sides = ", ".join(f"{side} says {_spell(value)}" for side, value in said.items())
        whose = f"task {number}, {field}" if number else field
        self.add("says_differ", number, f"{whose}: {sides}; taken: {_spell(taken)}", remedy)


def _spell(value: object) -> str:
    if isinstance(value, list | tuple):
        return clip(", ".join(map(str, value)), _LONGEST_VALUE) or "none"
    return str(value) if isinstance(value, int) else f"`{clip(' '.join(str(value).split()), _LONGEST_VALUE)}`"


@record
class Specs:
    """A `specs/` folder: its texts (None where there is no such file), and the names of all files in it.

    `files` are paths from the root of the repository on, `others` those outside the folder that exist and that an
    entry names. `plans` are the texts of plans by path, as far as the caller wants them compared with their tasks.
    """

    state: str | None = None
    todo: str | None = None
    archive: str | None = None
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
    divergences: tuple[Divergence, ...]


def tell_skipped(skipped: Mapping[str, str], remarks: Remarks) -> None:
    for path, why in skipped.items():
        remarks.add("file_unread", 0, f"{path} {why}; it was not looked into", f"ls -ld {quote(path)}")


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
    unread = [one for one in divergences if one.kind == _UNREAD]
    others = [one for one in divergences if one.kind != _UNREAD]
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
