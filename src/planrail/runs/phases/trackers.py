"""How a plan shows that a phase is done: its mark, and the commit beside it where the plan has a place for one.

The mark is the edit of `plans.edits`; this module adds the commit. In the commit column of a tracker a commit is a
mark of progress, which no approval holds. Behind an entry or a status line it would be text of the phase, so that a run
leaves it out there; `notes` and commits in those places are for people who keep their plans by hand.
"""

import re

from planrail.plans.blocks import Table, make_cell, split_row
from planrail.plans.edits import change_status
from planrail.plans.outline import outline
from planrail.plans.reading import read
from planrail.plans.scanning import scan
from planrail.plans.source import Source
from planrail.plans.states import State

TYPE_CHECKING = False
if TYPE_CHECKING:
    from planrail.plans.model import Phase, Plan

_COLUMNS = ("commit", "commits", "sha", "hash")
_EMPTY = re.compile(r"[-–—]?|`?[0-9a-f]{7,40}`?")
_COMMIT = re.compile(r"[0-9a-f]{7,64}")


def remaining(plan: "Plan") -> list[str]:
    """The phases that are neither done nor skipped. A mark that nobody knows leaves a phase open."""
    return [phase.id for phase in plan.phases if not phase.status.is_terminal]


def mark_done(source: Source, plan: "Plan", phase: "Phase", commit: str = "") -> str:
    """The plan's text with the phase done, and its commit in the tracker's column, if there is one."""
    is_done = phase.status is State.DONE
    text = source.text if is_done else change_status(source, plan, phase, State.DONE).apply(source.text)
    return _write_commit(Source(source.path, text), phase.id, commit[:12]) if _COMMIT.fullmatch(commit) else text


def note_done(source: Source, plan: "Plan", phase: "Phase", commit: str, notes: str = "") -> str:
    """The same with the commit behind the entry or the status line, where the plan has no column for it."""
    marked = mark_done(source, plan, phase, commit)
    if f"`{commit[:12]}`" in marked and f"`{commit[:12]}`" not in source.text:
        return marked
    after = read(Source(source.path, marked)).phase(phase.id)
    at = marked.find("\n", after.claim.end if after and after.claim else len(marked))
    end = len(marked[: at if at >= 0 else len(marked)].rstrip())
    said = ", ".join(filter(None, (commit, notes)))
    noted = f"{marked[:end]} ({said}){marked[end:]}"
    return noted if _says_the_same(source.path, marked, noted) else marked


def _write_commit(source: Source, phase: str, commit: str) -> str:
    """The text with a commit in the cell of a phase's row that is there for it, where the cell is still empty."""
    plan = read(source)
    known = plan.phase(phase)
    line = known.claim.line if known and known.claim else 0
    for _, table in outline(scan(source.text)[1]).tables:
        place = _commit_cell(table, line)
        if place is not None:
            start, end = place
            text = source.text[:start] + _padded(source.text, start, end, f"`{commit}`") + source.text[end:]
            return text if _says_the_same(source.path, source.text, text) else source.text
    return source.text


def _padded(text: str, start: int, end: int, cell: str) -> str:
    before = "" if text[start - 1 : start] == " " else " "
    after = "" if text[end : end + 1] == " " else " "
    return before + cell + after


def _commit_cell(table: Table, line: int) -> tuple[int, int] | None:
    column = next((at for at, cell in enumerate(table.header) if cell.text.strip("*_` ").lower() in _COLUMNS), None)
    row = next((row for row in table.rows if row[0] == line), None)
    if column is None or row is None:
        return None
    parts = split_row(row[2])
    at = column + (1 if len(parts) > 1 and not parts[0].strip() else 0)
    if at >= len(parts) or not _EMPTY.fullmatch(parts[at].strip()):
        return None
    cell = make_cell(parts[at], row[1] + sum(map(len, parts[:at])) + at)
    return cell.start, cell.start + len(cell.text)


def _says_the_same(path: str, before: str, after: str) -> bool:
    """Whether both texts have the same phases in the same states."""
    old, new = (read(Source(path, text)).phases for text in (before, after))
    return [(phase.id, phase.status) for phase in old] == [(phase.id, phase.status) for phase in new]
