"""Reading a Markdown plan: blocks, outline, units, claims, and one state with one reason for each unit."""

import re
from collections.abc import Callable

from planrail.base.patterns import pattern
from planrail.plans.claims import Kind, StatusClaim, contradictions, decide
from planrail.plans.formats.dialects import MARKDOWN, Dialect
from planrail.plans.model import Beside, Diagnostic, Header, Phase, Plan
from planrail.plans.routes import conclude
from planrail.plans.statements.accounts import settle_unmaintained, take_accounts
from planrail.plans.statements.headers import front_claims, note_header, read_header, read_title_of
from planrail.plans.statements.statements import Account
from planrail.plans.states import ProofKind, State
from planrail.plans.surroundings import Surroundings
from planrail.plans.text.arranging import arrange
from planrail.plans.text.blocks import Block, FrontMatter, Item, Table
from planrail.plans.text.outline import Outline, Section, is_aside
from planrail.plans.text.scanning import scan
from planrail.plans.text.source import PlanSource
from planrail.plans.units.dependencies import read_dependencies
from planrail.plans.units.finding import find_units
from planrail.plans.units.units import Unit, id_key, is_log
from planrail.plans.words.marks import group_state, is_later
from planrail.plans.words.words import LIVE, PREPARED

_TODOS = pattern(r"^todos[ \t]*:", re.MULTILINE)


def read_markdown(
    source: PlanSource, dialect: Dialect, surroundings: Surroundings | None, read_any: Callable[[PlanSource], Plan]
) -> Plan:
    """The plan that a Markdown text is. Its surroundings are asked only where it says too little itself.

    `read_any` reads the progress document that it may name, which need not be Markdown.
    """
    front_matter, blocks = scan(source.text)
    todos = _read_todos(source, front_matter)
    if todos is not None:
        return todos
    has_header = dialect.has_header
    dialect, document, kind, units = find_phases(source.text, blocks, dialect)
    problems: list[Diagnostic] = []
    header = read_header(source, front_matter, document) if has_header else None
    if header is not None and surroundings is not None and dialect.settle_header is not None:
        header = dialect.settle_header(header, surroundings)
    own = own_sections(units)
    accounts = hear_document(dialect, units, own, document, problems)
    told = front_claims(source, front_matter)
    for unit in units if told else ():
        if (key := id_key(unit.id)) in told:
            accounts[unit.id].claims.append(told[key])
    settle_unmaintained(accounts, header)
    if (
        surroundings is not None
        and units
        and dialect.take_accounts is None
        and not (dialect.hear is not None and dialect.hear(surroundings, accounts))
        and not all(any(claim.is_explicit for claim in account.claims) for account in accounts.values())
    ):
        from planrail.plans.statements.around import add_claims

        add_claims(surroundings, source, document.sections, units, accounts, own, read_any)
    needs = read_dependencies(units, [table for _, table in document.tables], own)
    phases = [_phase(unit, accounts[unit.id], needs[unit.id], own.get(unit.id, []), header, problems) for unit in units]
    note_header(phases, header, problems)
    owned = {part for parts in own.values() for part in parts}
    beside = [section for section in document.sections if section not in owned]
    _note_copies(units, beside, problems)
    title = read_title_of(front_matter, document.root, source)
    plan = Plan(source.path, title, kind, MARKDOWN.name, phases, header, problems, _look_beside(beside, units))
    return conclude(plan, has_header=has_header)


def _read_todos(source: PlanSource, front_matter: FrontMatter | None) -> Plan | None:
    """The plan that the front matter itself is, as Cursor writes it."""
    if front_matter is None or not _TODOS.search(front_matter.text):
        return None
    from planrail.plans.formats.yaml_tasks import read_todos

    return read_todos(source, front_matter.start, front_matter.end)


def find_phases(text: str, blocks: list[Block], dialect: Dialect) -> tuple[Dialect, Outline, str, list[Unit]]:
    """The dialect whose rules hold for a document, its outline, and its units with the format they are written in."""
    document = dialect.arrange(blocks) if dialect.arrange is not None else None
    if document is None:
        dialect = dialect if dialect.arrange is None else MARKDOWN
        document = arrange(text, blocks, dialect.boxes)
    own = dialect.find_units(document) if dialect.find_units is not None else []
    kind, units = (dialect.kind, own) if own else find_units(document)
    if not units and not text.startswith("---"):  # what a tool for plans writes has front matter
        from planrail.plans.units.native import find_changes

        units = find_changes(document)
        kind = "sections" if units else kind
    return dialect, document, kind, units


def hear_document(
    dialect: Dialect, units: list[Unit], own: dict[str, list[Section]], document: Outline, problems: list[Diagnostic]
) -> dict[str, Account]:
    """What the document says about each unit, by its id."""
    if dialect.take_accounts is not None:
        return dialect.take_accounts(units, own, document)
    return take_accounts(units, own, document, problems, dialect.weigh)


