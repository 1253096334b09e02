"""Holding a submission: the process that carries it out gives signs of life, and hears what people have said of it."""

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Iterator
from functools import partial

from planrail.base.errors import Held, PlanrailError
from planrail.base.records import replace
from planrail.base.run_model import Ending, Order
from planrail.runs.request.ordering import RunContext
from planrail.runs.request.requests import RunRequest
from planrail.store.ledger import open_store, open_tables
from planrail.store.owners import host_identity
from planrail.store.runs.run_folders import list_runs
from planrail.store.tables import Tables
from planrail.team import queue, queueing
from planrail.team.process_notes import describe_self, name_worker
from planrail.team.submitting import describe

_BEAT = 5.0  # seconds between two signs of life


class Holding:
    """A submission held by this process (`owner`).

    One that the user has stopped ends the run; one that another worker has by now lets it rest.
    """

    def __init__(self, open_tables: Callable[[], Tables], id: str, worker: str, owner: str) -> None:
        self._open, self._id, self._worker, self._owner = open_tables, id, worker, owner
        self._told: set[int] = set()

    def is_lost(self) -> bool:
        """Whether nothing of it may begin or land any more; the run is told so by a signal."""
        with self._open() as tables:
            found = queue.find_by_id(tables, self._id)
        is_ours = found is not None and found.owner == self._owner
        is_stopped = found is None or (found.state == queueing.ENDED and found.outcome == queueing.STOPPED)
        number = None if is_ours else signal.SIGINT
        if is_stopped or (is_ours and found is not None and found.state == queueing.STOPPING):
            number = signal.SIGTERM
        if number is not None and number not in self._told:  # once: what follows is its own way to its end
            self._told.add(number)
            os.kill(os.getpid(), number)
        return number is not None

    @contextlib.contextmanager
    def renewing(self) -> Iterator[None]:
        """Renew it as long as this is open: what comes before a run, such as a first clone, may take long."""
        over = threading.Event()

        def go_on() -> None:
            while not over.wait(_BEAT):
                with contextlib.suppress(PlanrailError):  # a database that is away is asked again
                    with self._open() as tables:
                        state = queue.renew(tables, self._id, self._worker, owner=self._owner)
                    if state != queueing.TAKEN:
                        self.is_lost()

        thread = threading.Thread(target=go_on, daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join(1.0)


class Enlisted(Holding):
    """The place of this process's run in the queue of its team."""

    def __init__(self, order: Order, id: str, owner: str) -> None:
        super().__init__(partial(open_tables, order.root), id, name_worker(), owner)
        self._order = order

    def put_back(self, ending: Ending | None) -> None:
        """Say in the queue what became of it. What a person interrupted is theirs to resume."""
        with self._open() as tables:
            rest = queueing.Rest(queueing.RESTING, 0.0, "interrupted; its person resumes it", "paused")
            if ending is None and all(run.is_over for run in list_runs(self._order.root, self._order.plan)):
                rest = queueing.Rest(queueing.ENDED, 0.0, "it did not begin", "declined")
            elif ending is not None and ending.state != queueing.INTERRUPTED:
                rest = queueing.decide_rest(
                    ending.state, float(ending.until), now=tables.now(), tries=0, said=ending.text
                )
            queue.rest(tables, self._id, self._worker, rest, owner=self._owner)


def enlist(order: Order, context: RunContext) -> Enlisted | None:
    """Put the run into the queue as one that this process has taken; `Held` where another has it. None: no team."""
    if not open_store(order.root).is_shared:
        return None
    owner = describe_self()
    wanted = replace(
        describe(context, queueing.SubmissionRequest(RunRequest(order.path)), order.options.agent, is_here=True),
        run=order.run,
    )
    with open_tables(order.root) as tables:
        taken = queue.take_up(tables, wanted, name_worker(), owner, host_identity())
    if taken is None:
        raise Held(f"{order.path} is held by a worker", remedy=f"planrail status {order.path}")
    return Enlisted(order, taken.id, owner)
