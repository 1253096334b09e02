"""Where the phases of a plan stand in its text."""

import re
from collections import Counter

from planrail.base.records import record
from planrail.plans.claims import Kind
from planrail.plans.model import Phase, Plan
from planrail.plans.states import State
from planrail.plans.text.blocks import split_lines

_LISTED = (Kind.TRACKER, Kind.BOX, Kind.INDEX)
_CONTINUES = re.compile(r"[ \t]|$")


@record
class Stretch:
    """A piece of a text that ends with a character that can be seen."""

    start: int
    end: int
    text: str


@record
class PhaseSpan:
    """A phase in a text: its section, from the heading on, and the row or entry that lists it; it has one or both."""

    id: str
    title: str
    status: State
    section: Stretch | None
    row: Stretch | None


def locate_phases(plan: Plan, text: str) -> list[PhaseSpan]:
    """Where each phase stands, in the plan's order. The blank lines behind a section are no part of it."""
    lines, starts = split_lines(text)
    ends = _section_ends(plan)

    def stretch(first: int, last: int) -> Stretch:
        start = starts[first - 1]
        end = start + len(text[start : starts[last - 1] + len(lines[last - 1])].rstrip())
        return Stretch(start, end, text[start:end])

    spans = []
    listed_at = Counter(map(_listed_at, plan.phases))
    for phase in plan.phases:
        section = row = None
        if phase.sections:
            first = phase.sections[0].line
            section = stretch(first, ends[first] or len(lines))
            listed = _listed_at(phase)
            is_own = listed > 0 and listed_at[listed] == 1  # a line that speaks of several phases is no phase's row
            row = stretch(listed, listed) if is_own and not section.start <= starts[listed - 1] < section.end else None
        else:
            last = max([phase.line, *(item.line for item in phase.items)])
            while last < len(lines) and _CONTINUES.match(lines[last]):
                last += 1
            row = stretch(phase.line, last)
        spans.append(PhaseSpan(phase.id, phase.title, phase.status, section, row))
    return spans


def _section_ends(plan: Plan) -> dict[int, int]:
    """For the line of each phase's heading the last line before the next section that is not its own; 0: the end."""
    described = [phase for phase in plan.phases if phase.sections]
    root = described[0].sections[0] if described else None
    while root is not None and root.parent is not None:
        root = root.parent
    order = root.walk() if root is not None else []
    place = {section: at for at, section in enumerate(order)}
    ends: dict[int, int] = {}
    for phase in described:
        own, at = set(phase.sections), place[phase.sections[0]] + 1
        while at < len(order) and order[at] in own:
            at += 1
        ends[phase.sections[0].line] = order[at].line - 1 if at < len(order) else 0
    return ends


def _listed_at(phase: Phase) -> int:
    """The line outside its section that states the status of a phase; 0 where none does."""
    claim = phase.claim
    return claim.line if claim is not None and not claim.path and claim.kind in _LISTED else 0
