"""The process beside a worker in which DBOS hands out turns: started when a turn may be had, ended when it is quiet."""

import contextlib
import importlib.util
import json
import os
import socket
import subprocess
import sys
import time

from planrail.base.errors import ToolFailed
from planrail.store.owners import host_identity
from planrail.store.team import VARIABLE
from planrail.team.dispatch import Dispatch
from planrail.team.engines import DBOS, DbosDispatch, choose_engine, name_queues
from planrail.team.process_notes import describe_self
from planrail.team.queueing import Submission

_PROGRAM = "from planrail.team.worker.dbos_process import main; main()"
_IDLE = 60.0  # seconds without a turn to be had after which the process is ended; DBOS is shut down at once
_SILENCE = 20.0  # seconds in which a process says nothing, while there are turns to be had, that hangs


class TurnEngine:
    """What a worker has of DBOS, for one database."""

    def __init__(self, worker: str, url: str) -> None:
        self._worker, self._url = worker, url
        self._line: socket.socket | None = None
        self._rest = b""
        self._handed: list[str] = []  # turns that this worker has not dealt with
        self._is_on = self._is_ready = False
        self._wanted_at = self._heard_at = 0.0
        self._trouble = ""
        self.is_wanted = False

    def fileno(self) -> int:
        """Where the process is heard; -1 while there is none."""
        return self._line.fileno() if self._line is not None else -1

    def prepare(self, dispatch: Dispatch) -> None:
        """Have the database run on DBOS: once the tables of DBOS are there, and no worker uses another engine."""
        self._want(is_wanted=True)
        self._complain()
        if not self._is_ready:
            raise ToolFailed("DBOS makes its tables; nothing is taken before they are there", remedy="planrail queue")
        choose_engine(dispatch, DBOS)

    def take(self, dispatch: DbosDispatch, room: int) -> Submission | None:
        """The submission whose turn DBOS says it is, if it may start; with no room nothing is wanted of it."""
        self._complain()
        while self._handed:
            turn, taken = self._handed[0], None
            if room:
                taken = dispatch.take_turn(self._worker, describe_self(), host_identity(), turn)
            else:
                dispatch.decline(turn)
            self._tell(done=self._handed.pop(0))  # not before: where the database is away it is tried again
            if taken is not None:
                return taken
        self._want(is_wanted=room > 0 and dispatch.offer_waiting(host_identity(), room))
        return None

    def tidy(self, dispatch: DbosDispatch) -> None:
        """Have DBOS forget what processes that died have left."""
        spent = dispatch.list_spent() if self._is_on else ()
        if spent:
            self._tell(forget=spent)

    def hear(self) -> None:
        """Take what the process says; at its end another one is started when it is needed."""
        assert self._line is not None
        heard = b""
        with contextlib.suppress(ConnectionError):
            heard = self._line.recv(65536)
        if not heard:
            self.close()
        self._heard_at = time.monotonic()
        *lines, self._rest = (self._rest + heard).split(b"\n")
        for said in map(json.loads, lines):
            if "turn" in said:
                self._handed.append(said["turn"])
            self._is_ready = self._is_ready or "ready" in said
            self._trouble = said.get("trouble", self._trouble)

    def close(self) -> None:
        """End the process. What it had handed over comes again, and finds that it was dealt with."""
        if self._line is not None:
            self._line.close()
            self._process.kill()
            self._process.wait()
        self._line, self._rest, self._is_on, self._is_ready = None, b"", False, False
        self._handed.clear()

    def _complain(self) -> None:
        if self._trouble:
            text, self._trouble, self._is_on = self._trouble, "", False
            raise ToolFailed(f"DBOS: {text}; what waits stays in the queue", remedy="planrail doctor --database")

    def _want(self, *, is_wanted: bool) -> None:
        now, self.is_wanted = time.monotonic(), is_wanted
        if is_wanted and self._is_on and now - self._heard_at >= _SILENCE:
            self.close()
        if is_wanted:
            self._wanted_at = now
            if self._line is None:
                self._start()
        if self._line is not None and is_wanted != self._is_on:
            self._tell(on=is_wanted)
            self._is_on, self._heard_at = is_wanted, now
        if now - self._wanted_at >= _IDLE:
            self.close()

    def _start(self) -> None:
        if importlib.util.find_spec("dbos") is None:
            text = "the team's database runs on DBOS, which is not installed here; what waits stays in the queue"
            raise ToolFailed(text, remedy="pip install 'planrail[dbos]'")
        self._line, theirs = socket.socketpair()
        with theirs:
            command, end = [sys.executable, "-P", "-c", _PROGRAM], theirs.fileno()
            hidden = {name: said for name, said in os.environ.items() if name != VARIABLE}  # agents can read it there
            self._process = subprocess.Popen(command, stdin=end, stdout=end, env=hidden, start_new_session=True)
        self._tell(url=self._url, worker=self._worker, queues=name_queues(host_identity()))

    def _tell(self, **words: object) -> None:
        if self._line is not None:
            with contextlib.suppress(ConnectionError):  # its end is heard
                self._line.sendall(json.dumps(words).encode() + b"\n")
