"""What a Markdown document says about each of its units: one claim for each place that says something."""

import re

from planrail.plans.blocks import Item, Table, Text
from planrail.plans.claims import Claim, Kind
from planrail.plans.labels import Label, read_label
from planrail.plans.marks import Mark, is_checkpoint, read_box, read_statement, read_status
from planrail.plans.model import Diagnostic, WorkItem
from planrail.plans.outline import Section, split_items
from planrail.plans.states import State
from planrail.plans.trackers import Row, read_tracker
from planrail.plans.units import STAMP, Unit, id_key, is_log, key_of, starts_with_glyph, status_line
from planrail.plans.words import NOT_IN_TITLES, STATUS_KEYS
from planrail.records import record


@record
class Account:
    """What was found about one unit."""

    claims: list[Claim]
    items: list[WorkItem]
    criteria: list[WorkItem]


SETTLED = re.compile(r"\s*(?:$|[(（,，;；.。!|]|[-–—:]+\s|`|\s\d{4}-|\son\s|\sin\s)")


def row_claims(row: Row, problems: list[Diagnostic]) -> list[Claim]:
    """The claim of a tracker row. An empty cell says "not started"; an unknown one says nothing that can be used."""
    cell = row.status
    text = cell.text if cell else ""
    mark = read_status(text)
    if cell is None or not text.strip(" -–—"):
        start = cell.start if cell else -1
        return [Claim(Kind.TRACKER, State.TODO, row.line, f"tracker row, line {row.line}: empty", start, start)]
    if mark is None:
        problems.append(Diagnostic(row.line, "unknown-mark", f"the tracker says “{_short(text)}”, which is no status I know"))
        reason = f"tracker row, line {row.line}: {_short(text)} (unknown)"
        return [Claim(Kind.TRACKER, State.UNKNOWN, row.line, reason, cell.start, cell.start + len(text))]
    reason = f"tracker row, line {row.line}: {_short(text)}"
    return [Claim(Kind.TRACKER, mark.state, row.line, reason, cell.start + mark.start, cell.start + mark.end)]


def box_claim(item: Item, problems: list[Diagnostic], kind: Kind = Kind.BOX) -> Claim:
    """The claim of a check box."""
    box = item.box or ""
    state = read_box(box)
    if state is None:
        problems.append(Diagnostic(item.line, "unknown-mark", f"the box [{box}] is no mark I know"))
    shown = f"[{box}] {_short(item.text)}"
    return Claim(
        kind, state or State.UNKNOWN, item.line, f"box, line {item.line}: {shown}", item.box_start, item.box_start + len(box)
    )


def title_claims(section: Section) -> list[Claim]:
    """The claims of a heading: its mark, and the checkpoint that it records."""
    claims = []
    mark, line = section.label.mark, section.line
    if mark:
        text = section.text[mark.start : mark.end]
        start = section.start + mark.start
        claims.append(Claim(Kind.TITLE, mark.state, line, f"heading, line {line}: {text}", start, section.start + mark.end))
    for tag in section.label.tags:
        if is_checkpoint(tag):
            claims.append(Claim(Kind.CHECKPOINT, State.DONE, line, f"heading, line {line}: [{tag}]"))
    return claims


def line_claims(section: Section, problems: list[Diagnostic]) -> list[Claim]:
    """The claim of a status line in the unit's section."""
    block = status_line(section)
    if block is None:
        return []
    value, start = value_of(block.text, block.start)
    mark = read_status(value)
    if mark is None:
        if value.strip(" *_"):
            message = f"the status line says “{_short(value)}”, which is no status I know"
            problems.append(Diagnostic(block.line, "unknown-mark", message))
        return []
    reason = f"status line, line {block.line}: {_short(value.strip(' *_'))}"
    return [Claim(Kind.STATUS_LINE, mark.state, block.line, reason, start + mark.start, start + mark.end)]


