"""Claims on the disk: held while a process lives, taken over when it is dead, never blocked by what a crash leaves."""

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from planrail.errors import ToolFailed, UsageError
from planrail.ledger.claims import (
    acquire,
    check_fence,
    holder,
    list_claims,
    release,
    set_phase,
    takeover,
)
from planrail.ledger.owners import describe_process, find_start, is_alive
from planrail.ledger.places import ledger_folder
from planrail.ledger.store import open_ledger
from planrail.records import replace
from planrail.runs.claims import (
    Acquired,
    AlreadyYours,
    Claim,
    HeldBy,
    NothingHeld,
    NotYours,
    Owner,
    ReasonMissing,
    Released,
    TakenOver,
)

_RACERS = 16


@pytest.fixture
def root(tmp_path: Path) -> str:
    (tmp_path / "project").mkdir()
    return str(tmp_path / "project")


@pytest.fixture
def sleeper() -> "Iterator[subprocess.Popen[bytes]]":
    process = subprocess.Popen(["sleep", "600"])
    yield process
    process.kill()
    process.wait()


def _me(name: str = "me") -> Owner:
    return describe_process(os.getpid(), name)


def _folder(root: str) -> str:
    return os.path.join(ledger_folder(root), "claims")


def _files(root: str) -> list[str]:
    return [os.path.join(_folder(root), name) for name in os.listdir(_folder(root)) if name.endswith(".json")]


def test_a_free_claim_is_acquired_and_everybody_sees_who_has_it(root: str) -> None:
    assert isinstance(acquire(root, "plan", "a/PLAN.md", _me(), 100), Acquired)
    claim = holder(root, "plan", "a/PLAN.md")
    assert claim is not None
    assert (claim.owner, claim.started_at) == (_me(), 100)
    assert list_claims(root) == [claim]


def test_the_same_owner_is_told_that_it_has_the_claim(root: str) -> None:
    first = acquire(root, "plan", "p", _me(), 100)
    again = acquire(root, "plan", "p", _me(), 200)
    assert isinstance(again, AlreadyYours)
    assert again.claim == first.claim


def test_a_live_owner_keeps_its_claim(root: str, sleeper: "subprocess.Popen[bytes]") -> None:
    acquire(root, "plan", "p", describe_process(sleeper.pid, "first"), 100)
    decision = acquire(root, "plan", "p", _me(), 100)
    assert isinstance(decision, HeldBy)
    assert decision.claim.owner.id == "first"


def test_a_killed_owner_is_taken_over_on_record(root: str, sleeper: "subprocess.Popen[bytes]") -> None:
    first = acquire(root, "plan", "p", describe_process(sleeper.pid, "first"), 100)
    os.kill(sleeper.pid, signal.SIGKILL)
    sleeper.wait()
    decision = acquire(root, "plan", "p", _me(), 101)
    assert isinstance(decision, TakenOver)
    assert decision.former == first.claim
    with open_ledger(root) as ledger:
        (fact,) = ledger.facts("claim", "p")
    assert fact.value["event"] == "takeover"
    assert fact.value["former"]["owner"] == "first"  # type: ignore[index]
    assert (fact.value["owner"], fact.value["fence"]) == ("me", decision.claim.fence)


def test_a_zombie_is_dead(root: str) -> None:
    process = subprocess.Popen(["sleep", "600"])
    owner = describe_process(process.pid, "first")
    os.kill(process.pid, signal.SIGKILL)
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # it has ended, and nobody has asked for its exit code
    assert not is_alive(owner)
    process.wait()


def test_a_number_that_was_used_again_is_another_process(root: str, sleeper: "subprocess.Popen[bytes]") -> None:
    owner = describe_process(sleeper.pid, "first")
    acquire(root, "plan", "p", replace(owner, process_start=str(int(owner.process_start) - 1)), 100)
    assert isinstance(acquire(root, "plan", "p", _me(), 100), TakenOver)


def test_the_claim_of_another_machine_is_held(root: str) -> None:
    elsewhere = replace(_me("first"), boot="another", host="elsewhere#1")
    acquire(root, "plan", "p", elsewhere, 100)
    assert isinstance(acquire(root, "plan", "p", _me(), 100), HeldBy)


