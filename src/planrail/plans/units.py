"""Units: which headings, list items and rows of a document are its phases.

A document names its units in several ways at once: headings, a list of phases, a tracker. Headings of one kind form a
system ("Phase 1", "Phase 2"; "WP01"; "1. Setup"); the rules below say which system is the plan's, and the entries of
all places that name the same unit are joined.
"""

import re

from planrail.plans.blocks import Item
from planrail.plans.labels import Label, may_name_unit, read_label, read_name, slug
from planrail.plans.outline import Outline, Section, is_aside, is_criteria
from planrail.plans.states import State
from planrail.plans.trackers import Row, Tracker, is_tracker_title, read_tracker
from planrail.plans.words import STEP_TITLES, UNIT_WORDS
from planrail.records import mutable_record, record


_LOG_TITLE = re.compile(r"\W*(?:progress|进度|進捗|прогресс|fortschritt|avancement|progreso)\b", re.IGNORECASE)
_DIGITS = frozenset("0123456789*")
STAMP = re.compile(r"^\((?:\d{4}-[^)]*|pending|todo|in progress)\)\s*", re.IGNORECASE)


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
    tracker: Tracker | None


@record
class System:
    """Headings of one kind, with what speaks for their being the plan's phases."""

    word: str
    sections: list[Section]
    marked: int  # with a mark or a status line of their own
    boxed: int  # with boxes anywhere below

    members: frozenset[Section]

    @property
    def rank(self) -> int:
        return UNIT_WORDS.get(self.word, 2)


def id_key(text: str) -> str:
    """The form of an id by which two places are compared: `01` and `1` are one phase, `3.10` and `3.1` are not."""
    if text.isdecimal():
        return text.lstrip("0") or "0"
    return text.lower().strip().rstrip(".")


def find_units(document: Outline) -> tuple[str, list[Unit]]:
    """The units of a document and the format they are written in."""
    root, sections = document.root, document.sections
    trackers = [found for section, table in document.tables if (found := read_tracker(section, table))]
    systems = _systems(sections)
    best = _with_siblings(_best_system(systems), sections)
    tracker_units = _from_trackers(trackers, systems, best)
    if tracker_units:
        return "tracker", _join_headings(tracker_units, best, sections)
    numbered_items = _numbered_items(sections, best)
    if numbered_items:
        return "checklist", numbered_items
    if best and (best.marked or best.boxed or not _has_log(sections) or _is_logged(sections, best.word)):
        return ("headings" if best.marked else "sections"), _from_system(best, sections)
    for kind, units in (
        ("checklist", _index_items(sections)),
        ("sections", _numbered_sections(sections)),
        ("checklist", _buckets(root)),
        ("headings", _marked_sections(sections)),
        ("tracker", _from_weak_trackers(trackers)),
        ("sections", _counted_steps(sections)),
        ("sections", _listed_units(sections)),
    ):
        if units:
            return kind, units
    return "narrative", []


# ---------------------------------------------------------------------------------------------- systems of headings


def _systems(sections: list[Section]) -> list[System]:
    groups: dict[str, list[Section]] = {}
    tops = [section for section in sections if section.level == 1]
    for section in sections:
        is_title = section.level == 1 and len(tops) == 1
        if section.label.id and section.label.word != "number" and not is_title and not _is_under_criteria(section):
            groups.setdefault(section.label.word, []).append(section)
    systems = []
    for word, members in groups.items():
        marked = sum(1 for section in members if is_marked(section))
        boxed = sum(1 for section in members if section.has_boxes)
        system = System(word, members, marked, boxed, frozenset(members))
        if word in UNIT_WORDS or (len(members) > 1 and (marked or boxed)):
            systems.append(system)
    return systems


def _is_under_criteria(section: Section) -> bool:
    parent = section.parent
    while parent is not None:
        if parent.level > 1 and is_criteria(parent.text) and not parent.label.id:
            return True
        parent = parent.parent
    return False


