"""Finding the units of a document: which headings, list items and rows are its phases.

A document names its units in several ways at once: headings, a list of phases, a tracker. The rules below say which of
them is the plan's, in order of strength, and the entries of all places that name the same unit are joined.
"""

import re
from collections.abc import Callable

from planrail.base.records import replace
from planrail.plans.text.outline import Outline, Section, is_aside
from planrail.plans.units import checklists, systems, unit_sections
from planrail.plans.units.systems import System, enclosing, is_marked
from planrail.plans.units.trackers import Tracker, TrackerRow, is_tracker_title, planned_rows, read_tracker
from planrail.plans.units.units import Unit, first_of_each, id_key, is_log, is_logged, item_unit, part_of, section_unit
from planrail.plans.words.labels import slug
from planrail.plans.words.names import UNIT_WORDS


def find_units(document: Outline) -> tuple[str, list[Unit]]:
    sections = document.sections
    trackers = [found for section, table in document.tables if (found := read_tracker(section, table))]
    kinds = systems.find_systems(sections, lambda word: checklists.index_entries(sections, word))
    best = systems.with_siblings(systems.best_system(kinds), sections)
    tracker_units = _from_trackers(trackers, kinds, best)
    if tracker_units:
        named = [system for system in kinds if system.word == tracker_units[0].word]
        return "tracker", _join_headings(tracker_units, named[0] if named else best, sections)
    tasks = checklists.numbered_items(sections, best)
    if tasks:
        return "checklist", tasks
    if best and len(best.sections) == 1 and not (best.marked or best.boxed):
        listed = checklists.listed_units(sections)
        if listed:
            return "sections", listed
    if best and (best.marked or best.boxed or not any(map(is_log, sections)) or is_logged(sections, best.word)):
        units = _named_by(systems.restarted(best), sections)
        return ("headings" if best.marked else "sections"), units + checklists.listed_beyond(sections, best.word, units)
    return _without_system(document, trackers)


def _without_system(document: Outline, trackers: list[Tracker]) -> tuple[str, list[Unit]]:
    """The units of a document whose headings do not name them: the first of these ways that finds any."""
    sections = document.sections

    def titled(_: list[Section]) -> list[Unit]:
        """The rows of tables under a heading that announces them, where they are more than the boxes."""
        units = _row_units([one for one in weak if is_tracker_title(one.section.text)])
        return units if len(units) > max(2, sum(len(section.boxes()) for section in sections)) else []

    def planned(_: list[Section]) -> list[Unit]:
        """The rows of the first table that counts steps, where nothing says how far anything is."""
        tables = (planned_rows(section, table) for section, table in document.tables if not is_aside(section.text))
        rows: list[TrackerRow] = next(filter(None, tables), [])
        return [Unit(row.id, row.title, row.word or "number", row.line, None, None, row) for row in rows]

    weak = [tracker for tracker in trackers if not is_aside(tracker.section.text)]
    ways: tuple[tuple[str, Callable[[list[Section]], list[Unit]]], ...] = (
        ("checklist", checklists.index_items),
        ("sections", lambda _: _with_unmarked(unit_sections.numbered_sections(sections), sections)),
        ("tracker", titled),
        ("checklist", lambda _: unit_sections.buckets(document.root)),
        ("headings", lambda _: _with_unmarked(unit_sections.marked_sections(sections), sections)),
        ("tracker", lambda _: _row_units(weak)),
        ("sections", unit_sections.counted_steps),
        ("sections", checklists.listed_units),
        ("sections", checklists.grouped_items),
        ("sections", checklists.counted_items),
        ("sections", unit_sections.counted_sections),
        ("sections", unit_sections.named_series),
        ("sections", planned),
        ("sections", unit_sections.todo_sections),
        ("sections", checklists.whole_list),
    )
    return next(((kind, units) for kind, find in ways if (units := find(sections))), ("narrative", []))


def _with_unmarked(units: list[Unit], sections: list[Section]) -> list[Unit]:
    """Sections that carry marks or boxes, with those that have none yet where all are counted in one series."""
    counted = unit_sections.counted_sections(sections) if units else []
    return counted if {unit.line for unit in units} <= {unit.line for unit in counted} else units


def _named_by(system: System, sections: list[Section]) -> list[Unit]:
    entries = checklists.index_entries(sections, system.word)
    headings = {id_key(section.label.id) for section in system.sections} if entries else set()
    units = first_of_each([item_unit(item, label) for item, label in entries if not part_of(label.id, headings)])
    if not units:
        return _join_headings([], system, sections, keep_all=True)
    is_all = {id_key(unit.id) for unit in units} <= headings
    joined = _join_headings(units, system, sections, keep_all=True)
    keys = dict.fromkeys(id_key(part.label.id or slug(part.label.title)) for part in system.sections)
    order = {key: at for at, key in enumerate(keys)}
    return sorted(joined, key=lambda unit: order[id_key(unit.id)]) if is_all else joined


