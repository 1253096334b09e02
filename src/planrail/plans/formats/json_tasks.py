"""Plans in JSON: task-master's tasks.json in both layouts, ralph's prd.json, and lists of tasks like them.

The standard library's scanner does the parsing; this module only remembers where each value stands, so that one status
can be changed without touching another byte.
"""

import json
import re
from collections.abc import Iterator

from planrail.base.errors import UnreadablePlan
from planrail.base.patterns import pattern
from planrail.plans.formats.entries import TaskEntry, make_plan, read_state
from planrail.plans.model import Plan, WorkItem
from planrail.plans.states import State
from planrail.plans.surroundings import Surroundings
from planrail.plans.text.source import PlanSource

# An array of tasks: the tag it stands under, and each task with the offset of its opening brace.
Tasks = tuple[str, list[tuple[int, dict[str, object]]]]
_SPACE = pattern(r"[ \t\n\r]*")
STATUS_KEYS = ("status", "state", "passes", "done", "completed", "complete")
_TITLE_KEYS = ("title", "name", "content", "description", "text", "task")
_LISTS = ("tasks", "userStories", "stories", "items")  # keys that name a list; any other names what the list is of
_STATED = (str, bool)
_DEPTH = 3
_DECODE = json.JSONDecoder(strict=False).raw_decode
_PRIORITIES = {"critical": 0, "high": 1, "medium": 2, "low": 3}
_STATE = "../state.json"  # task-master's own, beside the folder of its tasks
_TAG = "master"
_NOT_OFFERED = frozenset(("review",))  # its work is done, and waits for a person
_NOT_OPENING = frozenset(("deferred", "cancelled"))  # finished with, but what needs it still lacks it


def read_json(source: PlanSource, surroundings: Surroundings | None = None) -> Plan:
    """The plan in a JSON file, or `UnreadablePlan` where it holds no tasks.

    `surroundings` tell which of several tags is the one that is worked on: its tasks come first.
    """
    text = source.text
    groups: list[Tasks] = []
    try:
        start = _skip(text, 1 if text[:1] == "\ufeff" else 0)
        end = _collect(text, start, "", 0, groups)
        if text[end:].strip():
            raise ValueError(f"something follows the end, at offset {end}")
    except (ValueError, RecursionError) as error:
        detail = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise UnreadablePlan(f"{source.path} is not valid JSON: {detail}", remedy="repair the file") from None
    if not groups:
        raise UnreadablePlan(
            f"{source.path} is JSON, but holds no list of tasks with a status", remedy="name a plan file"
        )
    is_tagged, current = len(groups) > 1, ""
    if is_tagged:
        try:
            state = json.loads((surroundings.read(_STATE) if surroundings else None) or "{}")
        except (ValueError, RecursionError):
            state = {}
        tag = state.get("currentTag") if isinstance(state, dict) else None
        current = tag if isinstance(tag, str) else _TAG
    places = [-1 if tag == current else place for place, (tag, _) in enumerate(groups)]
    found = [_entries(group, place, is_tagged=is_tagged) for place, group in zip(places, groups, strict=True)]
    entries = [entry for group in found for entry in group]
    is_ticked = all(type(task[_status_key(task) or ""]) is bool for _, tasks in groups for _, task in tasks)
    named = re.search(r'"(?:projectName|project|name|title)"\s*:\s*"((?:[^"\\]|\\.){1,200})"', text[:2000])
    is_title = named is not None and named.start() < (text.find("[") if "[" in text else len(text))
    title = named[1] if named and is_title else source.name
    return make_plan(source, title, "prd" if is_ticked else "task-master", entries)


def _skip(text: str, at: int) -> int:
    return _SPACE.match(text, at).end()  # type: ignore[union-attr] # it matches every text


def _collect(text: str, at: int, tag: str, depth: int, groups: list[Tasks]) -> int:
    """Find every array of objects with a status, at most three objects deep; where the value at `at` ends."""
    opening = text[at : at + 1]
    if opening == "[":
        tasks, count, at = [], 0, _skip(text, at + 1)
        while text[at : at + 1] != "]":
            value, end = _DECODE(text, at)
            count += 1
            if type(value) is dict and _status_key(value):
                tasks.append((at, value))
            at = _separator(text, end, "]")
        if tasks and len(tasks) * 2 >= count:
            groups.append((tag, tasks))
        return at + 1
    if opening == "{" and depth < _DEPTH:
        at = _skip(text, at + 1)
        while text[at : at + 1] != "}":
            key, start = _key(text, at)
            end = _collect(text, start, tag if key in _LISTS else key, depth + 1, groups)
            at = _separator(text, end, "}")
        return at + 1
    if not depth:
        raise ValueError("neither an object nor an array")
    _, end = _DECODE(text, at)
    return end


