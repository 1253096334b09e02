"""One entry of a TODO.md: `### 7. Title`, its fields, its links and its text."""

import re
from collections.abc import Sequence

from planrail.base.records import record
from planrail.tasks.model import PLAN, REPORT, SUMMARY

_FIELD = re.compile(r"^(?: {0,3}[-*]\s+| ?)\*\*([^*\n]{1,60}?)\s*:?\*\*\s*:?(.*)$")
_DESCRIPTION = re.compile(r"^\*\*Description:?\*\*\s*:?\s*(.*)$", re.IGNORECASE)
_LINK = re.compile(r"\[([^\[\]\n]*)\](?:\(([^)\n]{0,1000})\))?")
_ITEM = re.compile(r"^\s+[-*]\s+(.*)$")
_NUMBER = re.compile(r"\d{1,9}")
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


def is_entry(lines: Sequence[str]) -> bool:
    """Whether a heading with a number is that of a task: one of the fields that every task has stands at the margin."""
    fields = (_FIELD.match(line) for line in lines if not line.startswith("  "))
    return any(field is not None and field[1].strip().lower() in _TELLING for field in fields)


def read_entry(number: int, title: str, lines: Sequence[str], line: int) -> TodoEntry:
    """Read the lines below the heading of a task."""
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
    """The status in a field: `[NOT STARTED]`, with or without brackets."""
    match = re.search(r"\[([^\]\n]{1,60})\]", value)
    return (match[1] if match is not None else value).strip()


def _split(lines: Sequence[str]) -> tuple[list[str], list[str]]:
    """The fields, and the text below them."""
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
    """The paths in a value: `[name](path)`, `[path]`, or a bare path."""
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
