"""Units that are sections without a word for them: counted headings, the parts of a checklist, marked headings."""

from planrail.plans.blocks import Item
from planrail.plans.labels import may_be_named, read_name
from planrail.plans.logs import STAMP
from planrail.plans.names import STEP_TITLES
from planrail.plans.outline import Section, is_aside
from planrail.plans.systems import is_marked
from planrail.plans.units import Unit, id_key, section_unit, with_unique_ids


def numbered_sections(sections: list[Section]) -> list[Unit]:
    """Sections counted 1, 2, 3 with boxes in them: `## 1. Core types`."""
    levels: dict[int, list[Section]] = {}
    for section in sections:
        if section.label.word == "number" and section.label.id:
            levels.setdefault(section.level, []).append(section)
    for level in sorted(levels):
        tracked = [section for section in levels[level] if section.has_boxes or section.label.mark]
        if len(tracked) > 1 or (tracked and _counts_its_items(tracked[0])):
            members = levels[level] if len(tracked) * 2 >= len(levels[level]) else tracked
            return [section_unit(section) for section in members]
    return []


def counted_steps(sections: list[Section]) -> list[Unit]:
    """Counted headings without any mark, under a heading that says they are steps: `## Implementation Steps`."""
    for parent in sections:
        if any(word in parent.text.lower() for word in STEP_TITLES):
            steps = [child for child in parent.children if child.label.word == "number"]
            if len(steps) > 1:
                return with_unique_ids([section_unit(section) for section in steps])
    return []


def _counts_its_items(section: Section) -> bool:
    prefix = section.label.id + "."
    return any(isinstance(block, Item) and block.text.startswith(prefix) for block in section.blocks)


def buckets(root: Section) -> list[Unit]:
    """The sections of a plain checklist, or its boxes themselves where they are not divided."""
    node = root
    while True:
        boxed = [child for child in node.children if _has_work(child)]
        own = [block for block in node.blocks if _is_task(block)]
        if len(boxed) == 1 and not own:
            node = boxed[0]
            continue
        break
    if not boxed:
        return (
            [] if node.level > 1 and is_aside(node.text) else _flat([block for block in own if isinstance(block, Item)])
        )
    units = [section_unit(section) for section in boxed]
    return with_unique_ids(units)


def _has_work(section: Section) -> bool:
    if section.level > 1 and is_aside(section.text):  # the title of the document never is
        return False
    return any(_is_task(block) for block in section.blocks) or any(_has_work(child) for child in section.children)


def _is_task(block: object) -> bool:
    return isinstance(block, Item) and block.box is not None


def _flat(items: list[Item]) -> list[Unit]:
    units: list[Unit] = []
    for item in items:
        if item.depth == 0:
            text = STAMP.sub("", item.text)
            word, identity, title = read_name(text) if may_be_named(text) else ("", "", text)
            identity = identity or str(len(units) + 1)
            units.append(Unit(identity, title or item.text, word, item.line, None, item, None))
    if len({id_key(unit.id) for unit in units}) != len(units):
        for number, unit in enumerate(units, 1):
            unit.id = str(number)
    return units


def marked_sections(sections: list[Section]) -> list[Unit]:
    """Plain headings that carry marks, two or more on one level: `## API 🚧`."""
    levels: dict[int, list[Section]] = {}
    for section in sections:
        if is_marked(section) and section.level > 1 and not is_aside(section.text):
            levels.setdefault(section.level, []).append(section)
    for level in sorted(levels):
        if len(levels[level]) > 1:
            return with_unique_ids([section_unit(section) for section in levels[level]])
    return []