def _key(text: str, at: int) -> tuple[str, int]:
    """The key of the member at an offset, and where its value begins."""
    key, end = _DECODE(text, at)
    at = _skip(text, end)
    if text[at : at + 1] != ":" or not isinstance(key, str):
        raise ValueError(f"a colon is missing at offset {at}")
    return key, _skip(text, at + 1)


def members(text: str, at: int) -> Iterator[tuple[str, int, int]]:
    """The members of the object at an offset: key, and where the value begins and ends."""
    at = _skip(text, at + 1)
    while text[at : at + 1] != "}":
        key, start = _key(text, at)
        _, end = _DECODE(text, start)
        yield key, start, end
        at = _separator(text, end, "}")


def _separator(text: str, at: int, closing: str) -> int:
    at = _skip(text, at)
    if text[at : at + 1] == ",":
        at = _skip(text, at + 1)
        if text[at : at + 1] == closing:
            raise ValueError(f"a comma is followed by nothing, at offset {at}")
        return at
    if text[at : at + 1] != closing:
        raise ValueError(f"a comma is missing at offset {at}")
    return at


def _status_key(task: dict[str, object]) -> str | None:
    for key in STATUS_KEYS:
        if type(task.get(key)) in _STATED:
            return key
    return None


def _entries(group: Tasks, place: int, *, is_tagged: bool) -> Iterator[TaskEntry]:
    tag, tasks = group
    prefix = f"{tag}:" if is_tagged else ""
    divided = [(task, number) for number, (_, task) in enumerate(tasks, 1) if task.get("subtasks")]
    parts = [(task.get("id", number), part) for task, number in divided for part in _parts(task)]
    done = {f"{whole}.{part.get('id')}" for whole, part in parts if part.get("status") == "done"}
    for number, (start, task) in enumerate(tasks, 1):
        key = _status_key(task) or "status"
        value = task[key]
        status = value if type(value) is str else "done" if value else "pending"
        identity = str(task.get("id", number))
        needs = _names(task.get("dependencies", task.get("depends_on")))
        state = read_state(status)
        is_open = state is None or not state.is_terminal
        ready = _ready_parts(task, identity, done) if state is State.IN_PROGRESS and status not in _NOT_OFFERED else []
        urgency = (place, *_urgency(task, ready, len(needs), identity)) if is_open else ()
        needs = [prefix + name for name in needs] if prefix else needs
        items = []
        for at, part in enumerate(listed if type(listed := task.get("subtasks")) is list else (), 1):
            if isinstance(part, dict):
                name = f"{identity}.{part.get('id', at)} {_text(part)}".strip()
                items.append(WorkItem(name, read_state(str(part.get("status", ""))) or State.UNKNOWN, 0))
        stated = (prefix + identity, _text(task) or identity, status, start, start)
        is_offered, opens = status not in _NOT_OFFERED, status not in _NOT_OPENING
        yield TaskEntry(*stated, needs, items, urgency, is_offered, opens, awaits_needs=not ready)


def locate_status(text: str, start: int) -> tuple[int, int]:
    """The span of the status in the task whose brace stands at an offset, without its quotes."""
    task, _ = _DECODE(text, start)
    key = _status_key(task)
    begin, end = next((begin, end) for name, begin, end in members(text, start) if name == key)
    return (begin, end) if isinstance(task[key], bool) else (begin + 1, end - 1)


def _urgency(
    task: dict[str, object], ready: list[dict[str, object]], count: int, identity: str
) -> tuple[int, int, int, int]:
    """task-master's order: what was begun and has a part that is ready; then priority, fewer needs, lower number."""
    number, priority = int(identity) if identity.isdecimal() else 0, _priority(task)
    if not ready:
        return 1, priority, count, number
    return 0, *min((_priority(part, priority), len(_names(part.get("dependencies")))) for part in ready), number


def _ready_parts(task: dict[str, object], identity: str, done: set[str]) -> list[dict[str, object]]:
    """The subtasks that are open and need no part that is open, of this task or, by its full number, of another."""
    open_parts = [part for part in _parts(task) if part.get("status", "pending") in ("pending", "in-progress")]
    needed = [(part, _names(part.get("dependencies"))) for part in open_parts]
    return [part for part, names in needed if done.issuperset(n if "." in n else f"{identity}.{n}" for n in names)]


def _parts(task: dict[str, object]) -> list[dict[str, object]]:
    subtasks = task.get("subtasks")
    return [part for part in subtasks if isinstance(part, dict)] if isinstance(subtasks, list) else []


def _priority(task: dict[str, object], default: int = 2) -> int:
    return _PRIORITIES.get(str(task.get("priority", "")).lower(), default)


def _text(task: dict[str, object]) -> str:
    for key in _TITLE_KEYS:
        value = task.get(key)
        if value and type(value) is str:
            return value
    return ""


def _names(value: object) -> list[str]:
    return [str(name) for name in value if isinstance(name, (str, int))] if value and isinstance(value, list) else []
