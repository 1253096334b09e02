"""Holding a submission: the process that carries it out gives signs of life, and hears what people have said of it."""

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Iterator

from planrail.base.errors import PlanrailError
from planrail.store.tables import Tables
from planrail.team import queue
from planrail.team.queueing import ENDED, STOPPED, STOPPING, TAKEN, Submission

_BEAT = 5.0  # seconds between two signs of life


class Holding:
    """A submission in the hands of this process (`owner`).

    One that somebody has stopped ends the run; one that another worker has by now lets it rest.
    """

    def __init__(self, open_tables: Callable[[], Tables], id: str, worker: str, owner: str) -> None:
        self._open, self._id, self._worker, self._owner = open_tables, id, worker, owner
        self._told: set[int] = set()

    def is_lost(self) -> bool:
        """Whether nothing of it may begin or land any more; the run is told so by a signal."""
        with self._open() as tables:
            number = self._judge(queue.find_by_id(tables, self._id))
        if number is not None and number not in self._told:  # once: what follows is its own way to its end
            self._told.add(number)
            os.kill(os.getpid(), number)
        return number is not None

    def _judge(self, found: Submission | None) -> int | None:
        is_ours = found is not None and found.owner == self._owner
        is_stopped = found is None or (found.state == ENDED and found.outcome == STOPPED)
        if is_stopped or (is_ours and found is not None and found.state == STOPPING):
            return signal.SIGTERM
        return None if is_ours else signal.SIGINT

    @contextlib.contextmanager
    def renewing(self) -> Iterator[None]:
        """Renew it as long as this is open: what comes before a run, such as a first clone, may take long."""
        over = threading.Event()
        thread = threading.Thread(target=self._go_on_renewing, args=(over,), daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join(1.0)

    def _go_on_renewing(self, over: threading.Event) -> None:
        while not over.wait(_BEAT):
            with contextlib.suppress(PlanrailError):  # a database that is away is asked again
                self._renew()

    def _renew(self) -> None:
        with self._open() as tables:
            state = queue.renew(tables, self._id, self._worker, owner=self._owner)
        if state != TAKEN:
            self.is_lost()
