"""A planning that is stopped or killed at any instant goes on from its last accepted answer."""

import json
import os
import random
import signal
import subprocess
import time
from pathlib import Path

import pytest

from planrail.base.records import replace
from planrail.planning.machine import Advance
from planrail.planning.planning import AgentAnswer, AnswerContext, take_answer
from planrail.planning.plannings import KeptPlanning, load, load_stand, save_stand
from tests.cli.planning_runs import Desk, good_script
from tests.planning.conducting_fakes import PLAN, UNDERSTOOD, stand_at_start
from tests.support.lanes import soak
from tests.support.patience import PATIENCE


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def _agents(desk: Desk) -> list[str]:
    """The processes that still follow the script."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdecimal():
            try:
                command = Path(f"/proc/{name}/cmdline").read_bytes()
            except OSError:
                continue
            if str(desk.script).encode() in command and b"scripted_program" in command:
                found.append(name)
    return found


def _wait_for_understanding(process: "subprocess.Popen[str]") -> None:
    assert process.stderr is not None
    for line in process.stderr:
        if "understand is done" in line:
            return


@pytest.mark.full
@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="looks for processes in /proc")
@pytest.mark.parametrize(
    ("number", "explorers"), [soak(signal.SIGINT, "1"), (signal.SIGTERM, "3"), soak(signal.SIGHUP, "3")]
)
def test_a_planning_that_is_stopped_ends_its_agents_and_is_saved(desk: Desk, number: int, explorers: str) -> None:
    script = good_script()
    script[1]["delay"] = 60
    desk.follow(script)
    process = desk.start("plan", "--agent", "scripted", "--explorers", explorers, "--rounds", "1", "Refuse empty names")
    _wait_for_understanding(process)
    deadline = time.monotonic() + PATIENCE
    while not _agents(desk) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(number)
    printed, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert f"next: planrail plan --resume {desk.plannings()[0]}" in printed
    assert _agents(desk) == []
    desk.follow(good_script())
    code, answer, told = desk.plan("--resume", desk.plannings()[0])
    assert (code, answer["status"]) == (0, "finished"), told
    assert "understand" not in told


@pytest.mark.full
def test_a_planning_under_nohup_outlives_its_terminal(desk: Desk) -> None:
    script = good_script()
    script[1]["delay"] = 1
    desk.follow(script)
    process = desk.start("plan", "--agent", "scripted", "--rounds", "1", "Refuse empty names", by=("nohup",))
    _wait_for_understanding(process)
    process.send_signal(signal.SIGHUP)
    printed, told = process.communicate()
    assert process.returncode == 0, printed + told


def _kill_and_resume(desk: Desk, chance: random.Random) -> list[int]:
    """Start and kill until the planning is through: the phases that it had reached each time, -1 before there was one.

    Lives are far shorter than a planning. One that brought nothing makes the next ones longer: how far a life leads
    depends on what else the machine does.
    """
    desk.follow(good_script(delay=0.15))
    arguments = ["plan", "--agent", "scripted", "--explorers", "2", "--rounds", "1", "--output", "PLAN.md", "Refuse it"]
    reached, longer = [-1], 1.0
    while longer < 1000:
        process = desk.start(*arguments)
        try:
            told = process.communicate(timeout=chance.uniform(0.25, 0.9) * longer)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
        else:
            assert process.returncode == 0, told
            return reached
        for planning in _begun(desk):
            arguments = ["plan", "--resume", planning]
        reached.append(_index(desk))
        longer *= 1.2 if reached[-1] == reached[-2] else 1
        _check_plan(desk)
    raise AssertionError(f"it never came through: {reached}")


def _begun(desk: Desk) -> list[str]:
    """The plannings that can be gone on with: a process that is killed before that leaves a folder without a state."""
    return [name for name in desk.plannings() if (desk.kept(name) / "planning.json").exists()]


def _index(desk: Desk) -> int:
    """The phase at which the planning stands; -1 where none has begun."""
    states = [json.loads((desk.kept(name) / "planning.json").read_text()) for name in _begun(desk)]
    return max((state["progress"]["index"] for state in states), default=-1)


def _check_plan(desk: Desk) -> None:
    """There is no plan, or all of it."""
    path = desk.repo / "PLAN.md"
    if path.exists():
        assert path.read_text().endswith(PLAN)


@pytest.mark.full
def test_a_planning_that_is_killed_goes_on_from_its_last_accepted_answer(desk: Desk) -> None:
    reached = _kill_and_resume(desk, random.Random(7))
    assert len(reached) > 1  # it was killed
    assert reached == sorted(reached)  # no phase is done again once it was accepted
    _check_plan(desk)
    assert (desk.repo / "PLAN.md").exists()
    assert len(_begun(desk)) == 1
    assert not [name for name in os.listdir(desk.repo) if name.startswith(".PLAN")]


def test_a_process_that_died_while_saving_can_give_the_same_answer_again(tmp_path: Path) -> None:
    """Texts are written before the state: the answer that was about to be kept is not taken for the one before."""
    folder, start = str(tmp_path), stand_at_start()
    save_stand(folder, KeptPlanning(start.planning, {}), start)
    state = (tmp_path / "plannings" / "p1" / "planning.json").read_text()
    answered = take_answer(start.planning, AgentAnswer(UNDERSTOOD), AnswerContext()).planning
    save_stand(folder, KeptPlanning(start.planning, {}), replace(start, planning=answered))
    (tmp_path / "plannings" / "p1" / "planning.json").write_text(state)
    stand = load_stand(folder, load(folder, "p1"))
    assert stand.planning.progress.phase == "understand"
    assert isinstance(take_answer(stand.planning, AgentAnswer(UNDERSTOOD), AnswerContext()).decision, Advance)


def test_what_was_wrong_and_what_a_person_answered_outlive_the_process(tmp_path: Path) -> None:
    stand = replace(stand_at_start(), conversation="c1", heard=1, problems=("too short",), answers=(("Why?", ""),))
    save_stand(str(tmp_path), KeptPlanning(stand.planning, {}), stand)
    assert load_stand(str(tmp_path), load(str(tmp_path), "p1")) == stand


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(40))
def test_at_random_instants(desk: Desk, seed: int) -> None:
    reached = _kill_and_resume(desk, random.Random(seed))
    assert reached == sorted(reached)
    _check_plan(desk)
    assert (desk.repo / "PLAN.md").exists()