def _best_system(systems: list[System]) -> System | None:
    if not systems:
        return None
    tracked = [system for system in systems if system.marked] or [system for system in systems if system.boxed] or systems
    ranked = sorted(tracked, key=lambda system: (system.rank, _level(system), -len(system.sections)))
    best = ranked[0]
    if len(best.sections) == 1:
        others = [system for system in ranked if len(system.sections) > 1 and not _is_nested(system, best)]
        best = others[0] if others and not best.marked else best
    for inner in systems:
        if inner is not best and _is_finer(inner, best):
            best = inner
    return best


def _is_nested(inner: System, outer: System) -> bool:
    return any(_enclosing(section, outer) is not None for section in inner.sections)


def _with_siblings(best: System | None, sections: list[Section]) -> System | None:
    """The system together with the marked headings beside it that are named otherwise: "Phase 0", "M1", "M1.1".

    Headings of a system that has no unit word ("B-1", "U-2") are joined by all on their level, where most are marked.
    """
    if best is None or not best.marked:
        return best
    level = _level(best)
    on_level = [section for section in sections if section.level == level and not _is_under_criteria(section)]
    if best.word in UNIT_WORDS:
        parents = {section.parent for section in best.sections}
        joined = [section for section in on_level if section.parent in parents and section.label.word != "number"]
        joined = [section for section in joined if section in best.members or (section.label.id and is_marked(section))]
    else:
        joined = [section for section in on_level if not is_aside(section.text)]
        if sum(1 for section in joined if is_marked(section)) * 2 < len(joined):
            return best
    known = set(joined)
    joined += [section for section in best.sections if section not in known]
    joined.sort(key=lambda section: section.line)
    return System(best.word, joined, best.marked, best.boxed, frozenset(joined))


def is_marked(section: Section) -> bool:
    """Whether a section carries a mark of its own."""
    return section.label.mark is not None or section.status is not None


def _level(system: System) -> int:
    return min(section.level for section in system.sections)


def _is_finer(inner: System, outer: System) -> bool:
    """Whether the inner headings are the units and the outer ones only group them.

    Work packages and tasks that are counted on through all groups are units. Tasks that start again at 1 in each phase,
    or carry the phase's number, are parts of it.
    """
    if not (inner.marked or inner.boxed) or (outer.marked and not inner.marked):
        return False
    parents = [_enclosing(section, outer) for section in inner.sections]
    if not all(parents) or set(parents) != outer.members:
        return False
    keys = [id_key(section.label.id) for section in inner.sections]
    if len(set(keys)) != len(keys) or not _counts_on(keys):
        return False
    prefixed = sum(
        1 for section, parent in zip(inner.sections, parents, strict=True)
        if parent and _digits(section.label.id).startswith(_digits(parent.label.id) + ".")
    )
    return prefixed * 2 < len(keys)


def _counts_on(keys: list[str]) -> bool:
    """Whether ids are counted upwards from the first to the last."""
    numbers = [[int(part) for part in re.findall(r"\d+", key)] for key in keys]
    return all(first <= second for first, second in zip(numbers, numbers[1:], strict=False))


def _digits(text: str) -> str:
    return text.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-#").replace("-", ".")


def _enclosing(section: Section, system: System) -> Section | None:
    parent = section.parent
    while parent is not None:
        if parent in system.members:
            return parent
        parent = parent.parent
    return None


def _from_system(system: System, sections: list[Section]) -> list[Unit]:
    entries = _index_entries(sections, system.word)
    units = _first_of_each([_item_unit(item, label) for item, label in entries])
    headings = {id_key(section.label.id) for section in system.sections}
    if not units:
        return _join_headings([], system, sections, keep_all=True)
    if {id_key(unit.id) for unit in units} <= headings:
        keys = dict.fromkeys(id_key(part.label.id or slug(part.label.title)) for part in system.sections)
        order = {key: at for at, key in enumerate(keys)}
        joined = _join_headings(units, system, sections, keep_all=True)
        return sorted(joined, key=lambda unit: order[id_key(unit.id)])
    return _join_headings(units, system, sections, keep_all=True)