def test_a_fenced_out_owner_notices_and_cannot_release_its_successor(
    root: str, sleeper: "subprocess.Popen[bytes]"
) -> None:
    mine = acquire(root, "plan", "p", _me("run"), 100).claim
    assert check_fence(root, mine)
    other = describe_process(sleeper.pid, "run")
    assert isinstance(takeover(root, "plan", "p", other, 101, reason=""), ReasonMissing)
    decision = takeover(root, "plan", "p", other, 101, reason="it hangs")
    assert isinstance(decision, TakenOver)
    assert decision.claim.fence > mine.fence
    assert not check_fence(root, mine)
    assert isinstance(release(root, "plan", "p", "run", fence=mine.fence), NotYours)
    assert holder(root, "plan", "p") == decision.claim


def test_the_fence_grows_over_releases(root: str) -> None:
    fences = []
    for _ in range(4):
        fences.append(acquire(root, "plan", "p", _me(), 100).claim.fence)
        assert isinstance(release(root, "plan", "p", "me"), Released)
    assert fences == sorted(set(fences))


def test_a_release_is_idempotent_and_the_owners_alone(root: str) -> None:
    assert isinstance(release(root, "plan", "p", "me"), NothingHeld)
    assert not os.path.exists(_folder(root))
    acquire(root, "plan", "p", _me(), 100)
    assert isinstance(release(root, "plan", "p", "other"), NotYours)
    assert isinstance(release(root, "plan", "p", "me"), Released)
    assert isinstance(release(root, "plan", "p", "me"), NothingHeld)
    assert isinstance(acquire(root, "plan", "p", _me("other"), 100), Acquired)


