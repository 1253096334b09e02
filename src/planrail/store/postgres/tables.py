"""The ledger of a team: the same rows, facts and texts as the embedded one, in the shared database.

Each statement borrows a connection, `exclusive` keeps one. A process that adds a fact locks the repository first,
so that the order of their numbers is the order in which they were added, on whichever machine.
"""

import contextlib
import json
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from planrail.store.addresses import hide_password
from planrail.store.fact_rows import Ledger
from planrail.store.facts import Fact, new_id, restore_fact
from planrail.store.failures import too_new
from planrail.store.places import count_waiting, ledger_folder
from planrail.store.postgres.connections import PATIENCE, Link, attempt, borrow, translate
from planrail.store.postgres.contact import JUDGE_AT, NOTE_CONTACT
from planrail.store.postgres.migrations import VERSION, read_version
from planrail.store.postgres.names import QUEUE, channel_of, lock_number
from planrail.store.spool import take_spool
from planrail.store.tables import Tables, opening, writing
from planrail.store.team import Team, mark_team

T = TypeVar("T")
_MOMENT = 1.0  # seconds for which an answer of the server's clock is good
_ADD = b"SELECT seq, id, kind, plan, at, value FROM add_fact(%s, %s, %s, %s, %s, %s, %s)"


class PgTables(Tables):
    """Rows that several machines share, alone or as one. One thread at a time uses an instance."""

    is_shared = True

    def __init__(self, url: str, repository: str, patience: float | None = None) -> None:
        self._url, self.repository, self._patience = url, repository, PATIENCE if patience is None else patience
        self.path = hide_password(url)
        self._held: Link | None = None
        self._said, self._asked = 0.0, float("-inf")  # the server's time, and when it was asked for that
        self._lock, self._may_repeat = QUEUE, False  # of `exclusive`; whether a change may be made twice

    def close(self) -> None:
        """Nothing is kept between two steps."""

    def now(self) -> float:
        """What the server's clock said a moment ago, and what has passed since: a look asks for it many times."""
        passed = time.monotonic() - self._asked
        if not 0.0 <= passed < _MOMENT:
            self._said = float(self.rows("SELECT extract(epoch FROM clock_timestamp())")[0][0])
            self._asked, passed = time.monotonic(), 0.0
        return self._said + passed

    def rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """The rows that a question finds. A question may be asked twice, and is where the connection is lost.

        A statement that changes and returns rows belongs into `exclusive`."""
        return self._do(lambda link: link.execute(translate(sql), values).fetchall())

    def change(self, sql: str, *values: object) -> int:
        return self._do(lambda link: link.execute(translate(sql), values).rowcount, may_repeat=self._may_repeat)

    def refuse_newer(self) -> None:
        version = self._do(read_version)
        if version > VERSION:
            raise too_new(self.path, version, VERSION)

    def nudge(self, sql: str, *values: object) -> int:
        if self._held is not None:
            return self.change(sql, *values)
        with borrow(self._url, patience=self._patience) as connection:  # asked at once, they are one transaction
            cursor = connection.execute(b"SET LOCAL synchronous_commit TO off; " + translate(sql), values)
            cursor.nextset()
            return cursor.rowcount

    def judge_at(self) -> float:
        return float(self.rows(f"SELECT {JUDGE_AT}")[0][0])

    def note_contact(self) -> None:
        self.nudge(NOTE_CONTACT)

    def wake(self, worker: str) -> None:
        self.change("SELECT pg_notify(?, '')", channel_of(worker))

    @contextlib.contextmanager
    def exclusive(self) -> Iterator[None]:
        """A transaction with nobody else under the same lock; one inside another is part of it."""
        if self._held is not None:
            yield
            return
        with borrow(self._url, patience=self._patience) as connection, connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (self._lock,))
            self._held = connection
            try:
                yield
            finally:
                self._held = None

    def _do(self, work: Callable[[Link], T], *, may_repeat: bool = True) -> T:
        """Inside a transaction a part of it; else by itself, and again where the connection is lost, if it may be."""
        if self._held is not None:
            return work(self._held)
        if may_repeat:
            return attempt(self._url, work, patience=self._patience)
        with borrow(self._url, patience=self._patience) as connection:
            return work(connection)


def open_team_ledger(team: Team, root: str | None) -> "PgLedger":
    """The ledger of a team, with what waited in the local spool of the repository taken in."""
    folder, ledger = ledger_folder(root), PgLedger(team)
    with writing(folder):
        mark_team(root)
        if count_waiting(folder):
            ledger.has_facts()  # a process that adds to the spool, even a hook, waits for this one: so it waits before
            with opening(folder):
                take_spool(folder, PgLedger(team, patience=0.0).take_in)
    return ledger


class PgLedger(PgTables, Ledger):
    """An open ledger in a shared database. What it writes may be written twice: by its id or hash it is there once."""

    def __init__(self, team: Team, *, patience: float | None = None) -> None:
        super().__init__(team.url, team.repository, patience)
        self._lock, self._may_repeat = lock_number("facts", team.repository), True  # of processes that add facts

    def add(self, kind: str, plan: str, value: Mapping[str, object], *, id: str | None = None, at: int) -> Fact:
        return self._insert(Fact(0, id or new_id(), kind, plan, at, value))

    @contextlib.contextmanager
    def pruning(self) -> Iterator[None]:
        with self.exclusive():
            # A process of another repository that keeps the same text is waited for, and its fact is seen then.
            self.change("LOCK TABLE texts IN SHARE ROW EXCLUSIVE MODE")
            self.rows("SELECT set_config('planrail.prunes', txid_current()::text, true)")
            yield
            self.rows("SELECT set_config('planrail.prunes', '', true)")

    def compact(self) -> None:
        """The server does that by itself."""

    def has_facts(self) -> bool:
        """Whether anything was ever recorded for the repository."""
        return bool(self.rows("SELECT 1 FROM facts WHERE repository = ? LIMIT 1", self.repository))

    def _insert(self, fact: Fact) -> Fact:
        given = (fact.id, fact.kind, fact.plan, fact.at, json.dumps(fact.value, ensure_ascii=True))
        values = (self._lock, self.repository, *given)
        return restore_fact(self._do(lambda link: link.execute(_ADD, values).fetchall())[0])

    def _find(self, **wanted: str | None) -> list[Fact]:
        return super()._find(repository=self.repository, **wanted)

    def _spell(self, text: str) -> bytes:
        return text.encode("utf-8", "surrogatepass")
