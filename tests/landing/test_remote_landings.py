"""Work lands on a branch of a remote exactly once, on top of what is there, for whoever holds the plan."""

import subprocess
from pathlib import Path
from shlex import quote

import pytest

from planrail.base.errors import ToolFailed
from planrail.base.run_model import Candidate
from planrail.git.remotes.mirrors import REMOTE
from planrail.runs.landing.fences import fence_ref, raise_fence
from planrail.runs.landing.remote_landings import land_on_remote
from tests.landing.remotes import (
    PLAN,
    Gate,
    RemoteStage,
    act,
    build,
    finish,
    git,
    make_goal,
    make_work,
    start_actor,
    wait_for,
    was_killed,
)

_INSTANTS = ("remote.sending", "remote.sent")


@pytest.fixture
def stage(tmp_path: Path) -> RemoteStage:
    return RemoteStage(tmp_path)


def test_work_lands_on_the_remotes_branch(stage: RemoteStage) -> None:
    root = stage.mirror()
    candidate = build(root, make_work(root, "one.txt"), "1")
    landing = land_on_remote(root, make_goal(candidate))
    assert (landing.state, landing.commit, landing.command) == ("landed", candidate.commit, "git pull")
    assert "origin/main" in landing.message
    assert stage.tip() == candidate.commit


def test_landing_again_says_landed_and_pushes_nothing(stage: RemoteStage) -> None:
    root = stage.mirror()
    goal = make_goal(build(root, make_work(root, "one.txt"), "1"), fence=3)
    first = land_on_remote(root, goal)
    fence = stage.tip(fence_ref(PLAN))
    assert land_on_remote(root, goal) == first.__class__(
        "landed", first.commit, first.ref, first.message.split(";")[0], "git pull"
    )
    assert stage.tip(fence_ref(PLAN)) == fence
    assert stage.subjects() == ["Write README", f"Phase 1 of {PLAN}"]


def test_landing_again_after_others_went_on_says_landed(stage: RemoteStage) -> None:
    root = stage.mirror()
    goal = make_goal(build(root, make_work(root, "one.txt"), "1"))
    land_on_remote(root, goal)
    tip = stage.commit("other.txt", "theirs\n")
    assert land_on_remote(root, goal).state == "landed"
    assert stage.tip() == tip


def test_a_branch_that_moved_is_landed_on_anew(stage: RemoteStage) -> None:
    root = stage.mirror()
    work = make_work(root, "one.txt")
    candidate = build(root, work, "1")
    theirs = stage.commit("other.txt", "theirs\n")
    landing = land_on_remote(root, make_goal(candidate))
    assert landing.state == "moved"
    assert stage.tip() == theirs
    again = build(root, work, "1")
    assert land_on_remote(root, make_goal(again)).state == "landed"
    assert git(stage.bare, "rev-parse", "main^") == theirs
    assert stage.files() == ["README", "one.txt", "other.txt"]


def test_a_history_that_somebody_rewrote_is_not_brought_back(stage: RemoteStage) -> None:
    second = stage.commit("second.txt", "second\n")
    root = stage.mirror()
    work = make_work(root, "one.txt")
    candidate = build(root, work, "1")
    git(stage.person, "reset", "--quiet", "--hard", stage.base)
    (stage.person / "rewritten.txt").write_text("rewritten\n")
    git(stage.person, "add", "-A")
    git(stage.person, "commit", "--quiet", "--message", "Rewritten")
    git(stage.person, "push", "--quiet", "--force", "origin", "main")
    rewritten = stage.tip()
    assert candidate.onto == second
    assert land_on_remote(root, make_goal(candidate)).state == "moved"
    assert stage.tip() == rewritten
    assert land_on_remote(root, make_goal(build(root, work, "1"))).state == "landed"
    assert stage.files() == ["README", "one.txt", "rewritten.txt"]


def test_a_branch_that_was_deleted_is_not_made_anew(stage: RemoteStage) -> None:
    root = stage.mirror()
    candidate = build(root, make_work(root, "one.txt"), "1")
    git(stage.bare, "update-ref", "-d", "refs/heads/main")
    landing = land_on_remote(root, make_goal(candidate))
    assert landing.state == "refused"
    assert "deleted" in landing.message
    assert not stage.tip()


def test_a_candidate_that_is_not_here_is_to_be_built_anew(stage: RemoteStage) -> None:
    one, two = stage.mirror("one"), stage.mirror("two")
    candidate = build(one, make_work(one, "one.txt"), "1")
    assert land_on_remote(two, make_goal(candidate)).state == "moved"
    assert land_on_remote(one, make_goal(candidate)).state == "landed"
    assert land_on_remote(two, make_goal(candidate)).state == "landed"


# ---- a remote that says no


