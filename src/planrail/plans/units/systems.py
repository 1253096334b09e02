"""Systems of headings: which kind of heading in a document, if any, names its phases."""

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

from planrail.base.records import record, replace
from planrail.plans.text.outline import Section, is_aside, is_criteria
from planrail.plans.units.units import id_key
from planrail.plans.words.labels import slug
from planrail.plans.words.names import UNIT_WORDS


@record
class System:
    """Headings of one kind, with what speaks for their being the plan's phases."""

    word: str
    sections: list[Section]
    marked: int  # with a mark or a status line of their own
    boxed: int  # with boxes anywhere below

    members: frozenset[Section]
    level: int  # of its uppermost

    @property
    def rank(self) -> int:
        return UNIT_WORDS.get(self.word, 2)


def _make_system(word: str, sections: list[Section], marked: int, boxed: int) -> System:
    return System(word, sections, marked, boxed, frozenset(sections), min(section.level for section in sections))


def find_systems(sections: list[Section], is_listed: Callable[[str], object]) -> list[System]:
    """The systems of a document. `is_listed` says whether a list of boxes names units by a word."""
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
        if word in UNIT_WORDS or (
            len({id_key(section.label.id) for section in members}) > 1 and (marked or boxed or is_listed(word))
        ):
            systems.append(_make_system(word, members, marked, boxed))
    return systems


def is_under_criteria(section: Section) -> bool:
    """Whether a section stands under something other than work. Boxes in the parts of a checklist may be the work."""
    for part in section.above:
        is_other = part.level > 1 and not part.label.id and is_aside(part.text)
        if is_other and (not part.has_boxes or is_criteria(part.text) or part.boxes()):
            return True
    return False


def best_system(systems: list[System]) -> System | None:
    if not systems:
        return None
    boxed = [system for system in systems if len(system.sections) > 1 and system.boxed * 2 > len(system.sections)]
    tracked = [system for system in systems if system.marked or (not system.rank and system in boxed)]
    tracked = tracked or [system for system in systems if system.boxed] or list(systems)
    tracked += [system for system in systems if system not in tracked and _holds_parts(system, tracked)]
    tracked += [system for system in systems if system not in tracked and _stands_above(system, tracked)]
    ranked = sorted(tracked, key=lambda system: (system.rank, system.level, -len(system.sections)))
    best = ranked[0]
    if len(best.sections) == 1:
        several = [system for system in ranked if len(system.sections) > 1]
        others = [system for system in several if not any(enclosing(part, best) for part in system.sections)]
        best = others[0] if others and not best.marked else best
    for inner in systems:
        if inner is not best and _is_finer(inner, best):
            best = inner
    for outer in tracked:  # all of these may stand in a single one of several marked headings: they divide it
        parents = {enclosing(section, outer) for section in best.sections} if outer is not best else set()
        if outer.marked and len(outer.sections) > 1 and len(parents) == 1 and None not in parents:
            return outer
    return best


def _holds_parts(outer: System, tracked: list[System]) -> bool:
    """Whether an unmarked system holds all headings of a marked one that counts anew in each of them: its parts."""
    for inner in (system for system in tracked if outer.rank < system.rank):
        parents = [enclosing(section, outer) for section in inner.sections]
        keys = [id_key(section.label.id) for section in inner.sections]
        if all(parents) and len(set(parents)) > 1 and _jumps(keys, parents):
            return True
    return False


def _stands_above(phases: System, tracked: list[System]) -> bool:
    """Whether unmarked phases head the document, and all that is marked in it are parts of one other section."""
    marked = [section for system in tracked for section in system.sections]
    is_apart = all(section.level > phases.level and enclosing(section, phases) is None for section in marked)
    is_one = len({section.parent for section in marked}) == 1
    return not phases.rank and len(phases.sections) > 2 and is_apart and is_one


