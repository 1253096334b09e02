"""From before the target moves until its checkout has come along, nobody commits there: the index is held as git does."""

import os
import random
import signal
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from planrail.base.errors import ToolFailed
from planrail.base.run_model import Candidate, Landing
from planrail.runs.landing.landing_moves import is_work_in_the_way
from planrail.runs.landing.targets import finish_landing, land
from tests.landing.stages import MAIN, Stage, change, shim_git
from tests.landing.test_crashes import AFTER, BEFORE, start
from tests.support.lanes import sampled

FILES = {"a.txt": "a\n", "gone.txt": "g\n", "other.txt": "0\n"}
WORK: dict[str, str | None] = {"a.txt": "verified\n", "gone.txt": None, "new/file.txt": "new\n"}
HELD = ["land.ref_moved", "land.index_ready"]  # the branch has moved, and the index has not


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path, FILES)


def candidate_of(stage: Stage, work: dict[str, str | None], phase: str = "1") -> Candidate:
    outcome = stage.build(stage.work(work, stage.tip()), phase=phase)
    assert isinstance(outcome.candidate, Candidate)
    return outcome.candidate


def try_to_commit(place: Path, name: str = "mine.txt") -> subprocess.CompletedProcess[str]:
    """What a person types."""
    with (place / name).open("a") as file:
        file.write("mine\n")
    command = f"git add {name} && git commit -q -m 'a person'"
    return subprocess.run(["sh", "-c", command], cwd=place, capture_output=True, text=True)


def finish(stage: Stage) -> None:
    ledger = stage.folder / "ledger"
    finish_landing(str(stage.root), str(ledger / "repository.lock"), "planrail/greeter", str(ledger / "landing.json"))


def left_in(place: Path) -> list[str]:
    """What a landing may leave beside an index."""
    return [path.name for path in place.iterdir() if path.name.startswith("index") and path.name != "index"]


def slow_git(stage: Stage, command: str) -> tuple[str, Path, Path]:
    """A PATH whose git waits before a command: it says so in the first file, and goes on with the second."""
    begun, go = stage.folder / "begun", stage.folder / "go"
    script = f"""
case "$*" in *" {command} "*)
  : > '{begun}'; n=0; while [ ! -e '{go}' ] && [ $n -lt 600 ]; do n=$((n+1)); sleep 0.05; done;;
esac"""
    return f"{shim_git(stage.folder / 'bin', script)}:{os.environ['PATH']}", begun, go


def wait_for(path: Path) -> None:
    for _ in range(600):
        if path.exists():
            return
        threading.Event().wait(0.05)
    raise AssertionError(f"{path} was not written")


@pytest.mark.parametrize("command", ["update-ref", "read-tree"])
def test_a_commit_while_the_checkout_comes_along_fails_and_loses_nothing(stage: Stage, command: str) -> None:
    candidate = candidate_of(stage, WORK)
    path, begun, go = slow_git(stage, command)
    process = start(stage, candidate, PATH=path)
    wait_for(begun)
    done = try_to_commit(stage.root)
    go.touch()
    assert process.wait() == 0
    assert done.returncode != 0
    assert "index.lock" in done.stderr
    assert stage.tip() == candidate.commit
    assert stage.status() == ["?? mine.txt"]
    assert try_to_commit(stage.root).returncode == 0
    assert stage.git("show", "--format=", "--name-status", "HEAD") == "A\tmine.txt"
    assert stage.status() == []


def test_a_linked_worktree_is_held_the_same_way(stage: Stage, tmp_path: Path) -> None:
    candidate, place = candidate_of(stage, WORK), tmp_path / "linked"
    stage.git("checkout", "-q", "-b", "side")
    stage.git("worktree", "add", "-q", str(place), "main")
    path, begun, go = slow_git(stage, "read-tree")
    process = start(stage, candidate, PATH=path)
    wait_for(begun)
    linked, elsewhere = try_to_commit(place), try_to_commit(stage.root)
    go.touch()
    assert process.wait() == 0
    assert linked.returncode != 0
    assert elsewhere.returncode == 0, "another branch is nobody's business"
    assert stage.status(place) == ["?? mine.txt"]
    assert left_in(stage.root / ".git/worktrees/linked") == left_in(stage.root / ".git") == []


def test_all_checkouts_of_the_target_come_along(stage: Stage, tmp_path: Path) -> None:
    candidate, place = candidate_of(stage, WORK), tmp_path / "linked"
    stage.git("worktree", "add", "-q", "--force", str(place), "main")
    assert start(stage, candidate, PLANRAIL_CRASH_AT="land.locked:2").wait() == -signal.SIGKILL
    assert left_in(stage.root / ".git/worktrees/linked") == left_in(stage.root / ".git") == ["index.lock"]
    assert stage.land(candidate).state == "landed"
    assert stage.status(place) == stage.status() == []
    assert left_in(stage.root / ".git/worktrees/linked") == left_in(stage.root / ".git") == []


