"""Dividing a Markdown plan: which lines belong to which phase, and which marks planrail owns."""

import re
from itertools import pairwise

from planrail.plans.blocks import Block, Fence, Item, Table, Text, make_cell, split_row
from planrail.plans.canonical_front import front_cuts
from planrail.plans.canonical_marks import is_mark
from planrail.plans.claims import Claim
from planrail.plans.divisions import REST, Division, Span
from planrail.plans.finding import find_units
from planrail.plans.legend import apply_legend
from planrail.plans.lines import split_lines
from planrail.plans.markdown import own_sections
from planrail.plans.marks import read_status
from planrail.plans.model import Plan
from planrail.plans.outline import Outline, Section, outline, promote_bold
from planrail.plans.scanning import scan
from planrail.plans.statements import entry_mark, value_of
from planrail.plans.states import State
from planrail.plans.trackers import read_tracker
from planrail.plans.units import Unit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

DRIFT_LOG = "Drift Log"
DRIFT_COLUMNS = ("Date", "What changed", "Why")
_COMMIT = re.compile(r"(?:[-–—]|(?:`?[0-9a-f]{7,40}`?)(?:[, ]+`?[0-9a-f]{7,40}`?){0,9})?")
_COMMIT_COLUMNS = ("commit", "commits", "sha", "hash")
_STAMP = r"[0-9a-fA-F:TZ+.\-]{1,64}"
_STATES = "|".join(State)
# Values that cannot carry a sentence: a comment of planrail's form with other words in it is the author's.
_AUDIT = re.compile(
    rf"<!-- planrail:(?: (?:at|attempt|commit|evidence|run)={_STAMP}| (?:set|status|was)=(?:{_STATES})){{1,8}} -->"
)


def divide_markdown(plan: Plan, text: str) -> Division:
    """The division of a Markdown plan."""
    front_matter, blocks = scan(text)
    document = outline(promote_bold(apply_legend(text, blocks)))
    _, units = find_units(document)
    owners = _Owners(text, document)
    owners.give_work(plan, units)
    owners.give_sections(units)
    owners.give_entries(units)
    marks = {mark for mark in (*_marks(text, document, units), *_claims(plan)) if is_mark(text[mark[0] : mark[1]])}
    commits = (cut for section, table in document.tables for cut in _commits(text, section, table))
    logs = _logs(text, document)
    cuts = sorted({*marks, *commits, *logs, *_audits(text), *front_cuts(text, front_matter)})
    return Division([(unit.id, unit.title) for unit in units], owners.spans(), cuts)


class _Owners:
    """Who each line of a document belongs to. What is given later is taken from who had it."""

    def __init__(self, text: str, document: Outline) -> None:
        lines, self._starts = split_lines(text)
        self._length = len(text)
        self._owner = [REST] * (len(lines) + 1)  # by line number, from 1
        self._headings = [section.line for section in document.sections[1:]]
        self._blocks = [block for section in document.sections for block in section.blocks]

    def give_sections(self, units: list[Unit]) -> None:
        """Each unit gets its own sections, each up to the next heading."""
        ends = dict(pairwise([*self._headings, len(self._owner)]))
        own = own_sections(units)
        for at, unit in enumerate(units):
            for section in own.get(unit.id, ()):
                self._give(at, section.line, ends[section.line])

    def give_entries(self, units: list[Unit]) -> None:
        """Each unit gets its entry in a list, with what hangs under it, and its row of the tracker."""
        ends = self._ends({unit.item for unit in units if unit.item is not None})
        for at, unit in enumerate(units):
            if unit.item is not None:
                self._give(at, unit.item.line, ends[unit.item])
        for at, unit in enumerate(units):
            if unit.row is not None:
                self._give(at, unit.row.line, unit.row.line + 1)

    def give_work(self, plan: Plan, units: list[Unit]) -> None:
        """Each unit gets its work items, wherever they stand."""
        places = {unit.id: at for at, unit in enumerate(units)}
        works = [(places.get(phase.id), work) for phase in plan.phases for work in (*phase.items, *phase.criteria)]
        lines = {block.line: block for block in self._blocks if isinstance(block, Item)}
        ends = self._ends({lines[work.line] for _, work in works if work.line in lines})
        for at, work in works:
            if at is not None and work.line:
                item = lines.get(work.line)
                self._give(at, work.line, ends[item] if item is not None else work.line + 1)

    def _ends(self, items: set[Item]) -> dict[Item, int]:
        """The line behind each of these items and all that hangs under it."""
        ends: dict[Item, int] = {}
        open_items: list[Item] = []
        stops = iter([*self._headings, len(self._owner)])
        stop = next(stops)
        for block in self._blocks:
            while block.line >= stop:
                ends.update((item, stop) for item in open_items)
                open_items.clear()
                stop = next(stops, len(self._owner) + 1)
            while open_items and not _is_under(block, open_items[-1]):
                ends[open_items.pop()] = block.line
            if isinstance(block, Item) and block in items:
                open_items.append(block)
        ends.update((item, stop) for item in open_items)
        return ends

    def _give(self, unit: int, first: int, end: int) -> None:
        end = min(end, len(self._owner))
        self._owner[first:end] = [unit] * max(0, end - first)

    def spans(self) -> list[Span]:
        """The lines as spans of the text, neighbours of one owner joined."""
        found: list[Span] = []
        bounds = [*self._starts, self._length]
        for line in range(1, len(self._owner)):
            owner, start, end = self._owner[line], bounds[line - 1], bounds[line]
            if owner == REST:
                continue
            if found and found[-1].owner == owner and found[-1].end == start:
                found[-1] = Span(found[-1].start, end, owner)
            else:
                found.append(Span(start, end, owner))
        return found


