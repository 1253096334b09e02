"""The document as rules see it: lines with the section, the label, the list item and the phase they belong to."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Protocol

from planrail.base.records import record
from planrail.base.settings import LintSettings
from planrail.plans.lint.inline import without_code
from planrail.plans.model import Phase, Plan
from planrail.plans.text.blocks import Block, Fence, Item, Table, Text, split_cells
from planrail.plans.text.outline import Outline, Section, outline
from planrail.plans.text.scanning import scan
from planrail.plans.text.source import Source


class Tree(Protocol):
    """Files by their paths relative to a root, with `/` between the parts."""

    def files(self) -> Sequence[str]:
        """All paths, untracked files included and ignored ones left out."""

    def read(self, path: str) -> str | None:
        """The text of one of them; None where it is not a text of bearable size."""

    def find_words(self, expression: str, *, excluding: str) -> set[str] | None:
        """The distinct whole words in the texts that match an extended regular expression.

        The file `excluding` is not searched: a plan's own words prove nothing. None where the search was
        given up, so that nobody takes an unfinished one for proof of absence.
        """


_LABEL = re.compile(r"[*_]{2}[^*_]{2,80}[*_]{2}.{0,200}$|.{2,80}[:：][*_]{0,2}$")


@record
class Line:
    """A line outside all code blocks and quotes. `prose` is its text with code blanked, at the same offsets."""

    number: int
    kind: str  # heading, item, text, row
    text: str
    prose: str
    section: Section
    label: str  # the line that announces this one: "**Files to create:**", the header of a table
    item: Item | None  # the list item that the line belongs to
    phase: Phase | None
    is_finished: bool  # the phase is, or the box of the item or of one above it


@record
class Document:
    """All that a rule may look at. `tree` is None where there is nothing to resolve citations in."""

    source: Source
    plan: Plan
    outline: Outline
    lines: list[Line]
    fences: list[Fence]
    settings: LintSettings
    tree: Tree | None

    @property
    def is_markdown(self) -> bool:
        """Whether the plan is a text, and not the data file of another tool."""
        return not self.source.path.lower().endswith((".json", ".yaml", ".yml"))


def open_document(source: Source, plan: Plan, settings: LintSettings, tree: Tree | None) -> Document:
    document = Document(source, plan, outline([]), [], [], settings, tree)
    if not document.is_markdown:
        return document
    _, blocks = scan(source.text)
    sections = outline(blocks)
    phases = _Phases(plan)
    lines = [line for section in sections.sections for line in _section_lines(section, phases)]
    fences = [block for block in blocks if isinstance(block, Fence)]
    return Document(source, plan, sections, lines, fences, settings, tree)


class _Phases:
    """Which phase a line belongs to, and which boxes are ticked."""

    def __init__(self, plan: Plan) -> None:
        self.finished_items = {
            item.line for phase in plan.phases for item in [*phase.items, *phase.criteria] if item.is_done
        }
        self.spans = sorted((_span(phase) for phase in plan.phases), key=lambda span: span[0])

        self._starts = [first for first, _, _ in self.spans]

    def at(self, line: int) -> Phase | None:
        """The innermost phase around a line: the last of those that start above it and have not ended."""
        for at in range(bisect_right(self._starts, line) - 1, -1, -1):
            _, last, phase = self.spans[at]
            if line <= last:
                return phase
        return None


def _span(phase: Phase) -> tuple[int, int, Phase]:
    last = max([phase.last_line, phase.first_line, *(item.line for item in phase.items)])
    return phase.first_line, last, phase


def _section_lines(section: Section, phases: _Phases) -> Iterator[Line]:
    if section.level:
        yield _line(section.line, "heading", section.text, section, "", None, phases)
    label = ""
    item: Item | None = None
    for block in section.blocks:
        if isinstance(block, Item):
            item = block
        elif isinstance(block, Text) and block.depth == 0:
            item = None
            label = block.text if _LABEL.match(block.text) else ""
        yield from _block_lines(block, section, label, item, phases)


def _block_lines(block: Block, section: Section, label: str, item: Item | None, phases: _Phases) -> Iterator[Line]:
    if isinstance(block, Item):
        yield _line(block.line, "item", block.text, section, label, block, phases)
    elif isinstance(block, Text):
        around = _enclosing(item, block.depth) if item else None
        yield _line(block.line, "text", block.text, section, label, around, phases)
    elif isinstance(block, Table):
        header = " | ".join(cell.text for cell in block.header)
        for number, start, row in block.rows:
            text = " | ".join(cell.text for cell in split_cells(row, start))
            yield _line(number, "row", text, section, header, None, phases)


def _enclosing(item: Item, depth: int) -> Item | None:
    return next((found for found in items_around(item) if found.depth < depth), None)


def _line(number: int, kind: str, text: str, section: Section, label: str, item: Item | None, phases: _Phases) -> Line:
    phase = phases.at(number)
    ticked = (one.line in phases.finished_items or (one.box or "").lower() == "x" for one in items_around(item))
    is_finished = (phase is not None and phase.status.is_terminal) or any(ticked)
    return Line(number, kind, text, without_code(text), section, label, item, phase, is_finished)


def items_around(item: Item | None) -> Iterator[Item]:
    """An item and those that it stands under, the nearest first."""
    while item is not None:
        yield item
        item = item.parent


def titles_over(line: Line) -> Iterator[str]:
    """The headings that a line stands under, the nearest first, without the title of the document."""
    section = line.section
    while section.parent is not None and section.level > 1:
        yield section.text
        section = section.parent
