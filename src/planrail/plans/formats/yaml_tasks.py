"""Plans in YAML: BMAD's sprint-status.yaml, the todos in a Cursor plan's front matter, and lists of tasks like them.

PyYAML composes the nodes and tells where each stands; it is imported only here, when a YAML plan is read.
"""

import re

from planrail.base.errors import UnreadablePlan
from planrail.base.patterns import pattern
from planrail.plans.formats.entries import TaskEntry, make_plan, read_state
from planrail.plans.model import Plan, WorkItem
from planrail.plans.states import State
from planrail.plans.surroundings import Surroundings
from planrail.plans.text.source import PlanSource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from yaml.nodes import Node

STATUS_KEYS = ("status", "state", "passes", "done", "completed")
_TITLE_KEYS = ("content", "title", "name", "description", "text", "task")
_TEXT_KEYS = ("summary", "details")
_CONTAINERS = pattern(r"(?:[\w.]+-)?epic-[\w.]+$|.*-retrospective$")
_PROJECT = pattern(r"^project:[ \t]*[\"']?([^\"'#\r\n]*[^\"'#\s])", re.MULTILINE)
_SPRINT = pattern(r"^\ufeff?development_status:", re.MULTILINE)
_SPRINT_ORDER = {"in progress": 0, "review": 1, "ready for dev": 2, "drafted": 3}


def read_yaml(source: PlanSource, _: Surroundings | None = None) -> Plan:
    """The plan in a YAML file, or `UnreadablePlan` where it holds no tasks."""
    sprint = _SPRINT.search(source.text)
    if sprint:
        # Only the status itself: BMAD's own template has a line above it that is not YAML.
        status = _member(compose(source.path, source.text[sprint.start() :]), "development_status")
        project = _PROJECT.search(source.text, 0, sprint.start())
        title = project[1] if project else source.name
        stories = []
        for key, value in members(status):
            # Epics contain stories, retrospectives look back on them: neither is a unit of work.
            if kind_of(value) == "scalar" and not _CONTAINERS.match(key.value):
                word, (start, end) = str(value.value), inside_quotes(value, sprint.start())
                order = _SPRINT_ORDER.get(word.strip().lower().replace("-", " ").replace("_", " "), 4)
                stories.append(TaskEntry(key.value, key.value, word, start, end, [], [], (order,)))
        return make_plan(source, title, "bmad", stories)
    root = compose(source.path, source.text)
    entries = _task_entries(root, 0)
    if not entries:
        raise UnreadablePlan(
            f"{source.path} is YAML, but holds no list of tasks with a status", remedy="name a plan file"
        )
    return make_plan(source, _scalar(root, "name") or _scalar(root, "title") or source.name, "yaml", entries)


def read_todos(source: PlanSource, start: int, end: int) -> Plan | None:
    """The plan in the front matter between two offsets: Cursor's todos. None where it has none."""
    try:
        root = compose(source.path, source.text[start:end])
    except UnreadablePlan:
        return None
    todos = _member(root, "todos")
    entries = _list_entries(todos, start) if todos is not None else []
    if not entries:
        return None
    return make_plan(source, _scalar(root, "name") or source.name, "cursor", entries)


def compose(path: str, text: str) -> "Node | None":
    """The node that all of a text is; `path` is the file it comes from."""
    import yaml

    try:
        root: Node | None = yaml.compose(text, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError) as error:
        detail = str(error).splitlines()[0] if str(error) else "nested too deeply"
        raise UnreadablePlan(f"{path} is not valid YAML: {detail}", remedy="repair the file") from None
    return root


def kind_of(node: "Node | None") -> str:
    """What a node is: mapping, sequence or scalar; nothing where there is none."""
    return getattr(node, "id", "")


def members(node: "Node | None") -> "list[tuple[Node, Node]]":
    """The members of a mapping whose keys are plain."""
    if node is None or kind_of(node) != "mapping":
        return []
    return [pair for pair in node.value if kind_of(pair[0]) == "scalar"]


def _elements(node: "Node | None") -> "list[Node]":
    return list(node.value) if node is not None and kind_of(node) == "sequence" else []


def _member(node: "Node | None", name: str) -> "Node | None":
    return next((value for key, value in members(node) if key.value == name), None)


def _scalar(node: "Node | None", name: str) -> str:
    value = _member(node, name)
    return str(value.value).strip() if value is not None and kind_of(value) == "scalar" else ""


def _first(node: "Node", names: tuple[str, ...]) -> str:
    return next((text for name in names if (text := _scalar(node, name))), "")


def _task_entries(node: "Node | None", depth: int) -> list[TaskEntry]:
    """The first list of tasks below a node, at most three mappings deep."""
    if depth > 3:
        return []
    if kind_of(node) == "sequence":
        return _list_entries(node, 0)
    for _, value in members(node):
        entries = _task_entries(value, depth + 1)
        if entries:
            return entries
    return []


def _list_entries(node: "Node | None", offset: int) -> list[TaskEntry]:
    entries = []
    for number, task in enumerate(_elements(node), 1):
        status = _status(task)
        if status is None:
            continue
        start, end = inside_quotes(status, offset)
        identity = _scalar(task, "id") or str(number)
        listed = _elements(_member(task, "dependencies") or _member(task, "depends_on"))
        needs = [str(part.value) for part in listed if kind_of(part) == "scalar"]
        # One without a name is called by the first line of its text.
        title = _first(task, _TITLE_KEYS) or _first(task, _TEXT_KEYS).partition("\n")[0].strip()
        items = []
        for part in _elements(_member(task, "subtasks")):
            stated = _status(part)
            state = read_state(_word(str(stated.value))) if stated is not None else None
            items.append(WorkItem(_first(part, _TITLE_KEYS), state or State.UNKNOWN, part.start_mark.line + 1))
        entries.append(TaskEntry(identity, title or identity, _word(str(status.value)), start, end, needs, items))
    return entries


def _status(task: "Node") -> "Node | None":
    found = (_member(task, name) for name in STATUS_KEYS)
    return next((value for value in found if kind_of(value) == "scalar"), None)


def _word(value: str) -> str:
    return {"true": "done", "false": "pending"}.get(value.lower(), value)


def inside_quotes(node: "Node", offset: int) -> tuple[int, int]:
    start, end = node.start_mark.index + offset, node.end_mark.index + offset
    return (start + 1, end - 1) if getattr(node, "style", None) in ("'", '"') else (start, end)
