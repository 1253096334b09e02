"""Plans land as ever where DBOS hands out the turns."""

import pytest

from planrail.team.engines import DBOS, SCHEMA
from tests.support.postgres_server import PostgresServer
from tests.support.worker_stage import Size
from tests.team.conftest import MakeStage
from tests.team.killing import Kill, Tormentor, whole_machine, worker_alone
from tests.team.promises import everything_is_done_once


@pytest.mark.parametrize(
    "kill", [pytest.param(worker_alone, marks=pytest.mark.full), pytest.param(whole_machine, marks=pytest.mark.soak)]
)
def test_plans_whose_workers_are_killed_land_once(
    make_stage: MakeStage, postgres: PostgresServer, on_dbos: str, kill: Kill
) -> None:
    with postgres.fresh_database(on_dbos) as url:
        stage = make_stage(Size(plans=3, phases=2, work="sleep 0.2"), url, has_remotes=True)
        stage.submit()
        tally = Tormentor(stage, kill, "--slots", "2").run(every=4.0)
        assert tally.kills
        everything_is_done_once(stage, agents_died=kill is whole_machine)
        stage.kill_everything()


@pytest.mark.soak
def test_a_setting_of_the_first_worker_is_enough_for_all_machines(make_stage: MakeStage, database: str) -> None:
    pytest.importorskip("dbos")
    stage = make_stage(Size(plans=2, phases=1), database, has_remotes=True)
    first = stage.machine("first")
    settings = first.home / ".config" / "planrail" / "planrail.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text(f'[worker]\nengine = "{DBOS}"\n')
    stage.submit()
    first.start_worker("--slots", "1")
    stage.wait_for(lambda: stage.rows(f"SELECT to_regclass('{SCHEMA}.turns') IS NOT NULL") == [(True,)])
    stage.machine("second").start_worker("--slots", "1")
    stage.wait_until_done()
    assert [stage.landed(plan) for plan in stage.plans] == [["1"], ["1"]]
