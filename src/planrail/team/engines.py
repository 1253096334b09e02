"""What hands out the turns of a queue: its own rows, or DBOS, as the database of a team says. It is opened here.

With DBOS the rows stay the truth. What may start is offered once, in the transaction that makes it ready, as a workflow
in a queue of DBOS, by its SQL function; the worker that is handed the turn takes that very row, if it may start then.
A turn that nobody will deal with any more is void, and another one is offered in its place: nothing waits for a process
that died.
"""

from planrail.base.errors import Held
from planrail.store.claim_rules import LEASE
from planrail.store.facts import new_id
from planrail.store.ledger import open_tables, open_team_tables
from planrail.store.tables import Tables
from planrail.team import queue_rows
from planrail.team.dispatch import Dispatch
from planrail.team.queueing import Submission, is_there
from planrail.team.waking import wake_workers

DBOS = "dbos"
APPLICATION, SCHEMA, VERSION, WORKFLOW = "planrail", "planrail_dbos", "planrail-1", "planrail.turn"
TURNS = f"{SCHEMA}.turns"  # the one turn of a submission that counts; only a database that runs on DBOS has it
_MAKE = f"CREATE TABLE {TURNS} (workflow TEXT PRIMARY KEY, submission TEXT NOT NULL UNIQUE, queue TEXT NOT NULL)"
_FIRST = 100  # DBOS serves the smaller number first, and knows none below 0; ours are from -100 to 100, greater first
_AGED = 60_000  # milliseconds after which a turn that no row knows of is forgotten, however it stands
_OFFER = f"""
    SELECT {SCHEMA}.enqueue_workflow(workflow_name => '{WORKFLOW}', queue_name => ?, workflow_id => ?,
        positional_args => ARRAY[to_json(CAST(? AS TEXT))], app_version => '{VERSION}', priority => ?,
        application_name => '{APPLICATION}')
"""
# DBOS serves equals by when they came to its queue. One that waited for a limit keeps its place in the line.
_PLACE = f"UPDATE {SCHEMA}.workflow_status SET created_at = ? WHERE workflow_uuid = ?"
_STANDS = f"""
    SELECT 1 FROM {TURNS} t JOIN {SCHEMA}.workflow_status w ON w.workflow_uuid = t.workflow
    WHERE t.submission = submissions.id AND t.queue IN (?, ?) AND (w.status = 'ENQUEUED' OR (w.status = 'PENDING'
        AND EXISTS (SELECT 1 FROM workers WHERE workers.id = w.executor_id AND workers.seen > ?)))
"""
_SPENT = f"""
    SELECT workflow_uuid FROM {SCHEMA}.workflow_status WHERE name = '{WORKFLOW}'
    AND NOT EXISTS (SELECT 1 FROM {TURNS} WHERE workflow = workflow_uuid)
    AND (status NOT IN ('ENQUEUED', 'PENDING') OR updated_at < ?) LIMIT 500
"""


class DbosDispatch(Dispatch):
    """What may start, offered to the workers by DBOS."""

    engine = DBOS

    def announce(self, row: Submission | None = None) -> None:
        super().announce(row)
        if row is None:
            return
        now = self.tables.now()
        self.tables.change(f"DELETE FROM {TURNS} WHERE submission = ?", row.id)  # it may have another priority by now
        for found in self.list_startable(now, " AND id = ?", row.id):
            self._offer(found, now)

    def take_turn(self, worker: str, owner_json: str, host: str, turn: str) -> Submission | None:
        """The submission whose turn it is, taken by this worker; None where it may not start, or the turn is void."""
        with self.tables.exclusive():
            wanted = f" AND id = (SELECT submission FROM {TURNS} WHERE workflow = ?)"
            taken = self.take_one(worker, owner_json, host, wanted, turn)
            self.tables.change(f"DELETE FROM {TURNS} WHERE workflow = ?", turn)
        return taken

    def offer_waiting(self, host: str, most: int) -> bool:
        """Whether anything may start on this host; as many as there is room for have turns then."""
        now, (where, values) = self.tables.now(), queue_rows.scope(self.tables)
        unoffered = f"{where} AND NOT EXISTS ({_STANDS})"
        given = (*values, *name_queues(host), now - LEASE)
        if self.list_startable(now, unoffered, *given, host=host, most=1):
            with self.tables.exclusive():
                for found in self.list_startable(now, unoffered, *given, host=host, most=most):
                    self._offer(found, now)
        return bool(self.list_startable(now, where, *values, host=host, most=1))

    def decline(self, turn: str) -> None:
        """Give a turn back that this worker has no room for: another one may have it."""
        with self.tables.exclusive():
            rows = self.tables.rows(f"SELECT submission FROM {TURNS} WHERE workflow = ?", turn)
            for found in queue_rows.read(self.tables, Submission, "WHERE id = ?", *rows[0]) if rows else ():
                self.announce(found)

    def list_spent(self) -> list[str]:
        """The workflows that are done with, which DBOS may forget."""
        since = int(self.tables.now() * 1000) - _AGED
        return [str(workflow) for (workflow,) in self.tables.rows(_SPENT, since)]

    def _offer(self, row: Submission, now: float) -> None:
        only = row.host if not row.remote else row.taken_on if row.until > now else ""
        queue = name_queues(only)[1] if only else APPLICATION
        turn = f"{row.id}/{new_id()}"
        self.tables.rows(_OFFER, queue, turn, row.id, _FIRST - row.priority)
        self.tables.change(_PLACE, int(row.served * 1000), turn)
        self.tables.change(f"DELETE FROM {TURNS} WHERE submission = ?", row.id)
        self.tables.change(f"INSERT INTO {TURNS} (workflow, submission, queue) VALUES (?, ?, ?)", turn, row.id, queue)


def open_dispatch(root: str | None) -> Dispatch:
    """Of a repository: its own, or that of its team."""
    return _open(open_tables(root))


def open_team_dispatch(url: str, repository: str = "", patience: float | None = None) -> Dispatch:
    """Of a shared database; without a repository of all of them, as workers see it. `patience`: see the tables."""
    return _open(open_team_tables(url, repository, patience))


def _open(tables: Tables) -> Dispatch:
    """With the engine that the database says itself."""
    tables.knock = wake_workers
    if tables.is_shared and tables.rows("SELECT 1 FROM pg_tables WHERE schemaname = ? AND tablename = 'turns'", SCHEMA):
        return DbosDispatch(tables)
    return Dispatch(tables)


def choose_engine(dispatch: Dispatch, name: str) -> None:
    """Let a database run on another engine from when it is opened next; `Held` while workers are at work."""
    with dispatch.tables.exclusive():
        now = dispatch.tables.now()
        if any(is_there(worker, now) for worker in dispatch.list_workers()):
            text = f"the database runs on {dispatch.engine}, and workers are there; nothing was changed"
            raise Held(text, remedy="planrail service stop, on each machine; then this worker goes on by itself")
        dispatch.tables.change(f"DROP TABLE IF EXISTS {TURNS}")
        if name == DBOS:
            dispatch.tables.change(_MAKE)


def name_queues(host: str) -> tuple[str, str]:
    """The queues that the workers of a machine listen to: that of all, and that of what can start nowhere else."""
    return APPLICATION, f"{APPLICATION}@{host}"
