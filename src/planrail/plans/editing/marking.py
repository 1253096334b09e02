"""Marking a phase as done in its document: its mark, the boxes of its work items, its commit, and not one other byte.

A commit cannot hold its own name. So the cell of a phase is filled with the next change of the plan: the landing of
the phase after it, or the mark that says that all is complete.
"""

import re
from collections.abc import Mapping

from planrail.base.patterns import pattern
from planrail.base.records import record
from planrail.plans.canonical.canonical import canonicalise
from planrail.plans.canonical.markdown import COMMIT_COLUMNS
from planrail.plans.editing.edits import change_plan_status, change_status, leaves_others
from planrail.plans.editing.spellings import is_sign
from planrail.plans.model import Plan
from planrail.plans.reading import read
from planrail.plans.states import PlanStatus, State
from planrail.plans.text.blocks import Cell, Item, cells_under
from planrail.plans.text.outline import outline
from planrail.plans.text.scanning import scan
from planrail.plans.text.source import PlanSource

_COMPLETED = pattern(r"^completed:[ \t]*(?P<date>[^\r\n]*)", re.M)
_TICKABLE = (State.TODO, State.IN_PROGRESS, State.PARTIAL)


@record
class Marked:
    """A text in which a phase is marked. `ticked` counts boxes; `was` and `spelling` are what its mark was."""

    text: str
    ticked: int
    was: State
    spelling: str | None  # None where there was no need to change the mark


def mark_done(source: PlanSource, phase_id: str) -> Marked:
    """The text in which a phase is done. Raises `PlanrailError` where no single mark can say so."""
    ticked, plan, count = _tick_items(source, phase_id)
    phase = plan.phase(phase_id)
    assert phase is not None  # boxes that are ticked change no names
    if phase.status is State.DONE:
        return Marked(ticked, count, phase.status, None)
    edit = change_status(PlanSource(source.path, ticked), plan, phase, State.DONE)
    return Marked(edit.apply(ticked), count, edit.was, edit.old)


def mark_complete(source: PlanSource, date: str) -> str:
    """The text in which the plan says of itself that it is complete, and since when, if it says anything of itself."""
    plan = read(source)
    if plan.header is None or plan.header.state is State.DONE or plan.dialect != "markdown":
        return source.text
    edit = change_plan_status(source, plan, PlanStatus.COMPLETE)
    text = edit.apply(source.text)
    dated = _write_date(text, edit.start + len(edit.new), date)
    before, after = read(PlanSource(source.path, text)), read(PlanSource(source.path, dated))
    is_a_mark = canonicalise(before, text).hash == canonicalise(after, dated).hash
    return dated if is_a_mark and after.status is PlanStatus.COMPLETE else text


def _write_date(text: str, status_end: int, date: str) -> str:
    """The text with a date: as a line of the front matter where there is one, else behind the status."""
    front_matter = scan(text)[0]
    if front_matter is None:
        return f"{text[:status_end]} ({date}){text[status_end:]}"
    known = _COMPLETED.search(text, front_matter.start, front_matter.end)
    if known is not None:
        return text[: known.end()] + f" {date}" + text[known.end() :] if not known["date"] else text
    newline = "\r\n" if "\r\n" in text else "\n"
    return f"{text[: front_matter.end]}completed: {date}{newline}{text[front_matter.end :]}"


def _tick_items(source: PlanSource, phase_id: str) -> tuple[str, Plan, int]:
    """The text with the open boxes of a phase's work items ticked, what it says then, and the number of the boxes.

    Boxes that say blocked or skipped were closed by an author who meant it. The text is read again: where ticking would
    change the state of another phase, no box is touched.
    """
    plan = read(source)
    phase = plan.phase(phase_id)
    items = phase.items if phase is not None and plan.dialect == "markdown" else ()
    boxes = [item for item in items if isinstance(item, Item) and item.box is not None and item.state in _TICKABLE]
    tick = "X" if "[X]" in source.text and "[x]" not in source.text else "x"
    text = source.text
    for item in sorted(boxes, key=lambda item: item.box_start, reverse=True):
        box, end = item.box or "", item.box_start + len(item.box or "")
        # In the spelling of what it replaces: a sign, a word in capitals, or a mark between brackets.
        mark = "✅" if is_sign(box) else "DONE:" if box.endswith((":", "：")) else tick
        text = text[: item.box_start] + mark + text[end:]
    after = read(PlanSource(source.path, text)) if boxes else plan
    return (text, after, len(boxes)) if leaves_others(plan, after, phase_id) else (source.text, plan, 0)


_EMPTY = pattern(r"[-–—]?")
_SHOWN = 12  # characters of a commit's name


def find_empty_cells(source: PlanSource) -> "dict[str, tuple[int, int]]":
    """The empty cells of commit columns, by the phase in whose row they stand."""
    if not any(name in source.text.lower() for name in COMMIT_COLUMNS):
        return {}
    lines = {phase.claim.line: phase.id for phase in read(source).phases if phase.claim is not None}
    cells: dict[int, Cell] = {}
    for _, table in outline(scan(source.text)[1]).tables:
        for line, cell in cells_under(table, COMMIT_COLUMNS):
            cells.setdefault(line, cell)  # of several columns the first
    empty = {line: cell for line, cell in cells.items() if line in lines and _EMPTY.fullmatch(cell.text.strip())}
    return {lines[line]: (cell.start, cell.start + len(cell.text)) for line, cell in empty.items()}


def write_commits(source: PlanSource, commits: Mapping[str, str]) -> str:
    """The text with the commits of phases in the cells that are there for them and empty."""
    text = source.text
    for phase, (start, end) in sorted(find_empty_cells(source).items(), key=lambda cell: cell[1], reverse=True):
        if phase in commits:
            before = "" if text[start - 1 : start] == " " else " "
            after = "" if text[end : end + 1] == " " else " "
            text = f"{text[:start]}{before}`{commits[phase][:_SHOWN]}`{after}{text[end:]}"
    return text if read(source).states == read(PlanSource(source.path, text)).states else source.text