def test_the_phase_is_shown_to_those_who_look(root: str) -> None:
    assert isinstance(set_phase(root, "plan", "p", "me", "Phase 2"), NothingHeld)
    acquire(root, "plan", "p", _me(), 100)
    assert isinstance(set_phase(root, "plan", "p", "other", "Phase 2"), NotYours)
    assert isinstance(set_phase(root, "plan", "p", "me", "Phase 2 — verified"), Claim)
    found = holder(root, "plan", "p")
    assert found is not None
    assert found.current_phase == "Phase 2 — verified"


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe", b'{"kind": "plan"}', b"[" * 100_000])
def test_a_damaged_claim_blocks_nobody(root: str, content: bytes) -> None:
    acquire(root, "plan", "p", _me("first"), 100)
    (path,) = _files(root)
    Path(path).write_bytes(content)
    assert holder(root, "plan", "p") is None
    decision = acquire(root, "plan", "p", _me(), 101)
    assert isinstance(decision, TakenOver)
    with open_ledger(root) as ledger:
        assert "could not be read" in str(ledger.facts("claim", "p")[0].value["reason"])
    assert isinstance(release(root, "plan", "p", "me"), Released)


def test_a_folder_in_the_place_of_a_claim_blocks_nobody(root: str) -> None:
    acquire(root, "plan", "p", _me("first"), 100)
    (path,) = _files(root)
    os.unlink(path)
    os.mkdir(path)
    Path(path, "kept").write_text("x")
    assert isinstance(acquire(root, "plan", "p", _me(), 101), TakenOver)
    assert isinstance(release(root, "plan", "p", "me"), Released)
    assert isinstance(acquire(root, "plan", "p", _me(), 101), Acquired)


@pytest.mark.parametrize(
    "name", ["a b.md", "ÜBER.md", "x/../y.md", "'\"$(id).md", "-rf", ".", "a" * 300, "line\nbreak.md", "\udcff.md"]
)
def test_every_name_can_be_claimed(root: str, name: str) -> None:
    assert isinstance(acquire(root, "plan", name, _me(), 100), Acquired)
    assert isinstance(acquire(root, "plan", name, _me("other"), 100), HeldBy)
    assert isinstance(takeover(root, "plan", name, _me("other"), 100, reason="why"), TakenOver)
    with open_ledger(root) as ledger:
        assert len(ledger.facts("claim")) == 1


def test_plans_of_one_base_name_and_things_of_one_name_do_not_collide(root: str) -> None:
    for kind, name in (("plan", "a/FOO.md"), ("plan", "b/FOO.md"), ("plan", "42"), ("issue", "42"), ("task", "42")):
        assert isinstance(acquire(root, kind, name, _me(f"{kind} {name}"), 100), Acquired)
    assert len(list_claims(root)) == 5


def test_a_claim_from_before_a_plan_had_its_id_is_the_same_claim(root: str, sleeper: "subprocess.Popen[bytes]") -> None:
    mine = acquire(root, "plan", "PLAN.md", _me(), 100, path="PLAN.md")
    other = describe_process(sleeper.pid, "other")
    assert isinstance(acquire(root, "plan", "id-1", other, 100, path="PLAN.md"), HeldBy)
    moved = acquire(root, "plan", "id-1", _me(), 100, path="PLAN.md")
    assert isinstance(moved, AlreadyYours)
    assert moved.claim == replace(mine.claim, name="id-1")
    assert list_claims(root) == [moved.claim]
    assert check_fence(root, moved.claim)


def test_there_is_no_claim_without_a_process() -> None:
    process = subprocess.Popen(["true"])
    process.wait()
    for pid in (process.pid, 0, -1, 2**40):
        with pytest.raises(UsageError):
            describe_process(pid, "me")


def test_the_start_of_a_process_is_the_same_whenever_it_is_asked_for() -> None:
    assert find_start(os.getpid()) == find_start(os.getpid())
    assert find_start(os.getpid()) != find_start(os.getppid()) or os.getppid() == os.getpid()


def test_a_folder_that_cannot_be_written_is_a_failure_of_the_disk(root: str) -> None:
    os.makedirs(ledger_folder(root))
    Path(_folder(root)).write_text("a file")
    with pytest.raises(ToolFailed):
        acquire(root, "plan", "p", _me(), 100)


def _race(root: str, name: str, pid: int, start: "multiprocessing.synchronize.Event", answers: object) -> None:
    start.wait()
    decision = acquire(root, "plan", "p", describe_process(pid or os.getpid(), name), 100)
    answers.put(type(decision).__name__)  # type: ignore[attr-defined]
    time.sleep(60)  # lives until it is ended, as an owner does


@pytest.mark.parametrize("same", [False, True])
def test_of_many_who_acquire_at_once_one_wins(root: str, same: bool) -> None:
    context = multiprocessing.get_context("fork")
    start, answers = context.Event(), context.Queue()
    arguments = [
        (root, "me" if same else f"racer {n}", os.getpid() if same else 0, start, answers) for n in range(_RACERS)
    ]
    racers = [context.Process(target=_race, args=given, daemon=True) for given in arguments]
    for racer in racers:
        racer.start()
    start.set()
    found = sorted(answers.get(timeout=60) for _ in racers)
    for racer in racers:
        racer.kill()
        racer.join()
    loser = "AlreadyYours" if same else "HeldBy"
    assert found == sorted(["Acquired", *[loser] * (_RACERS - 1)])


_CRASHING = """
import os, sys
from planrail.ledger.claims import acquire
from planrail.ledger.owners import describe_process
acquire(sys.argv[1], "plan", "p", describe_process(os.getpid(), "crasher"), 100)
"""


@pytest.mark.parametrize(
    "point",
    [
        "claim.temporary_written",
        "claim.temporary_written:2",
        "claim.fence_written",
        "claim.takeover_recorded",
        "claim.written",
    ],
)
def test_a_crash_at_any_point_leaves_a_claim_that_the_next_one_gets(
    root: str, sleeper: "subprocess.Popen[bytes]", point: str
) -> None:
    first = acquire(root, "plan", "p", describe_process(sleeper.pid, "first"), 100)
    sleeper.kill()
    sleeper.wait()
    ended = subprocess.run(
        [sys.executable, "-c", _CRASHING, root], env={**os.environ, "PLANRAIL_CRASH_AT": point}, check=False
    )
    assert ended.returncode == -signal.SIGKILL
    decision = acquire(root, "plan", "p", _me(), 101)
    assert isinstance(decision, TakenOver)
    assert decision.claim.fence > first.claim.fence
    for path in _files(root):
        json.loads(Path(path).read_text())
    assert check_fence(root, decision.claim)
