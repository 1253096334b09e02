"""Connections to a shared database: lent for one step and given back, never carried over a fork, patient where the
server starts, is gone for a moment, or has no connection free.
"""

import contextlib
import logging
import os
import random
import select
import threading
import time
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, TypeVar
from weakref import WeakSet

import psycopg
from psycopg import Connection

from planrail.store.addresses import hide_password
from planrail.store.failures import DatabaseGone, gone
from planrail.store.postgres.faults import explain, is_permanent, said
from planrail.store.postgres.migrations import prepare

T = TypeVar("T")
Link = Connection[tuple[Any, ...]]


PATIENCE = 60.0  # seconds that planrail waits for a server that may come back
_KEPT, _SPARE_FOR = 2, 10.0  # idle connections of a process to one database; the second for so many seconds
_ASKED_AFTER = 30.0  # seconds of idleness after which a connection has to show that it lives
_FIRST_PAUSE, _LONGEST_PAUSE = 0.05, 2.0
_SILENCE = 2.0  # seconds after which a person is told what they wait for
_LOG = logging.getLogger(__name__)  # a warning reaches standard error, unless the program does otherwise
# Without statistics, which a young database has none of, PostgreSQL would sort the whole queue for its first row.
# A machine that vanishes in the middle of a step must not keep a lock that others wait for: the server gives it up
# after seconds of silence on the wire, and of a transaction in which nothing happens: claims lapse after 20 s.
_FIRST_WORDS = b"""
SET search_path = planrail;
SET lock_timeout = '60s';
SET enable_sort = off;
SET idle_in_transaction_session_timeout = '10s';
SET tcp_keepalives_idle = 5;
SET tcp_keepalives_interval = 3;
SET tcp_keepalives_count = 3;
"""
WIRE: dict[str, str | int] = {
    "application_name": "planrail",
    "client_encoding": "utf8",
    "keepalives": 1,
    "keepalives_idle": 5,
    "keepalives_interval": 3,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
}


class _Pool:
    """What this process has of connections. `prepared` are the databases that were seen to have the right tables."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.idle: dict[str, list[tuple[float, Link]]] = {}
        self.prepared: set[str] = set()


_pool = _Pool()
_links: WeakSet[Link] = WeakSet()  # all that this process has opened, lent or not
_parents: list[Link] = []  # never used, and never finished: the other end belongs to the parent


@contextlib.contextmanager
def borrow(url: str, *, patience: float = PATIENCE) -> Iterator[Link]:
    """A connection to the database, with planrail's tables in it, for one step; each statement is committed at once.

    Raises `DatabaseGone` where nobody answers in time or the connection is lost, `ToolFailed` where the server says no.
    """
    connection = _take(url, patience)
    try:
        yield connection
    except psycopg.Error as error:
        raise explain(url, error, is_broken=connection.broken or connection.closed) from error
    finally:
        _give_back(url, connection)


def attempt(url: str, work: Callable[[Link], T], *, patience: float = PATIENCE) -> T:
    """Do some work that may be done twice; again on another connection as long as the first one is lost."""
    end = time.monotonic() + patience
    while True:
        try:
            with borrow(url, patience=max(0.0, end - time.monotonic())) as connection:
                return work(connection)
        except DatabaseGone:
            if time.monotonic() >= end:
                raise
            time.sleep(_FIRST_PAUSE)


def ask(url: str, sql: str, *values: object) -> list[tuple[Any, ...]]:
    """The rows of one statement, which may be carried out twice."""
    return attempt(url, lambda link: link.execute(sql.encode(), values).fetchall())


def connect(url: str, *, patience: float = PATIENCE) -> Link:
    """A connection of the caller's own, which is not lent to others. The tables are not looked at."""
    end, pause = time.monotonic() + patience, _FIRST_PAUSE
    tell_after = time.monotonic() + _SILENCE
    while True:
        try:
            connection = _connect(url, patience)
            _links.add(connection)
            return connection
        except psycopg.Error as error:
            if is_permanent(error):
                raise explain(url, error, is_broken=False) from error
            if time.monotonic() + pause > end:
                raise gone(hide_password(url), said(url, error)) from error
        if time.monotonic() > tell_after:
            _LOG.warning("planrail: %s does not answer; waiting (Ctrl-C ends that)", hide_password(url))
            tell_after = float("inf")
        time.sleep(pause * random.uniform(0.5, 1.5))
        pause = min(_LONGEST_PAUSE, pause * 2)


