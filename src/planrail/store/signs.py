"""Signs of life: a process that holds something gives one every few seconds, and a worker gives them for its runs, too.

Claims and submissions name the process that gives signs for them, and are leased by its last one: nobody renews each of
them. A run whose worker has died, or hangs, gives the signs in its place.
"""

import contextlib
import mmap
import os
import struct
import threading
import time
from collections.abc import Callable, Iterator

from planrail.base.errors import PlanrailError
from planrail.store import owners
from planrail.store.claim_rules import BEAT
from planrail.store.tables import Tables

_PATIENCE = 2.0  # seconds that a sign in flight gets to end
_serves = ""  # the worker that this process carries out a run for
_page = mmap.mmap(-1, struct.calcsize("d"))  # when a worker was last seen to do its work: its forks have the same page
_SIGN = """
    INSERT INTO workers (id, host, pid, owner, slots, busy, drains, seen, version) VALUES (?, ?, 0, '', 0, 0, 1, ?, '')
    ON CONFLICT (id) DO UPDATE SET slots = 0, drains = 1, seen = excluded.seen
"""


def name_worker() -> str:
    """What rows call this process: its machine, and its number there."""
    return f"{_here()}/{os.getpid()}/{owners.find_start(os.getpid())}"


def is_worker_gone(worker: str) -> bool:
    """Whether a process was one of this machine, and is there no more."""
    host, _, start = worker.rpartition("/")
    here, _, pid = host.rpartition("/")
    return here == _here() and pid.isdigit() and owners.find_start(int(pid)) != start


def serve_for(worker: str) -> None:
    """From now on this process carries out a run for a worker, which gives signs of life for both."""
    global _serves
    _serves = worker


def name_signer() -> str:
    """The process that gives signs of life for what this one holds."""
    return _serves or name_worker()


def note_work() -> None:
    """The worker does its work, whether or not the database can be reached: its runs need no signs of their own."""
    struct.pack_into("d", _page, 0, time.monotonic())


def needs_signs() -> bool:
    """Whether this process has to give them itself: it works for no worker, or that one has died, or hangs."""
    return not _serves or time.monotonic() - struct.unpack_from("d", _page)[0] > 2 * BEAT


def give_sign(tables: Tables) -> None:
    """A sign of life of a process that takes nothing from the queue."""
    tables.note_contact()
    tables.nudge(_SIGN, name_signer(), owners.host_identity(), tables.now())


@contextlib.contextmanager
def giving_signs(
    give: Callable[[], object], beat: float = BEAT, let_go: Callable[[float], object] = float
) -> Iterator[None]:
    """Do this every beat while it is open, where this process has to give signs; a database that is away waits for one.

    Connections that nobody needed for a beat are let go: a run that waits has none.
    """
    over = threading.Event()

    def pulse() -> None:
        while not over.wait(beat):
            let_go(beat)
            if needs_signs():
                with contextlib.suppress(PlanrailError, OSError):
                    give()

    thread = threading.Thread(target=pulse, name="planrail-signs", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join(_PATIENCE)  # one that waits for the database ends with that wait: nobody else waits for it


def _here() -> str:
    return f"{owners.host_identity()}/{owners.space_identity()}/{owners.boot_identity()[:8]}"