def _join_headings(
    units: list[Unit], system: System | None, sections: list[Section], *, keep_all: bool = False
) -> list[Unit]:
    """Give each unit the section that describes it, and add the headings that no list or tracker mentions.

    Such a heading stands behind the one before it, as a phase that was inserted later does.
    """
    behind: dict[str, list[Unit]] = {}  # by the key of the heading before them
    before = ""
    known = {id_key(unit.id): unit for unit in units}
    members = system.sections if system is not None else _meant_by_rows(units, sections, known)
    keep_all = keep_all or any(id_key(section.label.id) in known for section in members if section.label.id)
    for section in members:
        key = id_key(section.label.id or slug(section.label.title))
        unit = known.get(key)
        if unit is None:
            if not (keep_all or _is_tracked(section)) or _only_groups(section, known):
                continue
            unit = section_unit(section)
            known[key] = unit
            behind.setdefault(before, []).append(unit)
        elif unit.section is None:
            unit.section = section
            unit.line = unit.row.line if unit.row else section.line
            unit.title = unit.title if unit.row and unit.title else section.label.title or unit.title
            unit.word = section.label.word
        elif _is_tracked(section) and not _is_tracked(unit.section):  # it describes the unit better than the first one
            unit.section = section
        before = key
    placed: list[Unit] = []
    pending = (units + behind.pop("", []))[::-1]
    if not behind:
        return pending[::-1]
    while pending:  # each is followed by those that stand behind its heading
        unit = pending.pop()
        placed.append(unit)
        pending.extend(reversed(behind.get(id_key(unit.id), ())))
    return placed


def _meant_by_rows(units: list[Unit], sections: list[Section], known: dict[str, Unit]) -> list[Section]:
    """The numbered headings that the rows of a tracker mean."""
    named = [section for section in sections if section.label.id and id_key(section.label.id) in known]
    titles = {unit.title.lower() for unit in units} if named else set()
    return [one for one in named if one.label.title.lower() in titles or one.label.word != "number"]


def _only_groups(section: Section, known: dict[str, Unit]) -> bool:
    """Whether a heading is no unit beside the known ones: it lies in one, groups some, or is "Phase 1+2"."""
    for part in section.above:
        owner = known.get(id_key(part.label.id)) if part.label.id else None
        if owner is not None and owner.section is part:
            return True
    word, name = section.label.word, section.label.id
    parts = re.split(r"[+&/-]", name) if not name.isalnum() else []
    if len(parts) > 1 and all(id_key(part) in known for part in parts):
        return True
    below = [part.label for child in section.children for part in child.walk()] if section.children else ()
    return any(label.id and label.word == word and id_key(label.id) in known for label in below)


def _is_tracked(section: Section) -> bool:
    return is_marked(section) or section.has_boxes


def _from_trackers(trackers: list[Tracker], kinds: list[System], best: System | None) -> list[Unit]:
    """The units of the trackers that list the plan's phases; a table inside a phase lists only its items."""
    if not trackers:
        return []
    ids = {id_key(section.label.id) for system in kinds for section in system.sections}
    titles = {section.label.title.lower(): section.label.id for section in (best.sections if best else ())}
    chosen = []
    for tracker in trackers:
        if titles and not any(row.id for row in tracker.rows):  # rows that name a phase by its title
            tracker.rows = [replace(row, id=titles.get(row.title.lower(), "")) for row in tracker.rows]
        keys = [id_key(row.id) for row in tracker.rows if row.id]
        overlap = sum(1 for key in keys if key in ids)
        inside = best is not None and (tracker.section in best.members or enclosing(tracker.section, best) is not None)
        if inside or not keys or len(keys) * 2 < len(tracker.rows) or is_task_table(tracker, ids):
            continue
        is_list = tracker.is_named and not (best and best.marked)
        # Rows and headings mean the same things: a table of decisions or tests may be counted 1, 2, 3 as well.
        is_shared = sum(1 for row in tracker.rows if row.title.lower() in titles) * 2 >= len(tracker.rows)
        is_about_units = tracker.is_named or is_tracker_title(tracker.section.text) or is_shared
        # Or they are named by a word for units, and all headings with that word are among them.
        meant = [system.sections for system in kinds if tracker.is_named and system.word == tracker.key_header]
        covers = bool(meant) and {id_key(section.label.id) for section in meant[0]} <= set(keys)
        if ((overlap * 2 >= len(keys) or covers) and is_about_units) or (
            is_list and (not ids or (is_tracker_title(tracker.section.text) and (overlap or not (best and best.boxed))))
        ):
            chosen.append(tracker)
    # And further tables that list the same kind of unit under the same column: an archive, a table of progress.
    named, taken = {tracker.key_header for tracker in chosen if tracker.is_named}, set(chosen)
    others = [one for one in trackers if one.is_named and one.key_header in named and one not in taken]
    return _row_units(chosen + others)


def is_task_table(tracker: Tracker, ids: set[str]) -> bool:
    """Whether the rows are tasks that say which of the units they belong to."""
    return sum(1 for row in tracker.rows if row.owner and id_key(row.owner) in ids) * 2 > len(tracker.rows)


def _row_units(trackers: list[Tracker]) -> list[Unit]:
    units = []
    for tracker in trackers:
        for row in tracker.rows:
            word = tracker.key_header if tracker.is_named and row.word not in UNIT_WORDS else row.word
            units.append(Unit(row.id or slug(row.title), row.title, word, row.line, None, None, row))
    return first_of_each(units)
