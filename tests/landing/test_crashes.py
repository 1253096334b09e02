"""Killed at any instant, alone or with its git, a landing ends in the same state when it is called again."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from planrail.base.errors import ToolFailed
from planrail.base.run_model import Candidate, Proof
from planrail.runs.landing.targets import land
from tests.git.snapshot_trees import walk
from tests.landing.stages import MAIN, Stage, change, lines, shim_git

FILES = {**{f"d/{number}.txt": lines(1, 30) for number in range(8)}, "gone.txt": "g\n", "mine.txt": "m\n"}
WORK: dict[str, str | None] = {
    **{f"d/{number}.txt": lines(1, 30, mark={4: f"verified {number}"}) for number in range(8)},
    "gone.txt": None,
    "new/file.txt": "new\n" * 50,
}
BEFORE = ["land.before", "land.intended", "land.locked"]  # the target has not moved
AFTER = ["land.ref_moved", "land.index_ready", "land.index_set", "land.checkout_half", "land.done"]
POINTS = [*BEFORE, *AFTER]
# What a git does that is killed while it checks files out: some are written, one of them in part, one is gone.
TEAR = """
case "$*" in *" read-tree "*)
  if [ ! -e "$TORN" ]; then
    cd "$2"
    touch "$TORN" .git/index.lock
    $REAL show "$NEW:d/0.txt" > d/0.txt
    $REAL show "$NEW:d/1.txt" | head -c 40 > d/1.txt
    rm d/2.txt gone.txt
    mkdir -p new; $REAL show "$NEW:new/file.txt" | head -c 17 > new/file.txt
    kill -9 $PPID; kill -9 $$
  fi ;;
