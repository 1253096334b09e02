"""The marks of a Markdown plan: where the reader takes a word or a sign as the claim of a phase, an item or the plan.

A state word anywhere else is a part of the text: the cells of a table that lists no work of this plan, a heading that
is no phase, a box with a sign in it that nobody knows.
"""

from planrail.base.patterns import pattern
from planrail.plans.canonical.marks import is_mark
from planrail.plans.formats.dialects import Dialect
from planrail.plans.formats.markdown import hear_document, own_sections
from planrail.plans.model import Plan, WorkItem
from planrail.plans.statements.front_phases import front_claims
from planrail.plans.states import State
from planrail.plans.text.blocks import FrontMatter, Item, Table, make_cell, split_row
from planrail.plans.text.outline import Outline
from planrail.plans.text.source import Source
from planrail.plans.units.trackers import Row, read_tracker
from planrail.plans.units.units import Unit, id_key
from planrail.plans.words.marks import read_status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_COMMIT = pattern(r"(?:[-–—]|(?:`?[0-9a-f]{7,40}`?)(?:[, ]+`?[0-9a-f]{7,40}`?){0,9})?")
_COMMIT_COLUMNS = ("commit", "commits", "sha", "hash")


def find_marks(
    plan: Plan, text: str, front_matter: FrontMatter | None, dialect: Dialect, document: Outline, units: list[Unit]
) -> "Iterator[tuple[int, int]]":
    """The spans of all marks, and of the commits in the rows of trackers."""
    source = Source(plan.path, text)
    found = [*_boxes(document), *_header(plan), *_cells(text, plan, document, units)]
    accounts = hear_document(dialect, units, own_sections(units), document, [])
    keys = {id_key(unit.id) for unit in units}
    claims = [claim for account in accounts.values() for claim in account.claims]
    claims += [claim for key, claim in front_claims(source, front_matter).items() if key in keys]
    claims += [phase.claim for phase in plan.phases if phase.claim is not None and not phase.claim.path]
    found += [(claim.start, claim.end) for claim in claims if claim.start >= 0 and claim.state is not State.UNKNOWN]
    yield from (span for span in found if is_mark(text[span[0] : span[1]].strip(" \t")))
    rows = {unit.row.line for unit in units if unit.row is not None}
    for _, table in document.tables:
        yield from _commits(text, table, rows)


def _boxes(document: Outline) -> "Iterator[tuple[int, int]]":
    for section in document.sections:
        for block in section.blocks:
            if isinstance(block, Item) and block.box is not None and block.state is not State.UNKNOWN:
                yield block.box_start, block.box_start + len(block.box)


def _header(plan: Plan) -> "Iterator[tuple[int, int]]":
    """What the plan says of itself: all of it where that is a status, else the word in it that is one."""
    header = plan.header
    if header is not None and header.start >= 0:
        stated = read_status(header.text)
        yield header.start, header.end
        if stated is not None:
            yield header.start + stated.start, header.start + stated.end


def _cells(text: str, plan: Plan, document: Outline, units: list[Unit]) -> "Iterator[tuple[int, int]]":
    """The status cells of the rows that are phases or work items."""
    for row in (*(unit.row for unit in units if unit.row is not None), *_work_rows(plan, document)):
        cell, mark = row.status, row.read_mark()
        if cell is not None and mark is not None:
            yield _padded(text, cell.start + mark.start, cell.start + mark.end)
        elif cell is not None and not cell.text.strip(" -–—"):
            yield _padded(text, cell.start, cell.start + len(cell.text))


def _work_rows(plan: Plan, document: Outline) -> "Iterator[Row]":
    lines = {work.line for phase in plan.phases for work in phase.items if isinstance(work, WorkItem)}
    for section, table in document.tables:
        is_work = any(line in lines for line, _, _ in table.rows)
        tracker = read_tracker(section, table) if is_work else None
        yield from (row for row in (tracker.rows if tracker else ()) if row.line in lines)


def _padded(text: str, start: int, end: int) -> tuple[int, int]:
    """A span with the blanks behind it, which fill up a cell; those before it go with every mark."""
    while text[end : end + 1] in (" ", "\t"):
        end += 1
    return start, end


def _commits(text: str, table: Table, rows: set[int]) -> "Iterator[tuple[int, int]]":
    """The cells in the rows of phases that hold nothing but the names of commits, or are still empty."""
    columns = [at for at, cell in enumerate(table.header) if cell.text.strip("*_` ").lower() in _COMMIT_COLUMNS]
    for line, start, row in table.rows if columns else ():
        parts = split_row(row)
        shift = 1 if len(parts) > 1 and not parts[0].strip() else 0
        for at in (column + shift for column in columns):
            if line in rows and at < len(parts) and _COMMIT.fullmatch(parts[at].strip(" \t")):
                cell = make_cell(parts[at], start + sum(map(len, parts[:at])) + at)
                yield _padded(text, cell.start, cell.start + len(cell.text))
