"""An entry on its way to becoming a task: its number, its name, every field of the kind that it should be.

What does not fit is kept beside the entry, and told.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from planrail.base.records import replace
from planrail.tasks import statuses
from planrail.tasks.importing.model import KEPT, Remarks
from planrail.tasks.importing.todo_reading import TodoEntry
from planrail.tasks.model import COLUMNS, PLAN, REPORT, Column, Task
from planrail.tasks.naming import make_slug
from planrail.tasks.statuses import PARTIAL, STATUSES, marker
from planrail.tasks.views.entries import from_entry

_WORDS = {
    statuses.NOT_STARTED: "pending todo to_do open new created creating queued backlog ready draft unstarted",
    statuses.RESEARCHING: "investigating exploring in_research",
    statuses.RESEARCHED: "investigated explored",
    statuses.PLANNING: "revising designing in_planning",
    statuses.PLANNED: "revised designed plan_ready ready_to_implement approved",
    statuses.IMPLEMENTING: "in_progress started active wip doing working in_implementation executing",
    PARTIAL: "partially_completed partially_complete partially_done incomplete stopped interrupted failed timeout",
    statuses.BLOCKED: "on_hold paused waiting deferred hold stuck postponed",
    statuses.PR_READY: "review in_review reviewing pr_open pull_request",
    statuses.COMPLETED: "complete done finished implemented closed resolved merged shipped",
    statuses.ABANDONED: "cancelled canceled dropped wontfix wont_fix obsolete superseded rejected deleted removed",
    statuses.EXPANDED: "split divided decomposed",
}
_STATUS_OF = {word: status for status, words in _WORDS.items() for word in words.split()} | {s: s for s in STATUSES}
_RENAMED = {"language": "task_type", "depends_on": "dependencies", "abandoned_reason": "reason"}
_APART = ("project_number", "project_name", "status", "artifacts", "next_artifact_number")  # settled by themselves
_NUMBER = re.compile(r"(?:[Tt]ask\s*)?(?:[A-Za-z]{1,6}[_-])?#?0*(\d{1,9})")
_PREFIXED = re.compile(r"(?:[A-Za-z]{1,6}[_-])?0*(\d{1,9})[_-](.+)")
_LONGEST_NAME = 120


class TaskDraft:
    """`kept` is what its file said and planrail has no place for, `todo` its entry in TODO.md."""

    def __init__(self, entry: object, remarks: Remarks, *, is_archived: bool = False) -> None:
        """The draft of an entry; what is no entry at all becomes the title of one. A name `007_x` states both."""
        fields = entry if isinstance(entry, dict) else {"title": entry if isinstance(entry, str) else repr(entry)}
        earlier = fields.get(KEPT)
        self.kept: dict[str, object] = dict(earlier) if isinstance(earlier, dict) else {}
        self.entry = {key: value for key, value in fields.items() if key != KEPT or not isinstance(earlier, dict)}
        self.is_archived, self.remarks = is_archived, remarks
        self.todo: TodoEntry | None = None
        self.is_in_state = False  # and so not from TODO.md alone
        number, name = as_number(fields.get("project_number")), fields.get("project_name")
        self.number, self.name = number or 0, name.strip() if isinstance(name, str) else ""
        match = _PREFIXED.fullmatch(self.name)
        if match is not None and number in (None, int(match[1])):
            self.number, self.name = int(match[1]), match[2]

    def tell(self, kind: str, text: str, remedy: str = "") -> None:
        self.remarks.tell(kind, self.number, text, remedy)

    def finish(self) -> Task:
        entry = {**self.entry, **({KEPT: self.kept} if self.kept else {})}
        return replace(from_entry(entry), is_archived=self.is_archived)


def as_number(value: object) -> int | None:
    """The number of a task in any spelling: 7, "7", "#7", "OC_007", "Task 7"; None where it is none."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value if 0 < value < 10**9 else None
    match = _NUMBER.fullmatch(value.strip()) if isinstance(value, str) else None
    return int(match[1]) or None if match is not None else None


def normalise(draft: TaskDraft) -> None:
    """Bring the fields of a draft to what `from_entry` wants, documents and status apart."""
    entry = draft.entry
    for old, new in _RENAMED.items():  # it stays where both are there and say different things
        if entry.get(old) is not None and (not entry.get(new) or entry[new] == entry[old]):
            entry[new] = entry.pop(old)
    for key, column in COLUMNS.items():
        value = entry.get(key)
        if key in _APART or value is None:
            continue
        fitting = _fit(value, column)
        if fitting is None or (isinstance(fitting, list) and None in fitting):
            draft.kept[key] = entry.pop(key)
            draft.tell("field_unusable", f": `{key}` cannot be used as it is ({type(value).__name__}); kept aside")
        if isinstance(fitting, list) and column.of is int:
            fitting = [number for number in dict.fromkeys(fitting) if number is not None]
            if draft.number in fitting:
                draft.tell("dependency", f" names itself under {key}; left out")
                draft.kept.setdefault(key, value)
                fitting.remove(draft.number)
        entry |= {key: fitting} if fitting is not None else {}
    entry["project_number"] = draft.number


