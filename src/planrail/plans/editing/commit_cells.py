"""The commit column of a tracker: which cells are still empty, and the commits of landed phases in them.

A commit cannot hold its own name. So the cell of a phase is filled with the next change of the plan: the landing of
the phase after it, or the mark that says that all is complete. A commit there is a mark of progress, which no approval
holds.
"""

from planrail.base.patterns import pattern
from planrail.plans.reading import read
from planrail.plans.text.blocks import Table, make_cell, split_row
from planrail.plans.text.outline import outline
from planrail.plans.text.scanning import scan
from planrail.plans.text.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from planrail.plans.model import Plan

_COLUMNS = ("commit", "commits", "sha", "hash")
_EMPTY = pattern(r"[-–—]?")
_SHOWN = 12  # characters of a commit's name


def find_empty_cells(source: Source) -> "dict[str, tuple[int, int]]":
    """The empty cells of commit columns, by the phase in whose row they stand."""
    if not any(name in source.text.lower() for name in _COLUMNS):
        return {}
    plan = read(source)
    lines = {phase.claim.line: phase.id for phase in plan.phases if phase.claim is not None}
    return {
        lines[row[0]]: place
        for _, table in outline(scan(source.text)[1]).tables
        for row in table.rows
        if row[0] in lines and (place := _commit_cell(table, row)) is not None
    }


def write_commits(source: Source, commits: "Mapping[str, str]") -> str:
    """The text with the commits of phases in the cells that are there for them and empty."""
    text = source.text
    for phase, (start, end) in sorted(find_empty_cells(source).items(), key=lambda cell: cell[1], reverse=True):
        if phase in commits:
            text = text[:start] + _pad(text, start, end, f"`{commits[phase][:_SHOWN]}`") + text[end:]
    return text if _states(read(source)) == _states(read(Source(source.path, text))) else source.text


def _commit_cell(table: Table, row: tuple[int, int, str]) -> tuple[int, int] | None:
    column = next((at for at, cell in enumerate(table.header) if cell.text.strip("*_` ").lower() in _COLUMNS), None)
    if column is None:
        return None
    parts = split_row(row[2])
    at = column + (1 if len(parts) > 1 and not parts[0].strip() else 0)
    if at >= len(parts) or not _EMPTY.fullmatch(parts[at].strip()):
        return None
    cell = make_cell(parts[at], row[1] + sum(map(len, parts[:at])) + at)
    return cell.start, cell.start + len(cell.text)


def _pad(text: str, start: int, end: int, cell: str) -> str:
    before = "" if text[start - 1 : start] == " " else " "
    after = "" if text[end : end + 1] == " " else " "
    return before + cell + after


def _states(plan: "Plan") -> list[tuple[str, str]]:
    return [(phase.id, str(phase.status)) for phase in plan.phases]
