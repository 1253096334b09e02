"""Where a worker finds work: the ledgers of the repositories that it serves, and the databases of teams.

A change of a team's queue arrives as a notification, so that nobody has to poll: one connection for each database.
Where it is lost, the worker's beat takes its place until it is back.
"""

import contextlib
import os
import time
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from planrail.base.records import record
from planrail.store.addresses import hide_password
from planrail.store.ledger import open_store
from planrail.store.team import NAME_VARIABLE, VARIABLE
from planrail.team.dispatch import Dispatch
from planrail.team.engines import open_dispatch, open_team_dispatch

if TYPE_CHECKING:
    from planrail.store.postgres.connections import Link

_PAUSE = 5.0  # seconds between two attempts to connect
_PATIENCE = 2.0  # seconds that a database gets to answer


@record
class Source:
    """A queue: of a repository (`root`), or of a team (`url`)."""

    root: str = ""
    url: str = ""

    def __hash__(self) -> int:
        return hash((self.root, self.url))

    @property
    def name(self) -> str:
        """What logs call it; without a password."""
        return self.root or hide_password(self.url)

    def variables(self, repository: str) -> dict[str, str]:
        """By what a process that works for it knows the database and what rows call its repository: not from files."""
        return {VARIABLE: self.url, NAME_VARIABLE: repository} if self.url else {}

    def open(self, patience: float | None = None) -> Dispatch:
        """What it dispatches; `patience` is for a database that is away (seconds)."""
        return open_team_dispatch(self.url, patience=patience) if self.url else open_dispatch(self.root)


def find_sources(roots: Iterable[str], environment: Mapping[str, str] = os.environ) -> list[Source]:
    """The queues behind some repositories, each once; one of a team that is named from outside comes first."""
    outside = open_store(None, environment)
    found = {Source(url=outside.url): None} if outside.is_shared else {}
    for root in filter(os.path.isdir, roots):
        store = open_store(root, environment)
        found[Source(url=store.url) if store.is_shared else Source(root=os.path.realpath(root))] = None
    return list(found)


class Ears:
    """The connections that a worker listens at, for what concerns itself."""

    def __init__(self, worker: str) -> None:
        self._worker = worker
        self._open: dict[str, Link] = {}
        self._tried: dict[str, float] = {}

    def attend(self, urls: Iterable[str]) -> list[int]:
        """Listen to these databases, and to no others; the descriptors to wait for."""
        wanted = list(urls)
        for url in set(self._open) - set(wanted):
            self._close(url)
        for url in wanted:
            if url not in self._open and time.monotonic() >= self._tried.get(url, -_PAUSE) + _PAUSE:
                from planrail.store.postgres.connections import listen
                from planrail.store.postgres.names import channel_of

                self._tried[url] = time.monotonic()
                with contextlib.suppress(Exception):  # the queue's own connection says what is wrong
                    self._open[url] = listen(url, channel_of(self._worker), patience=_PATIENCE)
        return [connection.fileno() for connection in self._open.values()]

    def hear(self, number: int) -> None:
        """Take what has arrived. A connection that is broken is made anew."""
        for url, connection in list(self._open.items()):
            if connection.fileno() == number:
                try:
                    list(connection.notifies(timeout=0))
                except Exception:  # whatever psycopg says: it is gone
                    self._close(url)

    def close(self) -> None:
        self.attend(())
        if self._tried:
            from planrail.store.postgres.connections import close_idle

            close_idle()

    def _close(self, url: str) -> None:
        with contextlib.suppress(Exception):
            self._open.pop(url).close()
