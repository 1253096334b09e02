"""What is to be sent, to which channel, and what became of it: one SQLite file of the user's, for all projects.

A fact in the ledger is itself the order to tell of it, so nothing that happened can be forgotten: how far the facts of
a project were read is kept in the same transaction as the notices that were made of them. What a channel refuses is
tried again for a day, each time after twice as long. A process that dies between sending and writing that down sends
once more; each notice has an id, by which a receiver can know that.
"""

import contextlib
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping

from planrail.base.records import record
from planrail.base.state_folder import state_folder
from planrail.base.wording import pick
from planrail.notify.notices import Notice
from planrail.store.places import make_private

WAITING, SENT, GIVEN_UP = "waiting", "sent", "given up"
_FIRST_PAUSE, _HOUR, _DAY = 2.0, 3600, 24 * 3600  # seconds
_FIELDS = "id kind plan text command at"
_TABLES = """
CREATE TABLE IF NOT EXISTS notices (
    id TEXT, channel TEXT, project TEXT, at INTEGER, value TEXT, state TEXT, tries INTEGER, due REAL, error TEXT,
    message TEXT, -- the id of the first of those that were sent together
    PRIMARY KEY (id, channel)
);
CREATE TABLE IF NOT EXISTS places (project TEXT PRIMARY KEY, seq INTEGER) WITHOUT ROWID;
"""


@record
class QueuedNotice:
    """A notice on its way to a channel."""

    notice: Notice
    channel: str
    project: str
    state: str
    tries: int
    due: float
    error: str


class Outbox:
    """A context manager; any number of processes may have it open."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        folder = os.path.join(state_folder(environment), "notify")
        make_private(folder)
        path = os.path.join(folder, "outbox.db")
        self._rows = sqlite3.connect(path, timeout=30, isolation_level=None)
        os.chmod(path, 0o600)
        self._rows.execute("PRAGMA journal_mode = WAL")
        self._rows.executescript(_TABLES)

    def __enter__(self) -> "Outbox":
        return self

    def __exit__(self, *_error: object) -> None:
        self._rows.close()

    def place(self, project: str) -> int | None:
        """Up to which fact a project was read; None where it never was."""
        found = self._rows.execute("SELECT seq FROM places WHERE project = ?", (project,)).fetchone()
        return found[0] if found else None

    def add(self, project: str, notices: Iterable[Notice], channels: Iterable[str], seq: int | None = None) -> None:
        """Put notices in for each channel, once; `seq`: all facts up to this one were read for that."""
        rows = [
            (notice.id, channel, project, notice.at, json.dumps(pick(notice, _FIELDS)), WAITING, 0, 0.0, "", "")
            for notice in notices
            for channel in channels
        ]
        with self._changing():
            self._rows.executemany("INSERT OR IGNORE INTO notices VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
            if seq is not None:
                self._rows.execute("INSERT OR REPLACE INTO places VALUES (?, ?)", (project, seq))

    def list_waiting(self, project: str) -> list[QueuedNotice]:
        return self._list("project = ? AND state = ? ORDER BY rowid", project, WAITING)

    def list_newest(self, most: int) -> list[QueuedNotice]:
        return self._list("1 ORDER BY rowid DESC LIMIT ?", most)

    def count_sent(self, channel: str, now: float) -> int:
        """How many messages were sent within the last hour."""
        sql = "SELECT count(DISTINCT message) FROM notices WHERE channel = ? AND state = ? AND due > ?"
        found: int = self._rows.execute(sql, (channel, SENT, now - _HOUR)).fetchone()[0]
        return found

    def settle(self, deliveries: list[QueuedNotice], now: float, error: str = "") -> None:
        """Write down that deliveries were sent at a time, together, or why not: then when they are tried again."""
        for delivery in deliveries:
            state = SENT if not error else WAITING if now < delivery.notice.at + _DAY else GIVEN_UP
            due = now + (min(_FIRST_PAUSE * 2**delivery.tries, _HOUR) if error else 0)
            changed = "state = ?, tries = tries + 1, due = ?, error = ?, message = ?"
            sql = f"UPDATE notices SET {changed} WHERE id = ? AND channel = ?"
            self._rows.execute(sql, (state, due, error, deliveries[0].notice.id, delivery.notice.id, delivery.channel))

    def drop_old(self, now: float) -> None:
        """Forget what was settled a month ago."""
        self._rows.execute("DELETE FROM notices WHERE state != ? AND at < ?", (WAITING, now - 30 * _DAY))

    def _list(self, where: str, *values: object) -> list[QueuedNotice]:
        sql = f"SELECT value, channel, project, state, tries, due, error FROM notices WHERE {where}"
        return [QueuedNotice(Notice(**json.loads(row[0])), *row[1:]) for row in self._rows.execute(sql, values)]

    @contextlib.contextmanager
    def _changing(self) -> Iterator[None]:
        self._rows.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._rows.execute("ROLLBACK")
            raise
        self._rows.execute("COMMIT")
