"""Dividing a Markdown plan: which lines belong to which phase, and which marks planrail owns."""

from itertools import pairwise

from planrail.plans.canonical.blanks import find_audits, find_blanks
from planrail.plans.canonical.claims import find_marks
from planrail.plans.canonical.divisions import LOG, REST, Division, Span
from planrail.plans.canonical.front import front_cuts
from planrail.plans.canonical.log import locate_log
from planrail.plans.formats.dialects import dialect_of
from planrail.plans.formats.markdown import find_phases, own_sections
from planrail.plans.model import Plan
from planrail.plans.text.blocks import Block, Fence, Item, Table, Text
from planrail.plans.text.lines import split_lines
from planrail.plans.text.outline import Outline
from planrail.plans.text.scanning import scan
from planrail.plans.units.units import Unit


def divide_markdown(plan: Plan, text: str) -> Division:
    """The division of a Markdown plan."""
    front_matter, blocks = scan(text)
    dialect, document, _, units = find_phases(text, blocks, dialect_of(plan))
    owners = _Owners(text, document)
    owners.give_work(plan, units)
    owners.give_sections(units)
    owners.give_entries(units)
    owners.give_log(locate_log(text, document))
    cuts = {
        *find_marks(plan, text, front_matter, dialect, document, units),
        *find_audits(text, blocks),
        *find_blanks(text, front_matter, blocks),
        *front_cuts(text, front_matter),
    }
    return Division([(unit.id, unit.title) for unit in units], owners.spans(), sorted(cuts))


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

    def give_log(self, lines: tuple[int, int] | None) -> None:
        """The drift log is a part of its own, unless it stands inside a phase."""
        if lines is not None and all(owner == REST for owner in self._owner[slice(*lines)]):
            self._give(LOG, *lines)

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
