"""What a phase asks for: its work items and criteria, as an agent is given them, and the phases that it needs."""

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from planrail.plans.model import Phase, Plan
from planrail.plans.states import State
from planrail.plans.text.blocks import Item
from planrail.plans.text.outline import Section, is_aside, key_of, labelled_items
from planrail.plans.words.names import DEPENDENCY_KEYS, STATUS_KEYS

_NOT_WORK = {*DEPENDENCY_KEYS, *STATUS_KEYS, "execution", "goal", "timing", "effort", "owner", "files", "notes"}
_ASIDE_TITLES = ("design", "constraint", "dependenc", "context", "background", "note", "reference", "risk", "goal")
_STATED = re.compile(r"[:：]\W*\w|[:：]\s*[-–—]+\s*$")


def read_items(phase: Phase, sections: Sequence[Section]) -> tuple[str, ...]:
    """The work items: the boxes, nested ones too; in a phase that has none, the plain points of its lists."""
    return tuple(item.text for item in phase.items or _plain_points(sections))


def read_criteria(phase: Phase, sections: Sequence[Section], shift: int = 0) -> dict[int, str]:
    """The criteria by their lines: the boxes and the plain points under a heading or a label that announces them.

    The lines are those of the sections, which begin `shift` lines into the document.
    """
    boxes = {item.line - shift: item.text for item in phase.criteria}
    found = [labelled for section in sections for labelled in labelled_items(section, sections[0])]
    points = {item.line: item.text for _, item, is_criterion in found if is_criterion}
    work = {item.line - shift for item in phase.items}
    merged = {**{line: text for line, text in points.items() if line not in work}, **boxes}
    return {line: merged[line] for line in sorted(merged)}


def _plain_points(sections: Sequence[Section]) -> Iterator[Item]:
    """The points of lists that say what to do, without those that only describe."""
    for section in sections:
        titles = [part.text for part in takewhile(lambda part: part is not sections[0], section.path())]
        if any(is_aside(title) or any(word in title.lower() for word in _ASIDE_TITLES) for title in titles):
            continue  # it describes the phase rather than lists its work
        for _, item, is_criterion in labelled_items(section, sections[0]):
            if not is_criterion and item.parent is None and key_of(item.text) not in _NOT_WORK:
                yield item


def read_needs(plan: Plan, text: str) -> dict[str, tuple[str, ...]]:
    """For each phase the ids that have to be done before it starts.

    A phase that does not speak of dependencies follows all before it, except those that the plan marks as blocked:
    they wait for something outside, and the others need not.
    """
    free = _find_free(plan, text)
    found: dict[str, tuple[str, ...]] = {}
    earlier: list[str] = []
    for phase in plan.phases:
        implied = () if phase.id in free else tuple(earlier)
        found[phase.id] = tuple(phase.depends_on) or implied
        if phase.status is not State.BLOCKED:
            earlier.append(phase.id)
    return found


def _find_free(plan: Plan, text: str) -> set[str]:
    """The phases that say that they depend on nothing, or on nothing in this plan."""
    silent = [phase for phase in plan.phases if not phase.depends_on]
    free = {phase.id for phase in silent if any(map(_speaks, phase.sections))}
    if len(free) < len(silent) > 1 and plan.dialect == "markdown":
        free |= {name for name in _rows_that_speak(text) if any(phase.id == name for phase in silent)}
    return free


def _speaks(section: Section) -> bool:
    if section.needs:
        return any(_STATED.search(line.text) for line in section.needs)
    return not section.label.id and section.text.strip(" :*").lower() in DEPENDENCY_KEYS and bool(section.blocks)


def _rows_that_speak(text: str) -> set[str]:
    """The phases whose row of the tracker has something in its column of dependencies."""
    from planrail.plans.text.arranging import arrange
    from planrail.plans.text.scanning import scan
    from planrail.plans.units.finding import find_units

    if "|" not in text:
        return set()
    _, units = find_units(arrange(text, scan(text)[1]))
    return {unit.id for unit in units if unit.row is not None and (unit.row.depends_on or "").strip()}
