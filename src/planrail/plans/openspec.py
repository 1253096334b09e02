"""OpenSpec's task lists: boxes are tasks, `[x]` is done, and nothing else says how far a change is.

Headings only group the boxes, whatever words and signs they carry. So every box belongs to a unit here, also those
under "Prerequisites", and a unit is done when all its boxes are ticked, each by itself.
"""

from planrail.plans.blocks import Item
from planrail.plans.claims import Claim, Kind
from planrail.plans.outline import Outline, Section
from planrail.plans.statements import Account, box_claim, boxes_claim
from planrail.plans.unit_sections import flat_units
from planrail.plans.units import Unit, section_unit, told_apart

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def find_tasks(document: Outline) -> list[Unit]:
    """The units of a task list: the sections that group its boxes, or the boxes themselves where none does."""
    node, boxed = document.root, _boxed(document.root)
    while len(boxed) == 1 and not boxed[0].label.id and not _boxes(node):
        node, boxed = boxed[0], _boxed(boxed[0])
    if not boxed:
        units = flat_units([item for item in _boxes(node) if not _is_nested(item)])
    else:
        grouped = [part for child in boxed for part in _groups(child)]
        units = told_apart([section_unit(section) for section in ([node] if _boxes(node) else []) + grouped])
    _take_literally(document)
    return units


def _boxed(section: Section) -> list[Section]:
    return [child for child in section.children if child.has_boxes]


def _boxes(section: Section) -> list[Item]:
    return [block for block in section.blocks if isinstance(block, Item) and block.box is not None]


def _is_nested(item: Item) -> bool:
    parent = item.parent
    while parent is not None and parent.box is None:
        parent = parent.parent
    return parent is not None


def _groups(section: Section) -> "Iterator[Section]":
    """The section, or those inside that are counted, where it only divides the list into parts that count their own."""
    inner = _boxed(section)
    if section.label.id or _boxes(section) or not all(child.label.id for child in inner):
        yield section
        return
    for child in inner:
        yield from _groups(child)


def _take_literally(document: Outline) -> None:
    """Let each box speak for itself alone, and let only an x say that it is done."""
    for section in document.sections:
        for item in _boxes(section):
            item.parent = None
            if item.is_done and item.box not in ("x", "X"):
                item.box = " " * len(item.box or "")


def count_tasks(unit: Unit, sections: list[Section], below: list[Item]) -> Account:
    """What the boxes of a unit say of it; nothing else is heard."""
    if unit.item is None:
        items = [item for section in sections for item in _boxes(section)]
        return Account([box_claim(items[0], [])] if len(items) == 1 else _counted(items), items, ())
    items = [unit.item, *below] if below else []
    return Account(_counted(items) or [box_claim(unit.item, [])], items, ())


def _counted(items: list[Item]) -> list[Claim]:
    claim = boxes_claim(items, Kind.ITEMS, "boxes")
    return [claim] if claim else []
