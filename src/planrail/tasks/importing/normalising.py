"""The entry of a task with every field of the kind that it should be. What is not is kept beside it, and told."""

import re
from collections.abc import Sequence

from planrail.tasks import statuses
from planrail.tasks.importing.model import Draft, Remarks
from planrail.tasks.importing.state_reading import as_number
from planrail.tasks.naming import make_slug
from planrail.tasks.statuses import PARTIAL, STATUSES, marker

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
_TEXTS = (
    *("title", "task_type", "description", "effort", "topic", "created", "last_updated", "session_id"),
    *("resume_phase", "status_before", "reason", "completion_summary"),
)
_RENAMED = {"language": "task_type", "depends_on": "dependencies", "abandoned_reason": "reason"}
_LONGEST_NAME = 120


def normalise(draft: Draft) -> dict[str, object]:
    """The entry of a draft as `from_entry` wants it, documents and status apart. The draft keeps what has no place."""
    entry = dict(draft.entry)
    for old, new in _RENAMED.items():  # it stays where both are there and say different things
        if entry.get(old) is not None and (not entry.get(new) or entry[new] == entry[old]):
            entry[new] = entry.pop(old)
    for key in _TEXTS:
        value = entry.get(key)
        if isinstance(value, int | float) and not isinstance(value, bool):
            entry[key] = str(value)
        elif value is not None and not isinstance(value, str):
            _set_aside(entry, key, draft)
    for key in ("dependencies", "subtasks"):
        _settle_numbers(entry, key, draft)
    for key, kind in (("roadmap_items", str), ("memory_candidates", dict)):
        value = entry.get(key)
        items = [value] if isinstance(value, kind) else value
        if items is not None and not (isinstance(items, list) and all(isinstance(item, kind) for item in items)):
            _set_aside(entry, key, draft)
        elif items is not None:
            entry[key] = items
    parent = as_number(entry.pop("parent_task", None))
    entry |= {"parent_task": parent} if parent else {}
    entry["project_number"] = draft.number
    entry["title"] = title = _title(entry, draft)
    entry["project_name"] = draft.name = _name(draft, title)
    return entry


def settle_status(draft: Draft, *, has_plan: bool, has_report: bool) -> str:
    """The state of a task: the word of its file, or the nearest to it that planrail has."""
    said = draft.entry.get("status")
    word = said if isinstance(said, str) else ""
    status = known_status(word)
    if status == word:
        return status
    settled = status or guess_status(is_archived=draft.is_archived, has_plan=has_plan, has_report=has_report)
    draft.kept["status"] = said
    told = f"`{word[:40]}`" if word else "no status"
    remedy = "" if draft.is_archived else f"planrail task show {draft.number}"
    draft.tell("status_unknown", f" has {told}: taken as {marker(settled)}", remedy)
    return settled


def _settle_numbers(entry: dict[str, object], key: str, draft: Draft) -> None:
    value = entry.get(key)
    said = value if isinstance(value, list) else [] if value in (None, "") else [value]
    items = [item.get("project_number") if isinstance(item, dict) else item for item in said]
    texts = [re.sub(r"^\s*(?:Task)?(?:task)?", "", item) if isinstance(item, str) else item for item in items]
    numbers = list(map(as_number, texts))
    if None in numbers:
        _set_aside(entry, key, draft)
    own = [number for number in dict.fromkeys(numbers) if number is not None]
    if draft.number in own:
        draft.tell("dependency_circle", f" names itself under {key}; left out")
        draft.kept.setdefault(key, value)
    entry[key] = [number for number in own if number != draft.number]


def _set_aside(entry: dict[str, object], key: str, draft: Draft) -> None:
    draft.kept[key] = entry.pop(key)
    kind = type(draft.kept[key]).__name__
    draft.tell("field_unusable", f": `{key}` cannot be used as it is ({kind}); kept aside")


def _title(entry: dict[str, object], draft: Draft) -> str:
    """The title, or what comes nearest to one: the name in words, the beginning of the description."""
    said = str(entry.get("title") or "")
    if said.strip():
        return said
    words = " ".join(draft.name.replace("_", " ").split())
    first = next(iter(str(entry.get("description") or "").strip().splitlines()), "")[:100]
    return words[:1].upper() + words[1:] or first or f"Task {draft.number}"


def _name(draft: Draft, title: str) -> str:
    name = draft.name
    is_safe = name.isprintable() and not any(sign in name for sign in "/\\") and not name.startswith((".", " "))
    if name and is_safe and len(name) <= _LONGEST_NAME:
        return name
    slug = make_slug(title)
    if name:
        draft.kept["name"] = name
        draft.tell("field_unusable", f": its name can be no folder's; it is `{slug}` now")
    return slug


def settle_numbers(drafts: Sequence[Draft], first_free: int, remarks: Remarks) -> int:
    """Give each open draft a number of its own, in place; the next free number afterwards.

    Of two entries about the same task the newer stays open and the other goes to the archive; of two tasks with the
    same number the one that was named first keeps it.
    """
    groups: dict[tuple[int, str], list[Draft]] = {}  # by what they are about, in the order of the file
    for draft in drafts:
        if not draft.is_archived:
            groups.setdefault((draft.number, draft.name if draft.number else str(id(draft))), []).append(draft)
    holders: dict[int, Draft] = {}
    free = first_free
    for draft in (one for group in groups.values() for one in sorted(group, key=_updated, reverse=True)):
        holder = holders.get(draft.number)
        if draft.number and holder is None:
            holders[draft.number] = draft
        elif holder is not None and holder.name == draft.name:
            draft.is_archived = True
            told = f" `{draft.name}` is listed twice as open; the newer entry counts, the other is archived"
            draft.tell("number_twice", told, f"planrail task show {draft.number}")
        else:
            _renumber(draft, free, remarks)
            free += 1
    for draft in drafts:
        if not draft.number:
            _renumber(draft, free, remarks)
            free += 1
    return free


def _updated(draft: Draft) -> str:
    value = draft.entry.get("last_updated")
    return value if isinstance(value, str) else ""


def _renumber(draft: Draft, number: int, remarks: Remarks) -> None:
    label = draft.name or str(draft.entry.get("title") or draft.entry.get("description") or "?")[:60]
    said = draft.number or draft.entry.get("project_number")
    draft.kept |= {"number": said} if said is not None else {}
    before = f"the number {draft.number} is used twice; `{label}`" if draft.number else f"`{label}` had no number; it"
    kind = "number_twice" if draft.number else "number_missing"
    remarks.add(kind, draft.number or number, f"{before} is task {number} now", f"planrail task show {number}")
    draft.number = number


def fold_status(word: str) -> str:
    """A word as statuses are spelled: `[Not Started]` is `not_started`."""
    letters = [letter if letter.isalnum() else " " for letter in word.strip().lower()]
    return "_".join("".join(letters).split())


def known_status(word: str) -> str | None:
    return _STATUS_OF.get(fold_status(word))


def guess_status(*, is_archived: bool, has_plan: bool, has_report: bool) -> str:
    """Where a task stands of which nobody says it in a word we know. Nothing is guessed to be done."""
    if is_archived:
        return statuses.ABANDONED
    return statuses.PLANNED if has_plan else statuses.RESEARCHED if has_report else statuses.NOT_STARTED