def _join_headings(
    units: list[Unit], system: System | None, sections: list[Section], *, keep_all: bool = False
) -> list[Unit]:
    """Give each unit the section that describes it, and add the headings that no list or tracker mentions."""
    known = {id_key(unit.id): unit for unit in units}
    members = system.sections if system else _numbered_matches(units, sections)
    keep_all = keep_all or any(id_key(section.label.id) in known for section in members if section.label.id)
    for section in members:
        key = id_key(section.label.id or slug(section.label.title))
        unit = known.get(key)
        if unit is None:
            if not keep_all and not (section.has_boxes or is_marked(section)):
                continue
            if _is_inside_unit(section, known) or _is_composite(section.label.id, known):
                continue
            unit = _section_unit(section)
            known[key] = unit
            units.append(unit)
        elif unit.section is None:
            unit.section = section
            unit.line = unit.row.line if unit.row else section.line
            unit.title = _longer(section.label.title, unit.title) if not unit.row else unit.title or section.label.title
            unit.word = section.label.word
        elif _is_better(section, unit.section):
            unit.section = section
    return units


def _is_inside_unit(section: Section, known: dict[str, Unit]) -> bool:
    parent = section.parent
    while parent is not None and parent.level:
        owner = known.get(id_key(parent.label.id)) if parent.label.id else None
        if owner and owner.section is parent:
            return True
        parent = parent.parent
    return False


def _is_composite(text: str, known: dict[str, Unit]) -> bool:
    """Whether an id only adds up others, as the notes on "Phase 1+2" do."""
    if text.isalnum():
        return False
    parts = re.split(r"[+&/-]", text)
    return len(parts) > 1 and all(id_key(part) in known for part in parts)


def _is_better(section: Section, known: Section) -> bool:
    """Whether a second heading with the same id describes the unit better than the first one does."""
    if is_marked(known) or known.has_boxes:
        return False
    return is_marked(section) or section.has_boxes


def _longer(first: str, second: str) -> str:
    return first or second


def _numbered_matches(units: list[Unit], sections: list[Section]) -> list[Section]:
    """The numbered headings that a tracker's rows mean, where there are no headings with a unit word."""
    keys = {id_key(unit.id) for unit in units}
    matches = [section for section in sections if section.label.id and id_key(section.label.id) in keys]
    titles = {unit.title.lower() for unit in units}
    return [section for section in matches if section.label.title.lower() in titles or section.label.word != "number"]


def _section_unit(section: Section) -> Unit:
    label = section.label
    title = label.title or section.text
    return Unit(label.id or slug(title), title, label.word, section.line, section, None, None, None)


# ------------------------------------------------------------------------------------------------- trackers


def _from_trackers(trackers: list[Tracker], systems: list[System], best: System | None) -> list[Unit]:
    """The units of the trackers that list the plan's phases; a table inside a phase lists only its items."""
    ids = {id_key(section.label.id) for system in systems for section in system.sections}
    chosen = []
    for tracker in trackers:
        keys = [id_key(row.id) for row in tracker.rows if row.id]
        overlap = sum(1 for key in keys if key in ids)
        inside = best is not None and (tracker.section in best.members or _enclosing(tracker.section, best) is not None)
        if inside or not keys or len(keys) * 2 < len(tracker.rows):
            continue
        is_list = tracker.is_named and not (best and best.marked)
        if overlap * 2 >= len(keys) or (is_list and (not ids or is_tracker_title(tracker.section.text))):
            chosen.append(tracker)
    return _row_units(chosen + _continuations(chosen, trackers))


def _continuations(chosen: list[Tracker], trackers: list[Tracker]) -> list[Tracker]:
    """The further tables that list the same kind of unit under the same column: an archive, a table of progress."""
    names = {tracker.key_header for tracker in chosen if tracker.is_named}
    return [tracker for tracker in trackers if tracker not in chosen and tracker.is_named and tracker.key_header in names]


def _from_weak_trackers(trackers: list[Tracker]) -> list[Unit]:
    """The rows of tables with a status column, where nothing else in the document is a unit."""
    return _row_units([tracker for tracker in trackers if not is_criteria(tracker.section.text)])