def test_a_remote_that_refuses_is_quoted_with_a_way_out(stage: RemoteStage) -> None:
    root = stage.mirror()
    stage.hook("update", '[ "$1" = refs/heads/main ] && echo "main is protected" >&2 && exit 1; exit 0')
    raise_fence(root, REMOTE, PLAN, 3, "run-1")
    landing = land_on_remote(root, make_goal(build(root, make_work(root, "one.txt"), "1"), fence=3))
    assert landing.state == "refused"
    assert "main is protected" in landing.message
    assert landing.command == f"planrail run '{PLAN}' pr"
    assert stage.tip() == stage.base


def test_a_branch_that_the_remote_has_checked_out_is_refused(stage: RemoteStage, tmp_path: Path) -> None:
    root = stage.mirror()
    git(root, "config", f"remote.{REMOTE}.pushurl", str(stage.person))
    landing = land_on_remote(root, make_goal(build(root, make_work(root, "one.txt"), "1")))
    assert landing.state == "refused"
    assert "checked out" in landing.message
    assert git(stage.person, "status", "--porcelain") == ""


def test_a_remote_that_cannot_be_reached_is_a_failure(stage: RemoteStage) -> None:
    root = stage.mirror()
    candidate = build(root, make_work(root, "one.txt"), "1")
    stage.bare.rename(stage.folder / "away")
    with pytest.raises(ToolFailed):
        land_on_remote(root, make_goal(candidate))
    (stage.folder / "away").rename(stage.bare)
    assert land_on_remote(root, make_goal(candidate)).state == "landed"


def test_a_lost_answer_is_looked_for_on_the_remote(stage: RemoteStage, tmp_path: Path) -> None:
    root = stage.mirror()
    program = tmp_path / "deaf"
    program.write_text('#!/bin/sh\ngit receive-pack "$@"\nexit 7\n')
    program.chmod(0o755)
    git(root, "config", f"remote.{REMOTE}.receivepack", quote(str(program)))
    goal = make_goal(build(root, make_work(root, "one.txt"), "1"))
    assert land_on_remote(root, goal).state == "landed"
    assert stage.tip() == goal.candidate.commit


# ---- fences


def test_whoever_was_fenced_out_lands_nothing(stage: RemoteStage) -> None:
    one, two = stage.mirror("one"), stage.mirror("two")
    raise_fence(one, REMOTE, PLAN, 3, "run-1")
    raise_fence(two, REMOTE, PLAN, 4, "run-2")
    landing = land_on_remote(one, make_goal(build(one, make_work(one, "one.txt"), "1"), fence=3))
    assert landing.state == "refused"
    assert "taken over" in landing.message
    assert stage.tip() == stage.base


def test_a_push_that_was_under_way_when_the_fence_rose_fails(stage: RemoteStage, tmp_path: Path) -> None:
    one, two = stage.mirror("one"), stage.mirror("two")
    raise_fence(one, REMOTE, PLAN, 3, "run-1")
    gate = Gate(tmp_path, one)
    zombie = start_actor("land", one, PLAN, "3", "run-1", "1")
    wait_for(gate.begun.exists)
    raise_fence(two, REMOTE, PLAN, 4, "run-2")
    gate.open()
    code, said = finish(zombie)
    assert code == 1
    assert "taken over" in said
    assert stage.tip() == stage.base
    assert act("land", two, PLAN, "4", "run-2", "1") == (0, "1 landed\n")


@pytest.mark.full
def test_a_push_that_outlived_its_planrail_lands_nothing_after_a_takeover(stage: RemoteStage, tmp_path: Path) -> None:
    one, two = stage.mirror("one"), stage.mirror("two")
    raise_fence(one, REMOTE, PLAN, 3, "run-1")
    gate = Gate(tmp_path, one)
    zombie = start_actor("land", one, PLAN, "3", "run-1", "1")
    wait_for(gate.begun.exists)
    zombie.kill()
    finish(zombie)
    raise_fence(two, REMOTE, PLAN, 4, "run-2")
    gate.open()
    wait_for(gate.through.exists)
    assert stage.tip() == stage.base
    assert act("land", two, PLAN, "4", "run-2", "1", "2") == (0, "1 landed\n2 landed\n")
    assert stage.subjects()[1:] == [f"Phase 1 of {PLAN}", f"Phase 2 of {PLAN}"]


def test_the_fence_of_one_plan_does_not_concern_another(stage: RemoteStage) -> None:
    root = stage.mirror()
    raise_fence(root, REMOTE, "other.md", 9, "run-9")
    raise_fence(root, REMOTE, PLAN, 3, "run-1")
    assert act("land", root, PLAN, "3", "run-1", "1")[0] == 0


def test_a_fence_that_somebody_deleted_is_put_back_and_said(stage: RemoteStage) -> None:
    root = stage.mirror()
    raise_fence(root, REMOTE, PLAN, 3, "run-1")
    git(stage.bare, "update-ref", "-d", fence_ref(PLAN))
    landing = land_on_remote(root, make_goal(build(root, make_work(root, "one.txt"), "1"), fence=3))
    assert landing.state == "landed"
    assert "fence" in landing.message
    assert stage.tip(fence_ref(PLAN))