esac"""


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    stage = Stage(tmp_path, FILES)
    change(stage.root, {"mine.txt": "the user's\n", "notes.txt": "untracked\n"})
    return stage


def start(stage: Stage, candidate: Candidate, **environment: str) -> subprocess.Popen[bytes]:
    """A planrail of its own that lands."""
    code = (
        "import sys; from planrail.runs.landing.targets import land; from planrail.base.run_model import Candidate\n"
        "root, folder, *parts = sys.argv[1:]\n"
        f"land(root, {MAIN!r}, Candidate(*parts), folder + '/ledger/repository.lock', 'planrail/greeter',\n"
        "     folder + '/ledger/landing.json', phase='1')"
    )
    parts = [str(stage.root), str(stage.folder), candidate.commit, candidate.tree, candidate.onto]
    return subprocess.Popen(
        [sys.executable, "-c", code, *parts],
        env={**os.environ, **environment},
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def candidate_of(stage: Stage) -> Candidate:
    outcome = stage.build(stage.work(WORK), {"plan.md": b"done\n"})
    assert isinstance(outcome.candidate, Candidate)
    assert outcome.proof == Proof(True)
    return outcome.candidate


def assert_landed(stage: Stage, candidate: Candidate) -> None:
    landing = stage.land(candidate)
    assert landing.state == "landed", landing
    assert stage.tip() == candidate.commit
    assert stage.status() == [" M mine.txt", "?? notes.txt"]
    assert stage.git("write-tree") == candidate.tree
    assert (stage.root / "mine.txt").read_text() == "the user's\n"
    assert list((stage.folder / "ledger").iterdir()) == [stage.folder / "ledger/repository.lock"]
    assert not (stage.root / ".git/index.lock").exists()


@pytest.mark.parametrize("point", POINTS)
def test_killed_at_a_named_point_it_is_finished_by_the_next_call(stage: Stage, point: str) -> None:
    candidate = candidate_of(stage)
    assert start(stage, candidate, PLANRAIL_CRASH_AT=point).wait() == -signal.SIGKILL
    assert stage.tip() == (stage.base if point in BEFORE else candidate.commit)
    assert_landed(stage, candidate)


def tear(stage: Stage, candidate: Candidate, script: str = TEAR) -> None:
    """Kill planrail and its git in the middle of the checkout."""
    folder = shim_git(stage.folder / "bin", script)
    torn = stage.folder / "torn"
    environment = {"PATH": f"{folder}:{os.environ['PATH']}", "TORN": str(torn), "NEW": candidate.commit}
    assert start(stage, candidate, **environment).wait() == -signal.SIGKILL
    assert (stage.root / ".git/index.lock").exists()
    assert stage.tip() == candidate.commit


def test_a_git_killed_in_the_middle_of_its_checkout_is_made_good(stage: Stage) -> None:
    candidate = candidate_of(stage)
    tear(stage, candidate)
    assert_landed(stage, candidate)


def test_a_torn_file_is_recognised_when_line_ends_are_converted(stage: Stage) -> None:
    stage.git("config", "core.autocrlf", "true")
    stage.git("rm", "-rq", "--cached", "d")
    stage.git("checkout", "-f", "-q", "HEAD", "--", "d")
    candidate = candidate_of(stage)
    script = TEAR.replace("head -c 40", "sed 's/$/\\r/' | head -c 40").replace(
        "head -c 17", "sed 's/$/\\r/' | head -c 17"
    )
    tear(stage, candidate, script)
    assert b"\r\n" in (stage.root / "d/1.txt").read_bytes()
    assert_landed(stage, candidate)


@pytest.mark.parametrize(
    "point", ["land.locked", "land.index_ready", "land.index_set", "land.checkout_half", "land.done"]
)
def test_killed_once_more_while_it_makes_good_it_still_ends_well(stage: Stage, point: str) -> None:
    candidate = candidate_of(stage)
    tear(stage, candidate)
    assert start(stage, candidate, PLANRAIL_CRASH_AT=point).wait() == -signal.SIGKILL
    assert_landed(stage, candidate)


def test_what_the_user_changed_after_the_crash_is_kept_and_the_landing_taken_back(stage: Stage) -> None:
    candidate = candidate_of(stage)
    tear(stage, candidate)
    change(stage.root, {"d/5.txt": "typed after the crash\n"})
    landing = stage.land(candidate)
    assert landing.state == "waiting", landing
    assert stage.tip() == stage.base
    assert stage.tip(landing.ref) == candidate.commit
    assert stage.status() == [" M d/5.txt", " M mine.txt", "?? notes.txt"]
    assert (stage.root / "d/5.txt").read_text() == "typed after the crash\n"


@pytest.mark.full
def test_the_lock_of_a_living_git_is_not_removed(stage: Stage) -> None:
    candidate = candidate_of(stage)
    tear(stage, candidate)
    (stage.root / ".git/index.lock").write_bytes(b"DIRC")  # the user has removed ours, and this git has its own
    living = subprocess.Popen(["git", "cat-file", "--batch"], cwd=stage.root, stdin=subprocess.PIPE)
    try:
        with pytest.raises(ToolFailed, match="half way: nothing of yours was changed"):
            stage.land(candidate)
        assert (stage.root / ".git/index.lock").exists()
    finally:
        living.communicate()
    (stage.root / ".git/index.lock").unlink()
    assert_landed(stage, candidate)


@pytest.mark.full
def test_a_lock_that_is_older_than_the_landing_is_not_removed(stage: Stage) -> None:
    candidate = candidate_of(stage)
    assert start(stage, candidate, PLANRAIL_CRASH_AT="land.ref_moved").wait() == -signal.SIGKILL
    lock = stage.root / ".git/index.lock"
    lock.write_text("")
    os.utime(lock, (1e9, 1e9))
    with pytest.raises(ToolFailed):
        stage.land(candidate)
    assert lock.exists()
    lock.unlink()
    assert_landed(stage, candidate)


def fail_once(stage: Stage, command: str, words: str) -> str:
    """A git whose command fails, once, before it has done anything."""
    flag = stage.folder / "failed"
    script = f'case "$*" in *" {command} "*) if [ ! -e "{flag}" ]; then touch "{flag}"; echo "{words}" >&2; exit 128; fi;; esac'
    return f"{shim_git(stage.folder / 'bin', script)}:{os.environ['PATH']}"


@pytest.mark.parametrize("command", ["status", "diff-tree"])
def test_a_git_that_fails_before_anything_moved_changes_nothing(
    stage: Stage, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    candidate = candidate_of(stage)
    before = walk(stage.root), stage.git("ls-files", "-s"), stage.tip()
    with monkeypatch.context() as patch:
        patch.setenv("PATH", fail_once(stage, command, "fatal: No space left on device"))
        with pytest.raises(ToolFailed, match="No space left"):
            stage.land(candidate)
    assert (walk(stage.root), stage.git("ls-files", "-s"), stage.tip()) == before
    assert_landed(stage, candidate)


@pytest.mark.full
def test_a_ref_that_cannot_be_written_is_said_and_nothing_has_moved(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    candidate = candidate_of(stage)
    script = 'case "$*" in *" update-ref "*) echo "fatal: Read-only file system" >&2; exit 128;; esac'
    with monkeypatch.context() as patch:
        patch.setenv("PATH", f"{shim_git(stage.folder / 'bin', script)}:{os.environ['PATH']}")
        with pytest.raises(ToolFailed, match="nothing has moved, and the work is kept") as caught:
            stage.land(candidate)
    assert caught.value.remedy == "planrail resume"
    assert stage.tip() == stage.base
    assert_landed(stage, candidate)


@pytest.mark.full
def test_a_disk_that_is_full_when_the_checkout_is_written_is_taken_back(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    candidate = candidate_of(stage)
    script = (
        'case "$*" in *" read-tree "*) cd "$2"; rm -f d/3.txt; printf "line 1" > d/4.txt;'
        ' echo "fatal: unable to write file d/3.txt: No space left on device" >&2; exit 128;; esac'
    )
    before = walk(stage.root), stage.git("ls-files", "-s"), stage.tip()
    with monkeypatch.context() as patch:
        patch.setenv("PATH", f"{shim_git(stage.folder / 'bin', script)}:{os.environ['PATH']}")
        with pytest.raises(ToolFailed, match="No space left on device; nothing has moved"):
            stage.land(candidate)
    assert (walk(stage.root), stage.git("ls-files", "-s"), stage.tip()) == before
    assert stage.status() == [" M mine.txt", "?? notes.txt"]
    assert_landed(stage, candidate)


def test_an_intent_that_cannot_be_written_stops_it_before_anything_moved(stage: Stage) -> None:
    candidate = candidate_of(stage)
    (stage.folder / "in the way").write_text("a file")
    place = str(stage.folder / "in the way" / "landing.json")
    lock = str(stage.folder / "ledger" / "repository.lock")
    with pytest.raises(ToolFailed, match="nothing has landed, and the work is kept"):
        land(str(stage.root), MAIN, candidate, lock, "planrail/greeter", place)
    assert stage.tip() == stage.base
    assert_landed(stage, candidate)


def test_a_file_that_is_changed_at_the_last_moment_takes_the_landing_back(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    candidate = candidate_of(stage)
    script = 'case "$*" in *" update-ref "*) echo typed > "$2/d/3.txt";; esac'
    with monkeypatch.context() as patch:
        patch.setenv("PATH", f"{shim_git(stage.folder / 'bin', script)}:{os.environ['PATH']}")
        landing = stage.land(candidate)
    assert landing.state == "waiting", landing
    assert stage.tip() == stage.base
    assert stage.status() == [" M d/3.txt", " M mine.txt", "?? notes.txt"]
    assert (stage.root / "d/3.txt").read_text() == "typed\n"


@pytest.mark.parametrize("flag", ["--skip-worktree", "--assume-unchanged"])
def test_a_file_that_is_marked_to_look_unchanged_is_not_overwritten(stage: Stage, flag: str) -> None:
    candidate = candidate_of(stage)
    stage.git("update-index", flag, "d/3.txt")
    change(stage.root, {"d/3.txt": "hidden from git\n"})
    landing = stage.land(candidate)
    assert landing.state == "waiting", landing
    assert (stage.root / "d/3.txt").read_text() == "hidden from git\n"
    assert stage.tip() == stage.base
    assert stage.status() == [" M mine.txt", "?? notes.txt"]


def test_two_that_land_at_once_land_one_after_the_other(stage: Stage) -> None:
    first, second = candidate_of(stage), stage.build(stage.work({"gone.txt": "other\n"}), phase="2").candidate
    assert isinstance(second, Candidate)
    for process in [start(stage, each) for each in (first, second)]:
        assert process.wait() == 0
    assert stage.tip() in (first.commit, second.commit)
    assert stage.status() == [" M mine.txt", "?? notes.txt"]
    loser = second if stage.tip() == first.commit else first
    assert stage.land(loser).state == "moved"


@pytest.mark.soak
def test_killed_at_random_instants_it_ends_in_the_same_state(tmp_path: Path) -> None:
    chance = random.Random()
    for number in range(60):
        stage = Stage(tmp_path / str(number), FILES)
        change(stage.root, {"mine.txt": "the user's\n", "notes.txt": "untracked\n"})
        candidate = candidate_of(stage)
        for _ in range(chance.randint(1, 3)):
            process = start(stage, candidate)
            time.sleep(chance.uniform(0.02, 0.25))
            if chance.random() < 0.5:
                process.kill()  # its git goes on
            elif process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        assert_landed(stage, candidate)