def listen(url: str, channel: str, *, patience: float = PATIENCE) -> Link:
    """A connection of the caller's own that hears what is said there: wait for its file descriptor."""
    connection = connect(url, patience=patience)
    connection.execute(f"LISTEN {channel}".encode())
    return connection


def close_idle(seconds: float = 0.0) -> None:
    """Close what was not lent for so long: at the end of a worker and of a test, and while an agent works."""
    since = time.monotonic() - seconds
    with _pool.lock:
        links = [link for kept in _pool.idle.values() for given, link in kept if given <= since]
        for kept in _pool.idle.values():
            kept[:] = [(given, link) for given, link in kept if link not in links]
        if not seconds:
            _pool.prepared.clear()
    for link in links:
        link.close()


@lru_cache(maxsize=512)
def translate(sql: str) -> bytes:
    """A statement of the common dialect in psycopg's: `?` outside of quotes is `%s`, and every % is doubled."""
    parts = sql.replace("%", "%%").split("'")
    return "'".join(part if number % 2 else part.replace("?", "%s") for number, part in enumerate(parts)).encode()


def _take(url: str, patience: float) -> Link:
    connection = None
    while connection is None:
        with _pool.lock:
            since, connection = _pool.idle[url].pop() if _pool.idle.get(url) else (0.0, None)
        if connection is None:
            connection = connect(url, patience=patience)
        elif not _lives(connection, time.monotonic() - since):
            connection.close()
            connection = None
    if url not in _pool.prepared:
        try:
            prepare(connection, hide_password(url))
        except BaseException as error:
            is_broken = connection.broken or connection.closed
            connection.close()
            if isinstance(error, psycopg.Error):
                raise explain(url, error, is_broken=is_broken) from error
            raise
        _pool.prepared.add(url)
    return connection


def _lives(connection: Link, idle: float) -> bool:
    """Whether an idle connection can still be used. One that the server has closed has something to read: its end."""
    if connection.closed:
        return False
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    if idle < _ASKED_AFTER and not poll.poll(0):
        return True
    try:
        connection.execute(b"SELECT 1")
    except psycopg.Error:
        return False
    return True


def _give_back(url: str, connection: Link) -> None:
    if connection not in _links:  # it is the parent's, and closing it would end it there
        return
    is_idle = not connection.closed and connection.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
    with _pool.lock:
        now, kept = time.monotonic(), _pool.idle.setdefault(url, [])
        spare = [link for since, link in kept if now - since > _SPARE_FOR]
        kept[:] = [(since, link) for since, link in kept if link not in spare]
        if is_idle and len(kept) < _KEPT:
            kept.append((now, connection))
        else:
            spare.append(connection)
    for link in spare:
        link.close()


def _connect(url: str, patience: float) -> Link:
    wire, told = {**WIRE, "connect_timeout": int(min(10, max(2, patience)))}, psycopg.conninfo.conninfo_to_dict(url)
    connection = psycopg.connect(
        url,
        autocommit=True,
        cursor_factory=psycopg.ClientCursor,
        **{name: value for name, value in wire.items() if name not in told},  # type: ignore[arg-type]
    )
    try:
        connection.execute(_FIRST_WORDS)
    except BaseException:
        connection.close()
        raise
    return connection


def _forget_parents() -> None:
    """In a child: the parent's connections are neither used nor closed. Their descriptors point to nothing from now
    on, so that the server hears of the parent's end even while the child lives."""
    global _pool
    links, _pool = list(_links), _Pool()
    _links.clear()
    _parents.extend(links)
    for link in links:
        with contextlib.suppress(psycopg.Error, OSError):
            nothing = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
            os.dup2(nothing, link.fileno(), inheritable=False)
            os.close(nothing)


os.register_at_fork(after_in_child=_forget_parents)