def _row_units(trackers: list[Tracker]) -> list[Unit]:
    units = []
    for tracker in trackers:
        for row in tracker.rows:
            units.append(Unit(row.id or slug(row.title), row.title, row.word, row.line, None, None, row, tracker))
    return _first_of_each(units)


def _first_of_each(units: list[Unit]) -> list[Unit]:
    seen: dict[str, Unit] = {}
    for unit in units:
        seen.setdefault(id_key(unit.id), unit)
    return list(seen.values())


# --------------------------------------------------------------------------------------------------- list items


def _index_entries(sections: list[Section], word: str) -> list[tuple[Item, Label]]:
    """The entries of lists that name units by the same word: `- [x] **Phase 14: Engine Core** - ...`."""
    found = []
    for section in sections:
        if section.label.word == word or is_criteria(section.text) or is_log(section):
            continue
        for block in section.blocks:
            if type(block) is Item and block.depth == 0 and block.box is not None and word in block.text[:40].lower():
                label = read_label(block.text)
                if label.word == word:
                    found.append((block, label))
    return found


def is_log(section: Section) -> bool:
    """Whether a section is a log of work: a checklist headed "Progress" whose entries carry dates."""
    if not _LOG_TITLE.match(section.text):
        return False
    boxes = [block for block in section.blocks if isinstance(block, Item) and block.box is not None]
    return any(STAMP.match(box.text) for box in boxes)


def _has_log(sections: list[Section]) -> bool:
    return any(is_log(section) for section in sections)


def _is_logged(sections: list[Section], word: str) -> bool:
    """Whether the log names units by this word."""
    items = [block for section in sections if is_log(section) for block in section.blocks if isinstance(block, Item)]
    return any(read_label(STAMP.sub("", item.text)).word == word for item in items)


def _index_items(sections: list[Section]) -> list[Unit]:
    """Boxes that name phases, in a document whose headings do not."""
    units = []
    for section in sections:
        boxes = [block for block in section.blocks if isinstance(block, Item) and block.depth == 0 and block.box is not None]
        named = [unit for box in boxes if may_name_unit(box.text) and (unit := _named_item(box)).word in UNIT_WORDS]
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


def _item_unit(item: Item, label: Label) -> Unit:
    title = label.title or item.text
    return Unit(label.id or slug(title), title, label.word, item.line, None, item, None, None)


def _named_item(item: Item) -> Unit:
    word, identity, title = read_name(item.text)
    return Unit(identity, title or item.text, word if identity else "", item.line, None, item, None, None)


def _number_of(text: str) -> str:
    """The number that an item is counted by: `1`, `1.2`; "" where it is not."""
    end = text.find(" ", 0, 12)
    number = text[: max(end, 0)].strip("*.:)")
    return number if number[:1].isdecimal() and number.replace(".", "").isdecimal() else ""


def _numbered_items(sections: list[Section], best: System | None) -> list[Unit]:
    """Boxes counted 1, 2, 3 over boxes counted 1.1, 1.2: the upper ones are the units, whatever headings group them."""
    counted: list[Item] = []
    parts: set[str] = set()
    for section in sections:
        for block in section.blocks:
            if type(block) is Item and block.box is not None and block.text[:1] in _DIGITS:
                number = _number_of(block.text)
                if "." in number:
                    parts.add(number[: number.index(".")])
                elif number and block.depth == 0:
                    counted.append(block)
    whole = _without_stale_copies([(item, read_label(item.text)) for item in counted] if parts else [])
    ids = {label.id for _, label in whole}
    headings = {section.label.id for section in (best.sections if best else sections) if section.label.id}
    if not ids & parts or len(ids) != len(whole) or (ids & headings and len(ids & headings) * 2 >= len(ids)):
        return []
    for section in sections:
        for block in section.blocks:
            if isinstance(block, Item) and block.box == "-":
                block.box = "~"  # this dialect (Kiro) marks what is in progress with a dash
    return [_item_unit(item, label) for item, label in whole]


