"""A board on loopback in a thread of the test, and a client that can send whatever an attacker can."""

import json
import os
import socket
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from planrail.approval.records import propose
from planrail.base.records import record
from planrail.board.asking import Board, BoardProject
from planrail.board.guarding import HOST, Door, make_token
from planrail.board.serving import BoardApp, BoardOffer, BoardServer, listen
from planrail.cli.board_command import read
from planrail.store.facts import Fact
from planrail.store.ledger import open_ledger

PLAN = """# Greet in two languages

**Goal:** people are greeted by *name*.

## Phase 1: Say hello

- [ ] write `hello.sh`
- [ ] keep it small

```sh check
test -f hello.sh
```

## Phase 2: Say hallo

- [ ] write `hallo.sh`

```sh check
test -f hallo.sh
```
"""


@record
class Reply:
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def told(self) -> Any:
        return json.loads(self.body)


class BoardStage:
    """A project with a plan that waits for approval, and the board of it."""

    def __init__(self, place: Path, read_only: str = "") -> None:
        self.root = place
        self.plan = place / "plans" / "greet.md"
        self.plan.parent.mkdir(parents=True)
        self.plan.write_text(PLAN)
        subprocess.run(["git", "init", "-q", "-b", "main", str(place)], check=True)
        os.chdir(place)
        propose("plans/greet.md", member="ada", root=str(place))
        self.listening = listen(0)
        self.door = Door(self.listening.getsockname()[1], make_token(), read_only)
        self.board = Board({"one": BoardProject("one", str(place))}, read, read_only, patience=60)

    @contextmanager
    def serving(self) -> Iterator["BoardStage"]:
        listens = threading.Event()
        app = BoardApp(BoardOffer(self.board, self.door, listens.set))
        server = BoardServer(app, listens.set)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [self.listening]})
        thread.start()
        try:
            assert listens.wait(60)
            yield self
        finally:
            server.should_exit = True
            thread.join(30)
            app.reader.shutdown()
            app.starter.shutdown()
            self.listening.close()

    @property
    def url(self) -> str:
        return f"{self.door.origin}/#{self.door.token}"

    def own_head(self) -> dict[str, str]:
        """What the page itself sends."""
        return {
            "Host": self.door.name,
            "Authorization": f"Bearer {self.door.token}",
            "Origin": self.door.origin,
            "Sec-Fetch-Site": "same-origin",
            "Content-Type": "application/json",
        }

    def get(self, path: str) -> Reply:
        return self.send("GET", path, self.own_head())

    def post(self, name: str, **given: str) -> Reply:
        return self.send("POST", f"/api/{name}", self.own_head(), json.dumps({"plan": "plans/greet.md", **given}))

    def send(self, method: str, path: str, head: Mapping[str, str | None], body: str = "") -> Reply:
        """One request with exactly these fields; a value may hold several lines."""
        fields = {"Content-Length": str(len(body.encode())), **head} if method != "GET" else head
        lines = [f"{name}: {one}" for name, value in fields.items() if value is not None for one in value.split("\n")]
        raw = "\r\n".join([f"{method} {path} HTTP/1.1", *lines, "Connection: close", "", body])
        return self.send_raw(raw.encode("latin-1", "replace"))

    def send_raw(self, raw: bytes) -> Reply:
        with socket.create_connection((HOST, self.door.port), timeout=60) as made:
            made.sendall(raw)
            data = b""
            while part := made.recv(65536):
                data += part
        head, _, body = data.partition(b"\r\n\r\n")
        first, *rest = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in rest)}
        if headers.get("transfer-encoding") == "chunked":
            body = b"".join(body.split(b"\r\n")[1::2])
        return Reply(int(first.split()[1]), headers, body)

    def facts(self) -> list[Fact]:
        """What was put on record since the plan was proposed."""
        with open_ledger(str(self.root)) as ledger:
            return [fact for fact in ledger.facts() if fact.kind != "request"]

    @contextmanager
    def following(self, plan: str = "") -> Iterator["Follower"]:
        with socket.create_connection((HOST, self.door.port), timeout=60) as made:
            body = json.dumps({"plan": plan})
            fields = {**self.own_head(), "Content-Length": str(len(body))}
            lines = [f"{name}: {value}" for name, value in fields.items()]
            made.sendall("\r\n".join(["POST /api/events HTTP/1.1", *lines, "", body]).encode())
            yield Follower(made)


class Follower:
    """A page that hears what happens."""

    def __init__(self, made: socket.socket) -> None:
        self._file = made.makefile("rb")

    def hear(self, kind: str) -> Any:
        """The next message of a kind."""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            line = self._file.readline()
            if line.startswith(b"data: ") and (told := json.loads(line[6:]))["kind"] == kind:
                return told
        raise AssertionError(f"no {kind} came")