def test_a_guard_that_says_no_lands_nothing(stage: RemoteStage) -> None:
    root = stage.mirror()
    landing = land_on_remote(root, make_goal(build(root, make_work(root, "one.txt"), "1")), lambda: False)
    assert landing.state == "refused"
    assert stage.tip() == stage.base


# ---- killed, and many at once


@pytest.mark.full
@pytest.mark.parametrize("instant", _INSTANTS)
def test_whoever_dies_around_the_push_lands_once(stage: RemoteStage, instant: str) -> None:
    root = stage.mirror()
    raise_fence(root, REMOTE, PLAN, 3, "run-1")
    words = ("land", root, PLAN, "3", "run-1", "1", "2")
    assert was_killed(act(*words, crash=instant)[0])
    assert was_killed(act(*words, crash=f"{instant}:1")[0])
    assert act(*words) == (0, "1 landed\n2 landed\n")
    assert stage.subjects()[1:] == [f"Phase 1 of {PLAN}", f"Phase 2 of {PLAN}"]


def test_a_candidate_whose_landing_was_cut_off_is_found_on_the_remote(stage: RemoteStage) -> None:
    root = stage.mirror()
    candidate = build(root, make_work(root, "one.txt"), "1")
    git(root, "push", "--quiet", REMOTE, f"{candidate.commit}:refs/heads/main")  # all that the dead one had done
    assert land_on_remote(root, make_goal(candidate)) == land_on_remote(root, make_goal(candidate))
    assert land_on_remote(root, make_goal(candidate)).state == "landed"


@pytest.mark.full
def test_many_at_once_land_each_phase_once_and_lose_nothing(stage: RemoteStage) -> None:
    mirrors = [stage.mirror(f"mirror-{number}") for number in range(3)]
    phases = [str(number) for number in range(1, 4)]
    plans = [f"plans/{number}.md" for number in range(8)]
    actors = [
        start_actor("land", mirrors[number % 3], plan, "1", f"run-{number}", *phases)
        for number, plan in enumerate(plans)
    ]
    answers = [finish(actor) for actor in actors]
    assert [code for code, _ in answers] == [0] * len(plans), answers
    wanted = sorted(f"Phase {phase} of {plan}" for plan in plans for phase in phases)
    assert sorted(stage.subjects()[1:]) == wanted
    assert len(stage.files()) == 1 + len(wanted)
    assert git(stage.bare, "fsck", "--strict", "--no-dangling") == ""
    assert git(stage.bare, "rev-list", "--merges", "main") == ""


@pytest.mark.soak
def test_many_that_are_killed_again_and_again_land_each_phase_once(stage: RemoteStage) -> None:
    mirrors = [stage.mirror(f"mirror-{number}") for number in range(3)]
    plans, phases = [f"plans/{number}.md" for number in range(6)], ["1", "2", "3", "4"]
    for round in range(40):
        actors = []
        for number, plan in enumerate(plans):
            crash = f"{_INSTANTS[(round + number) % 2]}:{1 + (round + number) % 3}" if round < 39 else ""
            actors.append(
                start_actor("land", mirrors[(number + round) % 3], plan, "1", f"run-{number}", *phases, crash=crash)
            )
        for actor in actors:
            finish(actor)
    assert sorted(stage.subjects()[1:]) == sorted(f"Phase {phase} of {plan}" for plan in plans for phase in phases)


def test_a_request_begins_its_branch_on_the_remote(stage: RemoteStage) -> None:
    root = stage.mirror()
    candidate = build(root, make_work(root, "one.txt"), "1")
    goal = make_goal(candidate, fence=2)
    request = goal.__class__(REMOTE, "feat/a", candidate, goal.fencing, creates=True)
    assert land_on_remote(root, request).state == "landed"
    assert stage.tip("refs/heads/feat/a") == candidate.commit
    assert stage.tip() == stage.base


def test_a_branch_built_anew_replaces_only_what_it_was_built_from(stage: RemoteStage) -> None:
    root = stage.mirror()
    first, second = (build(root, make_work(root, name, stage.base), name, onto=stage.base) for name in ("one", "two"))
    land_on_remote(root, make_goal(first))
    anew = Candidate(second.commit, second.tree, first.commit)  # no descendant of what it replaces
    assert land_on_remote(root, make_goal(anew)).state == "landed"
    assert stage.tip() == second.commit
    assert land_on_remote(root, make_goal(Candidate(first.commit, first.tree, stage.base))).state == "moved"


def test_nothing_of_the_remote_is_pushed_but_the_branch_and_the_fence(stage: RemoteStage) -> None:
    root = stage.mirror()
    assert act("land", root, PLAN, "5", "run-1", "1")[0] == 0
    refs = git(stage.bare, "for-each-ref", "--format=%(refname)").split()
    assert refs == ["refs/heads/main", fence_ref(PLAN)]
    left = subprocess.run(["git", "-C", root, "for-each-ref", "refs/planrail/fetching"], capture_output=True, text=True)
    assert left.stdout == ""
