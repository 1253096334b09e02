"""One owner: a task is worked on by one process at a time; one that died is followed by the next, on record."""

import contextlib
import os
import time
from collections.abc import Iterator

from planrail.base.errors import Held
from planrail.store.claim_rules import TASK, AlreadyYours, HeldBy, name_host
from planrail.store.ledger import open_store
from planrail.store.owners import describe_process
from planrail.tasks.context.context import Context


@contextlib.contextmanager
def claimed(context: Context, number: int) -> Iterator[None]:
    """The task is ours while this is open. `Held` where a live process has it."""
    owner = describe_process(os.getpid(), context.session)
    claims = open_store(context.root).claims
    taken = claims.acquire(TASK, str(number), owner, int(time.time()))
    if isinstance(taken, HeldBy):
        holder = taken.claim.owner
        where = f"process {holder.pid} on {name_host(holder.host)}"
        raise Held(
            f"task {number} is held by {holder.id} ({where}); nothing was started",
            remedy=f"wait until it has ended: planrail task show {number}",
        )
    try:
        with claims.keep_alive():
            yield
    finally:
        if not isinstance(taken, AlreadyYours):  # else the one that took it lets go of it
            claims.release(TASK, str(number), context.session, fence=taken.claim.fence)


def refuse_held(context: Context, number: int) -> None:
    """Raise `Held` where a live process works on a task: it is not closed meanwhile."""
    claim = open_store(context.root).claims.live_holder(TASK, str(number))
    if claim is None or claim.owner.pid == os.getpid():
        return
    raise Held(
        f"process {claim.owner.pid} works on task {number}; nothing was changed",
        remedy=f"stop it first (Ctrl-C there, or: planrail stop), or: planrail task block {number} --why TEXT",
    )