def _note_copies(units: list[Unit], beside: list[Section], problems: list[Diagnostic]) -> None:
    """Report sections that name a unit a second time and hold work or marks: what they say was not read."""
    named = [part for part in beside if part.label.id and (part.has_boxes or part.label.mark or part.status)]
    known = {(unit.word, id_key(unit.id)): unit for unit in units if unit.section is not None} if named else {}
    for section in named:
        unit = known.get((section.label.word, id_key(section.label.id)))
        if unit is not None:
            message = f"phase {unit.id} is described on line {unit.line} already; what this section says is not read"
            problems.append(Diagnostic(section.line, "duplicate-id", message))


def _look_beside(sections: list[Section], units: list[Unit]) -> Beside:
    """What stands beside the units: sections of finished work (`## Completed`), and open boxes beside units that are.

    Criteria and work for later do not count.
    """
    over = [section for section in sections if not section.label.id and section.level > 1]
    finished = [part for one in over if group_state(one.text) is State.DONE for part in one.walk()]
    has_history = any(isinstance(block, Item | Table) for part in finished for block in part.blocks)
    own = {unit.item for unit in units if unit.item is not None and unit.item.box is not None}
    for section in sections if own else ():
        boxes = [box for box in section.boxes() if box not in own and box.state is State.TODO]
        lines = [box.line for box in boxes if own.isdisjoint(box.above())]
        titles = [part.text for part in section.path() if part.level > 1] if lines else []
        if lines and not is_log(section) and not any(is_aside(text) or is_later(text) for text in titles):
            return Beside(has_history, lines[0])
    return Beside(has_history)


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


def _phase(
    unit: Unit,
    account: Account,
    needs: list[str],
    own: list[Section],
    header: Header | None,
    problems: list[Diagnostic],
) -> Phase:
    claim = decide(account.claims)
    if header and header.state is not None and header.state.is_terminal:
        claim = _in_finished_plan(claim, header)
    is_dropped = claim is not None and claim.kind is Kind.PLAN and claim.state is State.SKIPPED
    claims = account.claims
    if claim and not is_dropped and len(claims) > 1:
        for other in contradictions(claim, claims):
            if other.kind not in (Kind.CRITERIA, Kind.GROUP):
                message = f"phase {unit.id} is {claim.state} ({claim.reason}), but {other.reason} says {other.state}"
                problems.append(Diagnostic(other.line, "contradiction", message))
    if claim is not None and not is_dropped and claim.kind is Kind.PLAN:
        is_open = unit.item is not None and unit.item.box is not None and not unit.item.is_done
        if is_open or any(not item.is_closed for item in account.items):
            message = f"phase {unit.id} is done by {claim.reason}, but has open boxes"
            problems.append(Diagnostic(unit.line, "contradiction", message))
    status, reason = (claim.state, claim.reason) if claim else _unmarked(header)
    proof = ProofKind.CLAIMED if claim is not None and status is not State.UNKNOWN else None
    line = claim.line if claim and claim.kind is Kind.TRACKER else unit.line
    entry_end = unit.item.start + len(unit.item.text) if unit.item and unit.item.box is None else -1
    said = (unit.id, unit.title, unit.word, status, proof, reason, line, needs, account.items, account.criteria)
    return Phase(*said, claim, own, entry_end, (), claim is None or not claim.is_waiting)


def _in_finished_plan(claim: StatusClaim | None, header: Header) -> StatusClaim:
    """What is believed of a unit in a plan that says it is finished: work for later is no part of it."""
    said = f"the plan's status, line {header.line}: {header.text}"
    if claim is None or claim.kind >= Kind.ITEMS:
        return StatusClaim(Kind.PLAN, State.DONE if header.state is State.DONE else State.SKIPPED, header.line, said)
    if claim.kind is Kind.GROUP and claim.state is State.TODO:
        return StatusClaim(Kind.PLAN, State.SKIPPED, claim.line, f"{claim.reason}; {said}")
    return claim


def _unmarked(header: Header | None) -> tuple[State, str]:
    """The state of a unit that nothing marks: it has not begun, also where the plan says that work is under way."""
    if header is None:
        return State.TODO, "no mark"
    words = [word.strip("[]*_,.:()") for word in header.text.lower().split()] or [""]
    if len(words) == 1 and words[0] in PREPARED | LIVE:  # "ready": nobody can tell whether work has begun since
        return State.UNKNOWN, f"no mark, although the plan has a status (line {header.line}: {header.text})"
    return State.TODO, f"no mark; the plan's status, line {header.line}: {header.text}"
