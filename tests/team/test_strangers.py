"""What people and programs did to workers that nobody had thought of: each of these once went wrong."""

import os
import shutil
import signal
import socket
import threading
import time
from functools import partial
from pathlib import Path

import psycopg
import pytest

from planrail.runs.request.requests import RunRequest
from planrail.store.ledger import open_team_tables
from planrail.team.dispatch import Dispatch
from planrail.team.process_notes import read_owner
from planrail.team.queueing import ScheduleRow, SubmissionRequest
from tests.support.lanes import soak
from tests.support.worker_stage import Size, WorkerStage
from tests.team.conftest import MakeStage
from tests.team.promises import everything_is_done_once, strangers

FOREVER = "while :; do sleep 0.1; done"


def owner_of(stage: WorkerStage) -> int:
    """The process that carries out the only submission, once it has said so."""

    def find() -> int:
        rows = stage.rows("SELECT owner, worker FROM submissions WHERE state = 'taken'")
        owner = read_owner(rows[0][0]) if rows else None
        workers = {worker.pid for machine in stage.machines.values() for worker in machine.workers}
        return owner.pid if owner is not None and owner.pid not in workers else 0

    stage.wait_for(find)
    return find()


def _has_another(stage: WorkerStage, killed: int) -> bool:
    return owner_of(stage) != killed


@pytest.mark.full
def test_a_row_that_makes_no_sense_is_held_and_stops_nobody(make_stage: MakeStage, database: str) -> None:
    stage = make_stage(Size(plans=1, phases=1), database)
    for priority in ("high", "99999999999"):
        row = ScheduleRow(
            "", "elsewhere", priority, "p.md", "1m", "* * * * *", "UTC", "interval", SubmissionRequest(RunRequest("p.md"), {"priority": priority}), 1.0
        )  # fmt: skip
        with open_team_tables(database, "elsewhere") as tables:
            Dispatch(tables).put_schedule(row)
    stage.submit()
    stage.machine("worker").start_worker()
    stage.wait_until_done()
    everything_is_done_once(stage)
    assert stage.rows("SELECT DISTINCT state, why FROM schedules") == [("held", "what it asks for makes no sense")]


@pytest.mark.full
def test_a_stop_ends_the_agent_of_a_run_whose_worker_and_process_are_dead(make_stage: MakeStage, database: str) -> None:
    stage = make_stage(Size(plans=1, phases=2, work=FOREVER), database, has_remotes=True)
    plan, machine = stage.plans[0], stage.machine("worker")
    stage.submit()
    machine.start_worker()
    stage.wait_for(stage.count_starts)
    process = owner_of(stage)
    machine.kill_worker()
    os.kill(process, signal.SIGKILL)
    assert strangers(stage)  # the agent works on, as it should
    assert stage.laptop.call("stop", plan.path, folder=plan.root).returncode == 0
    machine.start_worker()
    stage.wait_for(lambda: not strangers(stage))
    stage.wait_for(lambda: not stage.rows("SELECT 1 FROM runs WHERE ending IS NULL"))
    assert stage.rows("SELECT state, outcome FROM submissions") == [("ended", "stopped")]
    assert stage.landed(plan) == []


