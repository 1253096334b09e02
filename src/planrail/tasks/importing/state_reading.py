"""What a state.json says, in `specs/` or in its archive: entries of tasks, the next number, and the other fields."""

import re

from planrail.base.records import record
from planrail.tasks.importing.divergences import Remarks, plural
from planrail.tasks.importing.json_reading import read_json
from planrail.tasks.importing.model import Draft, make_draft

ACTIVE, COMPLETED, ABANDONED = "active_projects", "completed_projects", "abandoned_projects"
_NUMBER = re.compile(r"(?:[A-Za-z]{1,6}[_-])?#?0*(\d{1,9})")
_PREFIXED = re.compile(r"(?:[A-Za-z]{1,6}[_-])?0*(\d{1,9})[_-](.+)")
_VERSION = ("version", "1.1.0")  # as every view has it that planrail writes, with an empty list of completed tasks
_CLOSED = ("completed", "abandoned", "archived", "closed", "done")


@record
class StateFile:
    """The drafts of its tasks, in the order of the file; `is_whole`: it was JSON."""

    drafts: tuple[Draft, ...]
    head: dict[str, object]
    next_number: int | None
    is_whole: bool


def read_state(text: str, path: str, remarks: Remarks, *, is_archive: bool = False, instead: str = "") -> StateFile:
    """Read a state.json; of one that is broken, the entries that are whole. `instead` is the file that speaks then."""
    found = read_json(text)
    for name in found.repeated:
        remarks.add("key_repeated", 0, f"{path} says `{name}` twice in one place; both values are kept")
    if found.problem:
        whole = plural(len(found.entries), "whole entry of a task", "whole entries of tasks") + " in it"
        taken = " and ".join([*([whole] if found.entries or not instead else []), *([instead] if instead else [])])
        remarks.add("file_unreadable", 0, f"{path} cannot be read, {found.problem}; read instead: {taken}")
        return StateFile(tuple(_draft(entry, is_archive) for entry in found.entries), {}, None, is_whole=False)
    value = found.value if isinstance(found.value, dict) else {ACTIVE: found.value}
    lists = {key: items for key, items in value.items() if _is_list_of_tasks(key, items)}
    _tell_unusual(lists, path, remarks, is_archive=is_archive)
    drafts = [
        _draft(entry, is_archive or key.startswith(_CLOSED))
        for key, items in lists.items()
        for entry in _entries(items)
    ]
    said = value.get("next_project_number")
    own = {*lists, "next_project_number", COMPLETED}
    head = {key: item for key, item in value.items() if key not in own and (key, item) != _VERSION}
    return StateFile(tuple(drafts), head, as_number(said), is_whole=True)


def as_number(value: object) -> int | None:
    """The number of a task in any spelling: 7, "7", "#7", "OC_007"; None where it is none."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value if 0 < value < 10**9 else None
    match = _NUMBER.fullmatch(value.strip()) if isinstance(value, str) else None
    return int(match[1]) or None if match is not None else None


def _draft(entry: object, is_archived: bool) -> Draft:  # noqa: FBT001
    """The draft of an entry; what is no entry at all becomes the title of one."""
    fields = entry if isinstance(entry, dict) else {"title": entry if isinstance(entry, str) else repr(entry)}
    number = as_number(fields.get("project_number"))
    name = fields.get("project_name")
    name = name.strip() if isinstance(name, str) else ""
    match = _PREFIXED.fullmatch(name)
    if match is not None and number in (None, int(match[1])):
        number, name = int(match[1]), match[2]
    return make_draft(fields, number=number or 0, name=name, is_archived=is_archived)


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


def _tell_unusual(lists: dict[str, object], path: str, remarks: Remarks, *, is_archive: bool) -> None:
    usual = (COMPLETED, ABANDONED) if is_archive else (ACTIVE,)
    for key, items in lists.items():
        count = len(_entries(items))
        if key not in usual and count:
            remarks.add("list_unusual", 0, f"{path} has {plural(count, 'task')} under `{key}`, which is taken over")
        if isinstance(items, list) and any(isinstance(one, list) for one in items):
            remarks.add("list_unusual", 0, f"{path} has a list of tasks inside `{key}`; they were taken over")
