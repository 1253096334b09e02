"""DBOS in a process of its own, beside a worker that has no threads: it hands over the turns that DBOS gives.

They talk in lines of JSON. The worker says whether it wants turns, when it has dealt with one, and what may be
forgotten; the process says whose turn it is. While no turn is wanted DBOS is shut down: it has no connection and asks
nothing. When the worker has gone the process ends, whatever it does.
"""

import contextlib
import json
import os
import queue
import sys
import threading
import time
from typing import Any

import psycopg
import sqlalchemy
from dbos import DBOS, DBOSPortableJSONSerializer

from planrail.store.postgres.connections import WIRE
from planrail.team.engines import APPLICATION, SCHEMA, VERSION, WORKFLOW
from planrail.team.worker.signals import keep_private

_POLL = 0.25  # seconds between two looks at a queue, while turns are wanted
_AT_ONCE = 1  # turns that are on their way to one worker: DBOS has one number for all, and workers differ in slots
_CONNECTIONS = 2
_SETTLES = 0.1  # seconds in which DBOS writes down that a workflow has ended
_dealt: list[str] = []  # turns that the worker has dealt with, to be forgotten
_told: dict[str, threading.Event] = {}  # turns that the worker was told of, until it has dealt with them


def main() -> None:
    keep_private()
    first = json.loads(sys.stdin.readline())
    heard: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    DBOS.workflow(name=WORKFLOW, max_recovery_attempts=None)(_hand_over)
    threading.Thread(target=_obey, args=(first["url"], first["worker"], first["queues"], heard), daemon=True).start()
    for line in sys.stdin:
        said = json.loads(line)
        if "done" in said:
            _told.pop(said["done"], threading.Event()).set()
            _dealt.append(said["done"])
        else:
            heard.put(said)
    os._exit(0)


def _hand_over(submission: str) -> None:
    """The workflow: tell the worker, and wait until it has dealt with it."""
    workflow = str(DBOS.workflow_id)
    dealt_with = _told[workflow] = threading.Event()
    _say(turn=workflow, submission=submission)
    dealt_with.wait()


def _obey(url: str, worker: str, queues: list[str], heard: "queue.SimpleQueue[dict[str, Any]]") -> None:
    """Do what the worker says, one after the other: these wait for the database, and the line is heard meanwhile."""
    wire: Any = {**WIRE, "application_name": "planrail dbos", "connect_timeout": 10}
    connections = sqlalchemy.create_engine(
        "postgresql+psycopg://", creator=lambda: psycopg.connect(url, **wire), pool_size=_CONNECTIONS, max_overflow=0
    )
    is_on = False
    while True:
        said = heard.get()
        try:
            if said.get("on") and not is_on:
                is_on = True
                _launch(connections, worker, queues)
            elif said.get("on") is False and is_on:
                is_on = False
                _shut_down(connections)
            elif is_on and "forget" in said:
                DBOS.delete_workflows(said["forget"])
        except Exception as error:  # the worker asks again
            with contextlib.suppress(Exception):
                _shut_down(connections)
            is_on = False
            _say(trouble=f"{type(error).__name__}: {error}")


def _launch(connections: sqlalchemy.Engine, worker: str, queues: list[str]) -> None:
    DBOS(
        config={
            "name": APPLICATION,
            "application_version": VERSION,
            "executor_id": worker,
            "system_database_url": "postgresql:///planrail",  # it wants a name, and uses the connections above
            "system_database_engine": connections,
            "dbos_system_schema": SCHEMA,
            "serializer": DBOSPortableJSONSerializer(),
            "use_listen_notify": False,
            "log_level": "CRITICAL",
        }
    )
    DBOS.listen_queues(queues)
    DBOS.launch()
    for name in queues:
        DBOS.register_queue(name, worker_concurrency=_AT_ONCE, polling_interval_sec=_POLL)
    _say(ready=True)


def _shut_down(connections: sqlalchemy.Engine) -> None:
    """Forget the turns that are over. One that is on its way stays pending, and comes again at the next launch."""
    try:
        time.sleep(_SETTLES)
        over, _dealt[:] = _dealt[:], []
        if over:
            DBOS.delete_workflows(over)
    finally:
        DBOS.destroy()
        connections.dispose()


def _say(**words: object) -> None:
    with _LINE:
        sys.stdout.write(json.dumps(words) + "\n")
        sys.stdout.flush()


_LINE = threading.Lock()
