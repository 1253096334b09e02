"""A few tasks of a view changed in place: which bytes of the old file stay, and what comes between them.

A view of ten thousand tasks has ten megabytes; rendering it costs a hundred times what one status is worth. Entries
and sections stand in the order of their numbers, so each is found by bisection. Whatever is not exactly where it has
to be makes the answer None, and the view is rendered whole. Pure, over bytes.
"""

from collections.abc import Sequence
from mmap import mmap

from planrail.base.records import record
from planrail.tasks.views.todo import BETWEEN as _BETWEEN

Data = bytes | mmap
Pieces = list[bytes | tuple[int, int]]  # new bytes, or the part of the old file from one offset to another


_ENTRY = b'\n    {\n      "project_number": '
_NEXT, _LIST = b'"next_project_number": ', b',\n  "active_projects": ['
_SECTION = b"\n---\n\n### "
_TASKS = b"\n## Tasks\n\n"
_ORDER = b"## Task Order\n"
_UPDATED = b"\n*Updated "
_DAY = len("2026-01-01")
_BRANCH = "└─ ".encode()
_FIRST_LINES = 300  # bytes in which the day stands


@record
class Change:
    """A task as `TODO.md` has to show it. One that is open has lines in the order, with its marker."""

    number: int
    section: str
    marker: str
    is_open: bool


def splice_state(data: Data, frame: tuple[str, str], changes: Sequence[tuple[int, str]]) -> Pieces | None:
    """The pieces of `state.json` with other entries for some numbers, which ascend, and new ones at its end.

    `frame` is what stands before the list of entries and after it.
    """
    before, after = f"{frame[0]}[".encode(), f"\n  ]{frame[1]}".encode()
    begin, end = _find_list(data, before), len(data) - len(after)
    if not 0 < begin < end or data[end:] != after:
        return None
    last = _number(data, data.rfind(_ENTRY, begin, end) + len(_ENTRY))
    pieces: Pieces = [before]
    at = begin
    for number, entry in changes:
        if number > last:
            pieces += [(at, end), b",\n    ", entry.encode()]
            at = end
            continue
        found = _find(data, _ENTRY, begin, end, number, is_rising=True)
        if found is None:
            return None
        pieces += [(at, found[0] + len(b"\n    ")), entry.encode()]
        at = found[1] - (found[1] != end)  # the comma stays
    return [*pieces, (at, len(data))]


def splice_todo(data: Data, front: str, day: str, changes: Sequence[Change], order: str | None = None) -> Pieces | None:
    """The pieces of `TODO.md` with other sections for some numbers, which descend, and new ones at their beginning.

    `front` is what stands before the order. The order gets another day and other markers, where none is given.
    """
    begin, tasks = data.find(_ORDER, 0, _FIRST_LINES), data.find(_TASKS)
    at = tasks + len(_TASKS)
    if begin < 0 or tasks < 0 or data[at : at + 4] != b"### ":
        return None
    new = order.encode() if order is not None else _redo(data[begin:tasks], day, changes)
    if new is None:
        return None
    pieces: Pieces = [front.encode(), new, _TASKS]
    first = _number(data, at + len(b"### "))
    for change in changes:
        if change.number > first:
            pieces.append(f"{change.section}{_BETWEEN}".encode())
            continue
        found = _find_section(data, tasks, change.number)
        if found is None:
            return None
        pieces += [(at, found[0]), change.section.encode()]
        at = found[1]
    return [*pieces, (at, len(data))]


def _find_list(data: Data, before: bytes) -> int:
    """Where the list of entries begins; only the next number before it may be another. -1 where it does not."""
    head, key, _ = before.partition(_NEXT)
    start = len(head) + len(key)
    found: int = data.find(_LIST, start, start + 30)
    is_known = data[:start] == head + key and found > start and data[start:found].isdigit()
    return found + len(_LIST) if is_known else -1


def _redo(order: bytes, day: str, changes: Sequence[Change]) -> bytes | None:
    new = _date(order, day)
    for change in changes:
        if new is not None and change.is_open:
            new = _mark(new, change.number, change.marker.encode())
    return new


def _find_section(data: Data, tasks: int, number: int) -> tuple[int, int] | None:
    top = tasks + len(_TASKS)
    head = f"### {number}. ".encode()
    if data[top : top + len(head)] == head:
        following = data.find(_SECTION, top)
        return top, following if following >= 0 else len(data)
    first = data.find(_SECTION, top)
    found = _find(data, _SECTION, first, len(data), number, is_rising=False) if first >= 0 else None
    return (found[0] + len(_SECTION) - len(b"### "), found[1]) if found is not None else None


def _find(data: Data, anchor: bytes, low: int, high: int, number: int, *, is_rising: bool) -> tuple[int, int] | None:
    """Where the part with a number begins with its anchor, and where the next one begins, or the last one ends."""
    end, sign = high, 1 if is_rising else -1
    if data[low : low + len(anchor)] != anchor:
        return None
    while high - low > 1:
        middle = (low + high) // 2
        at = data.find(anchor, middle, high + len(anchor))
        if at < 0 or at >= high or (_number(data, at + len(anchor)) - number) * sign > 0:
            high = middle
        else:
            low = at
    if _number(data, low + len(anchor)) != number:
        return None
    following = data.find(anchor, low + 1, end + len(anchor))
    return low, following if 0 <= following < end else end


def _number(data: Data, at: int) -> int:
    digits = data[at : at + 20]
    count = 0
    while digits[count : count + 1].isdigit():
        count += 1
    return int(digits[:count] or b"-1")


def _date(order: bytes, day: str) -> bytes | None:
    at = order.find(_UPDATED, 0, _FIRST_LINES)
    if at < 0:
        return None
    at += len(_UPDATED)
    return order[:at] + day.encode() + order[at + _DAY :]


def _mark(order: bytes, number: int, marker: bytes) -> bytes | None:
    """The order with another marker in each line of a task; None where it has no line."""
    name = f"{number} [".encode()
    pieces: list[bytes] = []
    at, count = 0, 0
    while (found := order.find(name, at)) >= 0:
        line, start = order.rfind(b"\n", 0, found) + 1, found + len(name)
        stop = order.find(b"]", start)
        is_line = stop >= 0 and not order[line:found].removesuffix(_BRANCH).strip(b" ")
        pieces += [order[at:start], marker] if is_line else [order[at:start]]
        at, count = (stop, count + 1) if is_line else (start, count)
    return b"".join([*pieces, order[at:]]) if count else None
