"""Who runs when: limits of repositories and accounts, priorities, turns."""

import sys

import pytest

from tests.support.worker_stage import Size, WorkerStage
from tests.team.conftest import MakeStage
from tests.team.promises import everything_is_done_once

_ACCOUNT = '[approval]\nrequired = false\n\n[run]\naccount = "ours"\n'
# Settings know no turn that is shorter than a minute.
_IMPATIENT = """
from functools import partial
from planrail.cli.team.worker_command import _find_sources
from planrail.team.worker.logs import Log
from planrail.team.worker.loop import Manners, Worker
from planrail.team.worker.serving import serve
Worker(_find_sources, partial(serve, turn=1.5), Manners(slots=1), Log()).run()
"""


def _work(stage_file: str) -> str:
    return f"echo + >> '{stage_file}'; sleep 0.2; echo - >> '{stage_file}'"


def _most_at_once(text: str) -> int:
    running = most = 0
    for sign in text.split():
        running += 1 if sign == "+" else -1
        most = max(most, running)
    return most


@pytest.mark.soak
@pytest.mark.parametrize(
    ("kind", "name"), [("repository", "."), pytest.param("account", "ours", marks=pytest.mark.soak)]
)
def test_no_more_run_at_once_than_a_limit_allows(
    make_stage: MakeStage, database: str, tmp_path_factory: pytest.TempPathFactory, kind: str, name: str
) -> None:
    signs = tmp_path_factory.mktemp("signs") / "signs"
    size = Size(plans=3, phases=1, repositories=1, work=_work(str(signs)))
    stage = make_stage(size, database, settings=_ACCOUNT)
    told = stage.laptop.call("queue", "limit", kind, name, "1", folder=stage.plans[0].root)
    assert told.returncode == 0, told.stderr
    stage.submit()
    for machine in ("one", "two"):
        stage.machine(machine).start_worker("--slots", "3")
    stage.wait_until_done()
    everything_is_done_once(stage)
    assert _most_at_once(signs.read_text()) == 1


def _order(stage: WorkerStage) -> list[str]:
    return stage.starts.read_text().splitlines()


@pytest.mark.soak
def test_the_greater_priority_runs_first(make_stage: MakeStage, database: str) -> None:
    stage = make_stage(Size(plans=3, phases=1), database)
    stage.submit()
    last = stage.plans[2]
    told = stage.laptop.call("queue", "priority", last.path, "9", folder=last.root)
    assert told.returncode == 0, told.stderr
    stage.machine("one").start_worker("--slots", "1")
    stage.wait_until_done()
    assert _order(stage) == ["plan2 1", "plan0 1", "plan1 1"]
    everything_is_done_once(stage)


@pytest.mark.soak
def test_plans_take_turns_phase_by_phase_when_their_time_is_over(make_stage: MakeStage, database: str) -> None:
    stage = make_stage(Size(plans=2, phases=2, work="sleep 2"), database)
    stage.submit()
    stage.machine("one").launch([sys.executable, "-c", _IMPATIENT])
    stage.wait_until_done()
    assert _order(stage) == [f"plan{plan} {number}" for number in (1, 2) for plan in (0, 1)]
    everything_is_done_once(stage)
