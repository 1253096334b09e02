"""`planrail board` as a program: one line when it listens, an end at SIGTERM, only showing below an agent."""

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from planrail.cli.main import main


@contextmanager
def _board(folder: Path, **more: str) -> Iterator[tuple["subprocess.Popen[str]", Any]]:
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    command = [sys.executable, "-m", "planrail", "board", "--json", "--no-open"]
    process = subprocess.Popen(command, cwd=folder, env={**os.environ, **more}, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    try:
        yield process, json.loads(process.stdout.readline())
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def _ask(told: Any, page: str) -> Any:
    origin = told["url"].partition("/#")[0]
    request = urllib.request.Request(f"{origin}/api/{page}", headers={"Authorization": f"Bearer {told['token']}"})
    with urllib.request.urlopen(request, timeout=60) as reply:
        return json.load(reply)


@pytest.mark.full
def test_it_says_where_it_listens_below_an_agent_only_shows_and_ends_at_sigterm(tmp_path: Path) -> None:
    with _board(tmp_path, PLANRAIL_AGENT="1") as (process, told):
        assert told["pid"] == process.pid
        assert told["url"].startswith("http://127.0.0.1:")
        assert told["url"].endswith(f"/#{told['token']}")
        start = _ask(told, "start")
        assert "PLANRAIL_AGENT" in start["read_only"]
        assert [project["root"] for project in start["projects"]] == [str(tmp_path)]
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0


def test_a_port_that_is_taken_is_refused_with_a_way_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert main(["board", "--port", str(taken.getsockname()[1])]) == 11
    assert "planrail board --port 0" in capsys.readouterr().err
