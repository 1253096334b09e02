"""A database that is restarted, or has no connection free, delays work; it neither loses nor doubles any."""

import signal
import time

import pytest

from tests.support.postgres_server import PostgresServer
from tests.support.worker_stage import Size, WorkerStage
from tests.team.conftest import MakeStage
from tests.team.promises import everything_is_done_once


def _torment(stage: WorkerStage, server: PostgresServer, every: float, away: float) -> int:
    """Restart the server again and again until all is done; how often."""
    count = 0
    while stage.open_submissions():
        time.sleep(every)
        server.kill()
        time.sleep(away)
        server.start()
        count += 1
        assert count < 200, stage.describe()
    return count


@pytest.mark.full
def test_runs_survive_a_database_that_is_restarted_at_once(own_server: PostgresServer, make_stage: MakeStage) -> None:
    url = own_server.url(own_server.create_database())
    stage = make_stage(Size(plans=2, phases=2, work="sleep 0.3"), url, has_remotes=True)
    stage.submit()
    for name in ("one", "two"):
        stage.machine(name).start_worker("--slots", "1")
    stage.wait_for(lambda: stage.count_starts())
    assert _torment(stage, own_server, every=2.0, away=1.0)
    everything_is_done_once(stage)


@pytest.fixture
def deserted(own_server: PostgresServer, make_stage: MakeStage) -> WorkerStage:
    """A submitted plan, a worker, and no database."""
    url = own_server.url(own_server.create_database())
    stage = make_stage(Size(plans=1, phases=1), url)
    stage.submit()
    own_server.kill()
    machine = stage.machine("one")
    machine.start_worker()
    stage.wait_for(lambda: "serves" in machine.said)
    return stage


@pytest.mark.soak
def test_a_worker_says_that_its_database_is_away_and_goes_on_when_it_is_back(
    deserted: WorkerStage, own_server: PostgresServer
) -> None:
    deserted.wait_for(lambda: "trouble" in deserted.machine("one").said)
    own_server.start()
    deserted.wait_until_done()
    everything_is_done_once(deserted)
    assert "back" in deserted.machine("one").said


@pytest.mark.soak
def test_a_worker_whose_database_is_away_leaves_when_it_is_told_to(
    deserted: WorkerStage, own_server: PostgresServer
) -> None:
    worker = deserted.machine("one").workers[0]
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(30) == 0
    own_server.start()


@pytest.mark.soak
@pytest.mark.parametrize("has_remotes", [False, True], ids=["in place", "by remotes"])
def test_many_runs_survive_a_database_that_is_restarted_again_and_again(
    own_server: PostgresServer, make_stage: MakeStage, has_remotes: bool
) -> None:
    url = own_server.url(own_server.create_database())
    stage = make_stage(Size(plans=20, phases=3), url, has_remotes=has_remotes)
    stage.submit()
    for name in ("one", "two"):
        stage.machine(name).start_worker("--slots", "4")
    print("restarts", _torment(stage, own_server, every=3.0, away=2.0))
    everything_is_done_once(stage)


@pytest.mark.soak
def test_runs_take_turns_where_there_are_too_few_connections(own_server: PostgresServer, make_stage: MakeStage) -> None:
    own_server.restart(max_connections=8, superuser_reserved_connections=0)
    url = own_server.url(own_server.create_database())
    stage = make_stage(Size(plans=6, phases=2), url)
    stage.submit()
    for name in ("one", "two"):
        stage.machine(name).start_worker("--slots", "3")
    stage.wait_until_done(900)
    everything_is_done_once(stage)
