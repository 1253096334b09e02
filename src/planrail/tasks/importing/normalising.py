"""The entry of a task with every field of the kind that it should be. What is not is kept beside it, and told."""

from planrail.tasks.importing.divergences import Remarks
from planrail.tasks.importing.model import Draft
from planrail.tasks.importing.state_reading import as_number
from planrail.tasks.importing.status_words import guess_status, known_status
from planrail.tasks.naming import make_slug
from planrail.tasks.statuses import marker

_TEXTS = (
    *("title", "task_type", "description", "effort", "topic", "created", "last_updated", "session_id"),
    *("resume_phase", "status_before", "reason", "completion_summary"),
)
_NUMBERS = ("dependencies", "subtasks")
_LONGEST_NAME = 120


def normalise(draft: Draft, remarks: Remarks) -> dict[str, object]:
    """The entry of a draft as `from_entry` wants it, documents and status apart. The draft keeps what has no place."""
    entry = dict(draft.entry)
    _rename(entry, "language", "task_type")
    _rename(entry, "depends_on", "dependencies")
    _rename(entry, "abandoned_reason", "reason")
    for key in _TEXTS:
        _settle_text(entry, key, draft, remarks)
    for key in _NUMBERS:
        _settle_numbers(entry, key, draft, remarks)
    _settle_lists(entry, draft, remarks)
    parent = as_number(entry.pop("parent_task", None))
    entry |= {"parent_task": parent} if parent else {}
    entry["project_number"] = draft.number
    entry["title"] = _title(entry, draft)
    entry["project_name"] = draft.name = _name(draft, str(entry["title"]), remarks)
    return entry


def settle_status(entry: dict[str, object], draft: Draft, remarks: Remarks, *, has_plan: bool, has_report: bool) -> str:
    """The state of a task: the word of its file, or the nearest to it that planrail has."""
    said = entry.get("status")
    word = said if isinstance(said, str) else ""
    status = known_status(word)
    if status == word:
        return status
    settled = status or guess_status(is_archived=draft.is_archived, has_plan=has_plan, has_report=has_report)
    told = f"`{word[:40]}`" if word else "no status"
    draft.kept["status"] = said
    remarks.add(
        "status_unknown",
        draft.number,
        f"task {draft.number} has {told}: taken as {marker(settled)}",
        "" if draft.is_archived else f"planrail task show {draft.number}",
    )
    return settled


def _rename(entry: dict[str, object], old: str, new: str) -> None:
    """An older name of a field; it stays where both are there and say different things."""
    if entry.get(old) is None:
        return
    if not entry.get(new):
        entry[new] = entry.pop(old)
    elif entry[new] == entry[old]:
        del entry[old]


def _settle_text(entry: dict[str, object], key: str, draft: Draft, remarks: Remarks) -> None:
    value = entry.get(key)
    if isinstance(value, int | float) and not isinstance(value, bool):
        entry[key] = str(value)
    elif value is not None and not isinstance(value, str):
        _set_aside(entry, key, draft, remarks)


def _settle_numbers(entry: dict[str, object], key: str, draft: Draft, remarks: Remarks) -> None:
    value = entry.get(key)
    items = value if isinstance(value, list) else [] if value in (None, "") else [value]
    numbers = [
        as_number(item.get("project_number")) if isinstance(item, dict) else _said_number(item) for item in items
    ]
    if None in numbers:
        _set_aside(entry, key, draft, remarks)
    own = [number for number in dict.fromkeys(numbers) if number is not None]
    if draft.number in own:
        remarks.add("dependency_circle", draft.number, f"task {draft.number} names itself under {key}; left out")
        draft.kept.setdefault(key, value)
    entry[key] = [number for number in own if number != draft.number]


def _said_number(item: object) -> int | None:
    text = item.strip().removeprefix("Task").removeprefix("task").strip() if isinstance(item, str) else item
    return as_number(text)


def _settle_lists(entry: dict[str, object], draft: Draft, remarks: Remarks) -> None:
    """Lists of texts, and of objects."""
    for key, kind in (("roadmap_items", str), ("memory_candidates", dict)):
        value = entry.get(key)
        items = [value] if isinstance(value, kind) else value
        if items is not None and not (isinstance(items, list) and all(isinstance(item, kind) for item in items)):
            _set_aside(entry, key, draft, remarks)
        elif items is not None:
            entry[key] = items


def _set_aside(entry: dict[str, object], key: str, draft: Draft, remarks: Remarks) -> None:
    draft.kept[key] = entry.pop(key)
    told = f"task {draft.number}: `{key}` cannot be used as it is ({type(draft.kept[key]).__name__}); kept aside"
    remarks.add("field_unusable", draft.number, told)


def _title(entry: dict[str, object], draft: Draft) -> str:
    """The title, or what comes nearest to one: the name in words, the beginning of the description."""
    said = str(entry.get("title") or "")
    if said.strip():
        return said
    words = " ".join(draft.name.replace("_", " ").split())
    first = next(iter(str(entry.get("description") or "").strip().splitlines()), "")[:100]
    return words[:1].upper() + words[1:] or first or f"Task {draft.number}"


def _name(draft: Draft, title: str, remarks: Remarks) -> str:
    """The name of the task's folder: one part of a path."""
    name = draft.name
    is_safe = name.isprintable() and not any(sign in name for sign in "/\\") and not name.startswith((".", " "))
    if name and is_safe and len(name) <= _LONGEST_NAME:
        return name
    slug = make_slug(title)
    if name:
        draft.kept["name"] = name
        remarks.add(
            "field_unusable", draft.number, f"task {draft.number}: its name can be no folder's; it is `{slug}` now"
        )
    return slug
