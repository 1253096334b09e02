"""Dividing a Markdown plan: which lines belong to which phase, and which marks planrail owns.

A mark is where the reader takes a word or a sign as the claim of a phase, an item or the plan. A state word anywhere
else is a part of the text: the cells of a table that lists no work of this plan, a heading that is no phase, a box with
a sign in it that nobody knows.
"""

from collections.abc import Iterator
from itertools import pairwise

from planrail.base.patterns import pattern
from planrail.plans.canonical.owned import (
    LOG,
    REST,
    Division,
    OwnedSpan,
    find_audits,
    find_blanks,
    front_cuts,
    is_mark,
    locate_log,
)
from planrail.plans.formats.dialects import Dialect, dialect_of
from planrail.plans.formats.markdown import find_phases, hear_document, own_sections
from planrail.plans.model import Plan, WorkItem
from planrail.plans.statements.headers import front_claims
from planrail.plans.states import State
from planrail.plans.text.blocks import Block, FrontMatter, Heading, Item, Text, cells_under, split_lines
from planrail.plans.text.outline import Outline
from planrail.plans.text.scanning import scan
from planrail.plans.text.source import PlanSource
from planrail.plans.units.trackers import read_tracker
from planrail.plans.units.units import Unit, id_key
from planrail.plans.words.marks import read_status

_COMMIT = pattern(r"(?:[-–—]|(?:`?[0-9a-f]{7,40}`?)(?:[, ]+`?[0-9a-f]{7,40}`?){0,9})?")
COMMIT_COLUMNS = ("commit", "commits", "sha", "hash")


def divide_markdown(plan: Plan, text: str) -> Division:
    front_matter, blocks = scan(text)
    dialect, document, _, units = find_phases(text, blocks, dialect_of(plan))
    cuts = {
        *_find_marks(plan, text, front_matter, dialect, document, units),
        *find_audits(text, blocks),
        *find_blanks(text, front_matter, blocks),
        *front_cuts(text, front_matter),
    }
    return Division([(unit.id, unit.title) for unit in units], _own_lines(text, plan, document, units), sorted(cuts))


def _own_lines(text: str, plan: Plan, document: Outline, units: list[Unit]) -> list[OwnedSpan]:
    """The owner of each line of a document, as spans. What is given later is taken from its earlier owner."""
    lines, starts = split_lines(text)
    owners = [REST] * (len(lines) + 1)  # by line number, from 1
    blocks = [block for section in document.sections for block in section.blocks]
    headings = [*(section.line for section in document.sections[1:]), len(owners)]

    def give(owner: int, first: int, end: int) -> None:
        end = min(end, len(owners))
        owners[first:end] = [owner] * max(0, end - first)

    # Each unit gets its work items, wherever they stand; its own sections, each up to the next heading; its entry in a
    # list, with what hangs under it; and its row of the tracker.
    places = {unit.id: at for at, unit in enumerate(units)}
    works = [(places.get(phase.id), work) for phase in plan.phases for work in (*phase.items, *phase.criteria)]
    items = {block.line: block for block in blocks if isinstance(block, Item)}
    wanted = {items[work.line] for _, work in works if work.line in items}
    ends = _ends(blocks, headings, wanted | {unit.item for unit in units if unit.item is not None})
    for at, work in works:
        if at is not None and work.line:
            give(at, work.line, ends[items[work.line]] if work.line in items else work.line + 1)
    following, own = dict(pairwise(headings)), own_sections(units)
    for at, unit in enumerate(units):
        for section in own.get(unit.id, ()):
            give(at, section.line, following[section.line])
    for at, item in [(at, unit.item) for at, unit in enumerate(units) if unit.item is not None]:
        give(at, item.line, ends[item])
    for at, row in [(at, unit.row) for at, unit in enumerate(units) if unit.row is not None]:
        give(at, row.line, row.line + 1)
    log = locate_log(text, document)
    if log is not None and all(owner == REST for owner in owners[slice(*log)]):  # a part of its own, unless in a phase
        give(LOG, *log)
    found: list[OwnedSpan] = []
    for owner, (start, end) in zip(owners[1:], pairwise([*starts, len(text)]), strict=False):
        if found and found[-1].owner == owner and found[-1].end == start:
            found[-1] = OwnedSpan(found[-1].start, end, owner)
        elif owner != REST:
            found.append(OwnedSpan(start, end, owner))
    return found


