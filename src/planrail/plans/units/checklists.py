"""Units that are list items: lists of phases, numbered tasks with numbered parts, roadmaps in prose."""

import re

from planrail.base.patterns import pattern
from planrail.plans.states import State
from planrail.plans.text.blocks import Item, Text
from planrail.plans.text.outline import Section, is_criteria, is_verification
from planrail.plans.units.systems import System
from planrail.plans.units.trackers import is_tracker_title
from planrail.plans.units.units import Unit, first_of_each, id_key, is_log, item_unit, part_of, with_unique_ids
from planrail.plans.words.labels import Label, may_name_unit, read_label, read_name
from planrail.plans.words.marks import group_state
from planrail.plans.words.names import PLAN_ENDS, STEP_TITLES, TODO_TITLES, UNIT_WORDS

_DIGITS = frozenset("0123456789*")
_WITHOUT_REMARK = pattern(r"[(（].*$")
# A unit and a verb: what is said about it, in running text.
_SENTENCE = r"[^\W\d_]+ \d[\w.]*[*_]* [a-z]{2,}\b(?!\s*[:：–—-])"


def index_entries(sections: list[Section], word: str) -> list[tuple[Item, Label]]:
    """The entries of lists that name units by the same word: `- [x] **Phase 14: Engine Core** - ...`."""
    found = []
    for section in sections:
        if section.label.word == word or is_log(section):
            continue
        lists_units = not is_criteria(section.text)
        for block in section.blocks:
            if type(block) is Text and not lists_units:
                lists_units = not block.depth and block.text[:1] == "*" and is_tracker_title(block.text[:40])
            if not lists_units:
                continue
            if type(block) is Item and block.depth == 0 and block.box is not None and word in block.text[:40].lower():
                label = read_label(block.text, (word,))
                if label.word == word:
                    found.append((block, label))
    return found


def index_items(sections: list[Section]) -> list[Unit]:
    """Boxes that name phases, in a document whose headings do not."""
    units = []
    for section in sections:
        boxes = [box for box in section.boxes() if not box.depth]
        names = [(box, *read_name(box.text)) for box in boxes if may_name_unit(box.text)]
        named = [
            Unit(identity, title or box.text, word, box.line, None, box, None)
            for box, word, identity, title in names
            if identity and word in UNIT_WORDS
        ]
        if len(named) * 2 > len(boxes) and not is_criteria(section.text):
            units += named
    kept: dict[str, Unit] = {}
    for unit in units:
        known = kept.setdefault(id_key(unit.id), unit)
        if known.title.lower() != unit.title.lower():
            return []  # counted anew in another list: these ids name nothing
        if known.item and unit.item and _is_stale(known.item, unit.item):
            kept[id_key(unit.id)] = unit
    return list(kept.values()) if len(kept) > 1 else []


def _number_of(text: str) -> str:
    """The number that an item is counted by: `1`, `1.2`; "" where it is not."""
    end = text.find(" ", 0, 12)
    number = text[: max(end, 0)].strip("*.:)")
    return number if number[:1].isdecimal() and number.replace(".", "").isdecimal() else ""


def numbered_items(sections: list[Section], best: System | None) -> list[Unit]:
    """Boxes counted 1, 2, 3 over boxes counted 1.1, 1.2: the upper ones are the units, whatever headings group them."""
    counted: list[Item] = []
    parts: set[str] = set()
    boxes = [box for section in sections for box in section.boxes()]
    for box in boxes:
        number = _number_of(box.text) if box.text[:1] in _DIGITS else ""
        if "." in number:
            parts.add(number[: number.index(".")])
        elif number and box.depth == 0:
            counted.append(box)
    if not parts and not _count_on(sections):
        return []
    kept: dict[str, tuple[Item, Label]] = {}  # of a task that stands there twice, the ticked one is meant
    for item, label in [(item, read_label(item.text)) for item in counted]:
        if label.id not in kept or _is_stale(kept[label.id][0], item):
            kept[label.id] = (item, label)
    headings = {section.label.id for section in (best.sections if best else sections) if section.label.id}
    shared = kept.keys() & headings
    if (parts and not kept.keys() & parts) or (shared and len(shared) * 2 >= len(kept)):
        return []
    for box in boxes:
        box.box = "~" if box.box == "-" else box.box  # this dialect (Kiro) marks what is in progress with a dash
    return [item_unit(item, label) for item, label in kept.values()]


def _count_on(sections: list[Section]) -> bool:
    """Whether all boxes are counted 1, 2, 3 through several sections, which then only group them."""
    numbers: list[str] = []
    groups = 0
    for section in sections:
        boxes = [box for box in section.boxes() if not box.depth]
        counted = [_number_of(box.text) for box in boxes]
        if boxes and not all(counted):
            return False
        groups += bool(boxes)
        numbers += counted
    return groups > 1 and numbers == [str(number) for number in range(1, len(numbers) + 1)]


def _is_stale(known: Item, other: Item) -> bool:
    """Whether the first of two copies of a box was left open when the second was ticked."""
    return known.state is State.TODO and other.state is State.DONE


