"""A run in this process, in the queue of its team: others see it there, limits count it, and anybody can stop it."""

import contextlib
from collections.abc import Iterator
from functools import partial

from planrail.base.errors import Held
from planrail.base.records import replace
from planrail.base.run_model import Ending, Order
from planrail.runs.request.ordering import Ground
from planrail.runs.request.requests import RunRequest
from planrail.store.ledger import open_store, open_tables
from planrail.store.owners import host_identity
from planrail.store.runs.run_folders import list_runs
from planrail.team import queue
from planrail.team.holding import Holding
from planrail.team.process_notes import describe_self, name_worker
from planrail.team.queueing import ENDED, INTERRUPTED, RESTING, Rest, Wish, decide_rest
from planrail.team.submitting import describe


class Enlisted:
    """The place of this process's run in the queue; nothing where there is no team."""

    def __init__(self, root: str, plan: str, id: str, owner: str) -> None:
        self._root, self._plan, self._id, self._owner = root, plan, id, owner
        self._holding = Holding(partial(open_tables, root), id, name_worker(), owner)

    def is_lost(self) -> bool:
        """See `Manner.is_lost`."""
        return bool(self._id) and self._holding.is_lost()

    @contextlib.contextmanager
    def renewing(self) -> Iterator[None]:
        """Give signs of life."""
        with self._holding.renewing() if self._id else contextlib.nullcontext():
            yield

    def put_back(self, ending: Ending | None) -> None:
        """Say in the queue what became of it. What a person interrupted is theirs to resume."""
        if not self._id:
            return
        with open_tables(self._root) as tables:
            rest = Rest(RESTING, 0.0, "interrupted; its person resumes it", "paused")
            if ending is None and not self._has_run():
                rest = Rest(ENDED, 0.0, "it did not begin", "declined")
            elif ending is not None and ending.state != INTERRUPTED:
                rest = decide_rest(ending.state, float(ending.until), now=tables.now(), tries=0, said=ending.text)
            queue.rest(tables, self._id, name_worker(), rest, owner=self._owner)

    def _has_run(self) -> bool:
        """Whether there is a run that somebody can resume."""
        return any(not run.is_over for run in list_runs(self._root, self._plan))


def enlist(order: Order, ground: Ground) -> Enlisted:
    """Put the run into the queue as one that this process has taken; `Held` where somebody else has it."""
    owner = describe_self()
    if not open_store(order.root).is_shared:
        return Enlisted(order.root, order.plan, "", owner)
    wanted = replace(describe(ground, Wish(RunRequest(order.path)), order.options.agent, is_here=True), run=order.run)
    with open_tables(order.root) as tables:
        taken = queue.take_up(tables, wanted, name_worker(), owner, host_identity())
    if taken is None:
        raise Held(f"{order.path} is in the hands of a worker", remedy=f"planrail status {order.path}")
    return Enlisted(order.root, order.plan, taken.id, owner)
