"""Listening to the databases of teams: a change of a queue arrives as a notification, so that nobody has to poll.

One connection for each database. Where it is lost, the worker's beat takes its place until it is back.
"""

import contextlib
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING

from planrail.store.tables import STOP

if TYPE_CHECKING:
    from planrail.store.postgres.connections import Link


_PAUSE = 5.0  # seconds between two attempts to connect
_PATIENCE = 2.0  # seconds that a database gets to answer


class Ears:
    """The connections that a worker listens at; a context manager that closes them, and idle ones with them."""

    def __init__(self) -> None:
        self._wanted: list[str] = []
        self._open: dict[str, Link] = {}
        self._tried: dict[str, float] = {}
        self._known: set[int] = set()

    def __enter__(self) -> "Ears":
        return self

    def __exit__(self, *_: object) -> None:
        for url in list(self._open):
            self._close(url)
        if self._tried:
            from planrail.store.postgres.connections import close_idle

            close_idle()

    def attend(self, urls: "Iterable[str]") -> None:
        """Listen to these databases, and to no others."""
        self._wanted = list(urls)
        for url in set(self._open) - set(self._wanted):
            self._close(url)
        self._connect()

    def numbers(self) -> list[int]:
        return [connection.fileno() for connection in self._open.values()]

    def settle(self) -> tuple[set[int], set[int]]:
        """What to watch from now on and what no more, since this was asked last."""
        self._connect()
        now = set(self.numbers())
        come, gone = now - self._known, self._known - now
        self._known = now
        return come, gone

    def hear(self, number: int) -> bool:
        """Take what has arrived; whether somebody said stop. A connection that is broken is made anew."""
        words: list[str] = []
        for url, connection in list(self._open.items()):
            if connection.fileno() == number:
                try:
                    words += [notice.payload for notice in connection.notifies(timeout=0)]
                except Exception:  # whatever psycopg says: it is gone
                    self._close(url)
        return STOP in words

    def _connect(self) -> None:
        if not self._wanted:
            return
        from planrail.store.postgres.connections import listen

        for url in self._wanted:
            if url in self._open or time.monotonic() < self._tried.get(url, 0.0) + _PAUSE:
                continue
            self._tried[url] = time.monotonic()
            with contextlib.suppress(Exception):  # the queue's own connection says what is wrong
                self._open[url] = listen(url, patience=_PATIENCE)

    def _close(self, url: str) -> None:
        connection = self._open.pop(url)
        self._known.discard(connection.fileno() if not connection.closed else -1)
        with contextlib.suppress(Exception):
            connection.close()
