"""Disks that are full or cannot be written, clocks that go back, a git that dies, files that are torn."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.crash.promises import Promise
from tests.support.dying_git import MANNERS, count_calls, make_dying_git
from tests.support.lanes import soak
from tests.support.mounts import can_mount, fill_disk, free_disk, read_only, small_disk
from tests.support.other_clock import make_clock
from tests.support.run_stage import Answer, Pace, RunStage, finish
from tests.support.run_traces import find_processes, read_landed

_DAY = 24 * 3600
_STEADY = Pace(before="sleep 0.5")


@pytest.fixture
def mounts() -> None:
    """The right to mount something for this process alone."""
    if not can_mount():
        pytest.skip("only root can mount a small disk")


# ---- disks ----


@pytest.mark.full
@pytest.mark.parametrize(
    "room",
    [
        120_000,
        *map(soak, (0, 4096, 20_000, 40_000, 70_000, 160_000, 220_000, 280_000)),
    ],
)
def test_a_state_folder_on_a_full_disk_ends_the_run_with_a_word_and_room_lets_it_go_on(
    mounts: None, tmp_path: Path, make_stage: Callable[..., RunStage], room: int
) -> None:
    with small_disk(tmp_path / "stage-0" / "state"):
        stage = make_stage()
        promise = Promise(stage)
        fill_disk(stage.state, but_for=room)
        _ends_with_a_word(stage.run())
        free_disk(stage.state)
        assert stage.resume().code == 0
        promise.is_kept_but_for_starts()


@pytest.mark.full
@pytest.mark.parametrize("begun", [1, pytest.param(3, marks=pytest.mark.soak)])
def test_a_disk_that_fills_up_while_an_agent_works_costs_nothing_that_was_done(
    mounts: None, tmp_path: Path, make_stage: Callable[..., RunStage], begun: int
) -> None:
    with small_disk(tmp_path / "stage-0" / "state"):
        stage = make_stage(pace=_STEADY)
        promise = Promise(stage)
        process = stage.start_run()
        stage.wait_for(lambda: len(stage.count_starts()) == begun, process)
        fill_disk(stage.state)
        _ends_with_a_word(finish(process))
        free_disk(stage.state)
        answer = stage.resume()
        if (
            answer.code == 1 and "block 1 of 1 ended" in answer.out
        ):  # the agent had no room either, and has failed by that
            answer = stage.run()
        assert answer.code == 0, answer
        promise.is_kept_but_for_refs()
        promise.starts_are_counted()


@pytest.mark.soak
@pytest.mark.parametrize("begun", [1, pytest.param(3, marks=pytest.mark.soak)])
def test_a_repository_on_a_full_disk_ends_the_run_with_a_word_and_is_not_damaged(
    mounts: None, tmp_path: Path, make_stage: Callable[..., RunStage], begun: int
) -> None:
    with small_disk(tmp_path / "stage-0" / "repository"):
        stage = make_stage(pace=_STEADY)
        promise = Promise(stage)
        process = stage.start_run()
        stage.wait_for(lambda: len(stage.count_starts()) == begun, process)
        fill_disk(stage.root / ".git")
        _ends_with_a_word(finish(process))
        free_disk(stage.root / ".git")
        assert stage.resume().code == 0
        promise.is_kept_but_for_starts()


@pytest.mark.full
def test_a_git_folder_that_becomes_read_only_ends_the_run_with_a_word(
    mounts: None, make_stage: Callable[..., RunStage]
) -> None:
    stage = make_stage(pace=_STEADY)
    promise = Promise(stage)
    process = stage.start_run()
    stage.wait_for(lambda: len(stage.count_starts()) == 2, process)
    with read_only(stage.root / ".git"):
        _ends_with_a_word(finish(process))
        _ends_with_a_word(stage.call("resume"))
    assert stage.resume().code == 0
    promise.is_kept()


@pytest.mark.soak
def test_a_read_only_git_folder_that_holds_the_ledger_lets_nothing_begin(
    mounts: None, make_stage: Callable[..., RunStage]
) -> None:
    stage = make_stage()
    promise = Promise(stage)
    stage.keep_ledger_in_git()
    with read_only(stage.root / ".git"):
        _ends_with_a_word(stage.run(), resumes=False)
        assert stage.count_starts() == []
    assert stage.run().code == 0
    promise.is_kept()


def _ends_with_a_word(answer: Answer, *, resumes: bool = True) -> None:
    assert answer.code == 11, answer
    assert "Traceback" not in answer.err, answer
    assert not resumes or any(words in answer.err for words in ("planrail resume", "try again")), answer


# ---- clocks ----


@pytest.mark.full
@pytest.mark.parametrize("shift", [-_DAY, pytest.param(-20 * 365 * _DAY, marks=pytest.mark.soak)])
@pytest.mark.parametrize("point", ["land.ref_moved:2", pytest.param("implement.1.done:3", marks=pytest.mark.soak)])
def test_a_clock_that_was_set_back_changes_nothing(stage: RunStage, point: str, shift: int) -> None:
    promise = Promise(stage)
    assert stage.crash(point).was_killed
    clock = make_clock(stage.place / "clock", shift)
    answer = stage.resume(PYTHONPATH=os.pathsep.join((clock, stage.environment["PYTHONPATH"])))
    assert answer.code == 0, answer
    promise.is_kept()


# ---- git ----

_CALLS = [
    *(("update-ref", number) for number in (1, 2, 3)),
    *(("read-tree", number) for number in (1, 4, 6, 7)),
    *(("update-index", 1), ("unpack-objects", 1), ("write-tree", 1), ("ls-files", 7), ("status", 4)),
]
_LOCKING = ("update-ref", "read-tree", "update-index", "write-tree")  # the others take no lock
_DAILY = (("update-ref", 2, "locked"),)


def _deaths() -> list[object]:
    cases = [
        (name, number, manner)
        for name, number in _CALLS
        for manner in MANNERS
        if manner != "locked" or name in _LOCKING
    ]
    return [
        pytest.param(*case, id="-".join(map(str, case)), marks=() if case in _DAILY else pytest.mark.soak)
        for case in cases
    ]


@pytest.mark.full
@pytest.mark.parametrize(("name", "number", "manner"), _deaths())
def test_a_git_that_is_killed_in_the_middle_leaves_nothing_that_resume_cannot_mend(
    make_stage: Callable[..., RunStage], name: str, number: int, manner: str
) -> None:
    stage = make_stage(3)
    promise = Promise(stage)
    programs = stage.place / "programs"
    count = make_dying_git(programs, name, number, manner)
    stage.environment["PATH"] = os.pathsep.join((str(programs), stage.environment["PATH"]))
    answer = stage.run()
    assert count_calls(count) >= number
    if answer.code:
        _ends_with_a_word(answer)
        answer = stage.resume()
    assert answer.code == 0, answer
    promise.is_kept()


# ---- torn files ----


@pytest.mark.full
@pytest.mark.parametrize("point", ["land.1.recorded:2", pytest.param("implement.1.recorded:2", marks=pytest.mark.soak)])
@pytest.mark.parametrize("bytes_left", [1, pytest.param(60, marks=pytest.mark.soak)])
def test_a_torn_last_line_of_the_journal_is_done_again_and_lands_once(
    stage: RunStage, point: str, bytes_left: int
) -> None:
    promise = Promise(stage)
    assert stage.crash(point).was_killed
    [folder] = stage.runs()
    _tear_last_line(folder / "journal.jsonl", bytes_left)
    assert stage.resume().code == 0
    promise.is_kept()


@pytest.mark.soak
def test_a_journal_that_is_empty_does_not_land_anything_twice(stage: RunStage) -> None:
    promise = Promise(stage)
    assert stage.crash("land.1.recorded:3").was_killed
    [folder] = stage.runs()
    (folder / "journal.jsonl").write_bytes(b"")
    assert stage.resume().code == 0
    promise.is_landed()
    assert read_landed(stage) == ["1", "2", "3"]


@pytest.mark.full
@pytest.mark.parametrize(
    "name",
    ["outcome.json", soak("job.json"), soak("events.jsonl"), soak("runner.json")],
)
@pytest.mark.parametrize("text", [pytest.param("", marks=pytest.mark.soak), '{"half":'], ids=["empty", "torn"])
def test_a_damaged_file_of_an_agents_job_never_starts_a_second_agent_unseen(
    make_stage: Callable[..., RunStage], name: str, text: str
) -> None:
    stage = make_stage(2)
    promise = Promise(stage)
    assert stage.crash("implement.1.done").was_killed
    [place] = stage.ledger.glob(f"runs/*/agents/*/{name}")
    place.write_text(text)
    answer = stage.resume()
    promise.work_is_unchanged()
    promise.starts_are_counted()
    assert "Traceback" not in answer.err, answer
    assert answer.code == 0 or "cannot be read" in answer.out, answer
    assert find_processes(stage.place) == {}


@pytest.mark.full
@pytest.mark.parametrize(
    "pattern",
    [
        "claims/*.json",
        *map(soak, ("runs/*/ending.json", "claims/fence", "runs/*/index-*.made")),
    ],
)
@pytest.mark.parametrize("text", [pytest.param("", marks=pytest.mark.soak), '{"half":'], ids=["empty", "torn"])
def test_a_damaged_file_of_a_run_does_not_keep_it_from_going_on(
    make_stage: Callable[..., RunStage], pattern: str, text: str
) -> None:
    stage = make_stage(2)
    promise = Promise(stage)
    assert stage.crash("checks.1.done").was_killed
    [folder] = stage.runs()
    for place in [*stage.ledger.glob(pattern), *([folder / "ending.json"] if "ending" in pattern else [])]:
        place.write_text(text)
    assert stage.resume().code == 0
    promise.is_kept()


def _tear_last_line(path: Path, bytes_left: int) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-1]) + lines[-1][:bytes_left])
