"""`specs/TODO.md`: the order of the tasks that are open, then every task, the newest first."""

from collections.abc import Iterable, Mapping

from planrail.tasks.model import COLUMNS, REPORT, SUMMARY, Task
from planrail.tasks.statuses import marker
from planrail.tasks.views.entries import render_json

_BREAKS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"  # all that some reader takes for the end of a line
_CONTROL = [*range(0x20), *range(0x7F, 0xA0)]
_LINE = {**dict.fromkeys(_CONTROL, " "), **dict.fromkeys(map(ord, _BREAKS), " ")}
_TEXT = {**dict.fromkeys(_CONTROL, " "), **dict.fromkeys(map(ord, _BREAKS), "\n"), ord("\t"): "\t"}
# Lines that begin so mean something in TODO.md: headings, rules, HTML, and the fields of an entry.
_LABELS = {column.label: column.name for column in COLUMNS.values() if column.label}
_SHOWN = sorted(set(_LABELS) - {"Dependencies"})  # in this order; then what it depends on
_FIELDS = (*_LABELS, "Research", "Plan", "Summary", "Description")
_STARTS = ("#", "<", *(f"{sign} **{name}**" for sign in "-*+" for name in _FIELDS), "**Description**")
_RULES = "-*_="
_FENCES = ("```", "~~~")
BETWEEN_ENTRIES = ",\n    "  # two entries
_VERSION = "1.1.0"
_OWN = ("version", "next_project_number", "active_projects")
BETWEEN = "\n---\n\n"  # two sections, each of which ends its last line
TASKS = "\n## Tasks\n\n"
_SHORT = 65  # characters of a description in the order
_NAMES = {REPORT: "Research", SUMMARY: "Summary"}


def render_section(task: Task, folder: str = "specs") -> str:
    lines = [f"### {task.number}. {title_of(task)}"]
    for label in _SHOWN:
        line = plain_line(str(getattr(task, _LABELS[label])))
        lines += [f"- **{label}**: {f'[{marker(line)}]' if label == 'Status' else line}"] if line else []
    lines.append(f"- **Dependencies**: {', '.join(f'Task {number}' for number in task.dependencies) or 'None'}")
    lines += _links(task, f"{folder}/")
    if task.description.strip():
        lines += ["", f"**Description**: {plain_text(task.description)}"]
    return "\n".join(lines) + "\n"


def title_of(task: Task) -> str:
    title = plain_line(task.title)
    if title:
        return title
    name = plain_line(task.name.replace("_", " "))
    return name[:1].upper() + name[1:] if name else f"Task {task.number}"


def gist_of(task: Task) -> str:
    text = (task.description or task.name).removeprefix(" ")[:_SHORT]
    return flat(text) if plain_line(text) else "(no description)"


def render_todo(next_number: int, order: str, sections: Iterable[str]) -> str:
    return f"{render_front(next_number)}{order}{TASKS}{BETWEEN.join(sections)}"


def render_front(next_number: int) -> str:
    return f"---\nnext_project_number: {next_number}\n---\n\n# TODO\n\n"


def _links(task: Task, prefix: str) -> list[str]:
    paths: dict[str, list[str]] = {}
    for artifact in task.artifacts:
        path = plain_line(artifact.path).removeprefix(prefix)
        if path:
            name = _NAMES.get(artifact.type) or plain_line(artifact.type)
            paths.setdefault(name[:1].upper() + name[1:] or "Unknown", []).append(path)
    lines = []
    for name, found in paths.items():
        more = [f"- **{name}**:", *(f"  - [{path}]" for path in found)]
        lines += [f"- **{name}**: [{found[0]}]"] if len(found) == 1 else more
    return lines


def render_state(next_number: int, head: Mapping[str, object], entries: Iterable[str]) -> str:
    """The whole file. `head` are the fields beside the tasks, as they came with an import."""
    before, after = render_frame(next_number, head)
    inner = BETWEEN_ENTRIES.join(entries)
    return f"{before}[\n    {inner}\n  ]{after}" if inner else f"{before}[]{after}"


def render_frame(next_number: int, head: Mapping[str, object]) -> tuple[str, str]:
    version = render_json(head.get("version") or _VERSION)
    before = f'{{\n  "version": {version},\n  "next_project_number": {next_number},\n  "active_projects": '
    fields = {key: value for key, value in head.items() if key not in _OWN}
    fields.setdefault("completed_projects", [])
    after = "".join(f",\n  {render_json(key)}: {render_json(value, '  ')}" for key, value in fields.items())
    return before, f"{after}\n}}\n"


def render_archive(entries: Iterable[str]) -> str:
    inner = BETWEEN_ENTRIES.join(entries)
    found = f"[\n    {inner}\n  ]" if inner else "[]"
    return f'{{\n  "completed_projects": {found},\n  "abandoned_projects": []\n}}\n'


def plain_line(text: str) -> str:
    """A text as one line that can be written anywhere; what it says is not shortened."""
    return flat(text).strip()


def flat(text: str) -> str:
    return text if text.isascii() and text.isprintable() else whole(text).translate(_LINE)


def plain_text(text: str) -> str:
    """A text of several lines, none of which can be taken for the structure around it."""
    lines = whole(text).replace("\r\n", "\n").translate(_TEXT).strip().split("\n")
    fences = _find_fences(lines)
    for at, line in enumerate(lines[1:], 1):
        bare = line.lstrip(" \t")
        is_structure = at not in fences and bool(bare) and _is_structure(bare)
        lines[at] = (f"{line[: len(line) - len(bare)]}\\{bare}" if is_structure else line).rstrip()
    return "\n".join(lines)


def whole(text: str) -> str:
    """The text without halves of characters, which no file can hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def _is_structure(bare: str) -> bool:
    if bare.startswith((*_STARTS, *_FENCES)):
        return True
    return bare[0] in _RULES and not bare.replace(" ", "").replace("\t", "").strip(bare[0])


def _find_fences(lines: list[str]) -> set[int]:
    """Which lines open or close a block of code that is whole. One that nobody closes would swallow what follows."""
    found: set[int] = set()
    opened, mark = -1, ""
    for at, line in enumerate(lines):
        bare = line.strip()
        if opened < 0 and at > 0 and line.startswith(_FENCES):
            opened, mark = at, bare[: len(bare) - len(bare.lstrip(bare[0]))]
            if mark[0] in bare[len(mark) :]:
                opened = -1
        elif opened >= 0 and bare and bare.startswith(mark) and not bare.strip(mark[0]) and line.startswith(mark[0]):
            found |= {opened, at}
            opened = -1
    return found
