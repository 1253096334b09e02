"""A worker of a stage, as a program: `python -m planrail.testing.dispatch_worker JSON`; see `WorkerOrder`.

Leases of 20 s make tests slow, and a test has one machine: before anything else of planrail is imported, this program
sets the pace (`claim_rules.LEASE` and `BEAT`), the identity of its machine (`store.owners`) and its clock.
"""

import json
import os
import sys
import time
from collections.abc import Callable
from functools import partial
from importlib import import_module

from planrail.base.records import record
from planrail.store import claim_rules, owners

TURN = "planrail.testing.dispatch_turn.take_turn"
MACHINE = "PLANRAIL_STAGE_MACHINE"  # the variable by which the processes of a machine are found


@record
class WorkerOrder:
    """What a worker of a stage is told. `host`, `boot` and `space` (of process numbers) say which machine this is.

    `ahead` is by how many seconds its clock is wrong; the store is the ledger of `root`, or the database at `url`.
    """

    host: str
    boot: str
    space: str
    ahead: float = 0.0
    lease: float = 20.0
    beat: float = 5.0
    slots: int = 1
    root: str = ""
    url: str = ""
    turn: str = TURN


def impose(order: WorkerOrder) -> None:
    """Make this process one of that machine, with that pace. What was imported from these modules before stays."""
    claim_rules.LEASE, claim_rules.BEAT = order.lease, order.beat
    vars(owners)["find_start"] = partial(_find_start, owners.find_start)
    for name, said in (("host", order.host), ("boot", order.boot), ("space", order.space)):
        vars(owners)[f"{name}_identity"] = partial(str, said)
    clock = time.time
    vars(time)["time"] = lambda: clock() + order.ahead


def _find_start(find: Callable[[int], str | None], pid: int) -> str | None:
    """When a process was started, if it is one of this machine: of those of others a machine sees nothing."""
    mark = os.fsencode(f"{MACHINE}={os.environ[MACHINE]}")
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return find(pid) if mark in file.read().split(b"\0") else None
    except OSError:
        return None


def main(order: WorkerOrder) -> int:
    """Serve until told to leave."""
    impose(order)
    from planrail.team.worker.logs import Log
    from planrail.team.worker.loop import Manners, Worker
    from planrail.team.worker.sources import Source

    module, _, name = order.turn.rpartition(".")
    source = Source(order.root, order.url)
    return Worker(lambda: [source], getattr(import_module(module), name), Manners(order.slots, 2.0), Log()).run()


if __name__ == "__main__":
    sys.exit(main(WorkerOrder(**json.loads(sys.argv[1]))))
