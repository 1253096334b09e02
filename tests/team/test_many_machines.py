"""A night's work of a team: 200 plans on three machines, of which one dies; the database dies, too."""

import time

import pytest

from tests.postgres import make_dbos_template
from tests.support.postgres_server import PostgresServer
from tests.support.worker_stage import Size
from tests.team.conftest import MakeStage
from tests.team.network import other_machine
from tests.team.promises import everything_is_done_once

PLANS, REPOSITORIES = 200, 40
SLOTS = "4"
AWAY = 10.0  # seconds without a database
ROWS, DBOS = "rows", "dbos"


@pytest.mark.soak
@pytest.mark.parametrize("engine", [ROWS, DBOS])
def test_200_plans_land_once_though_a_machine_and_the_database_die(
    own_server: PostgresServer, make_stage: MakeStage, engine: str
) -> None:
    if engine == DBOS:
        pytest.importorskip("dbos")
    template = make_dbos_template(own_server) if engine == DBOS else "template1"
    url = own_server.url(own_server.create_database(template))
    stage = make_stage(Size(PLANS, phases=1, repositories=REPOSITORIES, work="sleep 1"), url, has_remotes=True)
    stage.submit()
    began = time.monotonic()
    machines = [stage.machine(name, prefix=other_machine(name)) for name in ("one", "two", "three")]
    for machine in machines:
        machine.start_worker("--slots", SLOTS)
    stage.wait_for(lambda: len(stage.count_starts()) > PLANS / 4, patience=600)
    machines[0].kill_all()
    stage.wait_for(lambda: len(stage.count_starts()) > PLANS / 2, patience=600)
    own_server.kill()
    time.sleep(AWAY)
    own_server.start()
    stage.wait_until_done(patience=1200)
    lost = sum(stage.count_starts().values()) - PLANS
    print(f"{engine}: {PLANS} plans in {time.monotonic() - began:.0f} s, {lost} attempts lost")
    machines[0].start_worker()  # it is fixed, and clears away what it had left
    stage.wait_for(lambda: not list(machines[0].home.glob("state/planrail/workspaces/*/*")))
    stage.kill_everything()
    everything_is_done_once(stage, agents_died=True)
    assert lost <= int(SLOTS), "those of the machine that died"
