"""A fence on a remote only rises, whoever writes it and however many at once."""

import subprocess
from pathlib import Path

import pytest

from planrail.base.errors import Held, ToolFailed
from planrail.git.remotes.mirrors import REMOTE
from planrail.runs.landing.fences import (
    FenceState,
    Fencing,
    fence_ref,
    is_ours,
    lower_fence,
    parse_fence,
    raise_fence,
    read_fence,
    refuses,
)
from tests.landing.remotes import PLAN, RemoteStage, act, finish, git, start_actor, was_killed

REF = fence_ref(PLAN)


@pytest.fixture
def stage(tmp_path: Path) -> RemoteStage:
    return RemoteStage(tmp_path)


def put(stage: RemoteStage, text: str) -> None:
    """Let the remote have this as the fence."""
    command = ["git", "-C", str(stage.bare), "hash-object", "-w", "--stdin"]
    oid = subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout.strip()
    git(stage.bare, "update-ref", REF, oid)


def test_a_fence_rises_and_never_falls_and_raising_it_again_changes_nothing(stage: RemoteStage) -> None:
    one, two = stage.mirror("one"), stage.mirror("two")
    assert raise_fence(one, REMOTE, PLAN, 3, "run-1") == ""
    assert raise_fence(two, REMOTE, PLAN, 7, "run-2") == ""
    with pytest.raises(Held, match="run-2 has taken over") as caught:
        raise_fence(one, REMOTE, PLAN, 5, "run-3")
    assert REF in caught.value.remedy
    standing = read_fence(one, REMOTE, REF)
    assert (standing.fence, standing.run) == (7, "run-2")
    before = stage.tip(REF)
    raise_fence(two, REMOTE, PLAN, 7, "run-2")
    assert stage.tip(REF) == before
    with pytest.raises(Held):
        raise_fence(two, REMOTE, PLAN, 7, "run-3")
    git(stage.bare, "update-ref", "-d", REF)
    raise_fence(one, REMOTE, PLAN, 8, "run-4")
    assert read_fence(one, REMOTE, REF).fence == 8


@pytest.mark.parametrize("text", ["rubbish", '{"fence": "9", "run": "x"}', "[" * 9000, "a commit"])
def test_rubbish_counts_as_no_fence_and_is_said(stage: RemoteStage, text: str) -> None:
    if text == "a commit":
        git(stage.bare, "update-ref", REF, stage.base)
    else:
        put(stage, text)
    root = stage.mirror()
    assert "was put there anew" in raise_fence(root, REMOTE, PLAN, 3, "run-1")
    assert read_fence(root, REMOTE, REF).fence == 3


@pytest.mark.full
def test_of_many_at_once_the_greatest_stays(stage: RemoteStage) -> None:
    mirrors = [stage.mirror(f"mirror-{number}") for number in range(2)]
    numbers = [4, 9, 2, 7, 5, 8, 1, 6]
    actors = [start_actor("raise", mirrors[n % 2], PLAN, str(n), f"run-{n}") for n in numbers]
    answers = [finish(actor) for actor in actors]
    assert {code for code, _ in answers} <= {0, Held.exit_code}, answers
    assert answers[numbers.index(9)][0] == 0
    assert read_fence(mirrors[0], REMOTE, REF).fence == 9


@pytest.mark.parametrize("instant", ["remote.fence_sending", "remote.fence_sent"])
def test_whoever_dies_while_raising_it_raises_it_the_next_time(stage: RemoteStage, instant: str) -> None:
    root = stage.mirror()
    assert was_killed(act("raise", root, PLAN, "3", "run-1", crash=instant)[0])
    assert act("raise", root, PLAN, "3", "run-1")[0] == 0
    assert read_fence(root, REMOTE, REF).fence == 3


def test_a_remote_that_takes_no_fence_is_a_failure_that_says_why(stage: RemoteStage) -> None:
    stage.hook("pre-receive", "echo 'only branches here' >&2; exit 1")
    with pytest.raises(ToolFailed, match="only branches here") as caught:
        raise_fence(stage.mirror(), REMOTE, PLAN, 3, "run-1")
    assert "refs/planrail/fences" in caught.value.remedy


def test_only_its_own_run_takes_a_fence_away(stage: RemoteStage) -> None:
    root = stage.mirror()
    raise_fence(root, REMOTE, PLAN, 3, "run-1")
    assert not lower_fence(root, REMOTE, PLAN, 2, "run-1")
    assert not lower_fence(root, REMOTE, PLAN, 3, "run-2")
    assert stage.tip(REF)
    assert lower_fence(root, REMOTE, PLAN, 3, "run-1")
    assert not stage.tip(REF)
    assert lower_fence(root, REMOTE, PLAN, 3, "run-1")


def test_a_plan_may_be_called_anything() -> None:
    names = ["a.md", "a b.md", "../x", "x\n", "\udcff", "~^:?*", "x" * 5000, ""]
    assert len({fence_ref(name) for name in names}) == len(names)
    for name in names:
        subprocess.run(["git", "check-ref-format", fence_ref(name)], check=True)


@pytest.mark.parametrize(
    ("standing", "is_refused"),
    [
        (FenceState(), False),
        (FenceState("o", 2, "other"), False),
        (FenceState("o", 3, "ours"), False),
        (FenceState("o", 3, "other"), True),
        (FenceState("o", 4, "ours"), True),
        (FenceState("o", 9, "other", problem="is no fence"), False),
    ],
)
def test_only_a_greater_number_or_another_run_refuses(standing: FenceState, is_refused: bool) -> None:
    assert refuses(standing, Fencing(PLAN, 3, "ours")) == is_refused
    assert not refuses(standing, Fencing(PLAN, 0, "ours"))


def test_what_was_written_is_read() -> None:
    read = parse_fence("o", '{"plan": "p", "fence": 3, "run": "r", "count": 2, "later": "more"}')
    assert read == FenceState("o", 3, "r", 2)
    assert is_ours(read, Fencing("p", 3, "r"))
