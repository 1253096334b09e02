"""A whole run in a clone of planrail's own lands on the remote: each phase once, whatever happens on the way."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from planrail.base.crash_points import VARIABLE
from planrail.git.remotes.mirrors import REMOTE, open_mirror
from planrail.runs.landing.fences import FENCES, raise_fence
from tests.landing.remotes import ROOT, Gate, git, wait_for
from tests.support.lanes import soak
from tests.support.run_stage import PLAN, Answer, RunStage, finish, write_plan

_MARK = "Mark the plan complete: Greeter"


class RemoteRunStage(RunStage):
    """The same, with a bare remote that a worker's clone is made of."""

    def __init__(self, place: Path, phases: int) -> None:
        super().__init__(place, phases)
        self.bare, self.clone = place / "remote.git", place / "clone"
        git(place, "clone", "--quiet", "--bare", str(self.root), str(self.bare))
        git(self.root, "remote", "add", "origin", str(self.bare))

    def start_worker(self, plan: str = PLAN, clone: str = "clone", **more: str) -> "subprocess.Popen[str]":
        """A worker's process that carries out a plan, begun."""
        words = (str(self.place / clone), str(self.bare), plan)
        paths = f"{self.environment['PYTHONPATH']}:{ROOT}"
        return self.launch([sys.executable, "-m", "tests.landing.remote_run_actor", *words], PYTHONPATH=paths, **more)

    def work(self, crash: str = "") -> Answer:
        """The same, to its end."""
        return finish(self.start_worker(**({VARIABLE: crash} if crash else {})))

    def subjects(self, ref: str = "main") -> list[str]:
        """The commits of the remote, the oldest first."""
        return git(self.bare, "log", "--reverse", "--format=%s", ref).splitlines()

    def push_of_a_person(self, name: str, text: str = "theirs\n") -> None:
        """Somebody else lands something."""
        git(self.root, "pull", "--quiet", "--ff-only", "origin", "main")
        self.write(name, text)
        self.git("add", name)
        self.git("commit", "-q", "-m", f"Write {name}")
        self.git("push", "-q", "origin", "main")


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[RemoteRunStage]:
    stage = RemoteRunStage(tmp_path / "stage", 2)
    yield stage
    stage.kill_everything()


def expected(phases: int = 2) -> list[str]:
    """The commits of an undisturbed run."""
    return ["The beginning", *(f"Phase {number}: Write {number}" for number in range(1, phases + 1)), _MARK]


@pytest.mark.full
def test_a_run_in_a_clone_lands_on_the_remote_and_leaves_nothing_but_the_branch(stage: RemoteRunStage) -> None:
    answer = stage.work()
    assert answer.code == 0, answer
    assert stage.subjects() == expected()
    assert git(stage.bare, "show", "main:phase-2.txt") == "phase 2"
    assert "Status: complete" in git(stage.bare, "show", f"main:{PLAN}")
    assert stage.git("rev-parse", "main").strip() == stage.base  # the person's own clone is theirs
    assert git(stage.bare, "for-each-ref", "--format=%(refname)").split() == ["refs/heads/main"]
    assert sorted(os.listdir(stage.clone)) == [".git", os.path.dirname(PLAN)]
    assert git(stage.clone, "fsck", "--strict", "--no-dangling") == ""
    assert git(stage.clone, "rev-parse", "main") == git(stage.bare, "rev-parse", "main")
    assert (stage.clone / PLAN).read_text() == (stage.root / PLAN).read_text()  # it is not marked there


@pytest.mark.full
@pytest.mark.parametrize("point", ["remote.followed", "remote.fence_sent", soak("remote.sending"), soak("remote.sent")])
def test_a_run_that_is_killed_around_a_push_lands_each_phase_once(stage: RemoteRunStage, point: str) -> None:
    for number in (1, 2, 3):
        if not stage.work(crash=f"{point}:{number}").was_killed:
            break
    answer = stage.work()
    assert answer.code == 0, answer
    assert stage.subjects() == expected()
    assert stage.count_starts() == ["1", "2"]


@pytest.mark.full
def test_a_remote_that_moved_while_an_agent_worked_is_landed_on(stage: RemoteRunStage) -> None:
    assert stage.work(crash="remote.sending").was_killed
    stage.push_of_a_person("theirs.txt")
    answer = stage.work()
    assert answer.code == 0, answer
    assert sorted(stage.subjects()) == sorted([*expected(), "Write theirs.txt"])
    assert git(stage.bare, "show", "main:theirs.txt") == "theirs"


