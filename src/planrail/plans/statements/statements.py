"""What a Markdown document says about each of its units: one claim for each place that says something."""

import re
from collections.abc import Sequence

from planrail.base.patterns import pattern
from planrail.base.records import mutable_record
from planrail.plans.claims import Kind, StatusClaim
from planrail.plans.model import Diagnostic, WorkItem
from planrail.plans.statements.outcomes import read_outcome
from planrail.plans.states import State
from planrail.plans.text.arranging import is_nothing
from planrail.plans.text.blocks import Item, Table, Text
from planrail.plans.text.outline import Section, has_parts, key_of, key_parts, split_items
from planrail.plans.units.trackers import TrackerRow, read_tracker
from planrail.plans.words import marks
from planrail.plans.words.marks import Mark, group_state, read_status
from planrail.plans.words.names import STATUS_KEYS
from planrail.plans.words.words import BOXES, GLYPHS, NOT_IN_TITLES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from planrail.plans.model import Work


@mutable_record
class Account:
    """What was found about one unit."""

    claims: list[StatusClaim]
    items: "Sequence[Work]"
    criteria: "Sequence[Work]"


_LONGEST_OUTCOME = 300
_LONGEST_NOTHING = 60
_WORK_KEYS = ("", "purpose", "goal", "tasks", "steps", "work")  # of a line that speaks of a phase's work
SETTLED = pattern(r"\s*(?:$|[(（,，;；.。!|]|[-–—:]+\s|`|\s\d{4}-|\son\s|\sin\s)")


def short(text: str) -> str:
    """A text as a reason quotes it."""
    return text if len(text) <= 60 else text[:59] + "…"


def title_claims(section: Section) -> list[StatusClaim]:
    """The claims of a heading: its mark, and the checkpoint that it records."""
    label = section.label
    claims = []
    mark, line = label.mark, section.line
    if mark:
        text = section.text[mark.start : mark.end] or "struck through"
        start, end = section.start + mark.start, section.start + mark.end
        reason, weak = f"heading, line {line}: {text}", marks.is_weak(mark.state, text)
        kind = Kind.TITLE if any(map(str.isalnum, text)) else Kind.SIGN
        claims.append(StatusClaim(kind, mark.state, line, reason, start, end, is_weak=weak))
    elif (state := _whole_title(section)) is not None:
        claims.append(StatusClaim(Kind.TITLE, state, line, f"heading, line {line}: {short(section.text)}"))
    for tag in label.tags:
        if marks.is_checkpoint(tag):
            claims.append(StatusClaim(Kind.CHECKPOINT, State.DONE, line, f"heading, line {line}: [{tag}]"))
    return claims


def _whole_title(section: Section) -> State | None:
    """The state that stands in place of a title, directly behind the number: "PHASE 1 COMPLETED SUCCESSFULLY"."""
    label = section.label
    if not label.id or f"{label.id} " not in section.text:
        return None
    title = label.title.rstrip("*_ !.🎉").lower()
    if title in NOT_IN_TITLES or f"{label.id.lower()} {title}" not in section.text.lower():
        return None
    return marks.read_phrase(title)


def line_claim(section: Section, problems: list[Diagnostic]) -> StatusClaim | None:
    block = section.status
    if block is None:
        return None
    value, start = value_of(block.text, block.start)
    mark = read_status(value) or marks.read_sentence(value) or marks.read_waiting(value)
    if mark is None:
        if value.strip(" *_"):
            message = f"the status line says “{short(value)}”, which is no status I know"
            problems.append(Diagnostic(block.line, "unknown-mark", message))
        return None
    reason, weak = f"status line, line {block.line}: {short(value.strip(' *_'))}", marks.is_weak(mark.state, value)
    return StatusClaim(
        Kind.STATUS_LINE, mark.state, block.line, reason, start + mark.start, start + mark.end, is_weak=weak
    )


def value_of(text: str, start: int) -> tuple[str, int]:
    """The value of a line such as `**Status:** done`, and its offset; of several, the first that states something."""
    if not has_parts(text):
        return _value(text, start)
    stated = [(at, part) for at, part in key_parts(text) if key_of(part) in STATUS_KEYS]
    values = [_value(part, start + at) for at, part in stated] or [_value(text, start)]
    return next((value for value in values if read_status(value[0])), values[-1])


