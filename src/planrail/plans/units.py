"""Units of work, and the ids by which the places that name them are compared."""

from planrail.plans.blocks import Item
from planrail.plans.labels import Label, slug
from planrail.plans.outline import Section
from planrail.plans.trackers import Row
from planrail.records import mutable_record


@mutable_record
class Unit:
    """A unit of work and every place that names it."""

    id: str
    title: str
    word: str
    line: int
    section: Section | None
    item: Item | None
    row: Row | None


def id_key(text: str) -> str:
    """The form of an id by which two places are compared: `01` and `1` are one phase, `3.10` and `3.1` are not."""
    if text.isdecimal():
        return text.lstrip("0") or "0"
    return text.lower().strip().rstrip(".")


def section_unit(section: Section) -> Unit:
    label = section.label
    title = label.title or section.text
    return Unit(label.id or slug(title), title, label.word, section.line, section, None, None)


def item_unit(item: Item, label: Label) -> Unit:
    title = label.title or item.text
    return Unit(label.id or slug(title), title, label.word, item.line, None, item, None)


def first_of_each(units: list[Unit]) -> list[Unit]:
    seen: dict[str, Unit] = {}
    for unit in units:
        seen.setdefault(id_key(unit.id), unit)
    return list(seen.values())


def with_unique_ids(units: list[Unit]) -> list[Unit]:
    """The units, with a number behind the ids that occurred before."""
    taken: set[str] = set()
    for unit in units:
        name, count = unit.id, 1
        while id_key(unit.id) in taken:
            count += 1
            unit.id = f"{name}-{count}"
        taken.add(id_key(unit.id))
    return units
