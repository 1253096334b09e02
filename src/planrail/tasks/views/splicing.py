"""A few tasks of a view changed in place, without rendering the others.

Reading ten thousand texts of tasks from the ledger costs many times what one status is worth; copying the bytes of the
old view does not. Whatever is not exactly where it has to be makes the answer None, and the view is rendered whole.
"""

from collections.abc import Sequence

from planrail.base.records import record
from planrail.tasks.views.todo import BETWEEN, BETWEEN_ENTRIES, TASKS

_ORDER = b"## Task Order\n"
_UPDATED = b"*Updated "
_DAY = len("2026-01-01")
_BRANCH = "└─ ".encode()
_DIGITS = b"0123456789"


@record
class _Form:
    """How the texts of tasks stand in a file: each begins `inside` its anchor, which the number and a sign follow."""

    anchor: bytes
    inside: int
    sign: bytes
    between: bytes

    def find(self, data: bytes, number: int, start: int, end: int) -> int:
        return data.find(b"%s%d%s" % (self.anchor, number, self.sign), start, end)

    def number_at(self, data: bytes, at: int) -> int:
        """The number of the task whose anchor is there; -1 where none is."""
        digits = data[at + len(self.anchor) : at + len(self.anchor) + 20].partition(self.sign)[0]
        return int(digits) if data.startswith(self.anchor, at) and digits.isdigit() else -1

    def replace(self, data: bytes, begin: int, end: int, changes: Sequence[tuple[int, str]]) -> bytes | None:
        """The part of a file with other texts for some numbers, which come in the order of the file."""
        parts, at = [], begin
        for number, text in changes:
            start = self.find(data, number, at - self.inside, end)
            if start < 0:
                return None
            following = data.find(self.anchor, start + 1, end)
            parts += [data[at : start + self.inside], text.encode()]
            at = following + self.inside - len(self.between) if following >= 0 else end
        return b"".join([*parts, data[at:end]])


_STATE = _Form(b'\n    {\n      "project_number": ', len("\n    "), b",", BETWEEN_ENTRIES.encode())
_TODO = _Form(b"\n### ", len("\n"), b".", BETWEEN.encode())


@record
class Change:
    """A task as `TODO.md` has to show it. One that is open has lines in the order, with its marker."""

    number: int
    section: str
    marker: str
    is_open: bool


def splice_state(data: bytes, frame: tuple[str, str], changes: Sequence[tuple[int, str]]) -> bytes | None:
    """`state.json` with other entries for some numbers, which ascend, and new ones at its end.

    `frame` is what stands before the list of entries and after it.
    """
    before, after = f"{frame[0]}[".encode(), f"\n  ]{frame[1]}".encode()
    begin, end = data.find(b"[", len(before) - 30) + 1, len(data) - len(after)
    is_known = data[:begin].translate(None, _DIGITS) == before.translate(None, _DIGITS) and data.endswith(after)
    last = _STATE.number_at(data, data.rfind(_STATE.anchor, begin, end)) if is_known else -1
    known = [change for change in changes if change[0] <= last]
    body = _STATE.replace(data, begin + _STATE.inside, end, known) if last >= 0 else None
    if body is None:
        return None
    new = [entry.encode() for _, entry in changes[len(known) :]]
    return b"".join([before, data[begin : begin + _STATE.inside], _STATE.between.join([body, *new]), after])


def splice_todo(data: bytes, front: str, day: str, changes: Sequence[Change], order: str | None = None) -> bytes | None:
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
    new = [section.encode() for _, section in sections[: len(sections) - len(known)]]
    return b"".join([front.encode(), lines, TASKS.encode(), _TODO.between.join([*new, body])])


def _redo(order: bytes, day: str, changes: Sequence[Change]) -> bytes | None:
    """The order with another day, and another marker in each line of an open task; None where one has no line."""
    lines = order.split(b"\n")
    if len(lines) < 3 or not lines[2].startswith(_UPDATED):
        return None
    lines[2] = _UPDATED + day.encode() + lines[2][len(_UPDATED) + _DAY :]
    for change in changes:
        name, marked = b"%d [" % change.number, b"%d [%s]" % (change.number, change.marker.encode())
        named = [(at, line.partition(name)) for at, line in enumerate(lines) if name in line] if change.is_open else []
        own = [(at, before, rest) for at, (before, _, rest) in named if not before.removesuffix(_BRANCH).strip(b" ")]
        for at, before, rest in own:
            lines[at] = before + marked + rest.partition(b"]")[2]
        if change.is_open and not own:
            return None
    return b"\n".join(lines)