def _value(text: str, start: int) -> tuple[str, int]:
    at = text.find(":")
    if at < 0 or not text.isascii():
        at = min((found for found in (at, text.find("：")) if found >= 0), default=len(text))
    value = text[at + 1 :].lstrip(" \t*_")
    return value, start + max(at + 1, len(text) - len(value))


def add_up(done: int, begun: int, total: int) -> State:
    """The state of something of whose parts so many are done or begun."""
    if done == total:
        return State.DONE
    return State.IN_PROGRESS if done or begun else State.TODO


def parts_claim(section: Section) -> StatusClaim | None:
    """The claim that the marked headings inside a section make together, where all that hold work are marked."""
    if len(section.children) < 2:
        return None
    parts = [part for part in section.children if part.has_boxes] or section.children
    stated = [part.label.mark or line_claim(part, []) for part in parts]
    states = [one.state for one in stated if one is not None]
    if len(states) < 2 or len(states) < len(parts):
        return None
    done = sum(1 for state in states if state.is_terminal)
    begun = sum(1 for state in states if state.is_started)
    reason = f"{done} of {len(parts)} parts marked as finished, from line {parts[0].line}"
    return StatusClaim(Kind.PARTS, add_up(done, begun, len(parts)), parts[0].line, reason)


def group_claim(section: Section | None) -> StatusClaim | None:
    """The claim of the nearest heading, from this one upwards, that states how far what stands under it is."""
    while section is not None and section.level > 1:
        state = group_state(section.text) if not section.label.id else None
        if state is not None and state is not State.IN_PROGRESS:  # what is in hand is not so in all of its parts
            reason, weak = f"under “{short(section.text)}”, line {section.line}", state is State.TODO
            return StatusClaim(Kind.GROUP, state, section.line, reason, is_weak=weak)
        section = section.parent
    return None


def row_claim(row: TrackerRow, problems: list[Diagnostic]) -> StatusClaim:
    """The claim of a tracker row. An empty cell says "not started"; an unknown one says nothing that can be used."""
    cell, line = row.status, row.line
    text = cell.text if cell else ""
    if cell is None or not marks.without_comments(text).strip(" -–—"):
        start = cell.start if cell else -1
        reason = f"tracker row, line {line}: {'empty' if cell else 'no status'}"
        return StatusClaim(Kind.TRACKER, State.TODO, line, reason, start, start + len(text), is_weak=True)
    mark = row.read_mark()
    if mark is None:
        message = f"the tracker says “{short(text)}”, which is no status I know"
        problems.append(Diagnostic(line, "unknown-mark", message))
        reason = f"tracker row, line {line}: {short(text)} (unknown)"
        return StatusClaim(Kind.TRACKER, State.UNKNOWN, line, reason, cell.start, cell.start + len(text))
    reason = f"tracker row, line {line}: {short(text)}"
    return StatusClaim(Kind.TRACKER, mark.state, line, reason, cell.start + mark.start, cell.start + mark.end)


def box_claim(item: Item, problems: list[Diagnostic], kind: Kind = Kind.BOX) -> StatusClaim:
    state, start = item.state, item.box_start
    if state is State.UNKNOWN:
        note_unknown_box(item, problems)
    reason = f"box, line {item.line}: [{item.box}] {short(item.text)}"
    return StatusClaim(kind, state, item.line, reason, start, start + len(item.box or ""))


def note_unknown_box(item: Item, problems: list[Diagnostic]) -> None:
    if item.said is None and marks.read_box(item.box or "") is None:
        problems.append(Diagnostic(item.line, "unknown-mark", f"the box [{item.box}] is no mark I know"))


def statement_claim(section: Section) -> StatusClaim | None:
    for block in section.blocks:
        if type(block) is Text and block.depth == 0:
            text = block.text
            mark = None if text.isascii() else marks.read_statement(text)
            if mark is None or mark.state is not State.DONE:
                mark = read_outcome(text, section.label.id) if len(text) <= _LONGEST_OUTCOME else None
            if mark is not None and key_of(block.text) not in STATUS_KEYS:
                reason = f"text, line {block.line}: {short(block.text[mark.start : mark.end])}"
                return StatusClaim(Kind.STATEMENT, mark.state, block.line, reason)
    return None


