"""The outline of a Markdown plan: its sections as a tree, each with its label and the blocks of its own."""

import re

from planrail.plans.blocks import Block, Fence, Heading, Item, Table, Text
from planrail.plans.labels import Label, read_label
from planrail.plans.words import ASIDES, CRITERIA
from planrail.records import mutable_record


@mutable_record
class Section:
    """A heading and what stands under it. The root section, level 0, holds what stands above the first heading."""

    level: int
    line: int
    text: str
    start: int
    label: Label
    parent: "Section | None"
    children: "list[Section]"
    blocks: list[Block]

    def walk(self) -> "list[Section]":
        """This section and all below it, in document order."""
        found, pending = [], [self]
        while pending:
            section = pending.pop()
            found.append(section)
            pending.extend(reversed(section.children))
        return found


_CRITERIA = re.compile("|".join(map(re.escape, CRITERIA)))
_STRONG = re.compile(
    "criteria|criterion|acceptance|definition of done|dod\\b|success|done when|exit condition|quality gate|"
    "akzeptanz|kriterien|critère|criterio|critério|критери|определение готовности|готовност|验收|驗收|標準|标准|完了条件|受け入れ|"
    "受入|완료 조건|수락"
)
_ASIDE = re.compile("|".join(map(re.escape, ASIDES)))
_LABEL_LINE = re.compile(r"^[*_]{1,2}[^*_]{2,60}[*_]{1,2}.{0,60}$|^.{2,60}[:：][*_]{0,2}$")


def outline(blocks: list[Block]) -> Section:
    """The tree of sections of a document."""
    root = Section(0, 0, "", 0, Label("", "", "", None, []), None, [], [])
    current = root
    for block in blocks:
        if not isinstance(block, Heading):
            current.blocks.append(block)
            continue
        parent = current
        while parent.parent is not None and parent.level >= block.level:
            parent = parent.parent
        label = read_label(block.text)
        current = Section(block.level, block.line, block.text, block.start, label, parent, [], [])
        parent.children.append(current)
    return root


def is_criteria(text: str) -> bool:
    """Whether a heading or label announces criteria of success rather than work."""
    return bool(_STRONG.search(text.lower()))


def is_aside(text: str) -> bool:
    """Whether a section of a plan without phases is something other than work: criteria, checklists, open questions."""
    lower = text.lower()
    return bool(_CRITERIA.search(lower) or _ASIDE.search(lower))


def split_items(sections: list[Section]) -> tuple[list[Item], list[Item]]:
    """The boxes of some sections, as work and as criteria."""
    work: list[Item] = []
    criteria: list[Item] = []
    for section in sections:
        under_criteria = any_criteria(section, sections[0])
        labelled = False
        for block in section.blocks:
            if isinstance(block, Item):
                if block.box is not None:
                    is_work = not (under_criteria or labelled or _under_criteria_item(block))
                    (work if is_work else criteria).append(block)
            elif isinstance(block, Text) and block.depth == 0 and _LABEL_LINE.match(block.text):
                labelled = is_criteria(block.text)
    return work, criteria


def any_criteria(section: Section, top: Section) -> bool:
    """Whether the section, or one between it and `top`, is headed as criteria."""
    while section is not top:
        if is_criteria(section.text):
            return True
        if section.parent is None:
            return False
        section = section.parent
    return False


def _under_criteria_item(item: Item) -> bool:
    parent = item.parent
    while parent is not None:
        if parent.box is None and is_criteria(parent.text[:80]):
            return True
        parent = parent.parent
    return False


def fences(sections: list[Section]) -> list[Fence]:
    """The fenced blocks of some sections."""
    return [block for section in sections for block in section.blocks if isinstance(block, Fence)]


def tables(root: Section) -> list[tuple[Section, Table]]:
    """Every table, with the section it stands in."""
    return [(section, block) for section in root.walk() for block in section.blocks if isinstance(block, Table)]
