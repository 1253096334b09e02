"""Systems of headings: which kind of heading in a document, if any, names its phases."""

import re
from itertools import pairwise

from planrail.plans.labels import Label, slug
from planrail.plans.names import UNIT_WORDS
from planrail.plans.outline import Section, is_aside, is_criteria
from planrail.plans.units import id_key
from planrail.records import record


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


def find_systems(sections: list[Section]) -> list[System]:
    groups: dict[str, list[Section]] = {}
    tops = [section for section in sections if section.level == 1]
    for section in sections:
        is_title = section.level == 1 and len(tops) == 1
        if section.label.id and section.label.word != "number" and not is_title and not is_under_criteria(section):
            groups.setdefault(section.label.word, []).append(section)
    systems = []
    for word, members in groups.items():
        marked = sum(1 for section in members if is_marked(section))
        boxed = sum(1 for section in members if section.has_boxes)
        system = System(word, members, marked, boxed, frozenset(members))
        if word in UNIT_WORDS or (len(members) > 1 and (marked or boxed)):
            systems.append(system)
    return systems


def is_under_criteria(section: Section) -> bool:
    parent = section.parent
    while parent is not None:
        if parent.level > 1 and is_criteria(parent.text) and not parent.label.id:
            return True
        parent = parent.parent
    return False


def best_system(systems: list[System]) -> System | None:
    if not systems:
        return None
    tracked = (
        [system for system in systems if system.marked] or [system for system in systems if system.boxed] or systems
    )
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
    return any(enclosing(section, outer) is not None for section in inner.sections)


def with_siblings(best: System | None, sections: list[Section]) -> System | None:
    """The system together with the marked headings beside it that are named otherwise: "Phase 0", "M1", "M1.1".

    Headings of a system that has no unit word ("B-1", "U-2") are joined by all on their level, where most are marked.
    """
    if best is None or not best.marked:
        return best
    level = _level(best)
    on_level = [section for section in sections if section.level == level and not is_under_criteria(section)]
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
    parents = [enclosing(section, outer) for section in inner.sections]
    if not all(parents) or set(parents) != outer.members:
        return False
    keys = [id_key(section.label.id) for section in inner.sections]
    if len(set(keys)) != len(keys) or not _counts_on(keys):
        return False
    prefixed = sum(
        1
        for section, parent in zip(inner.sections, parents, strict=True)
        if parent and _digits(section.label.id).startswith(_digits(parent.label.id) + ".")
    )
    return prefixed * 2 < len(keys)


def _counts_on(keys: list[str]) -> bool:
    """Whether ids are counted upwards from the first to the last."""
    numbers = [[int(part) for part in re.findall(r"\d+", key)] for key in keys]
    return all(first <= second for first, second in pairwise(numbers))


def _digits(text: str) -> str:
    return text.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-#").replace("-", ".")


def enclosing(section: Section, system: System) -> Section | None:
    parent = section.parent
    while parent is not None:
        if parent in system.members:
            return parent
        parent = parent.parent
    return None


def restarted(system: System) -> System:
    """The system with ids that tell its tracks apart, where several parts of the document each count from the start.

    "Phase 1" under Track A and another "Phase 1" under Track B are two phases: `track-a/1` and `track-b/1`.
    """
    tracks: dict[Section, list[Section]] = {}
    for section in system.sections:
        if section.parent is not None:
            tracks.setdefault(section.parent, []).append(section)
    firsts = [id_key(members[0].label.id) for members in tracks.values()]
    titles = {section.label.title.lower() for section in system.sections}
    ids = {id_key(section.label.id) for section in system.sections}
    if len(tracks) < 2 or len(set(firsts)) > 1 or len(ids) == len(system.sections) or len(titles) <= len(ids):
        return system
    for parent, members in tracks.items():
        for section in members:
            label = section.label
            name = f"{slug(parent.label.title or parent.text)}/{label.id}"
            section.label = Label(label.word, name, label.title, label.mark, label.tags)
    return system
