"""The commit column of a tracker: which cells are still empty, and the commits of landed phases in them.

A commit cannot hold its own name. So the cell of a phase is filled with the next change of the plan: the landing of
the phase after it, or the mark that says that all is complete. A commit there is a mark of progress, which no approval
holds.
"""

from collections.abc import Mapping

from planrail.base.patterns import pattern
from planrail.plans.canonical.markdown import COMMIT_COLUMNS
from planrail.plans.reading import read
from planrail.plans.text.blocks import Cell, cells_under
from planrail.plans.text.outline import outline
from planrail.plans.text.scanning import scan
from planrail.plans.text.source import Source

_EMPTY = pattern(r"[-–—]?")
_SHOWN = 12  # characters of a commit's name


def find_empty_cells(source: Source) -> "dict[str, tuple[int, int]]":
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


def write_commits(source: Source, commits: Mapping[str, str]) -> str:
    """The text with the commits of phases in the cells that are there for them and empty."""
    text = source.text
    for phase, (start, end) in sorted(find_empty_cells(source).items(), key=lambda cell: cell[1], reverse=True):
        if phase in commits:
            before = "" if text[start - 1 : start] == " " else " "
            after = "" if text[end : end + 1] == " " else " "
            text = f"{text[:start]}{before}`{commits[phase][:_SHOWN]}`{after}{text[end:]}"
    return text if read(source).states == read(Source(source.path, text)).states else source.text
