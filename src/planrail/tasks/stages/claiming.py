"""One owner: a task is worked on by one process at a time; one that died is followed by the next, on record."""

import contextlib
import os
import time
from collections.abc import Iterator

from planrail.base.errors import Held
from planrail.store.claim_rules import TASK, AlreadyYours, HeldBy, name_host
from planrail.store.ledger import open_store
from planrail.store.owners import describe_process
from planrail.tasks.desk.desk import Desk


@contextlib.contextmanager
def claimed(desk: Desk, number: int) -> Iterator[None]:
    """The task is ours while this is open. `Held` where a live process has it."""
    owner = describe_process(os.getpid(), desk.session)
    claims = open_store(desk.root).claims
    taken = claims.acquire(TASK, str(number), owner, int(time.time()))
    if isinstance(taken, HeldBy):
        holder = taken.claim.owner
        where = f"process {holder.pid} on {name_host(holder.host)}"
        raise Held(
            f"task {number} is in the hands of {holder.id} ({where}); nothing was started",
            remedy=f"wait until it has ended: planrail task show {number}",
        )
    try:
        with claims.keep_alive(taken.claim):
            yield
    finally:
        if not isinstance(taken, AlreadyYours):  # else whoever took it lets go of it
            claims.release(TASK, str(number), desk.session, fence=taken.claim.fence)
