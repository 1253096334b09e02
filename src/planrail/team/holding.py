"""Holding a submission: the process that carries it out gives signs of life, and hears what people have said of it."""

import os
import signal
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial

from planrail.base.errors import Held
from planrail.base.records import replace
from planrail.base.run_model import Ending, Order
from planrail.runs.request.ordering import RunContext
from planrail.runs.request.requests import RunRequest
from planrail.store.ledger import open_store
from planrail.store.owners import host_identity
from planrail.store.runs.run_folders import list_runs
from planrail.store.signs import give_sign, giving_signs, name_worker
from planrail.team import queueing
from planrail.team.dispatch import Dispatch
from planrail.team.engines import open_dispatch
from planrail.team.process_notes import describe_self
from planrail.team.submitting import describe


class Holding:
    """A submission held by this process, `owner` as rows name it, for a worker.

    One that the user has stopped ends the run; one that another worker has by now lets it rest.
    """

    def __init__(self, opening: Callable[[], Dispatch], id: str, worker: str, owner: str, root: str = "") -> None:
        self.open, self._id, self._worker, self._owner = opening, id, worker, owner
        self.root = root  # the repository whose own queue it is in; "" in a team's
        self._told: set[int] = set()

    def beat(self) -> str:
        """What has become of it: it is `TAKEN` still, `STOPPING`, or `LOST` to another process."""
        with self.open() as dispatch:
            found = dispatch.find_by_id(self._id)
        if found is None or (found.state == queueing.ENDED and found.outcome == queueing.STOPPED):
            return queueing.STOPPING
        return found.state if found.owner == self._owner and found.state in queueing.AT_WORK else queueing.LOST

    def is_lost(self) -> bool:
        """Whether nothing of it may begin or land any more; the run is told so by a signal."""
        number = {queueing.TAKEN: None, queueing.STOPPING: signal.SIGTERM}.get(self.beat(), signal.SIGINT)
        if number is not None and number not in self._told:  # once: what follows is its own way to its end
            self._told.add(number)
            os.kill(os.getpid(), number)
        return number is not None

    def wants_turn(self) -> bool:
        """Whether another submission could start now if this one made room."""
        with self.open() as dispatch:
            found = dispatch.find_by_id(self._id)
            return found is not None and dispatch.wants_turn(found, host_identity())

    def listening(self) -> AbstractContextManager[None]:
        """Give signs of life as long as this is open, and hear what people say; where a worker lives, it does both."""

        def give() -> None:
            with self.open() as dispatch:
                give_sign(dispatch.tables)
            self.is_lost()

        if self.root:
            return giving_signs(give)
        from planrail.store.postgres.connections import close_idle

        return giving_signs(give, let_go=close_idle)

    def name_run(self, run: str) -> None:
        with self.open() as dispatch:
            dispatch.name_run(self._id, run)

    def put_back(self, rest: queueing.Rest) -> None:
        """Give it back after its turn."""
        with self.open() as dispatch:
            dispatch.rest(self._id, self._worker, rest, owner=self._owner)


class Enlisted(Holding):
    """The place of this process's run in the queue of its team."""

    def __init__(self, order: Order, id: str, owner: str) -> None:
        super().__init__(partial(open_dispatch, order.root), id, name_worker(), owner)
        self._order = order

    def say_ended(self, ending: Ending | None) -> None:
        """Say in the queue what became of it. What a person interrupted is theirs to resume."""
        with self.open() as dispatch:
            rest = queueing.Rest(queueing.RESTING, 0.0, "interrupted; its person resumes it", "paused")
            if ending is None and all(run.is_over for run in list_runs(self._order.root, self._order.plan)):
                rest = queueing.Rest(queueing.ENDED, 0.0, "it did not begin", "declined")
            elif ending is not None and ending.state != queueing.INTERRUPTED:
                rest = queueing.decide_rest(
                    ending.state, float(ending.until), now=dispatch.tables.now(), tries=0, said=ending.text
                )
        self.put_back(rest)


def enlist(order: Order, context: RunContext) -> Enlisted | None:
    """Put the run into the queue as one that this process has taken; `Held` where another has it. None: no team."""
    if not open_store(order.root).is_shared:
        return None
    owner = describe_self()
    wanted = replace(
        describe(context, queueing.SubmissionRequest(RunRequest(order.path)), order.options.agent, is_here=True),
        run=order.run,
    )
    with open_dispatch(order.root) as dispatch:
        give_sign(dispatch.tables)
        taken = dispatch.take_up(wanted, name_worker(), owner, host_identity())
    if taken is None:
        raise Held(f"{order.path} is held by a worker", remedy=f"planrail status {order.path}")
    return Enlisted(order, taken.id, owner)
