"""Work that waits because a person's own is in the way: killed before, while and after it is resumed."""

import pytest

from planrail.base.crash_points import VARIABLE
from tests.crash.promises import Promise
from tests.support.lanes import sampled
from tests.support.run_stage import PLAN, RunStage
from tests.support.run_traces import find_leftovers, read_contents, read_landed

_MINE = "a person's own second phase\n"
_BEFORE = ("land.before:2", "land.1.begun:2", "end.recorded", "ending.written")
_WHILE = (
    *("candidate.1.begun", "prove.1.done", "land.intended", "land.ref_moved", "land.checkout_half", "land.done"),
    *("land.1.done", "land.1.recorded", "end.done"),
)


def wait(stage: RunStage) -> None:
    """The second phase is verified, and waits."""
    stage.write("phase-2.txt", _MINE)
    answer = stage.run()
    assert (answer.code, "waiting: " in answer.out) == (1, True), answer


@pytest.mark.full
@pytest.mark.parametrize("point", sampled(_BEFORE, "land.before:2"))
def test_work_that_waits_for_a_person_waits_on_its_branch_after_a_kill(stage: RunStage, point: str) -> None:
    promise = Promise(stage)
    stage.write("phase-2.txt", _MINE)
    before = stage.look_at_work()
    assert stage.crash(point).was_killed
    answer = stage.resume()
    assert (answer.code, "waiting: " in answer.out) == (1, True), answer
    assert read_landed(stage) == ["1"]
    assert read_contents(stage, "planrail/greeter")["phase-2.txt"] == "phase 2\n"
    assert stage.look_at_work() == before
    assert [len(found) for found in promise.attempts().values()] == [1, 1]
    (stage.root / "phase-2.txt").unlink()
    assert stage.resume().code == 0
    promise.is_kept()


@pytest.mark.full
@pytest.mark.parametrize("point", sampled(_WHILE, "land.ref_moved"))
def test_a_kill_while_waiting_work_is_resumed_lands_it_once(stage: RunStage, point: str) -> None:
    promise = Promise(stage)
    wait(stage)
    (stage.root / "phase-2.txt").unlink()
    assert stage.resume(**{VARIABLE: point}).was_killed
    assert stage.resume().code == 0
    promise.is_kept()


@pytest.mark.soak
def test_a_kill_on_a_target_that_moved_lands_it_once(stage: RunStage) -> None:
    promise = Promise(stage)
    wait(stage)
    (stage.root / "phase-2.txt").unlink()
    tree, parent = stage.git("rev-parse", "main^{tree}").strip(), stage.git("rev-parse", "main").strip()
    stage.git("update-ref", "refs/heads/main", stage.git("commit-tree", tree, "-p", parent, "-m", "Mine").strip())
    assert stage.resume(**{VARIABLE: "land.ref_moved"}).was_killed
    assert stage.resume().code == 0
    promise.is_kept()


@pytest.mark.soak
def test_work_that_landed_by_hand_is_not_done_again(stage: RunStage) -> None:
    promise = Promise(stage)
    wait(stage)
    (stage.root / "phase-2.txt").unlink()
    stage.git("merge", "-q", "--ff-only", "planrail/greeter")
    stage.git("branch", "-D", "planrail/greeter")
    answer = stage.run()
    assert answer.code == 0, answer
    promise.is_kept()


def test_a_run_that_was_stopped_while_its_work_waited_leaves_that_on_its_branch(stage: RunStage) -> None:
    Promise(stage)
    wait(stage)
    assert stage.call("stop", PLAN).code == 0
    assert read_contents(stage, "planrail/greeter")["phase-2.txt"] == "phase 2\n"
    kept = tuple(name for name in stage.git("for-each-ref", "--format=%(refname)").split() if "planrail" in name)
    assert find_leftovers(stage, refs=("refs/heads/main", *kept)) == []
