"""What a TODO.md says, whoever wrote it: its entries, its order, its next number, and text that belongs to no task."""

import re
from collections.abc import Sequence
from itertools import pairwise

from planrail.base.records import record
from planrail.tasks.model import PLAN, REPORT, SUMMARY

_FIELD = re.compile(r"^(?: {0,3}[-*]\s+| ?)\*\*([^*\n]{1,60}?)\s*:?\*\*\s*:?(.*)$")
_DESCRIPTION = re.compile(r"^\*\*Description:?\*\*\s*:?\s*(.*)$", re.IGNORECASE)
_LINK = re.compile(r"\[([^\[\]\n]*)\](?:\(([^)\n]{0,1000})\))?")
_ITEM = re.compile(r"^\s+[-*]\s+(.*)$")
_LINKS = {
    "research": REPORT,
    "report": REPORT,
    "reports": REPORT,
    "plan": PLAN,
    "implementation plan": PLAN,
    "summary": SUMMARY,
    "implementation summary": SUMMARY,
}
_FIELDS = {
    "status": "status",
    "task type": "task_type",
    "language": "task_type",
    "type": "task_type",
    "topic": "topic",
    "effort": "effort",
    "dependencies": "dependencies",
    "depends on": "dependencies",
}
_TELLING = ("status", "effort", "task type", "language", "description")
_NOTHING = ("", "none", "-", "--", "—", "n/a", "null")
_NEXT = re.compile(r"^next_project_number:\s*(\d{1,9})\s*$", re.MULTILINE)
_FRONT = re.compile(r"\A\s*---[ \t\r]*\n(.*?)\n---[ \t\r]*(?:\n|\Z)", re.DOTALL)
# No two parts of a pattern can match the same blanks: a long line would take for ever.
_HEADING = re.compile(r"^(#{1,6})\s+(.*)$")
_TASK = re.compile(r"^###\s+(?:Task\s+)?#?(?:[A-Za-z]{1,6}[_-])?(\d{1,9})\s*[.:)](.*)$")
_ORDER = re.compile(r"^[-*│├└─\s]*(?:[A-Z]{1,6}_)?(\d{1,9})\*{0,2}\s+\[([^\]\n]{1,40})\]\s*(?:--|—|–|-|:|→|$)")
_WAVE = re.compile(r"^\|\s*(\d{1,9})\s*\|([\d,\s#]*)\|")
_NUMBER = re.compile(r"\d{1,9}")
_FENCE = re.compile(r"^\s{0,3}(```+|~~~+)")
_ORDER_TITLE = "task order"


@record
class TodoEntry:
    """An entry. `fields` are the known ones, in words; `links` type and path; `others` fields that planrail has not."""

    number: int
    title: str
    line: int
    fields: dict[str, str]
    dependencies: tuple[int, ...] | None
    links: tuple[tuple[str, str], ...]
    others: dict[str, str]
    text: str
    more: str = ""  # what stands below the description, or where there is none


@record
class OrderLine:
    number: int
    status: str
    line: int


@record
class Todo:
    """A TODO.md. `waves` is the wave of each task in its table; `notes` are headings with text that is no task's."""

    next_number: int | None
    entries: tuple[TodoEntry, ...]
    order: tuple[OrderLine, ...]
    waves: dict[int, int]
    notes: tuple[tuple[str, str], ...]
    has_order: bool


@record
class _Part:
    """A heading and the lines below it; `number` is that of the task, where it is the heading of one."""

    level: int
    title: str
    lines: tuple[str, ...]
    line: int
    number: int | None = None


def read_todo(text: str) -> Todo:
    """Read a TODO.md, as planrail, its predecessor or a person has written it."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    front = _FRONT.match(text)
    found = _NEXT.search(front[1]) if front is not None else None
    start = front.end() if front is not None else 0
    parts = _divide(text[start:].split("\n"), text.count("\n", 0, start) + 1)
    order = [part for part, title in _with_sections(parts) if title == _ORDER_TITLE]
    return Todo(
        next_number=int(found[1]) if found is not None else None,
        entries=tuple(
            read_entry(part.number, part.title, part.lines, part.line) for part in parts if part.number is not None
        ),
        order=tuple(line for part in order for line in _order_lines(part)),
        waves={number: wave for part in order for number, wave in _waves(part)},
        notes=tuple(_notes(parts)),
        has_order=bool(order),
    )


def _divide(lines: list[str], first: int) -> list[_Part]:
    quoted = _quoted(lines)
    starts = [at for at, line in enumerate(lines) if not quoted[at] and _HEADING.match(line)]
    bounds = [*starts, len(lines)]
    parts = [_Part(0, "", tuple(lines[: bounds[0]]), first)] if bounds[0] else []
    for begin, end in pairwise(bounds):
        parts.append(_make_part(lines[begin], tuple(lines[begin + 1 : end]), first + begin))
    return _join_descriptions(parts)


def _make_part(heading: str, lines: tuple[str, ...], line: int) -> _Part:
    task = _TASK.match(heading)
    if task is not None and is_entry(lines):
        return _Part(3, task[2].strip(), lines, line, int(task[1]))
    match = _HEADING.match(heading)
    assert match is not None  # only headings begin a part
    return _Part(len(match[1]), match[2].strip(), lines, line)


def _join_descriptions(parts: list[_Part]) -> list[_Part]:
    """A heading below the heading of a task, which is no task itself, is part of that task's text."""
    groups: list[list[_Part]] = []
    for part in parts:
        if groups and groups[-1][0].number is not None and part.number is None and part.level > 2:
            groups[-1].append(part)
        else:
            groups.append([part])
    return [_join(*group) if len(group) > 1 else group[0] for group in groups]


