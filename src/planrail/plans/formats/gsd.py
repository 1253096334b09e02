"""GSD's roadmap: ticked boxes in its lists of phases and plans speak before its table of progress."""

from planrail.base.records import replace
from planrail.plans.claims import Kind
from planrail.plans.statements.statements import Account
from planrail.plans.states import State

_KINDS = {Kind.INDEX: Kind.BOX, Kind.TRACKER: Kind.INDEX}


def believe_ticks(accounts: dict[str, Account]) -> None:
    """Let ticks speak first, as the tool does."""
    for account in accounts.values():
        account.claims[:] = [replace(claim, is_weak=claim.state is State.TODO) for claim in account.claims]
        if any(claim.kind is Kind.INDEX and claim.state is State.DONE for claim in account.claims):
            account.claims[:] = [replace(claim, kind=_KINDS.get(claim.kind, claim.kind)) for claim in account.claims]