def test_a_person_who_commits_all_the_time_never_commits_the_reverse(stage: Stage) -> None:
    stop, commits, chance = threading.Event(), list[int](), random.Random()

    def commit() -> None:
        while not stop.wait(chance.uniform(0, 0.4)):
            commits.append(try_to_commit(stage.root, "other.txt").returncode)

    person = threading.Thread(target=commit)
    person.start()
    try:
        landed = [_land_in_the_end(stage, number) for number in range(6)]
    finally:
        stop.set()
        person.join()
    # Whoever commits all the time may meet the lock each time; as soon as nobody lands, nothing is in the way.
    assert set(commits) <= {0, 1, 128}
    assert try_to_commit(stage.root, "other.txt").returncode == 0
    assert all((stage.root / f"p{number}.txt").exists() for number in range(6))
    assert len({landing.commit for landing in landed}) == 6
    for line in stage.git("log", "--author=Ada", "--grep=a person", "--format=", "--name-only").split():
        assert line == "other.txt"
    assert [row for row in stage.status() if "other.txt" not in row] == []
    assert left_in(stage.root / ".git") == []


def _land_in_the_end(stage: Stage, number: int) -> Landing:
    work = stage.work({f"p{number}.txt": f"{number}\n"})
    for _ in range(200):
        outcome = stage.run(work, phase=str(number))
        if outcome.landing is not None and outcome.landing.state == "landed":
            return outcome.landing
        assert outcome.landing is None or outcome.landing.state in ("moved", "waiting"), outcome
    raise AssertionError("never landed")


@pytest.mark.parametrize("point", HELD)
def test_after_a_crash_nobody_commits_until_it_is_made_good(stage: Stage, point: str) -> None:
    candidate = candidate_of(stage, WORK)
    assert start(stage, candidate, PLANRAIL_CRASH_AT=point).wait() == -signal.SIGKILL
    assert "index.lock" in try_to_commit(stage.root).stderr
    assert stage.tip() == candidate.commit
    finish(stage)
    assert stage.status() == ["?? mine.txt"]
    assert left_in(stage.root / ".git") == []


@pytest.mark.parametrize("point", BEFORE)
def test_a_landing_that_had_not_moved_anything_is_taken_back_by_the_end_of_its_run(stage: Stage, point: str) -> None:
    candidate = candidate_of(stage, WORK)
    assert start(stage, candidate, PLANRAIL_CRASH_AT=point).wait() == -signal.SIGKILL
    finish(stage)
    assert stage.tip() == stage.base
    assert stage.status() == left_in(stage.root / ".git") == []
    assert try_to_commit(stage.root).returncode == 0


@pytest.mark.parametrize("point", AFTER)
def test_a_landing_that_had_moved_is_finished_by_the_end_of_its_run(stage: Stage, point: str) -> None:
    candidate = candidate_of(stage, WORK)
    assert start(stage, candidate, PLANRAIL_CRASH_AT=point).wait() == -signal.SIGKILL
    finish(stage)
    assert stage.tip() == candidate.commit
    assert stage.status() == left_in(stage.root / ".git") == []
    assert not (stage.folder / "ledger/landing.json").exists()


@pytest.mark.full
@pytest.mark.parametrize("point", sampled([*BEFORE[1:], *HELD], BEFORE[1], HELD[0]))
def test_a_foreign_lock_is_never_removed_however_young_it_is(stage: Stage, point: str) -> None:
    candidate, lock = candidate_of(stage, WORK), stage.root / ".git/index.lock"
    assert start(stage, candidate, PLANRAIL_CRASH_AT=point).wait() == -signal.SIGKILL
    lock.write_bytes(b"DIRC of a program that is not called git")
    if point in HELD:
        with pytest.raises(ToolFailed, match="half way"):
            stage.land(candidate)
        with pytest.raises(ToolFailed, match="half way"):
            finish(stage)
    else:
        assert stage.land(candidate).state == "waiting"
        finish(stage)
    assert lock.read_bytes().startswith(b"DIRC")
    lock.unlink()
    assert stage.land(candidate).state == "landed"
    assert stage.status() == []


@pytest.mark.full
def test_the_lock_of_another_landing_that_was_killed_is_named_as_what_it_is(stage: Stage) -> None:
    candidate = candidate_of(stage, WORK)
    assert start(stage, candidate, PLANRAIL_CRASH_AT="land.locked").wait() == -signal.SIGKILL
    intent = stage.folder / "ledger/landing.json"
    kept = intent.rename(stage.folder / "ledger/of-another-run.json")
    landing = stage.land(candidate)
    assert landing.state == "waiting"
    assert "another landing of planrail was killed" in landing.message
    kept.rename(intent)
    assert stage.land(candidate).state == "landed"