def value_of(text: str, start: int) -> tuple[str, int]:
    """The value of a line such as `**Status:** done`, and its offset."""
    at = min(at for colon in (":", "：") if (at := text.find(colon)) >= 0) + 1
    while at < len(text) and text[at] in " \t*_":
        at += 1
    return text[at:], start + at


def statement_claims(section: Section) -> list[Claim]:
    """The claims of outcome sentences in the unit's own text."""
    for block in section.blocks:
        if isinstance(block, Text) and block.depth == 0 and key_of(block.text) not in STATUS_KEYS:
            mark = read_statement(block.text)
            if mark and mark.state is State.DONE:
                reason = f"text, line {block.line}: {block.text[mark.start : mark.end]}"
                return [Claim(Kind.STATEMENT, mark.state, block.line, reason)]
    return []


def work_items(items: list[Item], problems: list[Diagnostic]) -> list[WorkItem]:
    """The boxes as work items; a ticked parent closes the boxes under it."""
    made: dict[int, WorkItem] = {}
    result = []
    for item in items:
        state = read_box(item.box or "")
        if state is None:
            problems.append(Diagnostic(item.line, "unknown-mark", f"the box [{item.box}] is no mark I know"))
            state = State.UNKNOWN
        work = WorkItem(item.text, state, item.line, item.depth)
        made[item.box_start] = work
        result.append(work)
    return result


def count_boxes(items: list[Item]) -> tuple[int, int, int]:
    """How many of the boxes that matter are done, begun, and there at all. What hangs under a ticked box is done."""
    closed: set[int] = set()
    done = begun = total = 0
    for item in items:
        parent = item.parent
        inside = parent is not None and id(parent) in closed
        state = read_box(item.box or "")
        terminal = state is not None and state.is_terminal
        if inside or terminal:
            closed.add(id(item))
        if inside:
            continue
        total += 1
        done += terminal
        begun += state is State.IN_PROGRESS or state is State.PARTIAL
    return done, begun, total


def boxes_claim(items: list[Item], kind: Kind, what: str) -> Claim | None:
    """The claim that the boxes of a phase make together."""
    if not items:
        return None
    done, begun, total = count_boxes(items)
    line = items[0].line
    state = add_up(done, begun, total)
    if state is State.DONE and all(read_box(item.box or "") is State.SKIPPED for item in items):
        state = State.SKIPPED
    return Claim(kind, state, line, f"{done} of {total} {what} ticked, from line {line}")


def add_up(done: int, begun: int, total: int) -> State:
    """The state of something of whose parts so many are done or begun."""
    if done == total:
        return State.DONE
    return State.IN_PROGRESS if done or begun else State.TODO


def table_items(sections: list[Section]) -> list[WorkItem]:
    """The rows of a table with a status column inside a phase: its work items."""
    found = []
    for section in sections:
        for block in section.blocks:
            tracker = read_tracker(section, block) if isinstance(block, Table) else None
            for row in tracker.rows if tracker else ():
                mark = read_status(row.status.text) if row.status else None
                text = f"{row.label.id} {row.label.title}".strip()
                found.append(WorkItem(text, mark.state if mark else State.TODO, row.line))
    return found


def rows_claim(items: list[WorkItem]) -> Claim | None:
    """The claim that the rows of a phase's own tables make together."""
    if not items:
        return None
    done = sum(1 for item in items if item.is_done)
    begun = sum(1 for item in items if item.state.is_started)
    reason = f"{done} of {len(items)} rows done, from line {items[0].line}"
    return Claim(Kind.ITEMS, add_up(done, begun, len(items)), items[0].line, reason)


