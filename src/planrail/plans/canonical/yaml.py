"""Dividing YAML plans: lists of tasks, todos in a front matter, and the stories of a sprint, line by line."""

from collections.abc import Iterator

from planrail.plans.canonical.owned import Division, OwnedSpan, find_blanks, front_cuts
from planrail.plans.formats.dialects import dialect_of
from planrail.plans.formats.entries import read_state
from planrail.plans.formats.yaml_tasks import STATUS_KEYS, compose, inside_quotes, kind_of, members
from planrail.plans.model import Plan
from planrail.plans.text.scanning import scan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from yaml.nodes import Node


def divide_yaml(plan: Plan, text: str) -> Division:
    """The division of a YAML plan: each task is the entry of the list that states its status."""
    front_matter, blocks = scan(text) if plan.dialect == "cursor" else (None, [])
    offset, end = (front_matter.start, front_matter.end) if front_matter is not None else (0, len(text))
    nodes = list(_nodes(compose(plan.path, text[offset:end]))) if dialect_of(plan).layout == "yaml" else []
    stated = [(node, value) for node in nodes for key, value in members(node) if key.value in STATUS_KEYS]
    tasks = {inside_quotes(value, offset)[0]: node for node, value in stated if kind_of(value) == "scalar"}
    cuts = list(front_cuts(text, front_matter))
    if front_matter is not None:
        cuts += find_blanks(text, front_matter, blocks)
    spans: list[OwnedSpan] = []
    for owner, phase in enumerate(plan.phases):
        at, stop = (phase.claim.start, phase.claim.end) if phase.claim is not None else (0, 0)
        task = tasks.get(at)
        line = text.rfind("\n", 0, at) + 1, text.find("\n", at) + 1 or len(text)
        first, last = _whole_lines(text, task, offset) if task is not None else line
        spans.append(OwnedSpan(first, min(last, end), owner))
        cuts += [(at, stop)] if _is_status(text[at:stop]) else []
        cuts += _parts(task, offset) if task is not None else []
    spans.sort(key=lambda span: span.start)  # each is cut off where the next begins
    nexts = [*(span.start for span in spans[1:]), len(text)]
    disjoint = [OwnedSpan(one.start, min(one.end, start), one.owner) for one, start in zip(spans, nexts, strict=False)]
    return Division([(phase.id, phase.title) for phase in plan.phases], disjoint, sorted(set(cuts)))


def _nodes(root: "Node | None") -> "Iterator[Node]":
    pending = [root] if root is not None else []
    seen: set[int] = set()  # an alias leads to a node that was there before
    while pending:
        node = pending.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        yield node
        if kind_of(node) == "mapping":
            pending.extend(part for pair in node.value for part in pair)
        elif kind_of(node) == "sequence":
            pending.extend(node.value)


def _parts(task: "Node", offset: int) -> Iterator[tuple[int, int]]:
    """The statuses of the subtasks of a task, quotes left in place; one that a part states twice is text."""
    for key, value in members(task):
        parts = value.value if key.value == "subtasks" and kind_of(value) == "sequence" else ()
        for part in parts:
            stated = [value for key, value in members(part) if key.value in STATUS_KEYS and kind_of(value) == "scalar"]
            if len(stated) == 1 and _is_status(str(stated[0].value)):
                yield inside_quotes(stated[0], offset)


def _is_status(word: str) -> bool:
    return not word or word.lower() in ("true", "false") or read_state(word) is not None


def _whole_lines(text: str, task: "Node", offset: int) -> tuple[int, int]:
    """The span of a task with the dash of its entry before it, where nothing else stands on that line."""
    start, end = task.start_mark.index + offset, task.end_mark.index + offset
    first = text.rfind("\n", 0, start) + 1
    start = start if text[first:start].strip(" \t-") else first
    last = text.rfind("\n", 0, end) + 1
    return start, end if text[last:end].strip(" \t-") else max(last, start)