def listed_units(sections: list[Section]) -> list[Unit]:
    """Plain list items that name phases: a roadmap in prose."""
    units = []
    codes: dict[str, list[Unit]] = {}
    for section in sections:
        for item in _plain_names(section):
            label = read_label(item.text)
            # Counted by a code, or by a word that is no word for phases: "Week 1", "1주차".
            is_series = label.word.isupper() or (label.word in UNIT_WORDS and label.word != "number")
            if label.id and UNIT_WORDS.get(label.word, 9) < 2:
                units.append(item_unit(item, label))
            elif label.id and is_series and is_tracker_title(section.text):
                codes.setdefault(label.word, []).append(item_unit(item, label))
    units = first_of_each(units)
    if len(units) > 1:
        return units
    coded = max((first_of_each(found) for found in codes.values()), key=len, default=[])
    return coded if len(coded) > 2 else []


def _plain_names(section: Section) -> list[Item]:
    """The entries without a box that begin with a name and not with a sentence: "Phase 6.7 re-runs the tests"."""
    plain = [item for item in section.items() if not item.depth and item.box is None]
    return [item for item in plain if re.match(_SENTENCE, item.text.lstrip("*_ ")) is None]


def listed_beyond(sections: list[Section], word: str, units: list[Unit]) -> list[Unit]:
    """Plain entries that go on with the phases of the headings: "- **Phase 4:** ..." under "Next phases"."""
    named = []
    for section in sections:
        lower = section.text.lower()
        speaks = f" {word}s" in lower or lower.strip(" *_:").startswith((f"{word}s", f"{word}es", f"{word}n"))
        if section.label.id or not (group_state(section.text) or speaks):
            continue
        labels = [(item, read_label(item.text, (word,))) for item in _plain_names(section)]
        named += [item_unit(item, label) for item, label in labels if label.word == word]
    if len(named) < 2:
        return []
    known = {id_key(unit.id) for unit in units}
    found = first_of_each([unit for unit in named if id_key(unit.id) not in known and not part_of(unit.id, known)])
    return found if len(found) > 1 else []


def counted_items(sections: list[Section]) -> list[Unit]:
    """The entries of a list that is counted 1, 2, 3 under a heading that says they are steps: `## Steps`."""
    for section in sections:
        counted = _first_run(_counted_blocks(section))
        if len(counted) > 2:
            return [_counted_unit(item) for item in counted]
    return []


def whole_list(sections: list[Section]) -> list[Unit]:
    """The entries of a list that is all that a document has below its title: counted, or called a list of work."""
    if len(sections) > 2 or any(section.level > 1 for section in sections):
        return []
    entries = [item for section in sections for item in section.items() if not item.depth]
    run = _first_run([item for item in entries if item.number])
    if len(run) > 2:
        return [_counted_unit(item) for item in run]
    title = sections[-1].text.lower()
    plain = [item for item in entries if not item.number]
    if len(plain) < 2 or not any(word in title for word in TODO_TITLES):
        return []
    return with_unique_ids([_counted_unit(item, str(number)) for number, item in enumerate(plain, 1)])


def _first_run(items: list[Item]) -> list[Item]:
    """The entries that are counted on from 0 or 1, up to where the count breaks off."""
    run: list[Item] = []
    first = _count(items[0]) if items else ""
    for number, item in enumerate(items, int(first) if first.isdecimal() and int(first) < 2 else -1):
        if number < 0 or not _count(item).isdecimal() or int(_count(item)) != number:
            break
        run.append(item)
    return run


def _counted_blocks(section: Section) -> list[Item]:
    """The counted entries of a section that says they are steps, or that a line of it does: "Migration phases:"."""
    is_plan = section.level > 1 and _WITHOUT_REMARK.sub("", section.text.lower()).strip(" *_:").endswith(PLAN_ENDS)
    is_other = is_criteria(section.text) or is_verification(section.text)
    if (is_plan or any(title in section.text.lower() for title in STEP_TITLES)) and not is_other:
        return [item for item in section.items() if _count(item) and not item.depth]
    found: list[Item] = []
    is_under = False
    for block in section.blocks:
        if isinstance(block, Item) and block.number and not block.depth:
            found += [block] if is_under else []
        elif isinstance(block, Text) and not block.depth and not block.is_lazy:
            if found:
                break
            label = block.text.strip(" *_").lower()
            is_under = label.endswith((":", "：")) and label.rstrip(":：*_ ").endswith(STEP_TITLES)
    return found


def _count(item: Item) -> str:
    """The number of an entry: that of its list, or the one that it begins with: `- **001 — Cube** ...`."""
    return item.number or _number_of(item.text)


def _counted_unit(item: Item, number: str = "") -> Unit:
    label = read_label(item.text)
    number = label.id or item.number or number
    return Unit(number, label.title or item.text, label.word or "number", item.line, None, item, None)


def grouped_items(sections: list[Section]) -> list[Unit]:
    """The entries of lists under headings that say how far each of them is: "Completed" beside "Remaining"."""
    levels: dict[tuple[int, Section | None], list[Section]] = {}
    for section in sections:
        if group_state(section.text) is not None and section.items():
            levels.setdefault((section.level, section.parent), []).append(section)
    for groups in levels.values():
        states = {group_state(section.text) for section in groups}
        if State.DONE in states and len(states) > 1:
            items = [item for section in groups for item in section.items()]
            return with_unique_ids([item_unit(item, read_label(item.text)) for item in items if not item.depth])
    return []
