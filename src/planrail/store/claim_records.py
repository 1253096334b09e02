"""What goes on record when a claim changes hands, and short names for what is claimed. For files and rows alike."""

import hashlib

from planrail.store.claim_rules import PLAN, TakenOver, to_json
from planrail.store.spool import append_spool

FACT = "claim"


def record_takeover(root: str | None, decision: TakenOver, at: int) -> None:
    """Put a takeover on record. It waits in the spool: who holds a claim's lock waits for no ledger."""
    claim = decision.claim
    former = to_json(decision.former) if decision.former is not None else None
    value = {"event": "takeover", "reason": decision.reason, "former": former, **to_json(claim)}
    plan = _plain(claim.name) if claim.kind == PLAN else ""
    append_spool(root, FACT, plan, value, id=f"claim/{hash_name(claim.kind, claim.name)}/{claim.fence}", at=at)


def hash_name(kind: str, name: str) -> str:
    """A short name for a thing of any name."""
    return hashlib.sha256(f"{kind}\0{name}".encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _plain(name: str) -> str:
    """A name that every store can hold: file names need not be UTF-8."""
    return name.encode("utf-8", "backslashreplace").decode()
