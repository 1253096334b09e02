"""The links of a task to its documents: in the task itself, and in an entry of an older TODO.md."""

import re

from planrail.records import record, replace
from planrail.tasks.model import PLAN, Artifact, Task

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_LINK = re.compile(r"\[.*\](\(.*\))?$")
_NUMBER = re.compile(r"(?:^|/)0*(\d+)_[^/]*/")
_LINES = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|$)")
_DESCRIPTION = "**Description**"


def link(task: Task, artifact: Artifact) -> Task:
    """The task with a document linked, as its last. It takes the place of one at its path, or of that round's plan."""
    kept = tuple(known for known in task.artifacts if not _gives_way(known, artifact))
    return replace(task, artifacts=(*kept, artifact))


def _gives_way(known: Artifact, new: Artifact) -> bool:
    is_plan_of_round = known.type == new.type == PLAN and known.round == new.round
    return known.path == new.path or is_plan_of_round


# ---- entries of an older TODO.md ----


@record
class Linked:
    """An entry with a link in it, and what was done; nothing is said where it was there already."""

    entry: str
    said: str


@record
class NoPlace:
    """The entry has no line that the link could stand before."""

    text: str


def link_in_entry(
    entry: str, field: str, next_field: str, path: str, number: int | None = None, folder: str = "specs"
) -> Linked | NoPlace:
    """An entry of TODO.md with a link under a field (`**Plan**`); one link stands beside the name, more are a list."""
    target = path.removeprefix(f"{folder}/")
    whose = f"for task {_number_of(path) if number is None else number}"
    if target in entry:
        return Linked(entry, "")
    lines = [line for line in _LINES.findall(entry) if line]
    at = _find(lines, f"- {field}:")
    if at is None:
        return _insert_field(lines, field, next_field, target, whose)
    value = lines[at].strip().removeprefix(f"- {field}:").strip()
    if not value:
        return _join(lines, _list_end(lines, at), [f"  - [{target}]"], f"OK: Case 3 - appended {field} bullet {whose}")
    if _LINK.match(value):
        end, link_line = _ending(lines[at]), f"- {field}:"
        lines[at] = f"{link_line}{end or _newline(lines)}"
        added = [f"  - {value}", f"  - [{target}]"]
        return _join(lines, at + 1, added, f"OK: Case 2 - converted {field} to multi-line {whose}")
    lines[at] = f"- {field}: [{target}]{_ending(lines[at])}"
    return Linked("".join(lines), f"OK: Replaced {field} value with link {whose}")


def _insert_field(lines: list[str], field: str, next_field: str, target: str, whose: str) -> Linked | NoPlace:
    for name in dict.fromkeys((next_field, _DESCRIPTION)):
        for start in (f"- {name}:", f"{name}:"):
            at = _find(lines, start)
            if at is not None:
                at -= 1 if at and not lines[at - 1].strip() else 0  # the blank line stays before the next field
                said = f"OK: Case 1 - inserted {field} link {whose}"
                return _join(lines, at, [f"- {field}: [{target}]"], said)
    return NoPlace(f"could not find insertion point ({next_field} or {_DESCRIPTION}) {whose}")


def _find(lines: "Sequence[str]", start: str) -> int | None:
    return next((at for at, line in enumerate(lines) if line.strip().startswith(start)), None)


def _list_end(lines: "Sequence[str]", at: int) -> int:
    """Behind the list that stands under a field."""
    end = at + 1
    while end < len(lines) and lines[end][:1] in (" ", "\t") and lines[end].strip():
        end += 1
    return end


def _join(lines: list[str], at: int, added: "Sequence[str]", said: str) -> Linked:
    end = _newline(lines)
    if at and at == len(lines) and not _ending(lines[-1]):
        lines[-1] += end
    return Linked("".join([*lines[:at], *(line + end for line in added), *lines[at:]]), said)


def _newline(lines: "Sequence[str]") -> str:
    return next((end for line in lines if (end := _ending(line))), "\n")


def _ending(line: str) -> str:
    return line[len(line.rstrip("\r\n")) :]


def _number_of(path: str) -> int:
    match = _NUMBER.search(path)
    return int(match[1]) if match else 0
