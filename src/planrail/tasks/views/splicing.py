"""A few tasks of a view changed in place, without rendering the others: new bytes between parts of the old ones.

Reading ten thousand texts of tasks from the ledger costs many times what one status is worth; writing the bytes of the
old view again does not, as long as they are not copied first. Whatever is not exactly where it has to be makes the
answer None, and the view is rendered whole.
"""

from collections.abc import Sequence
from mmap import mmap

from planrail.base.records import record
from planrail.tasks.views.todo import BETWEEN, BETWEEN_ENTRIES, TASKS

Data = bytes | mmap
Pieces = list[bytes | memoryview]  # parts of the old file are not copied

_ORDER = b"## Task Order\n"
_UPDATED = b"\n*Updated "
_DAY = len("2026-01-01")
_BRANCH = "└─ ".encode()
_DIGITS = b"0123456789"
_NEAR = 100  # bytes that are not halved any more; an anchor with a number is shorter


@record
class _Form:
    """How the texts of tasks stand in a file: each begins `inside` its anchor, which the number and a sign follow."""

    anchor: bytes
    inside: int
    sign: bytes
    between: bytes
    way: int  # 1 where the numbers ascend, -1 where they descend

    def number_at(self, data: Data, at: int) -> int:
        """The number of the task whose anchor is there; -1 where none is."""
        found, _, rest = data[at : at + len(self.anchor) + 20].partition(self.anchor)
        digits = rest.partition(self.sign)[0]
        return int(digits) if at >= 0 and not found and digits.isdigit() else -1

    def find(self, data: Data, number: int, low: int, high: int) -> int:
        """Where the anchor of a number is, by bisection; -1 where it is not."""
        end = high
        while high - low > _NEAR:
            middle = (low + high) // 2
            at = data.find(self.anchor, middle, min(high + len(self.anchor), end))
            if not middle <= at < high or (self.number_at(data, at) - number) * self.way > 0:
                high = middle
            else:
                low = at
        return data.find(b"%s%d%s" % (self.anchor, number, self.sign), low, min(high + _NEAR, end))

    def replace(self, data: Data, begin: int, end: int, changes: Sequence[tuple[int, str]]) -> Pieces | None:
        """The part of a file with other texts for some numbers, which come in the order of the file."""
        pieces: Pieces = []
        at, whole = begin, memoryview(data)
        for number, text in changes:
            start = self.find(data, number, at - self.inside, end)
            if start < 0:
                return None
            following = data.find(self.anchor, start + 1, end)
            pieces += [whole[at : start + self.inside], text.encode()]
            at = following + self.inside - len(self.between) if following >= 0 else end
        return [*pieces, whole[at:end]]


_STATE = _Form(b'\n    {\n      "project_number": ', len("\n    "), b",", BETWEEN_ENTRIES.encode(), 1)
_TODO = _Form(b"\n### ", len("\n"), b".", BETWEEN.encode(), -1)


@record
class Change:
    """A task as `TODO.md` has to show it. One that is open has lines in the order, with its marker."""

    number: int
    section: str
    marker: str
    is_open: bool


def splice_state(data: Data, frame: tuple[str, str], changes: Sequence[tuple[int, str]]) -> Pieces | None:
    """`state.json` with other entries for some numbers, which ascend, and new ones at its end.

    `frame` is what stands before the list of entries and after it.
    """
    before, after = f"{frame[0]}[".encode(), f"\n  ]{frame[1]}".encode()
    begin, end = data.find(b"[", len(before) - 30) + 1, len(data) - len(after)
    is_known = data[:begin].translate(None, _DIGITS) == before.translate(None, _DIGITS) and data[end:] == after
    last = _STATE.number_at(data, data.rfind(_STATE.anchor, begin, end)) if is_known else -1
    known = [change for change in changes if change[0] <= last]
    body = _STATE.replace(data, begin + _STATE.inside, end, known) if last >= 0 else None
    if body is None:
        return None
    new = [_STATE.between + entry.encode() for _, entry in changes[len(known) :]]
    return [before, data[begin : begin + _STATE.inside], *body, *new, after]


def splice_todo(data: Data, front: str, day: str, changes: Sequence[Change], order: str | None = None) -> Pieces | None:
    """`TODO.md` with other sections for some numbers, which descend, and new ones at their beginning.

    `front` is what stands before the order. The order gets another day and other markers, where none is given.
    """
    start, tasks = data.find(_ORDER), data.find(TASKS.encode())
    begin = tasks + len(TASKS)
    first = _TODO.number_at(data, begin - _TODO.inside) if 0 <= start < tasks else -1
    sections = [(change.number, change.section) for change in changes]
    known = [change for change in sections if change[0] <= first]
    body = _TODO.replace(data, begin, len(data), known) if first >= 0 else None
    if body is None:
        return None
    lines = order.encode() if order is not None else _redo(data[start:tasks], day, changes)
    if lines is None:
        return None
    new = [section.encode() + _TODO.between for _, section in sections[: len(sections) - len(known)]]
    return [front.encode(), lines, TASKS.encode(), *new, *body]


def _redo(order: bytes, day: str, changes: Sequence[Change]) -> bytes | None:
    """The order with another day, and another marker in each line of an open task; None where one has no line."""
    at = order.find(_UPDATED) + len(_UPDATED)
    if at < len(_UPDATED):
        return None
    new = order[:at] + day.encode() + order[at + _DAY :]
    for change in changes:
        name, at, count = b"%d [" % change.number, 0, 0
        while change.is_open and (at := new.find(name, at)) >= 0:
            line, at = new.rfind(b"\n", 0, at) + 1, at + len(name)
            if not new[line : at - len(name)].removesuffix(_BRANCH).strip(b" "):
                new = new[:at] + change.marker.encode() + new[new.index(b"]", at) :]
                count += 1
        if change.is_open and not count:
            return None
    return new
