"""Reading a Markdown plan: blocks, outline, units, claims, and one state with one reason for each unit."""

import re

from planrail.plans.blocks import FrontMatter, Heading, Item, Text, scan
from planrail.plans.claims import Claim, Kind, contradictions, decide
from planrail.plans.dependencies import find_cycle, read_dependencies
from planrail.plans.labels import read_label
from planrail.plans.marks import read_box, read_phrase, read_status
from planrail.plans.model import Diagnostic, Header, Phase, Plan, WorkItem
from planrail.plans.outline import Section, outline
from planrail.plans.routes import decide_next, decide_route, decide_status, describe_next
from planrail.plans.source import Source
from planrail.plans.states import Proof, State
from planrail.plans.statements import (
    SETTLED,
    Account,
    box_claim,
    boxes_claim,
    mentions,
    row_claims,
    section_account,
    value_of,
    work_items,
)
from planrail.plans.units import Unit, find_units, id_key, key_of
from planrail.plans.words import STATUS_KEYS

_FRONT_KEY = re.compile(r"^[ \t]*(?P<key>[A-Za-z_][\w -]*?)[ \t]*:[ \t]*(?P<value>.*?)[ \t\r]*$", re.MULTILINE)

_BOXES = (Kind.BOX, Kind.ITEMS, Kind.CRITERIA)
_TODOS = re.compile(r"^todos[ \t]*:", re.MULTILINE)


def read_markdown(source: Source) -> Plan:
    """The plan that a Markdown text is."""
    front_matter, blocks = scan(source.text)
    todos = _todos(source, front_matter)
    if todos is not None:
        return todos
    root = outline(blocks)
    sections = root.walk()
    kind, units = find_units(root)
    problems: list[Diagnostic] = []
    header = _header(source, front_matter, root)
    own = own_sections(units)
    accounts = _accounts(units, own, sections, problems)
    settle_unmaintained(accounts, header)
    needs = read_dependencies(units, sections, own)
    phases = [_phase(unit, accounts[unit.id], needs[unit.id], own.get(unit.id, []), header, problems) for unit in units]
    _note_header(phases, header, problems)
    cycle = find_cycle(needs)
    if cycle:
        problems.append(Diagnostic(phases[0].line, "cycle", "the dependencies form a cycle: " + " → ".join(cycle)))
    upcoming = decide_next(phases)
    return Plan(
        source.path,
        _title(front_matter, root, source),
        kind,
        "markdown",
        decide_status(phases, header, has_history=_has_history(root)),
        phases,
        describe_next(upcoming),
        decide_route(phases, upcoming, header),
        header,
        sorted(problems, key=lambda problem: problem.line),
    )


def _todos(source: Source, front_matter: FrontMatter | None) -> Plan | None:
    """The plan that the front matter itself is, as Cursor writes it."""
    if front_matter is None or not _TODOS.search(front_matter.text):
        return None
    from planrail.plans.yaml_tasks import read_todos

    return read_todos(source, front_matter.start, front_matter.end)


def _has_history(root: Section) -> bool:
    """Whether a section beside the units lists what is finished: `## Completed` with ticked boxes."""
    for section in root.walk():
        if not section.label.id and read_phrase(section.text.strip(" *_:✅")) is State.DONE:
            if any(isinstance(block, Item) and read_box(block.box or "") is State.DONE for block in section.blocks):
                return True
    return False


def own_sections(units: list[Unit]) -> dict[str, list[Section]]:
    """For each unit's id the sections that belong to it: its heading's and those below that are not another unit's."""
    taken = {unit.section for unit in units if unit.section is not None}
    found: dict[str, list[Section]] = {}
    for unit in units:
        if unit.section is None:
            continue
        parts: list[Section] = []
        pending = [unit.section]
        while pending:
            section = pending.pop()
            parts.append(section)
            pending.extend(child for child in reversed(section.children) if child not in taken)
        found[unit.id] = parts
    return found