def with_siblings(best: System | None, sections: list[Section]) -> System | None:
    """The system together with the marked headings beside it that are named otherwise: "Phase 0", "M1", "M1.1".

    Headings of a system that has no unit word ("B-1", "U-2") are joined by all on their level, where most are marked.
    """
    if best is None or not best.marked:
        return best
    on_level = [section for section in sections if section.level == best.level and not is_under_criteria(section)]
    if best.word in UNIT_WORDS or not best.word.isupper():
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
    return _make_system(best.word, joined, best.marked, best.boxed)


def is_marked(section: Section) -> bool:
    return section.label.mark is not None or section.status is not None


def _is_finer(inner: System, outer: System) -> bool:
    """Whether the inner headings are the units and the outer ones only group them.

    Work packages and tasks that are counted on through all groups are units. Tasks that start again at 1 in each phase,
    or carry the phase's number, are parts of it.
    """
    if not (inner.marked or inner.boxed) or (outer.marked and not inner.marked):
        return False
    if inner.word not in UNIT_WORDS and not inner.word.isupper():
        return False  # a word of the document's own
    parents = [enclosing(section, outer) for section in inner.sections]
    if not all(parents) or set(parents) != outer.members:
        return False
    keys = [id_key(section.label.id) for section in inner.sections]
    numbers = [[int(part) for part in re.findall(r"\d+", key)] for key in keys]
    if len(set(keys)) != len(keys) or numbers != sorted(numbers) or _jumps(keys, parents):
        return False
    pairs = [(part.label.id, over.label.id) for part, over in zip(inner.sections, parents, strict=True) if over]
    return sum(_digits(inside).startswith(f"{_digits(outside)}.") for inside, outside in pairs) * 2 < len(keys)


def _jumps(keys: list[str], parents: Sequence[Section | None]) -> bool:
    """Whether each group has numbers of its own: 101, 102 in the first, 201, 202 in the second."""
    numbers = [int("".join(re.findall(r"\d+", key)) or 0) for key in keys]
    same_group = [before is after for before, after in pairwise(parents)]
    steps = [(after - before, same) for (before, after), same in zip(pairwise(numbers), same_group, strict=True)]
    borders = [step for step, same in steps if not same]
    return bool(borders) and all(step > 1 for step in borders) and all(step == 1 for step, same in steps if same)


def _digits(text: str) -> str:
    return text.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-#").replace("-", ".")


def enclosing(section: Section, system: System) -> Section | None:
    return next((part for part in section.above if part in system.members), None)


def _speak_of_the_same(tracks: list[list[Section]]) -> bool:
    """Whether later headings repeat the earlier ones in other words, as a checklist of the same phases does."""
    long = re.compile(r"[^\W\d_]{4,}|[\u3040-\u9fff]{2}|[\uac00-\ud7a3]{2,}")
    words = [[(id_key(part.label.id), set(long.findall(part.label.title.lower()))) for part in one] for one in tracks]
    first, later = dict(words[0]), [pair for one in words[1:] for pair in one]
    return sum(1 for key, found in later if found & first.get(key, set())) * 2 >= len(later)


def restarted(system: System) -> System:
    """The system with ids that tell its tracks apart, where several parts of the document each count from the start.

    "Phase 1" under Track A and another "Phase 1" under Track B are two phases: `track-a/1` and `track-b/1`.
    """
    tracks: dict[Section, list[Section]] = {}
    for section in system.sections:
        if section.parent is not None and section.label.title:
            tracks.setdefault(section.parent, []).append(section)
    if len(tracks) < 2:
        return system
    firsts = [id_key(members[0].label.id) for members in tracks.values()]
    titles = {section.label.title.lower() for section in system.sections}
    ids = {id_key(section.label.id) for section in system.sections}
    if len(set(firsts)) > 1 or len(ids) == len(system.sections) or len(titles) <= len(ids):
        return system
    if _speak_of_the_same(list(tracks.values())):
        return system
    for parent, members in tracks.items():
        for section in members:
            name = f"{slug(parent.label.title or parent.text)}/{section.label.id}"
            section.label = replace(section.label, id=name)
    return system