def _without_stale_copies(whole: list[tuple[Item, Label]]) -> list[tuple[Item, Label]]:
    """One entry for each number: of a task that stands there twice, the ticked one is meant."""
    kept: dict[str, tuple[Item, Label]] = {}
    for item, label in whole:
        known = kept.get(label.id)
        if known is None or _is_stale(known[0], item):
            kept[label.id] = (item, label)
    return list(kept.values())


def _is_stale(known: Item, other: Item) -> bool:
    """Whether the first of two copies of a box was left open when the second was ticked."""
    return known.state is State.TODO and other.state is State.DONE


def _listed_units(sections: list[Section]) -> list[Unit]:
    """Plain list items that name phases: a roadmap in prose."""
    units = []
    for section in sections:
        for block in section.blocks:
            if isinstance(block, Item) and block.depth == 0 and block.box is None:
                label = read_label(block.text)
                if label.id and label.word in UNIT_WORDS and UNIT_WORDS[label.word] < 2:
                    units.append(_item_unit(block, label))
    units = _first_of_each(units)
    return units if len(units) > 1 else []


# ------------------------------------------------------------------------------------------------ plain sections


def _numbered_sections(sections: list[Section]) -> list[Unit]:
    """Sections counted 1, 2, 3 with boxes in them: `## 1. Core types`."""
    levels: dict[int, list[Section]] = {}
    for section in sections:
        if section.label.word == "number" and section.label.id:
            levels.setdefault(section.level, []).append(section)
    for level in sorted(levels):
        tracked = [section for section in levels[level] if section.has_boxes or section.label.mark]
        if len(tracked) > 1 or (tracked and _counts_its_items(tracked[0])):
            members = levels[level] if len(tracked) * 2 >= len(levels[level]) else tracked
            return [_section_unit(section) for section in members]
    return []


def _counted_steps(sections: list[Section]) -> list[Unit]:
    """Counted headings without any mark, under a heading that says they are steps: `## Implementation Steps`."""
    for parent in sections:
        if any(word in parent.text.lower() for word in STEP_TITLES):
            steps = [child for child in parent.children if child.label.word == "number"]
            if len(steps) > 1:
                return _with_unique_ids([_section_unit(section) for section in steps])
    return []


def _counts_its_items(section: Section) -> bool:
    prefix = section.label.id + "."
    return any(isinstance(block, Item) and block.text.startswith(prefix) for block in section.blocks)


def _buckets(root: Section) -> list[Unit]:
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
        return [] if node is not root and is_aside(node.text) else _flat([block for block in own if isinstance(block, Item)])
    units = [_section_unit(section) for section in boxed]
    return _with_unique_ids(units)


def _has_work(section: Section) -> bool:
    if is_aside(section.text):
        return False
    return any(_is_task(block) for block in section.blocks) or any(_has_work(child) for child in section.children)


def _is_task(block: object) -> bool:
    return isinstance(block, Item) and block.box is not None


def _flat(items: list[Item]) -> list[Unit]:
    units = []
    for item in items:
        if item.depth == 0:
            word, identity, title = read_name(item.text)
            number = identity or str(len(units) + 1)
            units.append(Unit(number, title or item.text, word, item.line, None, item, None, None))
    ids = {id_key(unit.id) for unit in units}
    if len(ids) != len(units):
        for number, unit in enumerate(units, 1):
            unit.id = str(number)
    return units


def _with_unique_ids(units: list[Unit]) -> list[Unit]:
    seen: dict[str, int] = {}
    for unit in units:
        count = seen.get(id_key(unit.id), 0)
        seen[id_key(unit.id)] = count + 1
        if count:
            unit.id = f"{unit.id}-{count + 1}"
    return units


def _marked_sections(sections: list[Section]) -> list[Unit]:
    """Plain headings that carry marks, two or more on one level: `## API 🚧`."""
    levels: dict[int, list[Section]] = {}
    for section in sections:
        if is_marked(section) and section.level > 1 and not is_aside(section.text):
            levels.setdefault(section.level, []).append(section)
    for level in sorted(levels):
        if len(levels[level]) > 1:
            return _with_unique_ids([_section_unit(section) for section in levels[level]])
    return []
