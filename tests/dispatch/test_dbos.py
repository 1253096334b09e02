"""Turns by DBOS: rows are the truth, and no turn is lost with the process that had it."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from planrail.base.errors import Held
from planrail.team.dispatch import OWN, Dispatch
from planrail.team.engines import DBOS, SCHEMA, TURNS, DbosDispatch, choose_engine, open_team_dispatch
from planrail.team.queueing import WorkerRow, decide_rest
from planrail.testing.dispatch_failures import HERE, THERE
from planrail.testing.dispatch_turn import BEGAN, LANDED
from tests.dispatch.stages import PostgresStage
from tests.support.postgres_server import PostgresServer

_WORKFLOWS = f"SELECT workflow_uuid, status, queue_name, priority FROM {SCHEMA}.workflow_status ORDER BY created_at"
_AWAY = """
import sys
sys.modules["dbos"] = None
from planrail.base.errors import ToolFailed
from planrail.team.worker.turn_engine import TurnEngine
try:
    TurnEngine("w", "").prepare(None)
except ToolFailed as error:
    print(error.message, error.remedy)
"""


@pytest.fixture
def stage(tmp_path: Path, postgres: PostgresServer, on_dbos: str) -> Iterator[PostgresStage]:
    with contextlib.closing(PostgresStage(tmp_path, postgres, on_dbos)) as stage:
        yield stage


@pytest.fixture
def dispatch(stage: PostgresStage) -> Iterator[DbosDispatch]:
    with _open(stage) as dispatch:
        assert isinstance(dispatch, DbosDispatch)
        yield dispatch


def _open(stage: PostgresStage) -> Dispatch:
    return open_team_dispatch(stage.server.url(stage.name))


def find_engine_process(stage: PostgresStage) -> int:
    """The process of DBOS on the machine `HERE`; 0 while there is none."""
    found = [pid for pid in stage.list_processes(HERE) if b"dbos_process" in Path(f"/proc/{pid}/cmdline").read_bytes()]
    return found[0] if found else 0


# ---- rows ----


def test_a_turn_is_offered_with_the_submission_or_not_at_all(stage: PostgresStage, dispatch: DbosDispatch) -> None:
    with contextlib.suppress(InterruptedError), dispatch.tables.exclusive():
        dispatch.submit(stage.make("a", repository="r"))
        raise InterruptedError
    assert dispatch.tables.rows(_WORKFLOWS) == []
    made = dispatch.submit(stage.make("a", repository="r", remote="there", priority=3))
    assert [row[1:] for row in dispatch.tables.rows(_WORKFLOWS)] == [("ENQUEUED", "planrail", 97)]
    assert dispatch.tables.rows(f"SELECT submission FROM {TURNS}") == [(made.id,)]


def test_what_can_start_on_one_machine_alone_is_offered_there(stage: PostgresStage, dispatch: DbosDispatch) -> None:
    dispatch.submit(stage.make("a", repository="r", host="there"))
    assert [queue for _, _, queue, _ in dispatch.tables.rows(_WORKFLOWS)] == ["planrail@there"]
    assert not dispatch.offer_waiting("here", 4)
    assert dispatch.offer_waiting("there", 4)
    assert len(dispatch.tables.rows(_WORKFLOWS)) == 1


def test_a_turn_serves_its_own_row_and_only_once(stage: PostgresStage, dispatch: DbosDispatch) -> None:
    for plan in ("a", "b"):
        dispatch.submit(stage.make(plan, repository="r", remote="there"))
    second = dispatch.tables.rows(_WORKFLOWS)[1][0]
    taken = dispatch.take_turn("w", "{}", "here", second)
    assert taken is not None
    assert taken.plan == "b"
    assert dispatch.take_turn("w", "{}", "here", second) is None


def test_what_a_limit_holds_back_is_offered_when_it_may_start(stage: PostgresStage, dispatch: DbosDispatch) -> None:
    dispatch.set_limit("repository", "r", 1)
    for plan in ("a", "b"):
        dispatch.submit(stage.make(plan, repository="r", remote="there"))
    (first, *_), (second, *_) = dispatch.tables.rows(_WORKFLOWS)
    taken = dispatch.take_turn("w", "{}", "here", first)
    assert taken is not None
    assert dispatch.take_turn("w", "{}", "here", second) is None
    assert not dispatch.offer_waiting("here", 4)
    dispatch.rest(taken.id, "w", decide_rest("complete", 0.0, now=0.0, tries=1))
    assert dispatch.offer_waiting("here", 4)
    assert len(dispatch.tables.rows(f"SELECT * FROM {TURNS}")) == 1


def test_a_turn_that_went_to_a_dead_worker_is_void(stage: PostgresStage, dispatch: DbosDispatch) -> None:
    dispatch.submit(stage.make("a", repository="r", remote="there"))
    (lost, *_) = dispatch.tables.rows(_WORKFLOWS)[0]
    dispatch.save_worker(WorkerRow("w", "there", 7, "{}", 1))
    pending = f"UPDATE {SCHEMA}.workflow_status SET status = 'PENDING', executor_id = 'w'"
    dispatch.tables.change(pending)
    dispatch.offer_waiting("here", 4)
    assert dispatch.tables.rows(f"SELECT workflow FROM {TURNS}") == [(lost,)], "it lives"
    dispatch.drop_worker("w")
    dispatch.offer_waiting("here", 4)
    ((found,),) = dispatch.tables.rows(f"SELECT workflow FROM {TURNS}")
    assert found != lost
    assert dispatch.take_turn("w", "{}", "there", lost) is None
    assert dispatch.take_turn("v", "{}", "here", found) is not None


def test_an_engine_is_not_changed_under_workers(stage: PostgresStage, dispatch: DbosDispatch) -> None:
    dispatch.save_worker(WorkerRow("w", "there", 7, "{}", 1))
    with pytest.raises(Held):
        choose_engine(dispatch, OWN)
    assert _open(stage).engine == DBOS
    dispatch.drop_worker("w")
    choose_engine(dispatch, OWN)
    assert _open(stage).engine == OWN
    choose_engine(dispatch, DBOS)
    assert _open(stage).engine == DBOS


def test_a_worker_without_dbos_says_what_to_install() -> None:
    done = subprocess.run([sys.executable, "-c", _AWAY], capture_output=True, text=True)
    assert "pip install 'planrail[dbos]'" in done.stdout


# ---- processes ----


@pytest.mark.full
def test_an_engine_that_is_killed_loses_no_turn(stage: PostgresStage) -> None:
    stage.start_worker(HERE, slots=2)
    for number in range(6):
        stage.submit(f"p{number}", phases=2)
        stage.wait_for(lambda: find_engine_process(stage))
        with contextlib.suppress(ProcessLookupError):
            os.kill(find_engine_process(stage), signal.SIGKILL)
    stage.wait_until_done()
    assert len(stage.notes(LANDED)) == 12


@pytest.mark.soak
def test_an_engine_that_hangs_is_replaced(stage: PostgresStage) -> None:
    stage.start_worker(HERE, slots=2)
    stage.submit("a")
    stage.wait_until_done()
    os.kill(find_engine_process(stage), signal.SIGSTOP)
    stage.submit("b")
    stage.wait_until_done()
    assert [note.plan for note in stage.notes(LANDED)] == ["a", "b"]


@pytest.mark.full
def test_a_machine_that_dies_with_a_turn_in_its_hands_loses_none(stage: PostgresStage) -> None:
    for machine in (HERE, THERE):
        stage.start_worker(machine, slots=2)
    for number in range(6):
        stage.submit(f"p{number}", waits=1)
    stage.wait_for(lambda: any(note.machine == HERE.name for note in stage.notes(BEGAN)))
    stage.kill(HERE)
    stage.say_go(*(f"p{number}" for number in range(6)))
    stage.wait_until_done()
    assert sorted(note.plan for note in stage.notes(LANDED)) == [f"p{number}" for number in range(6)]


@pytest.mark.soak
def test_nothing_stays_of_turns_that_are_over_and_no_connection_of_a_quiet_worker(
    stage: PostgresStage, dispatch: DbosDispatch
) -> None:
    stage.start_worker(HERE, slots=4)
    for number in range(8):
        stage.submit(f"p{number}")
    stage.wait_until_done()
    tables = ("workflow_status", "workflow_input", "workflow_output", "operation_outputs")
    asking = " UNION ALL ".join(f"SELECT count(*) FROM {SCHEMA}.{table}" for table in tables)
    stage.wait_for(lambda: dispatch.tables.rows(asking) == [(0,)] * len(tables))
    stage.wait_for(lambda: stage.count_connections() <= 2)