def _accounts(
    units: list[Unit], own: dict[str, list[Section]], sections: list[Section], problems: list[Diagnostic]
) -> dict[str, Account]:
    mentioned = mentions(sections, units, problems) if any(unit.section or unit.row for unit in units) else {}
    nested = _items_below(units, sections)
    accounts = {}
    for unit in units:
        account = section_account(own[unit.id], problems) if unit.id in own else Account([], [], [])
        claims = list(account.claims)
        items = account.items
        if unit.row:
            claims += row_claims(unit.row, problems)
        if unit.item and unit.item.box is not None:
            claims.append(box_claim(unit.item, problems, Kind.INDEX if unit.section else Kind.BOX))
            below = nested.get(id(unit.item), [])
            items = items or work_items(below, problems)
            parts = boxes_claim(below, Kind.ITEMS, "boxes")
            if parts:
                claims.append(parts)
        claims += mentioned.get(id_key(unit.id), [])
        accounts[unit.id] = Account(_weigh_boxes(claims), items, account.criteria)
    return accounts


def _items_below(units: list[Unit], sections: list[Section]) -> dict[int, list[Item]]:
    """The boxes under each unit that is itself a box: nested in it, or counted under it (1.1 under 1)."""
    owners = {id(unit.item): unit.item for unit in units if unit.item is not None}
    if not owners:
        return {}
    below: dict[int, list[Item]] = {key: [] for key in owners}
    for section in sections:
        current: Item | None = None
        for block in section.blocks:
            if not isinstance(block, Item) or block.box is None:
                continue
            if id(block) in owners:
                current = block
            elif current is not None and (block.depth > current.depth or _is_counted_under(block, current)):
                below[id(current)].append(block)
    return below


def _is_counted_under(item: Item, owner: Item) -> bool:
    number = read_label(owner.text).id
    return bool(number) and read_label(item.text).id.startswith(number + ".")


def _weigh_boxes(claims: list[Claim]) -> list[Claim]:
    """An open box over the unit says only that it is not finished; the boxes below say how far it is."""
    parts = next((claim for claim in claims if claim.kind is Kind.ITEMS), None)
    if parts is None or not parts.state.is_started:
        return claims
    weighed = []
    for claim in claims:
        if claim.kind in (Kind.INDEX, Kind.BOX) and claim.state is State.TODO:
            reason = f"{parts.reason}; {claim.reason}"
            claim = Claim(claim.kind, State.IN_PROGRESS, claim.line, reason, claim.start, claim.end)
        weighed.append(claim)
    return weighed


def settle_unmaintained(accounts: dict[str, Account], header: Header | None) -> None:
    """Boxes that nobody ticks say nothing, in a plan that says of itself that it is in progress or finished."""
    if header is None or header.state not in (State.IN_PROGRESS, State.DONE):
        return
    claims = [claim for account in accounts.values() for claim in account.claims]
    if any(claim.state.is_started or claim.kind not in _BOXES for claim in claims):
        return
    if header.state is State.IN_PROGRESS and any(claim.kind is Kind.BOX for claim in claims):
        return
    for account in accounts.values():
        account.claims.clear()


def _phase(
    unit: Unit,
    account: Account,
    needs: list[str],
    own: list[Section],
    header: Header | None,
    problems: list[Diagnostic],
) -> Phase:
    claim = decide(account.claims)
    if header and header.state is State.DONE and (claim is None or claim.kind >= Kind.ITEMS):
        claim = Claim(Kind.PLAN, State.DONE, header.line, f"the plan's status, line {header.line}: {header.text}")
    if claim is not None:
        _note_contradictions(unit, claim, account.claims, problems)
    status, reason = (claim.state, claim.reason) if claim else _unmarked(header)
    asserted = claim is not None and status is not State.UNKNOWN
    last = max((block_line(section) for section in own), default=unit.line)
    insert_at = unit.section.start + len(unit.section.text) if unit.section else -1
    return Phase(
        unit.id,
        unit.title,
        unit.word,
        status,
        Proof.CLAIMED if asserted else None,
        reason,
        claim.line if claim and claim.kind is Kind.TRACKER else unit.line,
        needs,
        account.items,
        account.criteria,
        claim,
        unit.section.line if unit.section else unit.line,
        last,
        insert_at,
        [],
    )


