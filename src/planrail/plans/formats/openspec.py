"""OpenSpec's task lists: boxes are tasks, `[x]` is done, and nothing else says how far a change is.

Headings only group the boxes, whatever words and signs they carry. So every box belongs to a unit here, also those
under "Prerequisites", and a unit is done when all its boxes are ticked, each by itself.
"""

from collections.abc import Iterator, Sequence

from planrail.base.patterns import pattern
from planrail.plans.claims import Kind
from planrail.plans.statements.accounts import items_below
from planrail.plans.statements.statements import Account, box_claim, boxes_claim
from planrail.plans.text.blocks import Block, Item
from planrail.plans.text.outline import Outline, Section, outline, promote_bold
from planrail.plans.units.unit_sections import flat_units
from planrail.plans.units.units import Unit, section_unit, told_apart

_BOX = pattern(r"\[(?:[ \t]*([^\]\s])[ \t]*|([ \t]*))\](?![(\[])[ \t]*")  # behind which a link goes on: no box


def arrange_tasks(blocks: Sequence[Block]) -> Outline | None:
    """The outline of a list, its boxes seen as the tool does, whatever their text says; None where it has none.

    Only an x says that one is done, and its text may touch it: "[x]so", or it may have room: "[ x ]".
    """
    items = [block for block in blocks if type(block) is Item]
    for item in items:
        touched = _BOX.match(item.text) if item.box is None else None
        if touched:
            item.box, item.box_start = touched[1] or touched[2], item.start + touched.start(1 if touched[1] else 2)
            item.text, item.start = item.text[touched.end() :], item.start + touched.end()
        elif item.box is not None and len(item.box) == 2:
            mark = item.box.strip()
            item.box, item.box_start = mark or " ", item.box_start + item.box.find(mark)
        item.is_optional = False
        if item.box is not None and item.is_done and item.box not in ("x", "X"):
            item.box = " " * len(item.box)
    return outline(promote_bold(list(blocks))) if any(item.box is not None for item in items) else None


def find_tasks(document: Outline) -> list[Unit]:
    """The units of a task list: the sections that group its boxes, or the boxes themselves where none does."""
    node, boxed = document.root, _boxed(document.root)
    while len(boxed) == 1 and not boxed[0].label.id and not node.boxes():
        node, boxed = boxed[0], _boxed(boxed[0])
    if not boxed:
        units = flat_units([item for item in node.boxes() if all(one.box is None for one in item.above())])
    else:
        grouped = [part for child in boxed for part in _groups(child)]
        units = told_apart([section_unit(section) for section in ([node] if node.boxes() else []) + grouped])
    for section in document.sections:  # each box speaks for itself
        for item in section.boxes():
            item.parent = None
    return units


def _boxed(section: Section) -> list[Section]:
    return [child for child in section.children if child.has_boxes]


def _groups(section: Section) -> Iterator[Section]:
    """The section, or those inside that are counted, where it only divides the list into parts that count their own."""
    inner = _boxed(section)
    if section.label.id or section.boxes() or not all(child.label.id for child in inner):
        yield section
        return
    for child in inner:
        yield from _groups(child)


def count_tasks(units: list[Unit], own: dict[str, list[Section]], document: Outline) -> dict[str, Account]:
    """What the boxes of each unit say of it; nothing else is heard."""
    below = items_below(units, document.sections)
    accounts = {}
    for unit in units:
        items = [item for section in own.get(unit.id, ()) for item in section.boxes()]
        single = items[0] if len(items) == 1 else None
        if unit.item is not None:
            single, items = unit.item, [unit.item, *below[unit.item]] if unit.item in below else []
        counted = boxes_claim(items, Kind.ITEMS, "boxes") if len(items) != 1 else None
        claim = counted or (box_claim(single, []) if single is not None else None)
        accounts[unit.id] = Account([claim] if claim else [], items, ())
    return accounts
