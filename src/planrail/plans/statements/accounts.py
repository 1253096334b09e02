"""Accounts: everything that is said about each unit, in its own sections and elsewhere, weighed but not yet judged."""

from collections.abc import Callable

from planrail.base.records import replace
from planrail.plans.claims import Kind, StatusClaim
from planrail.plans.model import Diagnostic, Header, WorkItem
from planrail.plans.statements import statements
from planrail.plans.statements.mentions import find_current, find_mentions, find_ranges
from planrail.plans.statements.statements import Account
from planrail.plans.states import State
from planrail.plans.text.blocks import Item, Table
from planrail.plans.text.outline import Outline, Section
from planrail.plans.units.finding import is_task_table
from planrail.plans.units.trackers import read_tracker
from planrail.plans.units.units import Unit, id_key
from planrail.plans.words.words import LIVE

_BOXES = (Kind.BOX, Kind.ITEMS, Kind.CRITERIA)
_OPEN = (*_BOXES, Kind.INDEX)


def take_accounts(
    units: list[Unit],
    own: dict[str, list[Section]],
    document: Outline,
    problems: list[Diagnostic],
    weigh: Callable[[dict[str, Account]], None] | None = None,
) -> dict[str, Account]:
    """What is said about each unit, by its id. `weigh` puts what single places say in the order of a tool's own."""
    sections = document.sections
    below = items_below(units, sections)
    owned = {section for parts in own.values() for section in parts}
    elsewhere = [section for section in sections if section not in owned]
    is_described = any(unit.section or unit.row for unit in units)
    mentioned = find_mentions(elsewhere, units, problems) if is_described else {}
    tasks = _tasks_by_unit(elsewhere, units)
    grouped = _groups_of_items(units, sections)
    accounts = {}
    for unit in units:
        parts = own.get(unit.id)
        account = accounts[unit.id] = statements.section_account(parts, problems) if parts else Account([], (), ())
        if unit.row:
            account.claims.append(statements.row_claim(unit.row, problems))
        if unit.item:
            if unit.item.box is None:
                account.claims.extend([*statements.entry_claims(unit.item), *grouped.get(unit.item, ())])
            else:
                kind = Kind.INDEX if unit.section else Kind.BOX
                account.claims.append(statements.box_claim(unit.item, problems, kind))
            nested = below.get(unit.item, [])
            if nested and (claim := statements.boxes_claim(nested, Kind.ITEMS, "boxes")):
                account.claims.append(claim)
                account.items = account.items or nested
        if tasks and (rows := tasks.get(id_key(unit.id))):
            account.claims.append(statements.rows_claim(rows))
            account.items = [*account.items, *rows]
        if mentioned:
            account.claims.extend(mentioned.get(id_key(unit.id), ()))
        if unit.item or mentioned:
            _weigh_boxes(account)
    if weigh is not None:
        weigh(accounts)
    _take_document(accounts, elsewhere, units)
    return accounts


def _take_document(accounts: dict[str, Account], elsewhere: list[Section], units: list[Unit]) -> None:
    """What the document says of several units at once: ranges of them, all of them, and the one that is current."""
    ranges = list(find_ranges(elsewhere, units))
    by_key = {id_key(unit.id): accounts[unit.id] for unit in units} if ranges else {}
    for key, claim in ranges:
        by_key[key].claims.append(claim)
    _keep_what_is_all(accounts)
    current = find_current(elsewhere, units)
    if current is not None:
        _begin(accounts, *current)


def _keep_what_is_all(accounts: dict[str, Account]) -> None:
    """Let "Deferred items" say nothing where all units of the document stand under it: it is a list of work then."""
    if all(any(map(_is_dropped, account.claims)) for account in accounts.values()):
        for account in accounts.values():
            account.claims[:] = [claim for claim in account.claims if not _is_dropped(claim)]


def _is_dropped(claim: StatusClaim) -> bool:
    return claim.kind is Kind.GROUP and claim.state is State.SKIPPED


def _begin(accounts: dict[str, Account], key: str, now: StatusClaim) -> None:
    """Let the line that says where the work is now speak for a unit of which nothing is said but that it is open."""
    for name, account in accounts.items():
        more = [one for one in account.claims if one.state is not State.TODO or not (one.is_weak or one.kind in _OPEN)]
        if id_key(name) == key and not more:
            box = next((other for other in account.claims if other.start >= 0), now)
            account.claims = [replace(box, state=now.state, reason=now.reason, is_counted=True, is_weak=False)]


def _groups_of_items(units: list[Unit], sections: list[Section]) -> dict[Item, list[StatusClaim]]:
    """What the headings say over units that are plain entries of lists."""
    items = {unit.item for unit in units if unit.item is not None and unit.item.box is None}
    found: dict[Item, list[StatusClaim]] = {}
    for section in sections if items else ():
        claim = statements.group_claim(section)
        if claim is not None:
            found |= {item: [claim] for item in section.items() if item in items}
    return found


def _tasks_by_unit(sections: list[Section], units: list[Unit]) -> dict[str, list[WorkItem]]:
    """The rows of tables of tasks that say which unit each belongs to, by the unit's key."""
    tables = [(section, block) for section in sections for block in section.blocks if type(block) is Table]
    ids = {id_key(unit.id) for unit in units if unit.section is not None} if tables else set()
    found: dict[str, list[WorkItem]] = {}
    for section, table in tables if ids else ():
        tracker = read_tracker(section, table)
        for row in tracker.rows if tracker and is_task_table(tracker, ids) else ():
            found.setdefault(id_key(row.owner), []).append(statements.row_item(row))
    return found


def items_below(units: list[Unit], sections: list[Section]) -> dict[Item, list[Item]]:
    """The boxes under each unit that is an entry of a list: nested in it, or counted under it (1.1 under 1)."""
    owners = {unit.item: unit for unit in units if unit.item is not None}
    below: dict[Item, list[Item]] = {}
    for section in sections if owners else ():
        owner: Item | None = None
        for item in section.items():
            if item in owners:
                owner = item
            elif item.box is None or owner is None:
                continue
            elif item.depth > owner.depth or item.text.lstrip("*").startswith(f"{owners[owner].id}."):
                below.setdefault(owner, []).append(item)
    return below


def _weigh_boxes(account: Account) -> None:
    """An open box over the unit says only that it is not finished; the boxes below say how far it is."""
    parts = next((claim for claim in account.claims if claim.kind is Kind.ITEMS), None)
    for at, claim in enumerate(account.claims if parts is not None and parts.state.is_started else ()):
        if parts is not None and claim.kind in (Kind.INDEX, Kind.BOX) and claim.state is State.TODO:
            reason = f"{parts.reason}; {claim.reason}"
            account.claims[at] = replace(claim, state=State.IN_PROGRESS, reason=reason, is_counted=True)


def settle_unmaintained(accounts: dict[str, Account], header: Header | None) -> None:
    """Boxes that nobody ticks say nothing, in a plan that says of itself that it is live, or finished."""
    if header is None or not (header.state is State.DONE or header.text.lower().strip("[]*_ ") in LIVE):
        return
    claims = [claim for account in accounts.values() for claim in account.claims]
    if any(claim.state.is_started or claim.state is State.UNKNOWN or claim.kind not in _BOXES for claim in claims):
        return
    if header.state is not State.DONE and any(claim.kind is Kind.BOX for claim in claims):
        return
    for account in accounts.values():
        account.claims.clear()