def mentions(sections: list[Section], units: list[Unit], problems: list[Diagnostic]) -> dict[str, list[Claim]]:
    """What lists and lines elsewhere say about units, by key: `- [x] Phase 3: API`, `✅ Step 2: COMPLETE`."""
    by_key = {id_key(unit.id): unit for unit in units}
    words = {unit.word for unit in units}
    found: dict[str, list[Claim]] = {}
    for section in sections:
        if is_log(section):
            for key, claim in _log_claims(section, by_key, words):
                found.setdefault(key, []).append(claim)
            continue
        for block in section.blocks:
            if not isinstance(block, Item | Text) or not _may_mention(block, words):
                continue
            label = read_label(block.text)
            unit = by_key.get(id_key(label.id)) if label.id and label.word in words else None
            if unit is None or unit.item is block or (unit.section and _is_within(section, unit.section)):
                continue
            claim = _mention_claim(block, label, problems)
            if claim:
                found.setdefault(id_key(unit.id), []).append(claim)
    return found


def _log_claims(section: Section, by_key: dict[str, Unit], words: set[str]) -> list[tuple[str, Claim]]:
    """What a log says about units: an entry belongs to the unit it names, else to the next one that is named."""
    entries: dict[str, dict[str, Item]] = {}
    waiting: list[Item] = []
    for block in section.blocks:
        if not isinstance(block, Item) or block.box is None or block.depth:
            continue
        text = STAMP.sub("", block.text)
        label = read_label(text)
        waiting.append(block)
        if label.word in words and id_key(label.id) in by_key:
            mine = entries.setdefault(id_key(label.id), {})
            for item in waiting:
                said = STAMP.sub("", item.text)
                if said not in mine or read_box(item.box or "") is State.DONE:
                    mine[said] = item
            waiting = []
    claims = []
    for key, items in entries.items():
        claim = boxes_claim(list(items.values()), Kind.LOG, "log entries")
        claims += [(key, claim)] if claim else []
    return claims


def _may_mention(block: Item | Text, words: set[str]) -> bool:
    if isinstance(block, Item) and block.box is not None:
        return True
    head = block.text[:48].lower()
    return any(word in head for word in words if word)


def _is_within(section: Section, owner: Section) -> bool:
    at: Section | None = section
    while at is not None:
        if at is owner:
            return True
        at = at.parent
    return False


def _mention_claim(block: Item | Text, label: Label, problems: list[Diagnostic]) -> Claim | None:
    if isinstance(block, Item) and block.box is not None:
        return box_claim(block, problems, Kind.INDEX)
    mark = _entry_mark(block.text, label)
    if mark is None:
        return None
    reason = f"list of phases, line {block.line}: {_short(block.text)}"
    return Claim(Kind.INDEX, mark.state, block.line, reason)


def _entry_mark(text: str, label: Label) -> Mark | None:
    """The mark of an entry: a status of its own behind a dash or colon, else a glyph in front."""
    for part in re.split(r"\*\*|\s[-–—|→]+\s|[:：]\s", text)[1:]:
        lead = len(part) - len(part.lstrip(" *_:：-–—"))
        mark = read_status(part[lead:])
        phrase = part[lead + mark.start : lead + mark.end].lower() if mark else ""
        if mark and mark.start <= 1 and phrase not in NOT_IN_TITLES and SETTLED.match(part[lead + mark.end :].lstrip("*_")):
            return mark
    if starts_with_glyph(text):
        return read_status(text[:2])
    return None


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:59] + "…"


def section_account(sections: list[Section], problems: list[Diagnostic]) -> Account:
    """What a unit's own sections say: heading, status line, outcome, boxes."""
    top = sections[0]
    work, criteria = split_items(sections)
    claims = [*title_claims(top), *line_claims(top, problems), *statement_claims(top)]
    for items, kind, what in ((work, Kind.ITEMS, "boxes"), (criteria if not work else [], Kind.CRITERIA, "criteria")):
        claim = boxes_claim(items, kind, what)
        if claim:
            claims.append(claim)
    listed = work_items(work, problems)
    if not work:
        listed = table_items(sections)
        claim = rows_claim(listed)
        claims += [claim] if claim else []
    return Account(claims, listed, work_items(criteria, problems))
