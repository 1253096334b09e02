"""What agents have begun lies on the remote for the run that has the plan there, and for no other."""

from pathlib import Path

import pytest

from planrail.git.remotes.mirrors import REMOTE
from planrail.runs.landing.fences import Fencing, fence_ref, is_passing, raise_fence
from planrail.runs.landing.landing_moves import TAKEN_OVER
from planrail.runs.landing.work_refs import drop_work, push_work, work_ref
from tests.landing.remotes import PLAN, RemoteStage, git, make_work

RUN, OTHER = "run-1", "run-2"
REF = work_ref(PLAN, RUN, "1", 1)


@pytest.fixture
def stage(tmp_path: Path) -> RemoteStage:
    return RemoteStage(tmp_path)


def _push(root: str, fence: int, name: str, ref: str = REF, run: str = RUN) -> tuple[str, str]:
    """Push a file as work; the commit, and why it was refused."""
    commit = make_work(root, name).commit
    return commit, push_work(root, REMOTE, Fencing(PLAN, fence, run), ref, commit)


def test_each_push_follows_the_last(stage: RemoteStage) -> None:
    root = stage.mirror()
    raise_fence(root, REMOTE, PLAN, 3, RUN)
    for name in ("one.txt", "two.txt", "two.txt"):
        commit, answer = _push(root, 3, name)
        assert (answer, stage.tip(REF)) == ("", commit)
    assert stage.tip() == stage.base


def test_a_machine_that_has_lost_the_plan_changes_nothing(stage: RemoteStage) -> None:
    far, near = stage.mirror("far"), stage.mirror("near")
    raise_fence(far, REMOTE, PLAN, 3, RUN)
    first, _ = _push(far, 3, "one.txt")
    raise_fence(near, REMOTE, PLAN, 4, RUN)
    assert _push(far, 3, "two.txt")[1] == TAKEN_OVER
    assert drop_work(far, REMOTE, Fencing(PLAN, 3, RUN), work_ref(PLAN)) == TAKEN_OVER
    assert stage.tip(REF) == first


def test_a_push_that_was_on_its_way_when_the_plan_was_taken_is_refused_by_the_remote(stage: RemoteStage) -> None:
    """The remote takes the plan away at the last moment: when the objects are there and no ref has moved yet."""
    far = stage.mirror("far")
    raise_fence(far, REMOTE, PLAN, 3, RUN)
    first, _ = _push(far, 3, "one.txt")
    stage.hook("pre-receive", f"env -u GIT_QUARANTINE_PATH git update-ref {fence_ref(PLAN)} {stage.base}")
    assert is_passing(_push(far, 3, "two.txt")[1])
    assert stage.tip(REF) == first


def test_without_a_fence_on_the_remote_nothing_is_pushed(stage: RemoteStage) -> None:
    """Its plan is complete, and another machine has cleared up."""
    assert _push(stage.mirror(), 3, "one.txt")[1] == TAKEN_OVER
    assert git(stage.bare, "for-each-ref", "--format=%(refname)") == "refs/heads/main"


def test_what_is_dropped_is_what_was_named(stage: RemoteStage) -> None:
    root, fencing = stage.mirror(), Fencing(PLAN, 3, RUN)
    raise_fence(root, REMOTE, PLAN, 3, RUN)
    refs = {name: work_ref(PLAN, RUN, *name) for name in (("1", 1), ("1", 2), ("10", 1))}
    for (phase, attempt), ref in refs.items():
        assert _push(root, 3, f"{phase}-{attempt}.txt", ref)[1] == ""
    assert drop_work(root, REMOTE, fencing, work_ref(PLAN, RUN, "1")) == ""
    assert [name for name, ref in refs.items() if stage.tip(ref)] == [("10", 1)]
    assert drop_work(root, REMOTE, fencing, work_ref(PLAN)) == ""
    assert not stage.tip(refs["10", 1])
    assert stage.tip(fence_ref(PLAN))


def test_the_work_of_a_plan_without_a_run_can_be_dropped_by_anybody(stage: RemoteStage) -> None:
    root, other = stage.mirror(), "plans/other.md"
    kept, gone = work_ref(PLAN, RUN, "1", 1), work_ref(other, OTHER, "1", 1)
    for ref in (kept, gone):
        git(stage.bare, "update-ref", ref, stage.base)
    for _ in range(2):
        assert drop_work(root, REMOTE, Fencing(other, 0, ""), work_ref(other)) == ""
        assert (stage.tip(kept), stage.tip(gone)) == (stage.base, "")


def test_a_remote_that_refuses_says_so(stage: RemoteStage) -> None:
    root = stage.mirror()
    raise_fence(root, REMOTE, PLAN, 3, RUN)
    stage.hook("update", 'case "$1" in refs/planrail/work/*) echo "no such refs here" >&2; exit 1;; esac')
    _, answer = _push(root, 3, "one.txt")
    assert "no such refs here" in answer
    assert not stage.tip(REF)
