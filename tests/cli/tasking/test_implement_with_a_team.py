"""A task whose plan is run by a worker of a team: submitted, waited for, and completed where the person sits."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.tasking.task_stage import TaskStage
from tests.postgres import database as database
from tests.postgres import postgres as postgres
from tests.support.run_traces import find_processes

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are looked for in /proc")


class TeamStage(TaskStage):
    """A person and a worker, each with a home of their own, who share a database."""

    def __init__(self, place: Path, database: str) -> None:
        self.database = database
        self.workers: list[subprocess.Popen[bytes]] = []
        super().__init__(place)

    @property
    def environment(self) -> dict[str, str]:
        return {**super().environment, "PLANRAIL_DATABASE": self.database}

    def publish(self) -> None:
        """From now on the repository has a remote, which workers clone."""
        remote = self.place / "remote.git"
        if not remote.exists():
            self.git("clone", "--quiet", "--bare", str(self.root), str(remote))
            self.git("remote", "add", "origin", str(remote))
        self.git("push", "--quiet", "--set-upstream", "origin", "main")

    def start_worker(self) -> None:
        home = self.place / "worker"
        home.mkdir(exist_ok=True)
        given = {**self.environment, "HOME": str(home), "PLANRAIL_STATE_DIR": str(home / "state")}
        with open(home / "log", "ab") as log:
            command = [sys.executable, "-m", "planrail", "worker"]
            worker = subprocess.Popen(
                command, cwd=home, env=given, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )
        self.workers.append(worker)

    def end(self) -> None:
        while found := find_processes(self.place):
            for pid in found:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    continue
        for worker in self.workers:
            worker.wait(30)


@pytest.fixture
def stage(database: str) -> Iterator[TeamStage]:
    folder = Path(tempfile.mkdtemp(prefix="pr-"))  # a short name: sockets lie below it
    made = TeamStage(folder / "stage", database)
    yield made
    made.end()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.soak
def test_a_worker_on_the_remote_does_it_and_the_task_is_completed_when_it_is_here(stage: TeamStage) -> None:
    stage.publish()
    stage.new("Write the greeting")
    stage.plan(1, "one")
    stage.publish()
    stage.start_worker()
    done = stage.task("implement", "1", "--json")
    told = json.loads(done.stdout or "{}")
    assert (done.returncode, told.get("status")) == (0, "pr_ready"), done.stdout + done.stderr
    assert "git pull --ff-only" in told["command"]
    assert stage.landed() == []
    stage.git("pull", "--quiet", "--ff-only")
    done = stage.task("implement", "1")
    assert done.returncode == 0, done.stderr
    assert stage.status(1) == "completed"
    assert stage.landed() == ["1"]
    assert stage.count_starts() == ["one"]


@pytest.mark.full
def test_what_the_remote_does_not_have_is_refused_and_the_state_stays(stage: TeamStage) -> None:
    stage.publish()
    stage.new("Write the greeting")
    stage.plan(1, "one")
    done = stage.task("implement", "1")
    assert (done.returncode, "git push" in done.stderr) == (1, True), done.stderr
    assert stage.status(1) == "planned"


@pytest.mark.soak
def test_in_this_process_it_needs_no_worker(stage: TeamStage) -> None:
    stage.new("Write the greeting")
    stage.plan(1, "one")
    done = stage.task("implement", "1", "--here")
    assert done.returncode == 0, done.stderr
    assert stage.status(1) == "completed"