def _fit(value: object, column: Column) -> object:
    """A value of the kind that a column has; None for what cannot be used, of numbers for each of them."""
    if column.of is int:
        said = value if isinstance(value, list) else [] if value == "" else [value]
        return [as_number(item.get("project_number") if isinstance(item, dict) else item) for item in said]
    if column.of is not None:
        items = [value] if isinstance(value, column.of) else value
        return items if isinstance(items, list) and all(isinstance(item, column.of) for item in items) else None
    if isinstance(column.default, str):
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return str(value) if is_number else value if isinstance(value, str) else None
    return as_number(value) if value not in ("", 0) else 0


def name_draft(draft: TaskDraft) -> None:
    """Give a draft a title, or what comes nearest to one, and a name that can be a folder's."""
    entry, name = draft.entry, draft.name
    words = " ".join(name.replace("_", " ").split())
    first = next(iter(str(entry.get("description") or "").strip().splitlines()), "")[:100]
    said = str(entry.get("title") or "")
    entry["title"] = said if said.strip() else words[:1].upper() + words[1:] or first or f"Task {draft.number}"
    is_safe = name.isprintable() and not any(sign in name for sign in "/\\") and not name.startswith((".", " "))
    if not name or not is_safe or len(name) > _LONGEST_NAME:
        draft.name = make_slug(entry["title"])
        if name:
            draft.kept["name"] = name
            draft.tell("field_unusable", f": its name can be no folder's; it is `{draft.name}` now")
    entry["project_name"] = draft.name


def settle_status(draft: TaskDraft) -> None:
    """The state of a task: the word of its file, or the nearest to it that planrail has."""
    said, documents = draft.entry.get("status"), draft.entry["artifacts"]
    word = said if isinstance(said, str) else ""
    types = [item["type"] for item in documents] if isinstance(documents, list) else []
    draft.entry["status"] = status = known_status(word) or guess_status(types, is_archived=draft.is_archived)
    if status != word:
        draft.kept["status"] = said
        told = f"`{word[:40]}`" if word else "no status"
        remedy = "" if draft.is_archived else f"planrail task show {draft.number}"
        draft.tell("status_unknown", f" has {told}: taken as {marker(status)}", remedy)


def settle_numbers(drafts: Sequence[TaskDraft], free: Iterator[int]) -> None:
    """Give each open draft a number of its own, in place.

    Of two entries about the same task the newer stays open and the other goes to the archive; of two tasks with the
    same number the one that was named first keeps it.
    """
    groups: dict[tuple[int, str], list[TaskDraft]] = {}  # by what they are about, in the order of the file
    for draft in drafts:
        if not draft.is_archived:
            groups.setdefault((draft.number, draft.name if draft.number else str(id(draft))), []).append(draft)
    holders: dict[int, TaskDraft] = {}
    for draft in (one for group in groups.values() for one in sorted(group, key=_updated, reverse=True)):
        holder = holders.get(draft.number)
        if draft.number and holder is None:
            holders[draft.number] = draft
        elif holder is not None and holder.name == draft.name:
            draft.is_archived = True
            told = f" `{draft.name}` is listed twice as open; the newer entry counts, the other is archived"
            draft.tell("number_clash", told, f"planrail task show {draft.number}")
        else:
            _renumber(draft, next(free))
    for draft in drafts:
        if not draft.number:
            _renumber(draft, next(free))


def _updated(draft: TaskDraft) -> str:
    value = draft.entry.get("last_updated")
    return value if isinstance(value, str) else ""


def _renumber(draft: TaskDraft, number: int) -> None:
    label = draft.name or str(draft.entry.get("title") or draft.entry.get("description") or "?")[:60]
    said = draft.number or draft.entry.get("project_number")
    draft.kept |= {"number": said} if said is not None else {}
    before = f"the number {draft.number} is used twice; `{label}`" if draft.number else f"`{label}` had no number; it"
    told = f"{before} is task {number} now"
    draft.remarks.add("number_clash", draft.number or number, told, f"planrail task show {number}")
    draft.number = number


def fold_status(word: str) -> str:
    """A word as statuses are spelled: `[Not Started]` is `not_started`."""
    letters = [letter if letter.isalnum() else " " for letter in word.strip().lower()]
    return "_".join("".join(letters).split())


def known_status(word: str) -> str | None:
    return _STATUS_OF.get(fold_status(word))


def guess_status(types: Iterable[object], *, is_archived: bool = False) -> str:
    """Where a task stands of which nobody says it in a word we know. Nothing is guessed to be done."""
    found = list(types)
    if is_archived:
        return statuses.ABANDONED
    return statuses.PLANNED if PLAN in found else statuses.RESEARCHED if REPORT in found else statuses.NOT_STARTED
