"""Accounts: everything that is said about each unit, in its own sections and elsewhere, weighed but not yet judged."""

from collections.abc import Callable

from planrail.base.records import replace
from planrail.plans.claims import Claim, Kind
from planrail.plans.model import Diagnostic, Header, WorkItem
from planrail.plans.statements.heading_claims import group_claim
from planrail.plans.statements.mentions import find_mentions
from planrail.plans.statements.progress_lines import find_current, find_ranges
from planrail.plans.statements.statements import (
    Account,
    box_claim,
    boxes_claim,
    entry_claims,
    row_claim,
    rows_claim,
    section_account,
)
from planrail.plans.states import State
from planrail.plans.text.blocks import Item, Table
from planrail.plans.text.outline import Outline, Section
from planrail.plans.units.finding import is_task_table
from planrail.plans.units.trackers import read_tracker
from planrail.plans.units.units import Unit, id_key
from planrail.plans.words.words import LIVE

_BOXES = (Kind.BOX, Kind.ITEMS, Kind.CRITERIA)


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
        account = section_account(parts, problems) if parts else Account([], (), ())
        if unit.row:
            account.claims.append(row_claim(unit.row, problems))
        if unit.item:
            if unit.item.box is None:
                account.claims.extend([*entry_claims(unit.item), *grouped.get(unit.item, ())])
            else:
                account.claims.append(box_claim(unit.item, problems, Kind.INDEX if unit.section else Kind.BOX))
            nested = below.get(unit.item)
            account = _with_nested(account, nested) if nested else account
        listed = tasks.get(id_key(unit.id)) if tasks else None
        if listed:
            account = Account([*account.claims, rows_claim(listed)], [*account.items, *listed], account.criteria)
        if mentioned:
            account.claims.extend(mentioned.get(id_key(unit.id), ()))
        accounts[unit.id] = _weigh_boxes(account) if unit.item or mentioned else account
    if weigh is not None:
        weigh(accounts)
    ranges = list(find_ranges(elsewhere, units))
    by_key = {id_key(unit.id): accounts[unit.id] for unit in units} if ranges else {}
    for key, claim in ranges:
        by_key[key].claims.append(claim)
    _keep_what_is_all(accounts)
    current = find_current(elsewhere, units)
    if current is not None:
        _begin(accounts, *current)
    return accounts


def _keep_what_is_all(accounts: dict[str, Account]) -> None:
    """Let "Deferred items" say nothing where all units of the document stand under it: it is a list of work then."""
    if accounts and all(any(map(_is_put_off, account.claims)) for account in accounts.values()):
        for account in accounts.values():
            account.claims[:] = [claim for claim in account.claims if not _is_put_off(claim)]


def _is_put_off(claim: Claim) -> bool:
    return claim.kind is Kind.GROUP and claim.state is State.SKIPPED


def _begin(accounts: dict[str, Account], key: str, claim: Claim) -> None:
    """Let the line that says where the work is now speak for a unit of which nothing is said but that it is open."""
    for name, account in accounts.items():
        if id_key(name) == key and all(map(_is_open_only, account.claims)):
            box = next((other for other in account.claims if other.start >= 0), claim)
            begun = replace(box, state=claim.state, reason=claim.reason, is_counted=True, is_weak=False)
            accounts[name] = Account([begun], account.items, account.criteria)


def _is_open_only(claim: Claim) -> bool:
    return claim.state is State.TODO and (claim.is_weak or claim.kind in (*_BOXES, Kind.INDEX))


def _groups_of_items(units: list[Unit], sections: list[Section]) -> dict[Item, list[Claim]]:
    """What the headings say over units that are plain entries of lists."""
    items = {unit.item for unit in units if unit.item is not None and unit.item.box is None}
    found: dict[Item, list[Claim]] = {}
    for section in sections if items else ():
        claim = group_claim(section)
        for block in section.blocks:
            if isinstance(block, Item) and block in items and claim is not None:
                found[block] = [claim]
    return found


def _tasks_by_unit(sections: list[Section], units: list[Unit]) -> dict[str, list[WorkItem]]:
    """The rows of tables of tasks that say which unit each belongs to, by the unit's key."""
    tables = [(section, block) for section in sections for block in section.blocks if type(block) is Table]
    ids = {id_key(unit.id) for unit in units if unit.section is not None} if tables else set()
    found: dict[str, list[WorkItem]] = {}
    for section, table in tables if ids else ():
        tracker = read_tracker(section, table)
        for row in tracker.rows if tracker and is_task_table(tracker, ids) else ():
            mark = row.read_mark()
            item = WorkItem(f"{row.id} {row.title}".strip(), mark.state if mark else State.TODO, row.line)
            found.setdefault(id_key(row.owner), []).append(item)
    return found


def _with_nested(account: Account, nested: list[Item]) -> Account:
    """The account of a unit that is an entry of a list, with what the boxes under it say."""
    claim = boxes_claim(nested, Kind.ITEMS, "boxes")
    if claim is None:
        return account
    return Account([*account.claims, claim], account.items or nested, account.criteria)


def items_below(units: list[Unit], sections: list[Section]) -> dict[Item, list[Item]]:
    """The boxes under each unit that is an entry of a list: nested in it, or counted under it (1.1 under 1)."""
    owners = {unit.item: unit for unit in units if unit.item is not None}
    below: dict[Item, list[Item]] = {}
    for section in sections if owners else ():
        owner: Unit | None = None
        for block in section.blocks:
            if not isinstance(block, Item):
                continue
            if block in owners:
                owner = owners[block]
            elif block.box is None or owner is None or owner.item is None:
                continue
            elif block.depth > owner.item.depth or block.text.lstrip("*").startswith(f"{owner.id}."):
                below.setdefault(owner.item, []).append(block)
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
            start, end = claim.start, claim.end
            claim = Claim(claim.kind, State.IN_PROGRESS, claim.line, reason, start, end, is_counted=True)
        weighed.append(claim)
    return Account(weighed, account.items, account.criteria)


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
