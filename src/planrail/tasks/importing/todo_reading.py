"""What a TODO.md of any author says: its entries, its order, its next number, and text that belongs to no task."""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from planrail.base.records import mutable_record, record
from planrail.tasks.model import COLUMNS, PLAN, REPORT, SUMMARY

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
_FIELDS = {column.label.lower(): column.key for column in COLUMNS.values() if column.label}
_FIELDS |= {"language": "task_type", "type": "task_type", "depends on": "dependencies"}
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
    """An entry: `said` are its fields by their names in state.json, `links` type and path, `kept` what has no place."""

    number: int
    said: dict[str, object]
    links: tuple[tuple[str, str], ...]
    kept: Mapping[str, object]

    def text(self, field: str) -> str:
        return str(self.said.get(field) or "")


@record
class Todo:
    """A TODO.md. `order` has the status and the line of each task in the order, `waves` its wave in the table.

    `notes` are headings with text that is no task's.
    """

    next_number: int | None
    entries: tuple[TodoEntry, ...]
    order: dict[int, list[tuple[str, int]]]
    waves: dict[int, int]
    notes: tuple[tuple[str, str], ...]
    has_order: bool


@mutable_record
class _Part:
    """A heading and the lines below it; `number` is that of the task, where it is the heading of one."""

    level: int
    title: str
    lines: list[str]
    line: int
    number: int | None = None


def read_todo(text: str) -> Todo:
    """Read a TODO.md, as planrail, its predecessor or a person has written it."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    front = _FRONT.match(text)
    found = _NEXT.search(front[1]) if front is not None else None
    start = front.end() if front is not None else 0
    entries, notes = list[TodoEntry](), list[tuple[str, str]]()
    order: dict[int, list[tuple[str, int]]] = {}
    waves: dict[int, int] = {}
    section, has_order = "", False
    for part in _divide(text[start:].split("\n"), text.count("\n", 0, start) + 1):
        if part.number is not None:
            section = "tasks"
            entries.append(read_entry(part.number, part.title, part.lines))
            continue
        if part.level <= 2:
            section = part.title.strip().lower() if part.level == 2 else ""
        if section == _ORDER_TITLE:
            has_order = True
            for at, line in enumerate(part.lines, part.line + 1):
                if (match := _ORDER.match(line)) is not None:
                    order.setdefault(int(match[1]), []).append((match[2], at))
            rows = filter(None, map(_WAVE.match, part.lines))
            waves |= {int(number): int(row[1]) for row in rows for number in _NUMBER.findall(row[2])}
        elif note := "\n".join(part.lines).strip().strip("-").strip():  # it would be gone from a generated file
            notes.append((part.title, note))
    number = int(found[1]) if found is not None else None
    return Todo(number, tuple(entries), order, waves, tuple(notes), has_order)


def _divide(lines: list[str], first: int) -> list[_Part]:
    """The parts. A heading below that of a task, which is no task itself, is part of that task's text."""
    quoted = _quoted(lines)
    headings = [(at, found) for at, line in enumerate(lines) if not quoted[at] and (found := _HEADING.match(line))]
    parts = [_Part(0, "", lines[: headings[0][0] if headings else len(lines)], first)]
    for (begin, heading), (end, _) in pairwise([*headings, (len(lines), None)]):
        assert heading is not None  # only the end has none
        level, title, below = len(heading[1]), heading[2].strip(), lines[begin + 1 : end]
        task = _TASK.match(lines[begin])
        if task is not None and is_entry(below):
            parts.append(_Part(3, task[2].strip(), below, first + begin, int(task[1])))
        elif parts[-1].number is not None and level > 2:
            parts[-1].lines += [f"{heading[1]} {title}", *below]
        else:
            parts.append(_Part(level, title, below, first + begin))
    return parts


def _quoted(lines: list[str]) -> list[bool]:
    """Which lines are part of a block of code; none, where one is never closed."""
    marks, fence = [], ""
    for line in lines:
        match = _FENCE.match(line)
        marks.append(bool(fence or match))
        if match is not None and not fence:
            fence = match[1]
        elif match is not None and match[1].startswith(fence) and line.strip() == match[1]:
            fence = ""
    return [False] * len(lines) if fence else marks


def is_entry(lines: Sequence[str]) -> bool:
    """Whether a heading with a number is that of a task: one of the fields that every task has stands at the margin."""
    fields = (_FIELD.match(line) for line in lines if not line.startswith("  "))
    return any(field is not None and field[1].strip().lower() in _TELLING for field in fields)


def read_entry(number: int, title: str, lines: Sequence[str]) -> TodoEntry:
    head, body = _split(lines)
    description, more = _texts(body)
    said: dict[str, object] = {"title": title, "description": description}
    links, others = list[tuple[str, str]](), {}
    for name, value in head:
        folded, paths = name.lower(), _link_paths(value)
        if folded in _FIELDS:
            said[_FIELDS[folded]] = value
        elif folded in _LINKS and (paths or value.lower() in _NOTHING):
            links += [(_LINKS[folded], path) for path in paths]
        else:
            others[name] = value
    if "dependencies" in said:
        needs = [int(found) for found in _NUMBER.findall(str(said["dependencies"]))]
        said["dependencies"] = [one for one in dict.fromkeys(needs) if one != number]
    status = str(said.get("status", ""))
    tag = re.search(r"\[([^\]\n]{1,60})\]", status)
    said["status"] = (tag[1] if tag is not None else status).strip()
    kept = {**({"todo": others} if others else {}), **({"todo_text": more} if more else {})}
    return TodoEntry(number, said, tuple(links), kept)


def _split(lines: Sequence[str]) -> tuple[list[tuple[str, str]], list[str]]:
    """Each field with its value, the items of a list below it included, and the text.

    A bold word at the margin that is no field begins it: the description, or findings.
    """
    found: list[tuple[str, str]] = []
    for at, line in enumerate(lines):
        field, item = _FIELD.match(line), _ITEM.match(line)
        is_bold = line.lstrip(" ").startswith("**")
        is_other = field is not None and is_bold and field[1].strip().lower() not in (*_FIELDS, *_LINKS)
        if is_other or not (field or item or not line.strip()):
            return found, list(lines[at:])
        if field is not None and not line.startswith("  "):
            found.append((field[1].strip(), field[2].strip()))
        elif item is not None and found:
            name, value = found[-1]
            found[-1] = (name, f"{value}\n{item[1].rstrip()}" if value else item[1].rstrip())
    return found, []


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
    for at, line in enumerate(lines):
        match = _DESCRIPTION.match(line)
        if match is not None:
            return "\n".join([match[1], *lines[at + 1 :]]).strip(), "\n".join(lines[:at]).strip()
    return "", "\n".join(lines).strip()
