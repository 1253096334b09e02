"""What a phase needs: the phases that it names, none where it says so, and all earlier ones where it is silent."""

import re

from planrail.plans.states import State
from planrail.plans.text.arranging import arrange
from planrail.plans.text.outline import Section
from planrail.plans.text.scanning import scan
from planrail.plans.words.names import DEPENDENCY_KEYS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from planrail.plans.model import Plan

_STATED = re.compile(r"[:：]\W*\w|[:：]\s*[-–—]+\s*$")


def read_needs(plan: "Plan", text: str) -> dict[str, tuple[str, ...]]:
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


def _find_free(plan: "Plan", text: str) -> set[str]:
    """The phases that say that they depend on nothing, or on nothing in this plan."""
    silent = [phase for phase in plan.phases if not phase.depends_on]
    free = {phase.id for phase in silent if any(_speaks(section) for section in phase.sections)}
    if len(free) < len(silent) > 1 and plan.dialect == "markdown":
        free |= {name for name in _rows_that_speak(text) if any(phase.id == name for phase in silent)}
    return free


def _speaks(section: Section) -> bool:
    if section.needs:
        return any(_STATED.search(line.text) for line in section.needs)
    return not section.label.id and section.text.strip(" :*").lower() in DEPENDENCY_KEYS and bool(section.blocks)


def _rows_that_speak(text: str) -> set[str]:
    """The phases whose row of the tracker has something in its column of dependencies."""
    from planrail.plans.units.finding import find_units

    if "|" not in text:
        return set()
    _, units = find_units(arrange(text, scan(text)[1]))
    return {unit.id for unit in units if unit.row is not None and (unit.row.depends_on or "").strip()}
