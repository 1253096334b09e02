"""Records of a run that the ledger confirms: a file can be rewritten, the first word in the ledger stays."""

import hashlib
import json

from planrail.runs.steps.site import Site
from planrail.runs.workshop import At


def confirm_record(site: Site, name: str, record: object) -> bool:
    """Whether this is what the ledger has of a record of the run; the first word is the one that it keeps."""
    run, told = site.order.run, hash_record(record)
    with site.open_ledger() as ledger:
        value = {"run": run, "hash": told}
        kept = ledger.add("surroundings", site.order.plan, value, id=f"{name}:{run}", at=int(site.now()))
    return kept.value.get("hash") == told


def is_recorded(site: Site, name: str) -> bool:
    """Whether the ledger has a word on a record of this name."""
    with site.open_ledger() as ledger:
        return any(fact.id == f"{name}:{site.order.run}" for fact in ledger.facts("surroundings", site.order.plan))


def is_answered(site: Site, kind: str, at: At, value: str) -> bool:
    """Whether a person was told of exactly this before, and has resumed the run since."""
    order, name = site.order, f"{kind}:{site.order.run}/{at.phase}/{at.attempt}/{value}"
    with site.open_ledger() as ledger:
        is_known = any(fact.id == name for fact in ledger.facts(kind, order.plan))
        ledger.add(kind, order.plan, {"run": order.run, "hash": value}, id=name, at=int(site.now()))
    return is_known and site.is_answered


def hash_record(record: object) -> str:
    """The hash by which a record is known."""
    return hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()