def _join(task: _Part, *below: _Part) -> _Part:
    lines = list(task.lines)
    for part in below:
        lines += [f"{'#' * part.level} {part.title}", *part.lines]
    return _Part(task.level, task.title, tuple(lines), task.line, task.number)


def _quoted(lines: list[str]) -> list[bool]:
    marks, fence = [], ""
    for line in lines:
        match = _FENCE.match(line)
        opens = match is not None and not fence
        closes = match is not None and bool(fence) and match[1].startswith(fence) and line.strip() == match[1]
        marks.append(bool(fence) or opens)
        if opens and match is not None:
            fence = match[1]
        elif closes:
            fence = ""
    return [False] * len(lines) if fence else marks


def _with_sections(parts: list[_Part]) -> list[tuple[_Part, str]]:
    """Each part with the section of the second level that it stands in, folded; tasks are in none."""
    found, section = [], ""
    for part in parts:
        if part.number is not None:
            section = "tasks"
        elif part.level <= 2:
            section = part.title.strip().lower() if part.level == 2 else ""
        found.append((part, section))
    return found


def _order_lines(part: _Part) -> list[OrderLine]:
    found = []
    for at, line in enumerate(part.lines, part.line + 1):
        match = _ORDER.match(line)
        if match is not None:
            found.append(OrderLine(int(match[1]), match[2], at))
    return found


def _waves(part: _Part) -> list[tuple[int, int]]:
    rows = (match for line in part.lines if (match := _WAVE.match(line)) is not None)
    return [(int(number), int(row[1])) for row in rows for number in _NUMBER.findall(row[2])]


def _notes(parts: list[_Part]) -> list[tuple[str, str]]:
    """Text that no task has: it would be gone from a generated file, so it is told."""
    found = []
    for part, section in _with_sections(parts):
        text = "\n".join(part.lines).strip().strip("-").strip()
        is_own = part.number is not None or section == _ORDER_TITLE
        if text and not is_own:
            found.append((part.title, text))
    return found


def is_entry(lines: Sequence[str]) -> bool:
    """Whether a heading with a number is that of a task: one of the fields that every task has stands at the margin."""
    fields = (_FIELD.match(line) for line in lines if not line.startswith("  "))
    return any(field is not None and field[1].strip().lower() in _TELLING for field in fields)


def read_entry(number: int, title: str, lines: Sequence[str], line: int) -> TodoEntry:
    head, body = _split(lines)
    values, links, others = {}, list[tuple[str, str]](), {}
    for name, value in _fields(head):
        folded = name.lower()
        if folded in _LINKS:
            links += [(_LINKS[folded], path) for path in _link_paths(value)]
            if not _link_paths(value) and value.lower() not in _NOTHING:
                others[name] = value
        elif folded in _FIELDS:
            values[_FIELDS[folded]] = value
        else:
            others[name] = value
    said = values.pop("dependencies", None)
    dependencies = None if said is None else tuple(int(found) for found in _NUMBER.findall(said))
    return TodoEntry(number, title, line, values, dependencies, tuple(links), others, *_texts(body))


def status_word(value: str) -> str:
    match = re.search(r"\[([^\]\n]{1,60})\]", value)
    return (match[1] if match is not None else value).strip()


def _split(lines: Sequence[str]) -> tuple[list[str], list[str]]:
    for at, line in enumerate(lines):
        is_field = _FIELD.match(line) or _ITEM.match(line) or not line.strip()
        if not is_field or _starts_text(line):
            return list(lines[:at]), list(lines[at:])
    return list(lines), []


def _starts_text(line: str) -> bool:
    """A bold word at the margin that is no field begins the text: the description, or findings without one."""
    field = _FIELD.match(line)
    is_bare = line.lstrip(" ").startswith("**")
    return field is not None and is_bare and field[1].strip().lower() not in (*_FIELDS, *_LINKS)


def _fields(lines: list[str]) -> list[tuple[str, str]]:
    """Each field with its value; the items of a list below it belong to it."""
    found: list[tuple[str, str]] = []
    for line in lines:
        field, item = _FIELD.match(line), _ITEM.match(line)
        if field is not None and not line.startswith("  "):
            found.append((field[1].strip(), field[2].strip()))
        elif item is not None and found:
            name, value = found[-1]
            found[-1] = (name, f"{value}\n{item[1].rstrip()}" if value else item[1].rstrip())
    return found


def _link_paths(value: str) -> list[str]:
    found = [(match[2] or match[1]).strip() for match in _LINK.finditer(value)]
    if not found and value.endswith(".md") and " " not in value:
        found = [value]
    return [path for path in found if "/" in path or path.endswith(".md")]


def _texts(body: list[str]) -> tuple[str, str]:
    """The description, and everything else. The rule between two entries is neither."""
    lines = list(body)
    while lines and lines[-1].strip() in ("", "---"):
        lines.pop()
    start = next((at for at, line in enumerate(lines) if _DESCRIPTION.match(line)), None)
    if start is None:
        return "", "\n".join(lines).strip()
    match = _DESCRIPTION.match(lines[start])
    assert match is not None  # it was found above
    text = "\n".join([match[1], *lines[start + 1 :]]).strip()
    return text, "\n".join(lines[:start]).strip()
