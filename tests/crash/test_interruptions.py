"""A run that people interrupt: stop, Ctrl-C, a terminal that is closed; and kills in the middle of those."""

import os
import pty
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from planrail.base.crash_points import VARIABLE
from planrail.confine.backends import BUBBLEWRAP
from tests.confine.outside import need
from tests.crash.promises import Promise
from tests.support.run_stage import PLAN, Pace, RunStage, finish, pace_until
from tests.support.run_traces import find_leftovers, find_processes, read_landed

_ENDLESS = Pace(after="sleep 600")
_KEPT = "refs/planrail/"  # what a stopped run had in hand stays in snapshots


def _own_refs(stage: RunStage) -> tuple[str, ...]:
    names = stage.git("for-each-ref", "--format=%(refname)").split()
    return ("refs/heads/main", *(name for name in names if name.startswith(_KEPT)))


def _begin(stage: RunStage, *words: str) -> "subprocess.Popen[str]":
    """A run whose first agent is at work."""
    process = stage.start_run(*words)
    stage.wait_for(stage.count_starts, process)
    return process


@pytest.mark.full
def test_stop_ends_the_agent_that_works_and_leaves_nothing(make_stage: Callable[..., RunStage]) -> None:
    stage = make_stage(2, _ENDLESS)
    promise = Promise(stage)
    process = _begin(stage)
    assert stage.call("stop", PLAN).code == 0
    assert finish(process).code == 130
    assert find_leftovers(stage, refs=_own_refs(stage)) == []
    assert (stage.count_starts(), read_landed(stage)) == (["1"], [])
    promise.work_is_unchanged()


@pytest.mark.full
def test_stop_ends_an_agent_that_is_confined(make_stage: Callable[..., RunStage]) -> None:
    need(BUBBLEWRAP)
    stage = make_stage(2, _ENDLESS)
    stage.confine()
    promise = Promise(stage)
    process = _begin(stage)
    assert stage.call("stop", PLAN).code == 0
    assert finish(process).code == 130
    assert find_leftovers(stage, refs=_own_refs(stage)) == []
    promise.work_is_unchanged()


@pytest.mark.full
def test_a_confined_agent_outlives_planrail_and_resume_adopts_it(make_stage: Callable[..., RunStage]) -> None:
    need(BUBBLEWRAP)
    stage = make_stage(2, Pace(after="sleep 2"))
    stage.confine()
    promise = Promise(stage)
    process = _begin(stage)
    process.kill()
    finish(process)
    assert stage.resume().code == 0
    promise.is_kept()


@pytest.mark.full
def test_a_run_that_was_suspended_is_stopped_as_well(make_stage: Callable[..., RunStage]) -> None:
    stage = make_stage(2, _ENDLESS)
    promise = Promise(stage)
    process = _begin(stage)
    process.send_signal(signal.SIGSTOP)
    assert stage.call("stop", PLAN).code == 0
    assert finish(process).code == 130
    assert find_leftovers(stage, refs=_own_refs(stage)) == []
    promise.work_is_unchanged()


@pytest.mark.full
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP], ids=["ctrl-c", "hang-up"])
def test_an_interrupted_run_leaves_its_agent_at_work_and_resume_adopts_it(
    make_stage: Callable[..., RunStage], tmp_path: Path, number: signal.Signals
) -> None:
    stage = make_stage(2, pace_until(tmp_path / "gate"))
    promise = Promise(stage)
    process = _begin(stage)
    process.send_signal(number)
    finish(process)
    assert _count_agents(stage) == 1
    (tmp_path / "gate").touch()
    assert stage.resume().code == 0
    promise.is_kept()


@pytest.mark.full
def test_a_run_in_a_terminal_that_is_closed_can_be_resumed(make_stage: Callable[..., RunStage], tmp_path: Path) -> None:
    stage = make_stage(2, pace_until(tmp_path / "gate"))
    promise = Promise(stage)
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "planrail", "run", PLAN, "finish", "auto"],
        cwd=stage.root,
        env={**stage.environment, "TERM": "xterm"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        preexec_fn=lambda: _take_terminal(),
    )
    os.close(theirs)
    stage.wait_for(stage.count_starts)
    os.close(ours)
    process.wait(60)
    (tmp_path / "gate").touch()
    assert stage.resume().code == 0
    promise.is_kept()


def _take_terminal() -> None:
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


@pytest.mark.full
def test_a_run_whose_reader_goes_away_goes_on(make_stage: Callable[..., RunStage]) -> None:
    stage = make_stage(2)
    promise = Promise(stage)
    process = stage.start_run()
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    process.stderr.close()
    process.stdout = process.stderr = None
    process.wait(120)
    promise.is_kept()


_STOPPING = ("workspace.closing", "end.cleaned", "ending.written", "end.recorded")


