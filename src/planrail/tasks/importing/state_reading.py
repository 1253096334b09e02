"""What a state.json says, in `specs/` or in its archive: entries of tasks, the next number, and the other fields."""

import json
import re
from collections.abc import Callable
from math import isfinite

from planrail.base.records import record
from planrail.base.wording import plural
from planrail.tasks.importing.drafts import TaskDraft, as_number
from planrail.tasks.importing.model import Remarks

_ENTRY = re.compile(r'\{\s*"project_(?:number|name)"\s*:')
_DEEPEST = 100  # levels; the files have six
_LONGEST_NUMBER = 300  # digits; a longer one is kept as it is spelled
ACTIVE, COMPLETED, ABANDONED = "active_projects", "completed_projects", "abandoned_projects"
_VERSION = ("version", "1.1.0")  # as every view has it that planrail writes, with an empty list of completed tasks
_CLOSED = ("completed", "abandoned", "archived", "closed", "done")


@record
class StateFile:
    """The drafts of its tasks, in the order of the file."""

    drafts: tuple[TaskDraft, ...]
    head: dict[str, object]
    next_number: int | None


def read_state(
    text: str | None, path: str, remarks: Remarks, *, is_archive: bool = False, instead: str = ""
) -> StateFile:
    """Read a state.json; of one that is broken, the entries that are whole. `instead` is the file that speaks then."""
    if text is None:
        return StateFile((), {}, None)
    said, problem, repeated = read_json(text)
    for name in repeated:
        remarks.add("file_odd", 0, f"{path} says `{name}` twice in one place; both values are kept")
    if problem:
        salvaged = _salvage(text)
        count = len(salvaged)
        whole = f"{count} whole {'entry of a task' if count == 1 else 'entries of tasks'} in it"
        taken = " and ".join([*([whole] if salvaged or not instead else []), *([instead] if instead else [])])
        remarks.add("file_unread", 0, f"{path} cannot be read, {problem}; read instead: {taken}")
        return StateFile(tuple(TaskDraft(one, remarks, is_archived=is_archive) for one in salvaged), {}, None)
    value = said if isinstance(said, dict) else {ACTIVE: said}
    lists = {key: items for key, items in value.items() if _is_list_of_tasks(key, items)}
    usual = (COMPLETED, ABANDONED) if is_archive else (ACTIVE,)
    drafts: list[TaskDraft] = []
    for key, items in lists.items():
        entries = _entries(items)
        is_archived = is_archive or key.startswith(_CLOSED)
        drafts += [TaskDraft(entry, remarks, is_archived=is_archived) for entry in entries]
        is_nested = isinstance(items, list) and any(isinstance(one, list) for one in items)
        if is_nested or (key not in usual and entries):
            where = "in lists inside" if is_nested else "under"
            remarks.add("file_odd", 0, f"{path} has {plural(len(entries), 'task')} {where} `{key}`; taken over")
    own = {*lists, "next_project_number", COMPLETED}
    head = {key: item for key, item in value.items() if key not in own and (key, item) != _VERSION}
    return StateFile(tuple(drafts), head, as_number(value.get("next_project_number")))


def _is_list_of_tasks(key: str, items: object) -> bool:
    if key in (ACTIVE, COMPLETED, ABANDONED):
        return bool(items) or key == ACTIVE
    entries = list(items.values()) if isinstance(items, dict) else items
    return isinstance(entries, list) and any(isinstance(one, dict) and "project_number" in one for one in entries)


def _entries(items: object) -> list[object]:
    """The entries of a list, and of lists in it; of an object, whose keys are the numbers."""
    if isinstance(items, dict):
        return [{"project_number": key, **one} if isinstance(one, dict) else one for key, one in items.items()]
    if isinstance(items, list):
        return [entry for one in items for entry in (_entries(one) if isinstance(one, list) else [one])]
    return [] if items is None else [items]


def read_json(text: str) -> tuple[object, str, list[str]]:
    """The value of a JSON text, why there is none, and the names that are said twice in one place."""
    repeated: list[str] = []
    try:
        value = _decoder(lambda pairs: _make(pairs, repeated)).decode(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        return None, f"it is no JSON: {error}" if text.strip("\ufeff \t\r\n") else "it is empty", []
    return (None, "it is nested too deeply", []) if _is_deep(value) else (value, "", repeated)


def _decoder(make: Callable[[list[tuple[str, object]]], object] | None = None) -> json.JSONDecoder:
    """One that never gives a number which could not be written again: such a one stays the text that it was."""
    return json.JSONDecoder(
        parse_int=lambda text: int(text) if len(text) <= _LONGEST_NUMBER else text,
        parse_float=lambda text: float(text) if isfinite(float(text)) else text,
        parse_constant=str,
        object_pairs_hook=make,
    )


def _make(pairs: list[tuple[str, object]], repeated: list[str]) -> dict[str, object]:
    """An object. A name that comes twice keeps both values: the last, and the one before under a name of its own."""
    made: dict[str, object] = {}
    for name, value in pairs:
        if name in made and made[name] != value:
            repeated.append(name)
            made[f"{name} (said before)"] = made[name]
        made[name] = value
    return made


def _salvage(text: str) -> list[dict[str, object]]:
    decoder, found, at = _decoder(), list[dict[str, object]](), 0
    while (match := _ENTRY.search(text, at)) is not None:
        try:
            value, at = decoder.raw_decode(text, match.start())
        except (ValueError, RecursionError):
            at = match.end()
            continue
        if not _is_deep(value):
            found.append(value)
    return found


def _is_deep(value: object, left: int = _DEEPEST) -> bool:
    if left == 0:
        return True
    if isinstance(value, dict):
        return any(_is_deep(item, left - 1) for item in value.values())
    return isinstance(value, list) and any(_is_deep(item, left - 1) for item in value)
