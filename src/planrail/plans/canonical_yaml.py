"""Dividing YAML plans: lists of tasks, todos in a front matter, and the stories of a sprint, line by line."""

from planrail.plans.canonical_front import front_cuts
from planrail.plans.divisions import Division, Span
from planrail.plans.entries import read_state
from planrail.plans.model import Plan
from planrail.plans.scanning import scan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from yaml.nodes import Node

_STATUS_KEYS = ("status", "state", "passes", "done", "completed")


def divide_yaml(plan: Plan, text: str) -> Division:
    """The division of a YAML plan: each task is the entry of the list that states its status."""
    front_matter = scan(text)[0] if plan.dialect == "cursor" else None
    offset, end = (front_matter.start, front_matter.end) if front_matter is not None else (0, len(text))
    nodes = list(_nodes(_compose(text[offset:end]))) if plan.dialect != "bmad" else []
    tasks = {start: task for node in nodes for start, task in _places(node, offset)}
    cuts = [*front_cuts(text, front_matter), *(cut for node in nodes for cut in _statuses(node, offset))]
    spans: list[Span] = []
    for owner, phase in enumerate(plan.phases):
        at, stop = (phase.claim.start, phase.claim.end) if phase.claim is not None else (0, 0)
        first, last = _whole_lines(text, *tasks[at]) if at in tasks else _line(text, at)
        spans.append(Span(first, min(last, end), owner))
        if read_state(text[at:stop]) is not None:
            cuts.append((at, stop))
    return Division([(phase.id, phase.title) for phase in plan.phases], _disjoint(spans), sorted(set(cuts)))


def _compose(text: str) -> "Node | None":
    import yaml

    node: Node | None = yaml.compose(text, Loader=yaml.SafeLoader)
    return node


def _kind(node: "Node") -> str:
    """What a node is: mapping, sequence or scalar."""
    return getattr(node, "id", "")


def _nodes(root: "Node | None") -> "Iterator[Node]":
    pending = [root] if root is not None else []
    seen: set[int] = set()  # an alias leads to a node that was there before
    while pending:
        node = pending.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        yield node
        if _kind(node) == "mapping":
            pending.extend(part for pair in node.value for part in pair)
        elif _kind(node) == "sequence":
            pending.extend(node.value)


def _places(node: "Node", offset: int) -> "Iterator[tuple[int, tuple[int, int]]]":
    """Where a task states its status, quotes not counted, and where the task begins and ends."""
    for key, value in _members(node):
        if key.value in _STATUS_KEYS and _kind(value) == "scalar":
            yield _inside(value, offset)[0], (node.start_mark.index + offset, node.end_mark.index + offset)


def _inside(value: "Node", offset: int) -> tuple[int, int]:
    quotes = 1 if getattr(value, "style", None) in ("'", '"') else 0
    return value.start_mark.index + offset + quotes, value.end_mark.index + offset - quotes


def _members(node: "Node") -> "list[tuple[Node, Node]]":
    return [pair for pair in node.value if _kind(pair[0]) == "scalar"] if _kind(node) == "mapping" else []


def _statuses(node: "Node", offset: int) -> "Iterator[tuple[int, int]]":
    """The statuses of a task and its parts, quotes left in place."""
    for key, value in _members(node):
        if key.value in _STATUS_KEYS and _kind(value) == "scalar":
            word = str(value.value)
            if not word or word.lower() in ("true", "false") or read_state(word) is not None:
                yield _inside(value, offset)


def _whole_lines(text: str, start: int, end: int) -> tuple[int, int]:
    """A span with the dash of its entry before it, where nothing else stands on that line."""
    first = text.rfind("\n", 0, start) + 1
    start = start if text[first:start].strip(" \t-") else first
    last = text.rfind("\n", 0, end) + 1
    return start, end if text[last:end].strip(" \t-") else max(last, start)


def _line(text: str, at: int) -> tuple[int, int]:
    return text.rfind("\n", 0, at) + 1, text.find("\n", at) + 1 or len(text)


def _disjoint(spans: list[Span]) -> list[Span]:
    """The spans in order, each cut off where the next begins."""
    ordered = sorted(spans, key=lambda span: span.start)
    ends = [span.start for span in ordered[1:]] + [ordered[-1].end if ordered else 0]
    return [Span(span.start, min(span.end, end), span.owner) for span, end in zip(ordered, ends, strict=True)]