def _is_under(block: Block, item: Item) -> bool:
    if isinstance(block, Text) and block.is_lazy:
        return True
    return isinstance(block, Item | Text | Table | Fence) and block.depth > item.depth


def _marks(text: str, document: Outline, units: list[Unit]) -> "Iterator[tuple[int, int]]":
    """Where the document states how far something is: headings, status lines, boxes, cells, entries of lists."""
    for section in document.sections:
        yield from _heading_marks(section)
        for block in section.blocks:
            if isinstance(block, Item) and block.box is not None:
                yield block.box_start, block.box_start + len(block.box)
            elif isinstance(block, Table):
                yield from _cells(text, section, block)
    for unit in units:
        item = unit.item
        mark = entry_mark(item.text) if item is not None and item.box is None else None
        if item is not None and mark is not None:
            yield item.start + mark.start, item.start + mark.end


def _heading_marks(section: Section) -> "Iterator[tuple[int, int]]":
    mark = section.label.mark
    if mark is not None:
        yield section.start + mark.start, section.start + mark.end
    if section.status is not None:
        value, start = value_of(section.status.text, section.status.start)
        stated = read_status(value)
        if stated is not None:
            yield start + stated.start, start + stated.end


def _cells(text: str, section: Section, table: Table) -> "Iterator[tuple[int, int]]":
    tracker = read_tracker(section, table)
    for row in tracker.rows if tracker else ():
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


def _commits(text: str, section: Section, table: Table) -> "Iterator[tuple[int, int]]":
    """The cells of a tracker that hold nothing but the names of commits, or are still empty."""
    columns = [at for at, cell in enumerate(table.header) if cell.text.strip("*_` ").lower() in _COMMIT_COLUMNS]
    is_tracker = bool(columns) and read_tracker(section, table) is not None
    for _, start, row in table.rows if is_tracker else ():
        parts = split_row(row)
        shift = 1 if len(parts) > 1 and not parts[0].strip() else 0
        for column in columns:
            at = column + shift
            if at < len(parts) and _COMMIT.fullmatch(parts[at].strip(" \t")):
                cell = make_cell(parts[at], start + sum(map(len, parts[:at])) + at)
                yield _padded(text, cell.start, cell.start + len(cell.text))


def _claims(plan: Plan) -> "Iterator[tuple[int, int]]":
    """The marks whose word the reader has taken: those that `planrail set` changes."""
    header = plan.header
    if header is not None and header.start >= 0:
        stated = read_status(header.text)
        yield header.start, header.end
        if stated is not None:
            yield header.start + stated.start, header.start + stated.end
    for phase in plan.phases:
        if phase.claim is not None and _is_known(phase.claim):
            yield phase.claim.start, phase.claim.end


def _is_known(claim: Claim) -> bool:
    return claim.start >= 0 and not claim.path and claim.state is not State.UNKNOWN


def _logs(text: str, document: Outline) -> "Iterator[tuple[int, int]]":
    """The drift log: what changed after an approval, as planrail writes it. With anything else in it, it is text."""
    lines, starts = split_lines(text)
    for at, section in enumerate(document.sections):
        is_log = section.text.strip().lower() == DRIFT_LOG.lower() and section.blocks
        table = section.blocks[0] if is_log and len(section.blocks) == 1 else None
        if isinstance(table, Table) and tuple(cell.text for cell in table.header) == DRIFT_COLUMNS:
            following = document.sections[at + 1 :]
            last = max(number for number, _, _ in table.rows) if table.rows else table.line + 1
            is_leaf = not following or following[0].level <= section.level
            if is_leaf:
                yield starts[section.line - 1], starts[last - 1] + len(lines[last - 1])


def _audits(text: str) -> "Iterator[tuple[int, int]]":
    if "<!-- planrail:" in text:
        yield from (match.span() for match in _AUDIT.finditer(text))