@pytest.mark.full
@pytest.mark.parametrize(
    "point", [pytest.param(point, marks=pytest.mark.soak) if at % 2 else point for at, point in enumerate(_STOPPING)]
)
def test_a_stop_that_is_killed_can_be_typed_again(make_stage: Callable[..., RunStage], point: str) -> None:
    stage = make_stage(2, _ENDLESS)
    promise = Promise(stage)
    process = _begin(stage)
    process.kill()
    finish(process)
    assert stage.call("stop", PLAN, **{VARIABLE: point}).was_killed
    assert stage.call("stop", PLAN).code == 0
    assert find_leftovers(stage, refs=_own_refs(stage)) == []
    promise.work_is_unchanged()


@pytest.mark.full
def test_a_stop_of_phases_side_by_side_ends_all_their_agents_at_once(make_stage: Callable[..., RunStage]) -> None:
    stage = make_stage(2, _ENDLESS, independent=True)
    promise = Promise(stage)
    process = stage.start_run("--parallel", "2")
    stage.wait_for(lambda: len(stage.count_starts()) == 2, process)
    assert stage.call("stop", PLAN).code == 0
    assert finish(process).code == 130
    assert find_leftovers(stage, refs=_own_refs(stage)) == []
    promise.work_is_unchanged()


@pytest.mark.full
def test_ctrl_c_at_phases_side_by_side_leaves_all_their_agents_at_work(
    make_stage: Callable[..., RunStage], tmp_path: Path
) -> None:
    stage = make_stage(2, pace_until(tmp_path / "gate"), independent=True)
    promise = Promise(stage)
    process = stage.start_run("--parallel", "2")
    stage.wait_for(lambda: len(stage.count_starts()) == 2, process)
    process.send_signal(signal.SIGINT)
    assert finish(process).code == 130
    assert _count_agents(stage) == 2
    (tmp_path / "gate").touch()
    assert stage.resume().code == 0
    promise.is_kept_but_for_starts()
    assert sorted(stage.count_starts()) == ["1", "2"]


@pytest.mark.parametrize("point", ["land.ref_moved", pytest.param("land.checkout_half", marks=pytest.mark.soak)])
def test_a_stop_between_the_ref_and_the_checkout_leaves_neither_half(stage: RunStage, point: str) -> None:
    promise = Promise(stage)
    assert stage.crash(f"{point}:2").was_killed
    assert stage.call("stop", PLAN).code == 0
    assert find_leftovers(stage, refs=_own_refs(stage)) == []
    assert read_landed(stage) in (["1"], ["1", "2"])
    promise.work_is_unchanged()


@pytest.mark.full
def test_a_check_that_outlives_planrail_is_ended_by_stop(make_stage: Callable[..., RunStage]) -> None:
    stage = make_stage(2)
    promise = Promise(stage)
    _kill_while_checks_run(stage)
    assert _find(stage, "sleep 77")
    assert stage.call("stop", PLAN).code == 0
    assert find_leftovers(stage, refs=_own_refs(stage)) == []
    promise.work_is_unchanged()


@pytest.mark.full
def test_a_check_that_is_confined_does_not_outlive_planrail(make_stage: Callable[..., RunStage]) -> None:
    need(BUBBLEWRAP)
    stage = make_stage(2)
    stage.confine()
    promise = Promise(stage)
    _kill_while_checks_run(stage)
    stage.wait_for(lambda: not _find(stage, "sleep 77"))
    assert stage.call("stop", PLAN).code == 0
    assert find_leftovers(stage, refs=_own_refs(stage)) == []
    promise.work_is_unchanged()


@pytest.mark.full
def test_a_check_does_not_outlive_a_run_whose_terminal_is_closed(make_stage: Callable[..., RunStage]) -> None:
    stage = make_stage(2)
    promise = Promise(stage)
    _kill_while_checks_run(stage, signal.SIGHUP)
    assert not _find(stage, "sleep 77")
    assert stage.call("stop", PLAN).code == 0
    assert find_leftovers(stage, refs=_own_refs(stage)) == []
    promise.work_is_unchanged()


def _count_agents(stage: RunStage) -> int:
    """Each is a shell that runs its blocks by further ones."""
    commands = find_processes(stage.place).values()
    return len([command for command in commands if command.startswith("/bin/sh -c") and "block-1" in command])


def _find(stage: RunStage, words: str) -> list[int]:
    return [pid for pid, command in find_processes(stage.place).items() if words in command]


def _kill_while_checks_run(stage: RunStage, number: signal.Signals = signal.SIGKILL) -> None:
    text = (stage.root / PLAN).read_text().replace("```sh check\n", "```sh check\nsleep 77\n")
    stage.write(PLAN, text)
    stage.git("commit", "-q", "-m", "Longer checks", "--", PLAN)
    process = stage.start_run()
    stage.wait_for(lambda: _find(stage, "sleep 77"), process)
    process.send_signal(number)
    finish(process)