@pytest.mark.full
def test_a_phase_that_the_remote_has_lost_again_is_not_called_landed(stage: RemoteRunStage) -> None:
    assert stage.work(crash="remote.sending:2").was_killed
    git(stage.bare, "update-ref", "refs/heads/main", stage.base)
    answer = stage.work()
    assert answer.code == 1
    assert "main does not have it" in answer.out


@pytest.mark.full
def test_a_run_that_was_taken_over_while_it_pushed_lands_nothing(stage: RemoteRunStage) -> None:
    open_mirror(str(stage.clone), str(stage.bare), "main")
    gate = Gate(stage.place, str(stage.clone))
    gate.open()  # for the fence that it raises itself
    assert stage.work(crash="remote.sending").was_killed
    gate.close()
    worker = stage.start_worker()
    wait_for(gate.begun.exists)
    other = open_mirror(str(stage.place / "other"), str(stage.bare), "main")
    [ref] = git(stage.bare, "for-each-ref", "--format=%(refname)", FENCES).split()
    raise_fence(other, REMOTE, PLAN, 1000, "other-run")
    gate.open()
    answer = finish(worker)
    assert answer.code != 0
    assert "taken over" in answer.out
    assert stage.subjects() == ["The beginning"]
    assert git(stage.bare, "for-each-ref", "--format=%(refname)", FENCES) == ref


def test_a_protected_branch_ends_the_run_with_a_way_out(stage: RemoteRunStage) -> None:
    hook = stage.bare / "hooks" / "update"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\ncase $1 in refs/heads/*) echo 'main is protected' >&2; exit 1;; esac\n")
    hook.chmod(0o755)
    answer = stage.work()
    assert answer.code == 1
    assert "main is protected" in answer.out
    assert f"planrail run {PLAN} pr" in answer.out


@pytest.mark.soak
def test_a_remote_that_is_away_lets_the_run_rest(stage: RemoteRunStage) -> None:
    assert stage.work(crash="remote.sending").was_killed
    assert stage.work(crash="remote.fence_sent").was_killed
    away = stage.place / "away.git"
    stage.bare.rename(away)
    answer = stage.work()
    assert answer.code == 11, answer
    away.rename(stage.bare)
    assert stage.work().code == 0
    assert stage.subjects() == expected()
    assert stage.count_starts() == ["1", "2"]


@pytest.mark.soak
def test_numbers_that_begin_anew_are_held_until_a_person_has_looked(stage: RemoteRunStage) -> None:
    """As where the clone and its ledger are lost, or a database is put back to what it was."""
    assert stage.work(crash="remote.sending:2").was_killed
    stage.kill_everything()
    shutil.rmtree(stage.clone)
    shutil.rmtree(stage.state)
    answer = stage.work()
    assert answer.code == 10, answer
    [ref] = git(stage.bare, "for-each-ref", "--format=%(refname)", FENCES).split()
    assert f"git push origin :{ref}" in answer.out
    stage.git("push", "-q", "origin", f":{ref}")
    stage.kill_everything()
    answer = stage.work()
    assert answer.code == 0, answer
    assert stage.subjects() == expected()


@pytest.mark.soak
def test_several_plans_at_once_all_land_on_one_branch(stage: RemoteRunStage) -> None:
    names = ["red", "green", "blue"]
    for name in names:
        text = write_plan(2, stage.place / f"{name}.starts").replace("phase-", f"{name}-").replace("Greeter", name)
        stage.push_of_a_person(f"plans/{name}.md", text)
    clones = ["clone", "clone", "other"]  # two of them in one clone
    workers = [
        stage.start_worker(f"plans/{name}.md", clone, PLANRAIL_STATE_DIR=str(stage.place / f"state-{clone}"))
        for name, clone in zip(names, clones, strict=True)
    ]
    answers = [finish(worker) for worker in workers]
    assert [answer.code for answer in answers] == [0, 0, 0], answers
    files = set(git(stage.bare, "ls-tree", "--name-only", "main").split())
    assert {f"{name}-{number}.txt" for name in names for number in (1, 2)} <= files
    landed = [subject for subject in stage.subjects() if subject.startswith("Phase")]
    assert len(landed) == len(names) * 2
    assert [(stage.place / f"{name}.starts").read_text().split() for name in names] == [["1", "2"]] * 3
