"""A worker that is told to leave takes nothing more and leaves; agents go on, and who comes next has them."""

import signal
from pathlib import Path

import pytest

from tests.support.worker_stage import Machine, Size, WorkerStage
from tests.team.conftest import MakeStage
from tests.team.promises import everything_is_done_once, strangers


class Gate:
    """Agents wait until it is opened."""

    def __init__(self, place: Path) -> None:
        self.path = place
        self.work = f"while [ ! -e '{place}' ]; do sleep 0.05; done"

    def open(self) -> None:
        """Let all agents go on."""
        self.path.touch()


@pytest.fixture
def gate(tmp_path: Path) -> Gate:
    return Gate(tmp_path / "gate")


def _begin(stage: WorkerStage, *options: str, agents: int) -> Machine:
    """A worker whose agents are all at work."""
    stage.submit()
    machine = stage.machine("first")
    machine.start_worker(*options)
    stage.wait_for(lambda: len(stage.count_starts()) == agents)
    return machine


@pytest.mark.full
@pytest.mark.parametrize(
    "has_remotes", [pytest.param(False, marks=pytest.mark.soak, id="in place"), pytest.param(True, id="by remotes")]
)
def test_a_worker_that_drains_leaves_its_agents_to_the_next(
    make_stage: MakeStage, database: str, gate: Gate, has_remotes: bool
) -> None:
    stage = make_stage(Size(plans=2, phases=2, work=gate.work), database, has_remotes=has_remotes)
    machine = _begin(stage, "--slots", "1", "--drain", "1", agents=1)
    machine.workers[0].send_signal(signal.SIGTERM)
    assert machine.workers[0].wait(60) == 0
    assert any("sh" in told for told in strangers(stage).values()), "the agent has not survived"
    assert len(stage.count_starts()) == 1
    assert {state for _, state, _ in stage.open_submissions()} == {"queued"}
    machine.start_worker("--slots", "2")
    stage.wait_for(lambda: len(stage.count_starts()) == 2)
    gate.open()
    stage.wait_until_done()
    everything_is_done_once(stage)


@pytest.mark.soak
def test_a_worker_that_comes_after_a_dead_one_adopts_its_runs_and_respects_the_slots(
    make_stage: MakeStage, database: str, gate: Gate
) -> None:
    stage = make_stage(Size(plans=3, phases=1, work=gate.work), database)
    machine = _begin(stage, "--slots", "2", agents=2)
    machine.kill_worker()
    machine.start_worker("--slots", "2")
    stage.wait_for(lambda: machine.said.count("adopted") == 2)
    taken = [path for path, state, _ in stage.open_submissions() if state == "taken"]
    assert (len(taken), len(stage.count_starts())) == (2, 2)
    gate.open()
    stage.wait_until_done()
    everything_is_done_once(stage)


@pytest.mark.soak
def test_a_worker_that_drains_lets_a_phase_end_and_takes_no_other(
    make_stage: MakeStage, database: str, gate: Gate
) -> None:
    stage = make_stage(Size(plans=2, phases=2, work=gate.work), database)
    machine = _begin(stage, "--slots", "1", "--drain", "100", agents=1)
    machine.workers[0].send_signal(signal.SIGTERM)
    stage.wait_for(lambda: "drains" in machine.said)
    gate.open()
    assert machine.workers[0].wait(60) == 0
    assert stage.count_starts() == {("plan0", "1"): 1}
    assert stage.landed(stage.plans[0]) == ["1"]
    machine.start_worker("--slots", "2")
    stage.wait_until_done()
    everything_is_done_once(stage)
