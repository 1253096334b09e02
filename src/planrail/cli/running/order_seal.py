"""What was ordered is what is resumed: the order of a run is put on record when it begins, and compared afterwards.

Between a kill and a resumption the folder of a run lies there for anybody; one who rewrites an order has to rewrite the
ledger as well, which keeps its rows.
"""

import hashlib
import os
import time
import uuid

from planrail.errors import PlanrailError
from planrail.ledger.run_folders import ORDER, TEXT, read_journal
from planrail.ledger.store import open_ledger

TYPE_CHECKING = False
if TYPE_CHECKING:
    from planrail.runs.model import Order

_KIND = "order"


def seal_order(order: "Order", folder: str) -> None:
    """Put on record what was ordered; once for each run."""
    _add(order, folder, f"{_KIND}:{order.run}")


def seal_anew(order: "Order", folder: str) -> None:
    """The same for a run that has moved to another machine, with other folders. Whoever moves it holds the plan."""
    _add(order, folder, f"{_KIND}:{order.run}:{uuid.uuid4().hex}")


def _add(order: "Order", folder: str, name: str) -> None:
    with open_ledger(order.root) as ledger:
        ledger.add(_KIND, order.plan, {"run": order.run, "hash": _hash(folder)}, id=name, at=int(time.time()))


def refuse_rewritten(order: "Order", folder: str) -> None:
    """Refuse to go on with an order that is not the one that was given."""
    with open_ledger(order.root) as ledger:
        known = [fact.value for fact in ledger.facts(_KIND, order.plan) if fact.value.get("run") == order.run]
    if not known and not read_journal(folder):  # it died before anything was done
        seal_order(order, folder)
    elif not known or known[-1].get("hash") != _hash(folder):
        raise PlanrailError(
            f"the order of the run {order.run} is not the one that was given: somebody has rewritten it",
            remedy=f"planrail stop {order.path}, then planrail run {order.path}",
        )


def _hash(folder: str) -> str:
    digest = hashlib.sha256()
    for name in (ORDER, TEXT):
        with open(os.path.join(folder, name), "rb") as file:
            digest.update(hashlib.sha256(file.read()).digest())
    return digest.hexdigest()
