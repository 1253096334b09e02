"""Units of work, the ids by which the places that name them are compared, and the progress logs that speak of them."""

import re
from collections.abc import Container

from planrail.base.patterns import pattern
from planrail.base.records import mutable_record
from planrail.plans.text.blocks import Item
from planrail.plans.text.outline import Section
from planrail.plans.units.trackers import TrackerRow
from planrail.plans.words.labels import Label, read_label, slug

_LOG_TITLE = pattern(r"\W*(?:progress|进度|進捗|прогресс|fortschritt|avancement|progreso)\b", re.IGNORECASE)
_STAMP = pattern(r"^\((?:\d{4}-[^)]*|pending|todo|in progress)\)\s*", re.IGNORECASE)


@mutable_record
class Unit:
    """A unit of work and every place that names it."""

    id: str
    title: str
    word: str
    line: int
    section: Section | None
    item: Item | None
    row: TrackerRow | None


def id_key(text: str) -> str:
    """The form of an id by which two places are compared: `01` and `1` are one phase, `3.10` and `3.1` are not."""
    if text.isdecimal():
        return text.lstrip("0") or "0"
    return text.lower().strip().rstrip(".")


def part_of(name: str, known: Container[str]) -> str:
    """The key of the unit that an id is a part of: "1" for 1.2, where there is a unit 1 and none 1.2; else ""."""
    if "." not in name:
        return ""
    key = id_key(name)
    whole = key.rpartition(".")[0]
    return whole if whole and key not in known and whole in known else ""


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


def told_apart(units: list[Unit]) -> list[Unit]:
    """The units, with the name of their part before an id that several parts count: `backend/1`, `frontend/1`."""
    units = _without_copies(units)
    keys = [id_key(unit.id) for unit in units]
    if len(set(keys)) == len(keys):
        return units
    for unit, key in zip(units, keys, strict=True):
        above = unit.section.parent if unit.section is not None and keys.count(key) > 1 else None
        if above is not None and above.level:
            unit.id = f"{slug(above.label.title or above.text)}/{unit.id}"
    return with_unique_ids(units)


def _without_copies(units: list[Unit]) -> list[Unit]:
    """The units without empty headings that stand there twice, as a merge leaves them."""
    copies: dict[tuple[str, str, int], list[Unit]] = {}
    for unit in units:
        above = unit.section.parent if unit.section is not None else None
        copies.setdefault((id_key(unit.id), unit.title.lower(), above.line if above else 0), []).append(unit)
    holding = {unit for unit in units if unit.section is None or unit.section.has_boxes or unit.section.label.mark}
    kept = [unit for found in copies.values() for unit in ([one for one in found if one in holding] or found[:1])]
    return sorted(kept, key=lambda unit: unit.line) if len(kept) < len(units) else units


def is_log(section: Section) -> bool:
    """Whether a section is a log of work: a checklist headed "Progress" whose entries carry dates."""
    if not _LOG_TITLE.match(section.text):
        return False
    return any(_STAMP.match(box.text) for box in section.boxes())


def without_stamp(text: str) -> str:
    """The text of an entry without the date in front of it."""
    return _STAMP.sub("", text) if text[:1] == "(" else text


def is_logged(sections: list[Section], word: str) -> bool:
    items = (item for section in sections if is_log(section) for item in section.items())
    return any(read_label(without_stamp(item.text)).word == word for item in items)
