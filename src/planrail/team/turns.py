"""Turns that DBOS hands out, where a team's database runs on it: offered in the transaction that makes a row ready.

The rows of the queue stay the truth. What may start is offered once, as a workflow in a queue of DBOS, by DBOS's SQL
function; the worker that is handed the turn takes that very row, if it may start then. A turn that nobody will deal
with any more is void, and another one is offered in its place: nothing waits for a process that died.
"""

from planrail.base.errors import Held
from planrail.store.claim_rules import LEASE
from planrail.store.facts import new_id
from planrail.team import queue_rows
from planrail.team.queue_limits import QueueLimits
from planrail.team.queueing import Submission, is_there

OWN, DBOS = "own", "dbos"  # the engines that a database may have
APPLICATION, SCHEMA, VERSION, WORKFLOW = "planrail", "planrail_dbos", "planrail-1", "planrail.turn"
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
    SELECT 1 FROM turns t JOIN {SCHEMA}.workflow_status w ON w.workflow_uuid = t.workflow
    WHERE t.submission = submissions.id AND t.queue IN (?, ?) AND (w.status = 'ENQUEUED' OR (w.status = 'PENDING'
        AND EXISTS (SELECT 1 FROM workers WHERE workers.id = w.executor_id AND workers.seen > ?)))
"""
_SPENT = f"""
    SELECT workflow_uuid FROM {SCHEMA}.workflow_status WHERE name = '{WORKFLOW}'
    AND NOT EXISTS (SELECT 1 FROM turns WHERE workflow = workflow_uuid)
    AND (status NOT IN ('ENQUEUED', 'PENDING') OR updated_at < ?) LIMIT 500
"""


class Turns(QueueLimits):
    """What may start, offered to the workers by DBOS."""

    def announce(self, row: Submission | None = None) -> None:
        super().announce(row)
        if row is None or self.find_engine() != DBOS:
            return
        now = self.tables.now()
        self.tables.change("DELETE FROM turns WHERE submission = ?", row.id)  # it may have another priority by now
        for found in self.list_startable(now, " AND id = ?", row.id):
            self._offer(found, now)

    def find_engine(self) -> str:
        """What this database runs on."""
        rows = self.tables.rows("SELECT name FROM engine") if self.tables.is_shared else ()
        return next((str(name) for (name,) in rows), OWN)

    def choose_engine(self, name: str) -> None:
        """Let this database run on another engine; `Held` while workers are at work."""
        with self.tables.exclusive():
            now = self.tables.now()
            if any(is_there(worker, now) for worker in self.list_workers()):
                text = f"the database runs on {self.find_engine()}, and workers are there; nothing was changed"
                raise Held(text, remedy="planrail service stop, on each machine; then this worker goes on by itself")
            self.tables.change("DELETE FROM engine")
            self.tables.change("INSERT INTO engine (one, name) VALUES (1, ?)", name)
            self.tables.change("DELETE FROM turns")

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
            rows = self.tables.rows("SELECT submission FROM turns WHERE workflow = ?", turn)
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
        self.tables.change("DELETE FROM turns WHERE submission = ?", row.id)
        self.tables.change("INSERT INTO turns (workflow, submission, queue) VALUES (?, ?, ?)", turn, row.id, queue)


def name_queues(host: str) -> tuple[str, str]:
    """The queues that the workers of a machine listen to: that of all, and that of what can start nowhere else."""
    return APPLICATION, f"{APPLICATION}@{host}"