def test_a_lock_that_a_person_removed_while_it_lands_is_not_taken_for_ours(stage: Stage) -> None:
    candidate = candidate_of(stage, WORK)
    path, begun, go = slow_git(stage, "read-tree")
    process = start(stage, candidate, PATH=path)
    wait_for(begun)
    (stage.root / ".git/index.lock").unlink()
    change(stage.root, {"mine.txt": "mine\n"})
    stage.git("add", "mine.txt")
    go.touch()
    assert process.wait() == 1
    assert stage.tip() == stage.base, "it is taken back"
    assert stage.status() == ["A  mine.txt"]
    assert stage.land(candidate).state == "landed"
    assert stage.status() == ["A  mine.txt"]


def test_the_index_of_a_repository_with_a_shared_part_is_right_afterwards(stage: Stage) -> None:
    stage.git("config", "core.splitIndex", "true")
    stage.git("update-index", "--split-index")
    assert stage.land(candidate_of(stage, WORK)).state == "landed"
    assert stage.status() == []


def _land_as(stage: Stage, candidate: Candidate, guard: Callable[[], bool]) -> Landing:
    ledger = stage.folder / "ledger"
    places = (str(ledger / "repository.lock"), "planrail/greeter", str(ledger / "landing.json"))
    return land(str(stage.root), MAIN, candidate, *places, phase="1", guard=guard)


@pytest.mark.parametrize("is_blocked", [False, True])
def test_whoever_has_lost_the_plan_lands_nothing(stage: Stage, is_blocked: bool) -> None:
    candidate = candidate_of(stage, WORK)
    if is_blocked:
        change(stage.root, {"a.txt": "mine\n"})
    before = stage.status()
    landing = _land_as(stage, candidate, lambda: False)
    assert landing.state == "refused"
    assert landing.message == "another run has taken over this plan; nothing was landed"
    assert stage.tip() == stage.base
    assert stage.git("branch", "--list", "planrail/*") == ""
    assert stage.status() == before
    assert left_in(stage.root / ".git") == []
    assert not (stage.folder / "ledger/landing.json").exists()


def test_the_guard_is_asked_when_nothing_else_is_left_to_do(stage: Stage) -> None:
    candidate, seen = candidate_of(stage, WORK), []

    def guard() -> bool:
        seen.append((stage.tip(), (stage.root / ".git/index.lock").exists()))
        return True

    assert _land_as(stage, candidate, guard).state == "landed"
    assert seen == [(stage.base, True)]


REFUSALS = [
    "error: Entry 'f' would be overwritten by merge. Cannot merge.",
    "error: Entry 'f' not uptodate. Cannot merge.",
    "error: Updating 'd' would lose untracked files in it",
    "error: Refusing to remove 'd' since it is the current working directory.",
    "error: Untracked working tree file 'f' would be overwritten by merge.",
    "error: Untracked working tree file 'f' would be removed by merge.",
    "error: Entry 'f' overlaps with 'd'.  Cannot bind.",
    "error: Path 'f' not uptodate; will not remove from working tree.",
    "error: Path 'f' unmerged; will not remove from working tree.",
    "error: Path 'f' already present; will not overwrite with sparse update.",
    "error: Submodule 's' cannot checkout new HEAD.",
    "error: Your local changes to the following files would be overwritten by merge:",
    "error: The following untracked working tree files would be removed by merge:",
    "error: The following untracked working tree files would be overwritten by checkout:",
    "error: Updating the following directories would lose untracked files in them:",
    "error: Refusing to remove the current working directory:",
    "error: Cannot update submodule:",
    "error: The following paths are not up to date and were left despite sparse patterns:",
    "error: The following paths are unmerged and were left despite sparse patterns:",
    "error: The following paths were already present and thus not updated despite sparse patterns:",
    "fatal: You need to resolve your current index first",
]
FAILURES = [
    "fatal: unable to write new index file",
    "error: unable to create file f: No space left on device",
    "fatal: Unable to create '.git/index.planrail.lock': Permission denied",
    "error: unable to read sha1 file of f (1234)",
    "exit status -9",
]


@pytest.mark.parametrize("message", REFUSALS)
def test_git_s_word_for_work_in_the_way_is_understood(message: str) -> None:
    assert is_work_in_the_way(f"git read-tree failed in /home/ada/project: {message}")


@pytest.mark.parametrize("message", FAILURES)
def test_a_git_that_cannot_is_not_taken_for_one_that_will_not(message: str) -> None:
    assert not is_work_in_the_way(f"git read-tree failed in /home/ada/project: {message}")
