"""Reading a Markdown plan: blocks, outline, units, claims, and one state with one reason for each unit."""

import re

from planrail.plans.blocks import Block, FrontMatter, Item, Text, scan
from planrail.plans.claims import Claim, Kind, contradictions, decide
from planrail.plans.dependencies import find_cycle, read_dependencies
from planrail.plans.marks import read_box, read_phrase, read_status
from planrail.plans.mentions import find_mentions
from planrail.plans.model import Diagnostic, Header, Phase, Plan
from planrail.plans.outline import Outline, Section, key_of, outline
from planrail.plans.routes import decide_next, decide_route, decide_status, describe_next
from planrail.plans.source import Source
from planrail.plans.states import Proof, State
from planrail.plans.statements import SETTLED, Account, box_claim, boxes_claim, row_claim, section_account, value_of
from planrail.plans.units import Unit, find_units, id_key
from planrail.plans.words import STATUS_KEYS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from planrail.plans.surroundings import Surroundings

_FRONT_KEY = re.compile(r"^[ \t]*(?P<key>[A-Za-z_][\w -]*?)[ \t]*:[ \t]*(?P<value>.*?)[ \t\r]*$", re.MULTILINE)

_BOXES = (Kind.BOX, Kind.ITEMS, Kind.CRITERIA)
_TODOS = re.compile(r"^todos[ \t]*:", re.MULTILINE)


def read_markdown(source: Source, surroundings: "Surroundings | None" = None) -> Plan:
    """The plan that a Markdown text is. Its surroundings are asked only where it says too little itself."""
    front_matter, blocks = scan(source.text)
    todos = _todos(source, front_matter)
    if todos is not None:
        return todos
    document = outline(_by_legend(source.text, blocks))
    root, sections = document.root, document.sections
    kind, units = find_units(document)
    problems: list[Diagnostic] = []
    header = _header(source, front_matter, document)
    own = own_sections(units)
    accounts = _accounts(units, own, sections, problems)
    settle_unmaintained(accounts, header)
    if surroundings is not None and units:
        _ask(surroundings, source, document, units, accounts, own)
    needs = read_dependencies(units, [table for _, table in document.tables], own)
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
        decide_status(phases, header, has_history=_has_history(sections)),
        phases,
        describe_next(upcoming),
        decide_route(phases, upcoming, header),
        header,
        sorted(problems, key=lambda problem: problem.line),
    )


def _by_legend(text: str, blocks: list[Block]) -> list[Block]:
    if text.isascii():
        return blocks  # no signs, no legend: the module is not needed
    from planrail.plans.legend import apply_legend

    return apply_legend(text, blocks)


def _ask(
    surroundings: "Surroundings",
    source: Source,
    document: Outline,
    units: list[Unit],
    accounts: dict[str, Account],
    own: dict[str, list[Section]],
) -> None:
    """Add what companions say of the units, and, where nothing marks any of them, what files and commits show."""
    if all(any(claim.is_explicit for claim in account.claims) for account in accounts.values()):
        return
    from planrail.plans.companions import companion_claims, named_companions

    names = named_companions(source.text, document.sections, source.path)
    said = companion_claims(names, surroundings, read_markdown) if names else {}
    for unit in units:
        accounts[unit.id].claims.extend(said.get(id_key(unit.id), ()))
    if any(account.claims for account in accounts.values()):
        return
    from planrail.plans.evidence import find_evidence

    for name, claim in find_evidence(units, own, surroundings).items():
        accounts[name].claims.append(claim)


def _todos(source: Source, front_matter: FrontMatter | None) -> Plan | None:
    """The plan that the front matter itself is, as Cursor writes it."""
    if front_matter is None or not _TODOS.search(front_matter.text):
        return None
    from planrail.plans.yaml_tasks import read_todos

    return read_todos(source, front_matter.start, front_matter.end)


