"""Claims on the disk: held while a process lives, taken over when it is dead, never blocked by what a crash leaves."""

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from planrail.base.errors import ToolFailed, UsageError
from planrail.store.claim_rules import Acquired, NothingHeld, Released, TakenOver
from planrail.store.ledger import open_ledger, open_store
from planrail.store.owners import describe_process, is_alive
from planrail.store.places import ledger_folder
from tests.store.claim_promises import ClaimPromises, acquire_and_die, me
from tests.store.claim_promises import sleeper as sleeper


@pytest.fixture
def root(tmp_path: Path) -> str:
    (tmp_path / "project").mkdir()
    return str(tmp_path / "project")


class TestClaimsOnDisk(ClaimPromises):
    """The promises of all claims, of those on the disk."""


def test_who_releases_or_describes_what_nobody_holds_makes_no_folder(root: str) -> None:
    assert isinstance(open_store(root).claims.release("plan", "p", "me"), NothingHeld)
    assert isinstance(open_store(root).claims.set_phase("plan", "p", "me", "Phase 1"), NothingHeld)
    assert not os.path.exists(_folder(root))


def _folder(root: str) -> str:
    return os.path.join(ledger_folder(root), "claims")


def _files(root: str) -> list[str]:
    return [os.path.join(_folder(root), name) for name in os.listdir(_folder(root)) if name.endswith(".json")]


def test_a_zombie_is_dead(root: str) -> None:
    process = subprocess.Popen(["sleep", "600"])
    owner = describe_process(process.pid, "first")
    os.kill(process.pid, signal.SIGKILL)
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # it has ended, and nobody has asked for its exit code
    assert not is_alive(owner)
    process.wait()


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b'{"kind": "plan"}', b"[" * 100_000])
def test_a_damaged_claim_blocks_nobody(root: str, content: bytes) -> None:
    open_store(root).claims.acquire("plan", "p", me("first"), 100)
    (path,) = _files(root)
    Path(path).write_bytes(content)
    assert open_store(root).claims.holder("plan", "p") is None
    decision = open_store(root).claims.acquire("plan", "p", me(), 101)
    assert isinstance(decision, TakenOver)
    with open_ledger(root) as ledger:
        assert "could not be read" in str(ledger.facts("claim", "p")[0].value["reason"])
    assert isinstance(open_store(root).claims.release("plan", "p", "me"), Released)


def test_a_folder_in_the_place_of_a_claim_blocks_nobody(root: str) -> None:
    open_store(root).claims.acquire("plan", "p", me("first"), 100)
    (path,) = _files(root)
    os.unlink(path)
    os.mkdir(path)
    Path(path, "kept").write_text("x")
    assert isinstance(open_store(root).claims.acquire("plan", "p", me(), 101), TakenOver)
    assert isinstance(open_store(root).claims.release("plan", "p", "me"), Released)
    assert isinstance(open_store(root).claims.acquire("plan", "p", me(), 101), Acquired)


def test_there_is_no_claim_without_a_process() -> None:
    process = subprocess.Popen(["true"])
    process.wait()
    for pid in (process.pid, 0, -1, 2**40):
        with pytest.raises(UsageError):
            describe_process(pid, "me")


def test_a_folder_that_cannot_be_written_is_a_failure_of_the_disk(root: str) -> None:
    os.makedirs(ledger_folder(root))
    Path(_folder(root)).write_text("a file")
    with pytest.raises(ToolFailed):
        open_store(root).claims.acquire("plan", "p", me(), 100)


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
    first = open_store(root).claims.acquire("plan", "p", describe_process(sleeper.pid, "first"), 100)
    sleeper.kill()
    sleeper.wait()
    acquire_and_die(root, point)
    decision = open_store(root).claims.acquire("plan", "p", me(), 101)
    assert isinstance(decision, TakenOver)
    assert decision.claim.fence > first.claim.fence
    for path in _files(root):
        json.loads(Path(path).read_text())
    assert open_store(root).claims.renew(decision.claim)
