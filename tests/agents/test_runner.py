"""Jobs outlive planrail, are started once, and are found again."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import planrail.agents
from planrail.agents.jobs.job_files import Job, load_mark, load_runner
from planrail.agents.jobs.runner import HeldJob, RunnerWatch, ensure, look, stop_job
from planrail.agents.model import Began, Said, Used
from planrail.agents.processes.trees import started_at, tree
from planrail.base.values import pack
from tests.support.patience import PATIENCE


class Desk:
    """A folder to work in, and the folder of a job."""

    def __init__(self, base: Path) -> None:
        self.folder, self.place = base / "work", base / "jobs" / "1"
        self.folder.mkdir()

    def job(self, *scripts: str, timeout: int = 60) -> Job:
        return Job("runbook", "implementer", "", str(self.folder), "write", timeout, scripts=scripts)

    def ensure(self, job: Job) -> HeldJob:
        return ensure(str(self.place), job, os.environ)

    def starts(self) -> int:
        """How often the agent was started: its block counts."""
        file = self.folder / "starts"
        return len(file.read_text().split()) if file.exists() else 0


_COUNTING = "echo x >> starts\n"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def _until(is_so: object) -> None:
    deadline = time.monotonic() + PATIENCE
    while not is_so():  # type: ignore[operator]
        assert time.monotonic() < deadline
        time.sleep(0.01)


def _leftovers(desk: Desk) -> list[int]:
    return [process.pid for process in tree(0, load_mark(str(desk.place)))]


# ---- one planrail ----


def test_a_job_is_begun_once_and_its_outcome_and_events_are_kept(desk: Desk) -> None:
    assert look(str(desk.place)) == "absent"
    stop_job(str(desk.place))
    assert look(str(desk.place)) == "absent"
    held = desk.ensure(desk.job(_COUNTING, "echo 2"))
    assert not held.adopted
    events = list(held.events())
    assert events[:3] == [Began(""), Used("sh", _COUNTING.strip(), _COUNTING), Used("sh", "echo 2", "echo 2")]
    assert isinstance(events[3], Said)
    assert held.wait().ok
    assert look(str(desk.place)) == "ended"
    again = desk.ensure(desk.job(_COUNTING))
    assert (again.adopted, again.wait()) == (True, held.wait())
    assert list(again.events()) == events
    first = len((desk.place / "events.jsonl").read_bytes().splitlines(keepends=True)[0])
    assert list(desk.ensure(desk.job()).events(first)) == events[1:]
    assert desk.starts() == 1
    assert [path.name for path in desk.place.iterdir() if path.stat().st_mode & 0o077] == []  # for their owner alone


def test_events_come_before_the_job_has_ended(desk: Desk) -> None:
    held = desk.ensure(desk.job("while [ ! -e go ]; do sleep 0.01; done"))
    for event in held.events():
        if isinstance(event, Used):
            (desk.folder / "go").touch()
    assert held.wait().ok


def test_a_driver_that_nobody_knows_is_an_outcome(desk: Desk) -> None:
    outcome = ensure(str(desk.place), Job("heron", "a", "", str(desk.folder)), os.environ).wait()
    assert (outcome.ok, outcome.reason) == (False, "failed")
    assert "heron" in outcome.error


def test_the_runner_knows_no_more_of_the_environment_than_its_agent_may_and_hands_no_lock_on(desk: Desk) -> None:
    """Otherwise a daemon that got away would look like a runner for ever."""
    job = desk.job("ls -l /proc/self/fd > open; while [ ! -e go ]; do sleep 0.01; done")
    held = ensure(str(desk.place), job, {**os.environ, "PLANRAIL_TEST_SECRET": "heron"})
    _until(lambda: load_runner(str(desk.place)))
    pid, _ = load_runner(str(desk.place)) or (0, "")
    assert b"heron" not in Path(f"/proc/{pid}/environ").read_bytes()
    (desk.folder / "go").touch()
    assert held.wait().ok
    assert "lock" not in (desk.folder / "open").read_text()


# ---- the end ----


@pytest.mark.full
@pytest.mark.parametrize("is_from_elsewhere", [False, True], ids=["here", "elsewhere"])
def test_a_stop_ends_the_whole_tree_and_is_an_outcome(desk: Desk, is_from_elsewhere: bool) -> None:
    held = desk.ensure(desk.job("setsid sleep 3600 & sleep 3600 & touch up; wait"))
    _until((desk.folder / "up").exists)
    assert len(_leftovers(desk)) >= 3
    if is_from_elsewhere:
        code = "import sys; from planrail.agents.jobs.runner import stop_job; stop_job(sys.argv[1])"
        subprocess.run([sys.executable, "-c", code, str(desk.place)], check=True)
    else:
        held.stop()
    held.stop()
    assert _leftovers(desk) == []
    assert held.wait().reason == "stopped"
    assert look(str(desk.place)) == "ended"


@pytest.mark.full
def test_a_time_out_is_kept_by_the_runner(desk: Desk) -> None:
    outcome = desk.ensure(desk.job("sleep 3600", timeout=1)).wait()
    assert outcome.reason == "timeout"
    assert _leftovers(desk) == []


def test_a_daemon_that_hides_from_its_parent_and_clears_its_environment_is_ended(desk: Desk) -> None:
    """On Linux the runner becomes its parent. Nothing else would know of it."""
    if sys.platform != "linux":
        pytest.skip("only Linux has a parent for orphans")
    hidden = "(setsid env -i /bin/sh -c 'echo $$ > pid; exec sleep 3600' </dev/null >/dev/null 2>&1 &)"
    assert desk.ensure(desk.job(f"{hidden}\nwhile [ ! -s pid ]; do sleep 0.01; done")).wait().ok
    assert started_at(int((desk.folder / "pid").read_text())) == ""


def test_a_runner_that_does_not_listen_is_ended_surely(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("planrail.agents.jobs.runner._PATIENCE", 0.3)
    held = desk.ensure(desk.job("touch up; sleep 3600"))
    _until((desk.folder / "up").exists)
    pid, _ = load_runner(str(desk.place)) or (0, "")
    os.kill(pid, signal.SIGSTOP)
    held.stop()
    assert held.wait().reason == "stopped"
    assert _leftovers(desk) == []


def test_a_runner_ended_by_a_shutdown_leaves_a_lost_job_and_no_process(desk: Desk) -> None:
    held = desk.ensure(desk.job("touch up; sleep 3600"))
    _until((desk.folder / "up").exists)
    pid, _ = load_runner(str(desk.place)) or (0, "")
    os.kill(pid, signal.SIGTERM)
    assert held.wait().reason == "lost"
    assert held.was_lost
    assert look(str(desk.place)) == "lost"
    assert _leftovers(desk) == []


def test_a_hang_up_and_an_interrupt_do_not_reach_the_agent(desk: Desk) -> None:
    held = desk.ensure(desk.job("touch up; while [ ! -e go ]; do sleep 0.01; done"))
    _until((desk.folder / "up").exists)
    pid, _ = load_runner(str(desk.place)) or (0, "")
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        os.kill(pid, number)
    assert os.getsid(pid) == pid != os.getsid(0)
    (desk.folder / "go").touch()
    assert held.wait().ok


# ---- several planrails, and dead ones ----


def test_a_runner_that_was_killed_is_lost_and_what_it_left_is_ended(desk: Desk) -> None:
    held = desk.ensure(desk.job(_COUNTING + "touch up; sleep 3600"))
    _until((desk.folder / "up").exists)
    pid, _ = load_runner(str(desk.place)) or (0, "")
    os.kill(pid, signal.SIGKILL)
    assert held.wait().reason == "lost"
    assert held.was_lost
    assert _leftovers(desk) == []
    later = desk.ensure(desk.job(_COUNTING))
    assert (later.adopted, later.was_lost, later.wait().reason) == (True, True, "lost")
    assert desk.starts() == 1


def test_many_at_once_start_it_once_and_all_get_the_outcome(desk: Desk) -> None:
    with ThreadPoolExecutor(8) as threads:
        outcomes = list(threads.map(lambda _: desk.ensure(desk.job(_COUNTING + "sleep 0.1")).wait(), range(8)))
    assert all(outcome == outcomes[0] and outcome.ok for outcome in outcomes)
    assert desk.starts() == 1


_PLANRAIL = """
import json, os, sys
from planrail.agents.jobs.runner import ensure
from planrail.agents.jobs.job_files import Job
from planrail.base.values import unpack
held = ensure(sys.argv[1], unpack(json.loads(sys.argv[2])), os.environ)
print(held.adopted, held.wait().reason, held.was_lost, flush=True)
"""


def _planrail(desk: Desk, job: Job, **more: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", _PLANRAIL, str(desk.place), json.dumps(pack(job))],
        env={**os.environ, **more},
        stdout=subprocess.PIPE,
        text=True,
    )


def test_when_planrail_is_killed_the_agent_goes_on_and_the_next_planrail_adopts_it(desk: Desk) -> None:
    job = desk.job(_COUNTING + "touch up; while [ ! -e go ]; do sleep 0.01; done; touch finished")
    with _planrail(desk, job) as planrail:
        _until((desk.folder / "up").exists)
        planrail.kill()
    assert look(str(desk.place)) == "running"
    held = desk.ensure(job)
    assert held.adopted
    assert not held.was_lost
    (desk.folder / "go").touch()
    assert held.wait().ok
    assert (desk.folder / "finished").exists()
    assert desk.starts() == 1


@pytest.mark.parametrize("point", ["job.locked", "job.written", "job.spawned"])
def test_a_planrail_that_dies_while_it_starts_a_job_leaves_one_start(desk: Desk, point: str) -> None:
    job = desk.job(_COUNTING)
    with _planrail(desk, job, PLANRAIL_CRASH_AT=point) as planrail:
        assert planrail.wait() == -signal.SIGKILL
    held = desk.ensure(job)
    assert held.wait().ok
    assert desk.starts() == 1


@pytest.mark.parametrize(
    ("point", "starts", "reason"),
    [("runner.identified", 0, "lost"), ("runner.agent_ended", 1, "lost"), ("runner.outcome_written", 1, "")],
)
def test_a_runner_that_dies_is_lost_unless_it_had_its_outcome(desk: Desk, point: str, starts: int, reason: str) -> None:
    job = desk.job(_COUNTING)
    outcome = ensure(str(desk.place), job, {**os.environ, "PLANRAIL_CRASH_AT": point}).wait()
    assert outcome.reason == reason
    assert desk.starts() == starts
    assert desk.ensure(job).wait().reason == reason


@pytest.mark.soak
def test_no_kill_of_planrail_at_any_instant_starts_an_agent_twice(tmp_path: Path) -> None:
    chance = random.Random(7)
    for round_ in range(60):
        base = tmp_path / str(round_)
        base.mkdir()
        desk = Desk(base)
        job = desk.job(_COUNTING + f"sleep {chance.random() * 0.3:.3f}")
        for _ in range(chance.randrange(1, 4)):
            with _planrail(desk, job) as planrail:
                time.sleep(0.05 + chance.random() * 0.15)
                planrail.kill()
        held = desk.ensure(job)
        assert held.wait().ok, round_
        assert not held.was_lost
        assert desk.starts() == 1, round_


_DEAR = {"json", "re", "enum", "typing", "subprocess", "signal", "threading", "tempfile", "uuid", "contextlib"}
_DEAR |= {"logging"}


@pytest.mark.parametrize("driver", ["runbook", "command"])
def test_a_runner_imports_nothing_dear_for_agents_without_a_model(driver: str) -> None:
    """Each of these costs more than the rest of such a job together."""
    source = Path(planrail.agents.__file__ or "").parents[2]
    code = (
        f"import sys; sys.path.insert(0, {str(source)!r}); import planrail.agents.jobs.runner_process\n"
        f"from planrail.agents.drivers import load_driver\n"
        f"load_driver({driver!r}, {{}}); print(*sys.modules)"
    )
    printed = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True)
    assert _DEAR.isdisjoint(printed.stdout.split())


def test_waiting_is_left_to_the_system_where_it_can(desk: Desk) -> None:
    """Nobody looks again and again whether the job has ended."""
    if not hasattr(os, "pidfd_open"):
        pytest.skip("this system cannot tell of the end of a process")
    held = desk.ensure(desk.job("while [ ! -e go ]; do sleep 0.01; done"))
    _until(lambda: load_runner(str(desk.place)))
    pid, _ = load_runner(str(desk.place)) or (0, "")
    watch = RunnerWatch(str(desk.place), 0)
    assert watch.is_told
    (desk.folder / "go").touch()
    watch.wait()
    assert held.wait().ok
    assert started_at(pid) == ""