def _has_history(sections: list[Section]) -> bool:
    """Whether a section beside the units lists what is finished: `## Completed` with ticked boxes."""
    for section in sections:
        if not section.label.id and section.has_boxes and read_phrase(section.text.strip(" *_:✅")) is State.DONE:
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
    owned = {section for parts in own.values() for section in parts}
    elsewhere = [section for section in sections if section not in owned]
    is_described = any(unit.section or unit.row for unit in units)
    mentioned = find_mentions(elsewhere, units, problems) if is_described else {}
    below = _items_below(units, sections)
    accounts = {}
    for unit in units:
        parts = own.get(unit.id)
        account = section_account(parts, problems) if parts else Account([], (), ())
        if unit.row:
            account.claims.append(row_claim(unit.row, problems))
        if unit.item and unit.item.box is not None:
            account = _with_box(account, unit, unit.item, below, problems)
        if mentioned:
            account.claims.extend(mentioned.get(id_key(unit.id), ()))
        accounts[unit.id] = _weigh_boxes(account) if unit.item or mentioned else account
    return accounts


def _with_box(
    account: Account, unit: Unit, item: Item, below: dict[Item, list[Item]], problems: list[Diagnostic]
) -> Account:
    """The account of a unit that is itself a box: what it says, and what the boxes under it say."""
    account.claims.append(box_claim(item, problems, Kind.INDEX if unit.section else Kind.BOX))
    nested = below.get(item)
    if not nested:
        return account
    claim = boxes_claim(nested, Kind.ITEMS, "boxes")
    return Account([*account.claims, *([claim] if claim else ())], account.items or nested, account.criteria)


def _items_below(units: list[Unit], sections: list[Section]) -> dict[Item, list[Item]]:
    """The boxes under each unit that is itself a box: nested in it, or counted under it (1.1 under 1)."""
    owners = {unit.item: unit for unit in units if unit.item is not None}
    if not owners:
        return {}
    below: dict[Item, list[Item]] = {}
    for section in sections:
        current: Unit | None = None
        for block in section.blocks:
            if type(block) is not Item or block.box is None:
                continue
            owner = owners.get(block)
            if owner is not None:
                current = owner
            elif current is not None and current.item is not None:
                if block.depth > current.item.depth or block.text.lstrip("*").startswith(f"{current.id}."):
                    below.setdefault(current.item, []).append(block)
    return below


def _weigh_boxes(account: Account) -> Account:
    """An open box over the unit says only that it is not finished; the boxes below say how far it is."""
    parts = next((claim for claim in account.claims if claim.kind is Kind.ITEMS), None)
    if parts is None or not parts.state.is_started:
        return account
    weighed = []
    for claim in account.claims:
        if claim.kind in (Kind.INDEX, Kind.BOX) and claim.state is State.TODO:
            reason = f"{parts.reason}; {claim.reason}"
            claim = Claim(claim.kind, State.IN_PROGRESS, claim.line, reason, claim.start, claim.end)
        weighed.append(claim)
    return Account(weighed, account.items, account.criteria)


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
    if claim is not None and any(other.state is not claim.state for other in account.claims):
        _note_contradictions(unit, claim, account.claims, problems)
    status, reason = (claim.state, claim.reason) if claim else _unmarked(header)
    asserted = claim is not None and status is not State.UNKNOWN
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
        own,
    )


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


def _header(source: Source, front_matter: FrontMatter | None, document: Outline) -> Header | None:
    """The status that the plan gives itself: in its front matter, else in the lines above its sections."""
    if front_matter:
        for match in _FRONT_KEY.finditer(source.text, front_matter.start, front_matter.end):
            if match["key"].lower() == "status" and match["value"]:
                return _make_header(match["value"].strip("\"'"), source, match.start("value"))
    root = document.root
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
    for section in document.sections:
        if section.level <= 2 and not section.label.id and section.text.strip(" *_:").lower() in STATUS_KEYS:
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