def block_line(section: Section) -> int:
    """The last line that a section is known to have."""
    if not section.blocks:
        return section.line
    block = section.blocks[-1]
    return getattr(block, "end_line", block.line)


def _unmarked(header: Header | None) -> tuple[State, str]:
    """The state of a unit that nothing marks. A plan that has a status says more than one that has none."""
    if header is None:
        return State.TODO, "no mark anywhere in the plan"
    if header.state is State.TODO and not header.text.lower().startswith("ready"):
        return State.TODO, f"no mark; the plan's status, line {header.line}: {header.text}"
    return State.UNKNOWN, f"no mark, although the plan has a status (line {header.line}: {header.text})"


def _note_contradictions(unit: Unit, winner: Claim, claims: list[Claim], problems: list[Diagnostic]) -> None:
    for claim in contradictions(winner, claims):
        if claim.kind is Kind.CRITERIA:
            continue
        message = f"phase {unit.id} is {winner.state} ({winner.reason}), but {claim.reason} says {claim.state}"
        problems.append(Diagnostic(claim.line, "contradiction", message))


def _note_header(phases: list[Phase], header: Header | None, problems: list[Diagnostic]) -> None:
    if header is None or not phases:
        return
    all_finished = all(phase.status.is_terminal for phase in phases)
    none_started = not any(phase.status.is_started for phase in phases)
    if header.state is State.DONE and not all_finished:
        problems.append(Diagnostic(header.line, "contradiction", f"the plan says “{header.text}”, but has open phases"))
    elif header.state is State.TODO and not none_started:
        problems.append(Diagnostic(header.line, "contradiction", f"the plan says “{header.text}”, but phases are started"))


def _header(source: Source, front_matter: FrontMatter | None, root: Section) -> Header | None:
    """The status that the plan gives itself: in its front matter, else in the lines above its sections."""
    if front_matter:
        for match in _FRONT_KEY.finditer(source.text, front_matter.start, front_matter.end):
            if match["key"].lower() == "status" and match["value"]:
                return _make_header(match["value"].strip("\"'"), source, match.start("value"))
    tops = [root, *(child for child in root.children if child.level == 1 and not child.label.id)][:2]
    for section in tops:
        for block in section.blocks:
            if isinstance(block, Text | Item) and key_of(block.text) in STATUS_KEYS:
                value, start = value_of(block.text, block.start)
                if value.strip(" *_"):
                    return _make_header(value.strip(" *_"), source, start)
    titles = [child for child in root.children if child.level == 1]
    if len(titles) == 1 and titles[0].label.mark:
        mark = titles[0].label.mark
        start = titles[0].start + mark.start
        return _make_header(source.text[start : titles[0].start + mark.end], source, start)
    for section in root.walk():
        if section.level <= 2 and section.text.strip(" *_:").lower() in STATUS_KEYS and not section.children:
            texts = [block for block in section.blocks if isinstance(block, Text) and block.depth == 0]
            if len(texts) == 1:
                return _make_header(texts[0].text, source, texts[0].start)
    return None


def _make_header(text: str, source: Source, start: int) -> Header:
    mark = read_status(text)
    is_settled = mark is not None and mark.start <= 2 and bool(SETTLED.match(text[mark.end :].lstrip("*_]")))
    state = mark.state if mark and is_settled else None
    return Header(text, state, source.line_at(start), start, start + len(text))


def _title(front_matter: FrontMatter | None, root: Section, source: Source) -> str:
    for section in root.children:
        if section.level == 1 and section.text:
            return section.text
    if front_matter:
        for match in _FRONT_KEY.finditer(front_matter.text):
            if match["key"].lower() in ("title", "name") and match["value"]:
                return match["value"].strip("\"'")
    first = root.children[0].text if root.children else ""
    return first or source.path.replace("\\", "/").rsplit("/", 1)[-1]