def _ends(blocks: list[Block], headings: list[int], items: set[Item]) -> dict[Item, int]:
    """The line behind each of these items and all that hangs under it."""
    ends: dict[Item, int] = {}
    open_items: list[Item] = []
    stops = iter(headings)
    stop = next(stops)
    for block in blocks:
        while block.line >= stop:
            ends.update((item, stop) for item in open_items)
            open_items.clear()
            stop = next(stops, headings[-1] + 1)
        is_lazy = isinstance(block, Text) and block.is_lazy
        depth = -1 if isinstance(block, Heading) else block.depth
        while open_items and not is_lazy and depth <= open_items[-1].depth:  # it does not hang under it
            ends[open_items.pop()] = block.line
        if isinstance(block, Item) and block in items:
            open_items.append(block)
    return ends | dict.fromkeys(open_items, stop)


def _find_marks(
    plan: Plan, text: str, front_matter: FrontMatter | None, dialect: Dialect, document: Outline, units: list[Unit]
) -> Iterator[tuple[int, int]]:
    """The spans of all marks, and of the commits in the rows of trackers."""
    source = PlanSource(plan.path, text)
    boxes = [box for section in document.sections for box in section.boxes() if box.state is not State.UNKNOWN]
    found = [(box.box_start, box.box_start + len(box.box or "")) for box in boxes]
    found += [*_header(plan), *_cells(text, plan, document, units)]
    accounts = hear_document(dialect, units, own_sections(units), document, [])
    keys = {id_key(unit.id) for unit in units}
    claims = [claim for account in accounts.values() for claim in account.claims]
    claims += [claim for key, claim in front_claims(source, front_matter).items() if key in keys]
    claims += [phase.claim for phase in plan.phases if phase.claim is not None and not phase.claim.path]
    found += [(claim.start, claim.end) for claim in claims if claim.start >= 0 and claim.state is not State.UNKNOWN]
    yield from (span for span in found if is_mark(text[span[0] : span[1]].strip(" \t")))
    rows = {unit.row.line for unit in units if unit.row is not None}
    for _, table in document.tables:
        for line, cell in cells_under(table, COMMIT_COLUMNS):  # names of commits and nothing else, or still empty
            if line in rows and _COMMIT.fullmatch(cell.text):
                yield _padded(text, cell.start, cell.start + len(cell.text))


def _header(plan: Plan) -> Iterator[tuple[int, int]]:
    """What the plan says of itself: all of it where that is a status, else the word in it that is one."""
    header = plan.header
    if header is not None and header.start >= 0:
        stated = read_status(header.text)
        yield header.start, header.end
        if stated is not None:
            yield header.start + stated.start, header.start + stated.end


def _cells(text: str, plan: Plan, document: Outline, units: list[Unit]) -> Iterator[tuple[int, int]]:
    rows = [unit.row for unit in units if unit.row is not None]
    lines = {work.line for phase in plan.phases for work in phase.items if isinstance(work, WorkItem)}
    for section, table in document.tables:
        is_work = any(line in lines for line, _, _ in table.rows)
        tracker = read_tracker(section, table) if is_work else None
        rows += [row for row in (tracker.rows if tracker else ()) if row.line in lines]
    for row in rows:
        cell, mark = row.status, row.read_mark()
        if cell is not None and mark is not None:
            yield _padded(text, cell.start + mark.start, cell.start + mark.end)
        elif cell is not None and not cell.text.strip(" -–—"):
            yield _padded(text, cell.start, cell.start + len(cell.text))


def _padded(text: str, start: int, end: int) -> tuple[int, int]:
    """A span with the blanks behind it, which fill up a cell; those before it go with every mark."""
    while text[end : end + 1] in (" ", "\t"):
        end += 1
    return start, end