@pytest.mark.full
def test_a_run_whose_process_is_killed_again_and_again_is_taken_up_at_once(
    make_stage: MakeStage, database: str, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    stage = make_stage(Size(plans=1, phases=1, work=f"while [ ! -e '{gate}' ]; do sleep 0.05; done"), database)
    stage.submit()
    stage.machine("worker").start_worker()
    stage.wait_for(stage.count_starts)
    for _ in range(4):
        process = owner_of(stage)
        os.kill(process, signal.SIGKILL)
        stage.wait_for(partial(_has_another, stage, process))
    gate.touch()
    stage.wait_until_done()
    everything_is_done_once(stage)


@pytest.mark.full
def test_somebody_who_knocks_and_says_nothing_does_not_keep_a_worker_from_its_work(make_stage: MakeStage) -> None:
    stage = make_stage(Size(plans=1, phases=1))
    machine = stage.machine("worker")
    machine.start_worker(folder=stage.plans[0].root)
    stage.wait_for(lambda: list(stage.place.glob("**/workers/*.sock")))
    door, over = next(stage.place.glob("**/workers/*.sock")), threading.Event()
    thread = threading.Thread(target=_knock, args=(str(door), over))
    thread.start()
    try:
        told = machine.call("run", stage.plans[0].path, "finish", "auto", "--submit", folder=stage.plans[0].root)
        assert told.returncode == 0, told.stderr
        stage.wait_for(lambda: stage.landed(stage.plans[0]) == ["1"])
    finally:
        over.set()
        thread.join()


def _knock(door: str, over: threading.Event) -> None:
    lines: list[socket.socket] = []
    while not over.wait(0.02):
        line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        line.settimeout(1.0)
        try:
            line.connect(door)
        except OSError:
            time.sleep(0.1)
        lines.append(line)
    for line in lines:
        line.close()


@pytest.mark.full
def test_a_copy_of_a_repository_does_not_do_what_was_asked_for_in_the_original(make_stage: MakeStage) -> None:
    stage = make_stage(Size(plans=1, phases=1))
    plan, machine = stage.plans[0], stage.machine("worker")
    assert machine.call("run", plan.path, "finish", "auto", "--submit", folder=plan.root).returncode == 0
    copy = plan.root.parent / "copy"
    shutil.copytree(plan.root, copy, symlinks=True)
    machine.call("stop", plan.path, folder=plan.root)
    machine.call("worker", "--once", folder=copy)
    assert stage.landed(plan) == []


@pytest.mark.soak
def test_two_remotes_of_one_name_are_not_one_repository(make_stage: MakeStage, database: str) -> None:
    settings = '[approval]\nrequired = false\n\n[worker]\nrepository = "shop"\n'
    stage = make_stage(Size(plans=2, phases=1), database, has_remotes=True, settings=settings)
    first, fork = stage.plans
    assert first.target != fork.target
    assert stage.laptop.call("run", first.path, "finish", "auto", folder=first.root).returncode == 0
    refused = stage.laptop.call("run", fork.path, "finish", "auto", folder=fork.root)
    assert refused.returncode == 1
    assert "in this database shop is" in refused.stderr
    stage.machine("worker").start_worker()
    stage.wait_until_done()
    assert (stage.landed(first), stage.landed(fork)) == (["1"], [])


def test_an_edited_plan_is_not_submitted_as_it_was_before(make_stage: MakeStage, database: str) -> None:
    stage = make_stage(Size(plans=1, phases=1), database, has_remotes=True)
    plan = stage.plans[0]
    place = plan.root / plan.path
    place.write_text(place.read_text() + "\nAnd more.\n")
    refused = stage.laptop.call("run", plan.path, "finish", "auto", folder=plan.root)
    assert refused.returncode == 1
    assert "not committed" in refused.stderr
    assert stage.rows("SELECT 1 FROM submissions") == []


@pytest.mark.soak
def test_what_landed_here_and_is_not_pushed_is_not_done_again_by_a_worker(make_stage: MakeStage, database: str) -> None:
    stage = make_stage(Size(plans=1, phases=2), database, has_remotes=True)
    plan = stage.plans[0]
    other = stage.clone(plan, "other")
    done = stage.laptop.call("run", plan.path, "1", "auto", "--here", folder=plan.root)
    assert (done.returncode, "git push" in done.stdout) == (0, True), done.stderr
    assert stage.laptop.call("run", plan.path, "finish", "auto", folder=other).returncode == 0
    stage.machine("worker").start_worker()
    stage.wait_for(lambda: stage.rows("SELECT 1 FROM submissions WHERE outcome = 'failed'"))
    assert "which origin does not have" in stage.rows("SELECT said FROM submissions WHERE outcome = 'failed'")[0][0]
    assert stage.landed(plan) == []


@pytest.mark.soak
def test_a_run_in_somebodys_terminal_is_stopped_from_another_laptop(make_stage: MakeStage, database: str) -> None:
    stage = make_stage(Size(plans=1, phases=2, work=FOREVER), database, has_remotes=True)
    plan = stage.plans[0]
    stage.laptop.launch(stage.laptop.command("run", plan.path, "finish", "auto", "--here"), plan.root)
    stage.wait_for(stage.count_starts)
    told = stage.machine("other laptop").call("stop", plan.path, folder=stage.clone(plan, "other"))
    assert told.returncode == 0, told.stderr
    stage.wait_for(lambda: not strangers(stage))
    stage.wait_for(lambda: stage.rows("SELECT state, outcome FROM submissions") == [("ended", "stopped")])
    assert stage.landed(plan) == []


@pytest.mark.parametrize("seconds", [400 * 86_400.0])
def test_a_clock_that_was_ahead_for_a_moment_silences_no_schedule(database: str, seconds: float) -> None:
    row = ScheduleRow(
        "", "r", "p", "p.md", "4h", "9 */4 * * *", "UTC", "interval", SubmissionRequest(RunRequest("p.md")), 1.0
    )
    with open_team_tables(database, "r") as tables:
        Dispatch(tables).put_schedule(row)
        now = tables.now()
        assert Dispatch(tables).fire_due(now + seconds)
        Dispatch(tables).fire_due(now)
        assert Dispatch(tables).list_schedules()[0].next <= now + 4 * 3600


FORGET = """
    SET session_replication_role = replica;
    DELETE FROM facts WHERE value LIKE '%"phase": "2"%' OR value LIKE '%complete%';
    DELETE FROM steps WHERE key LIKE 'phase/2/%' OR key LIKE 'finish/%' OR key LIKE 'turn/3/%';
    UPDATE runs SET ending = NULL;
    UPDATE submissions SET state = 'queued', outcome = '', run = '';
"""


@pytest.mark.soak
@pytest.mark.parametrize("is_home_lost", [soak(True), False])
def test_what_landed_after_a_backup_is_not_done_again_when_that_is_put_back(
    make_stage: MakeStage, database: str, is_home_lost: bool
) -> None:
    stage = make_stage(Size(plans=1, phases=2), database, has_remotes=True)
    stage.submit()
    first = stage.machine("worker").start_worker()
    stage.wait_until_done()
    assert stage.landed(stage.plans[0]) == ["1", "2"]
    first.terminate()
    first.wait()
    if is_home_lost:
        shutil.rmtree(stage.machines["worker"].home / "state")
    with psycopg.connect(database, autocommit=True, options="-c search_path=planrail") as connection:
        connection.execute(FORGET.encode())
    stage.machine("another").start_worker()
    stage.wait_until_done()
    assert stage.rows("SELECT outcome, said FROM submissions")[0][0] == "complete", stage.describe()
    assert stage.landed(stage.plans[0]) == ["1", "2"]
    assert set(stage.count_starts().values()) == {1}
