"""The server as agents start it: a program on two streams."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

PLAN = """# Plan: Greet

## Phase 1: Say hello

- [ ] Write `hello.sh`

```sh check
test -f hello.sh
```
"""
SLOW = PLAN.replace("test -f hello.sh", "touch began; sleep 600")


class Client:
    """A client that writes lines and reads lines."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, "-m", "planrail", "mcp"],
            cwd=folder,
            env={**os.environ, "HOME": str(folder / ".home"), "XDG_STATE_HOME": str(folder / ".state")},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def say(self, **message: object) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def hear(self) -> Any:
        assert self.process.stdout
        return json.loads(self.process.stdout.readline())

    def call(self, name: str, **arguments: object) -> tuple[bool, str]:
        self.say(id=name, method="tools/call", params={"name": name, "arguments": arguments})
        result = self.hear()["result"]
        return result["isError"], result["content"][0]["text"]

    def close(self) -> str:
        """Close its end, and read what comes yet."""
        return self.process.communicate(timeout=120)[0]


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    (tmp_path / "plan.md").write_text(PLAN)
    (tmp_path / ".gitignore").write_text(".home\n.state\n")
    for words in (["init", "-q"], ["add", "-A"], ["-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "x"]):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    client = Client(tmp_path)
    yield client
    client.process.kill()
    client.process.communicate()


def test_an_agent_finds_its_way_and_cannot_approve(client: Client) -> None:
    client.say(id=1, method="initialize", params={"protocolVersion": "2025-06-18"})
    assert client.hear()["result"]["serverInfo"]["name"] == "planrail"
    client.say(method="notifications/initialized")
    is_error, told = client.call("next", plan="plan.md")
    assert (is_error, json.loads(told)["phase"]) == (False, "1")
    is_error, told = client.call("propose", plan="plan.md")
    request = json.loads(told)["request"]
    assert not is_error
    assert request
    is_error, told = client.call("done", plan="plan.md", phase="1")
    assert is_error
    assert "nobody has approved it" in told
    is_error, told = client.call("show", plan="missing.md")
    assert is_error
    client.say(id=2, method="resources/list")
    (resource,) = client.hear()["result"]["resources"]
    client.say(id=3, method="resources/read", params={"uri": resource["uri"]})
    assert json.loads(client.hear()["result"]["contents"][0]["text"])["title"] == "Plan: Greet"
    assert client.close() == ""
    assert client.process.returncode == 0


def test_a_client_that_closes_its_end_gets_its_answers(client: Client) -> None:
    for number in range(3):
        client.say(id=number, method="tools/call", params={"name": "show", "arguments": {"plan": "plan.md"}})
    told = [json.loads(line) for line in client.close().splitlines()]
    assert sorted(answer["id"] for answer in told) == [0, 1, 2]
    assert not any(answer["result"]["isError"] for answer in told)


@pytest.mark.parametrize("how", ["cancelled", "told to end"])
def test_a_command_that_nobody_waits_for_is_stopped(client: Client, tmp_path: Path, how: str) -> None:
    (tmp_path / "planrail.toml").write_text("[approval]\nrequired = false\n[run]\nconfine = 'off'\n")
    (tmp_path / "plan.md").write_text(SLOW)
    client.say(id=1, method="tools/call", params={"name": "check", "arguments": {"plan": "plan.md", "phase": "1"}})
    client.say(id=2, method="ping")  # is answered while the other one runs
    assert client.hear()["id"] == 2
    _wait_for(lambda: _list_checking(tmp_path) != [])
    if how == "cancelled":
        client.say(method="notifications/cancelled", params={"requestId": 1})
        _wait_for(lambda: _list_checking(tmp_path) == [])
        assert client.close() == ""  # no answer: it is not wanted
    else:
        client.process.send_signal(signal.SIGTERM)
        client.close()
        _wait_for(lambda: _list_checking(tmp_path) == [])


def _list_checking(folder: Path) -> list[str]:
    """The processes of planrail's that work in a folder, but for the server."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            words = (place / "cmdline").read_bytes().split(b"\0")
            if str(folder) in os.readlink(place / "cwd") and b"check" in words:
                found.append(place.name)
        except OSError:
            continue
    return found


def _wait_for(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.05)
