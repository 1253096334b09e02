"""What was ordered is what is resumed: the order of a run is put on record when it begins, and compared afterwards.

Between a kill and a resumption the folder of a run lies there for anybody; one who rewrites an order has to rewrite the
ledger as well, which keeps its rows.
"""

import hashlib
import os
import time
import uuid

from planrail.base.errors import PlanrailError
from planrail.base.run_model import Order
from planrail.base.wording import quote
from planrail.store.ledger import open_ledger
from planrail.store.places import common_directory, write_synced
from planrail.store.runs.run_folders import ORDER, TEXT, pack_order, read_journal

_KIND = "order"

HOME, MOVED, COPIED = "home", "moved", "copied"


def seal_order(order: Order, folder: str) -> None:
    _add(order, folder, f"{_KIND}:{order.run}")


def seal_anew(order: Order, folder: str) -> None:
    """The same for a run that has moved to another machine, with other folders. Whoever moves it holds the plan."""
    _add(order, folder, f"{_KIND}:{order.run}:{uuid.uuid4().hex}")


def change_order(order: Order, folder: str) -> None:
    """Put an order in the place of the one that this run had. On record first: dying in between leaves the old one."""
    text = pack_order(order)
    _add(order, folder, f"{_KIND}:{order.run}:{uuid.uuid4().hex}", text.encode())
    write_synced(os.path.join(folder, ORDER), text)


def _add(order: Order, folder: str, name: str, text: bytes | None = None) -> None:
    with open_ledger(order.root) as ledger:
        ledger.add(_KIND, order.plan, {"run": order.run, "hash": _hash(folder, text)}, id=name, at=int(time.time()))


def refuse_rewritten(order: Order, folder: str) -> None:
    with open_ledger(order.root) as ledger:
        facts = (fact.value for fact in ledger.facts(_KIND, order.plan))
        known = {value.get("hash") for value in facts if value.get("run") == order.run}
    if not known and not read_journal(folder):  # it died before anything was done
        seal_order(order, folder)
    elif _hash(folder) not in known:
        raise PlanrailError(
            f"the order of the run {order.run} is not the one that was given: somebody has rewritten it",
            remedy=f"planrail stop {order.path}, then planrail run {order.path}",
        )


def _hash(folder: str, order: bytes | None = None) -> str:
    """The hash of an order and its plan's text; of the order that stands in the folder, unless another is given."""
    texts = (_read(folder, ORDER) if order is None else order, _read(folder, TEXT))
    return hashlib.sha256(b"".join(hashlib.sha256(text).digest() for text in texts)).hexdigest()


def _read(folder: str, name: str) -> bytes:
    with open(os.path.join(folder, name), "rb") as file:
        return file.read()


def find_home(order: Order, root: str) -> str:
    """Whether the repository that a run was found in is the one that it was begun in: home, moved or copied."""
    here, there = common_directory(root), common_directory(order.root)
    if here is not None and here == there:
        return HOME
    return MOVED if there is None else COPIED


def refuse_elsewhere(order: Order, root: str) -> None:
    """A run goes on where it was begun, and nowhere else."""
    home = find_home(order, root)
    if home == HOME:
        return
    what = f"{order.root} is gone" if home == MOVED else f"it belongs to {order.root}, of which this is a copy"
    raise PlanrailError(
        f"the run of {order.path} cannot go on here: {what}; nothing was started",
        remedy=f"planrail stop {quote(order.path)}, then planrail run {quote(order.path)}",
    )
