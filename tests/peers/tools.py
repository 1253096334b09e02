"""The planning tools as referees: their own programs, installed into `.peers/` on first use, and what they answer."""

import fcntl
import importlib
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from planrail.base.errors import PlanrailError
from planrail.cli.plans.show_command import describe
from planrail.projects.open_plan import open_plan

_SECONDS = 180
_QUIET = {"SPEC_KITTY_NO_UPGRADE_CHECK": "1", "SPEC_KITTY_NON_INTERACTIVE": "1", "CI": "1"}


class Tool:
    """A planning tool's own program. The test skips, saying why, where it cannot be installed."""

    def __init__(self, name: str, home: Path) -> None:
        peers = importlib.import_module("peers")
        peer = next(peer for peer in (*peers.PEERS, *peers.REFEREES) if peer.name == name)
        os.makedirs(peers.FOLDER, exist_ok=True)
        self._environment = {**peers.peer_environment(str(home)), **_QUIET}
        with open(os.path.join(peers.FOLDER, f".{name}.lock"), "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            try:
                if peers.find(peer) is None:
                    peers.install(peer, self._environment)
                peers.version(peer, self._environment)
            except peers.NotInstalled as reason:
                pytest.skip(f"{name} cannot be installed here: {reason}")
        program = peers.find(peer)
        self._command = ["node", program] if peer.script else [program]

    def call(self, folder: Path, *arguments: str, may_complain: bool = False) -> str:
        """What the program answers about the project in a folder; some answer, and then complain by their exit code."""
        done = subprocess.run(
            [*self._command, *arguments],
            cwd=folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
        assert done.returncode == 0 or (may_complain and done.stdout), (
            f"{' '.join(arguments)}: {done.stdout[-400:]} {done.stderr[-400:]}"
        )
        return done.stdout

    def ask(self, folder: Path, *arguments: str) -> Any:
        """The JSON that the program answers with, without what it says before and after."""
        answer = self.call(folder, *arguments)
        return json.JSONDecoder().raw_decode(answer[answer.index("{") :])[0]


def show(path: Path) -> dict[str, Any]:
    """What `planrail show --json` says about a file."""
    try:
        return describe(open_plan(str(path)))
    except PlanrailError as error:
        return {"status": f"refused: {error}", "phases": [], "next": None, "route": "none"}


def states(shown: dict[str, Any]) -> dict[str, str]:
    """The states of a plan's phases."""
    return {phase["id"]: str(phase["status"]) for phase in shown["phases"]}


def make_repository(folder: Path) -> Path:
    """An empty git repository, on a branch that nothing protects."""
    folder.mkdir(parents=True, exist_ok=True)
    git = ["git", "-c", "user.name=Test", "-c", "user.email=test@example.com"]
    for command in (["init", "-q", "-b", "work"], ["commit", "-q", "--allow-empty", "-m", "Begin"]):
        subprocess.run([*git, *command], cwd=folder, check=True, capture_output=True)
    for name, value in (("user.name", "Test"), ("user.email", "test@example.com")):
        subprocess.run(["git", "config", name, value], cwd=folder, check=True)
    return folder
