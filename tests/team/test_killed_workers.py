"""Workers die all the time: every phase still lands, and lands once."""

import pytest

from tests.support.worker_stage import Size
from tests.team.conftest import MakeStage
from tests.team.killing import Kill, Tormentor, whole_machine, worker_alone
from tests.team.promises import everything_is_done_once

IN_PLACE, BY_REMOTE = False, True
SLOW = "sleep 0.2"


@pytest.mark.full
@pytest.mark.parametrize(("kill", "has_remotes"), [(worker_alone, BY_REMOTE), (whole_machine, BY_REMOTE)])
def test_plans_whose_workers_are_killed_land_once(
    make_stage: MakeStage, database: str, kill: Kill, has_remotes: bool
) -> None:
    stage = make_stage(Size(plans=3, phases=2, work=SLOW), database, has_remotes=has_remotes)
    stage.submit()
    tally = Tormentor(stage, kill, "--slots", "2").run(every=1.0)
    assert tally.kills
    everything_is_done_once(stage, agents_died=kill is whole_machine)


@pytest.mark.soak
@pytest.mark.parametrize("has_remotes", [IN_PLACE, BY_REMOTE], ids=["in place", "by remotes"])
@pytest.mark.parametrize("kill", [worker_alone, whole_machine])
def test_many_plans_whose_workers_are_killed_land_once(
    make_stage: MakeStage, database: str, has_remotes: bool, kill: Kill
) -> None:
    stage = make_stage(Size(plans=40, phases=3), database, has_remotes=has_remotes)
    stage.submit()
    tally = Tormentor(stage, kill, "--slots", "4").run(every=1.5)
    print(tally)
    assert tally.kills > 10
    everything_is_done_once(stage, agents_died=kill is whole_machine)


@pytest.mark.soak
@pytest.mark.parametrize("kill", [worker_alone, whole_machine])
def test_plans_of_one_remote_land_once_though_their_workers_are_killed(
    make_stage: MakeStage, database: str, kill: Kill
) -> None:
    stage = make_stage(Size(plans=12, phases=3, repositories=1), database, has_remotes=True)
    stage.submit()
    print(Tormentor(stage, kill, "--slots", "3").run(every=3))
    everything_is_done_once(stage, agents_died=kill is whole_machine)
