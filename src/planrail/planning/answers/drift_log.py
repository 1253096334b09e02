"""The drift log: what changed in a plan after its approval, and why; a table at its end to which rows are only added.
Where the phases of a plan stand in its text.

It is text for people. The reader takes nothing in it for a phase or a mark, and lint has nothing to say about it: what
could be read as code, a link or a tag is written so that it cannot.
"""

import re
from collections import Counter

from planrail.base.records import record
from planrail.planning.answers.page import Page
from planrail.planning.answers.section_titles import names_unit
from planrail.plans.canonical.owned import COLUMNS, DELIMITER, HEADER, LONGEST_REASON, TITLE, UNPRINTABLE
from planrail.plans.claims import Kind
from planrail.plans.model import Phase, Plan
from planrail.plans.states import State
from planrail.plans.text.blocks import Fence, Heading, split_lines

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


_UNPRINTABLE = re.compile(f"[{UNPRINTABLE}]")


# ---- the log ----


def add_drift_log(text: str, date: str, what: str, why: str) -> str:
    """The plan with one more row in its drift log, which is made where there is none. No other byte changes."""
    newline = "\r\n" if "\r\n" in text else "\n"
    why = _cell(why)
    why = why if len(why) <= LONGEST_REASON else why[: LONGEST_REASON - 2].rstrip("\\ ") + "…"
    row = f"| {_cell(date)} | {_cell(what)} | {why} |"
    table = newline.join([HEADER, DELIMITER, row])
    page = Page(text)
    span = _find_log(page)
    if span is None:
        return _with_new_log(page, table, newline)
    tables = [one for one in page.tables if tuple(cell.text for cell in one.header) == COLUMNS]
    tables = [one for one in tables if span[0] <= page.starts[one.line - 1] < span[1]]
    if not tables:
        end = span[0] + len(text[span[0] : span[1]].rstrip())
        return text[:end] + newline * 2 + table + (text[end:] or newline)
    last = tables[-1].rows[-1][0] if tables[-1].rows else tables[-1].line + 1
    at = page.starts[last - 1] + len(page.lines[last - 1])
    return text[:at] + newline + row + (text[at:] or newline)


def _with_new_log(page: Page, table: str, newline: str) -> str:
    """The text with a log at its end. What is quoted there and never closed is closed, or the log would be quoted."""
    start = page.text if page.text.endswith(("\n", "\r")) else page.text + newline
    # Its heading is one of a section; of a phase where those have one sign only.
    tops = [block.text for block in page.blocks if isinstance(block, Heading) and block.level == 1]
    level = "#" if len(tops) > 1 or any(map(names_unit, tops)) else "##"
    log = f"{newline}{level} {TITLE}{newline}{newline}{table}{newline}"
    fences = [block for block in page.blocks if isinstance(block, Fence)]
    opening = page.lines[fences[-1].line - 1].lstrip() if fences else ""
    closing = [opening[: len(opening) - len(opening.lstrip(opening[0]))]] if opening else []
    tries = (f"{start}{end}{newline if end else ''}{log}" for end in ("", *closing, "-->"))
    return next((tried for tried in tries if find_log(tried)), start + log) if page.blocks else start + log


def find_log(text: str) -> tuple[int, int] | None:
    """Where the section of the drift log stands, its heading included; None where the plan has none."""
    return _find_log(Page(text)) if TITLE.lower() in text.lower() else None


def _find_log(page: Page) -> tuple[int, int] | None:
    headings = [block for block in page.blocks if isinstance(block, Heading)]
    for at, heading in enumerate(headings):
        if heading.text.strip(" *_:").lower() == TITLE.lower():
            ends = (page.starts[other.line - 1] for other in headings[at + 1 :] if other.level <= heading.level)
            return page.starts[heading.line - 1], next(ends, len(page.text))
    return None


def keep_drift_log(original: str, revised: str) -> str:
    """The revision with the log of the original, byte for byte: to revise a plan is not to revise its history."""
    kept, written = find_log(original), find_log(revised)
    log = original[kept[0] : kept[1]].rstrip() if kept else ""
    if written is not None:
        end = written[0] + len(revised[written[0] : written[1]].rstrip())
        return revised[: written[0]] + (log + revised[end:] if log else revised[written[1] :])
    newline = "\r\n" if "\r\n" in original else "\n"
    return revised.rstrip() + newline * 2 + log + newline if log else revised


def _cell(text: str) -> str:
    plain = " ".join(_UNPRINTABLE.sub(" ", text).replace("`", "'").replace("\\", "/").split())
    return plain.replace("<", "&lt;").replace("](", "] (").replace("|", "\\|") or "-"