def boxes_claim(items: list[Item], kind: Kind, what: str) -> StatusClaim | None:
    """The claim that the boxes of a phase make together, the optional ones apart; what hangs under a tick is done."""
    if not items:
        return None
    closed: set[Item] = set()
    done = begun = total = dropped = 0
    counted = [item for item in items if not item.is_optional or item.is_done] or items
    for item in counted:
        state = item.said or BOXES.get(item.box or "") or item.state
        inside = item.parent is not None and item.parent in closed
        if state is State.DONE or state is State.SKIPPED:
            closed.add(item)
            done += not inside
            dropped += state is State.SKIPPED
        elif inside:
            closed.add(item)
        elif state is State.IN_PROGRESS or state is State.PARTIAL:
            begun += 1
        total += not inside
    line = items[0].line
    state = State.SKIPPED if dropped == len(items) else add_up(done, begun, total)
    return StatusClaim(kind, state, line, f"{done} of {total} {what} ticked, from line {line}")


def row_item(row: TrackerRow) -> WorkItem:
    mark = row.read_mark()
    return WorkItem(f"{row.id} {row.title}".strip(), mark.state if mark else State.TODO, row.line)


def rows_claim(items: list[WorkItem]) -> StatusClaim:
    done = sum(1 for item in items if item.is_done)
    begun = sum(1 for item in items if item.state.is_started)
    reason = f"{done} of {len(items)} rows done, from line {items[0].line}"
    return StatusClaim(Kind.ITEMS, add_up(done, begun, len(items)), items[0].line, reason)


def section_account(sections: list[Section], problems: list[Diagnostic]) -> Account:
    """What a unit's own sections say: heading, status line, outcome, boxes."""
    top = sections[0]
    work, criteria = split_items(sections)
    claims: list[StatusClaim | None] = [
        *title_claims(top),
        line_claim(top, problems),
        statement_claim(top),
        parts_claim(top),
    ]
    claims.append(group_claim(top.parent))
    for item in work:
        if item.box not in BOXES:
            note_unknown_box(item, problems)
    rows: list[WorkItem] = []
    if work:
        claims.append(boxes_claim(work, Kind.ITEMS, "boxes"))
    else:
        claims.append(boxes_claim(criteria, Kind.CRITERIA, "criteria"))
        tables = [(section, block) for section in sections for block in section.blocks if type(block) is Table]
        trackers = [found for section, table in tables if (found := read_tracker(section, table))]
        rows = [row_item(row) for tracker in trackers for row in tracker.rows]
        claims.append(rows_claim(rows) if rows else None)
        claims.append(None if criteria or rows else _nothing_claim(top))
    return Account([claim for claim in claims if claim is not None], work or rows, criteria)


def _nothing_claim(section: Section) -> StatusClaim | None:
    """The claim of a section that says there is nothing to do in it: "**Purpose**: No setup needed."."""
    texts = [block for block in section.blocks if type(block) is Text]
    said = texts[0].text.rpartition(":")[2].partition(". ")[0] if texts else ""
    if len(said) > _LONGEST_NOTHING or not is_nothing(said) or key_of(texts[0].text) not in _WORK_KEYS:
        return None
    line = texts[0].line
    return StatusClaim(Kind.STATEMENT, State.SKIPPED, line, f"text, line {line}: {short(said.strip(' *_'))}")


def entry_mark(text: str) -> Mark | None:
    """The mark of an entry in a list of phases: a status behind a dash or colon, else a glyph in front."""
    for part in re.split(r"\s[-–—|→]+\s|[:：]\s", text.replace("**", "").replace("__", ""))[1:]:
        lead = len(part) - len(part.lstrip(" *_:：-–—"))
        mark = read_status(part[lead:])
        if mark is None or mark.start > 1 or part[lead + mark.start : lead + mark.end].lower() in NOT_IN_TITLES:
            continue
        if SETTLED.match(part[lead + mark.end :].lstrip("*_")):
            return mark
    return read_status(text[:2]) if text[:1] in GLYPHS else None


def entry_claims(item: Item) -> list[StatusClaim]:
    """The claim of a list entry that is itself the unit, by the mark in its text."""
    from planrail.plans.words.titles import read_title

    mark, _ = read_title(item.text)
    if mark is None:
        return []
    reason = f"list of phases, line {item.line}: {short(item.text)}"
    return [StatusClaim(Kind.TITLE, mark.state, item.line, reason, item.start + mark.start, item.start + mark.end)]
