"""What claims promise, wherever they are kept: the tests of the files and of the rows inherit these."""

import multiprocessing
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator

import pytest

from planrail.base.crash_points import VARIABLE
from planrail.base.records import replace
from planrail.store.claim_rules import (
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
from planrail.store.ledger import open_ledger, open_store
from planrail.store.owners import describe_process
from tests.support.patience import PATIENCE

RACERS, ROUNDS = 8, 5


def me(name: str = "me") -> Owner:
    """This process as an owner."""
    return describe_process(os.getpid(), name)


def elsewhere(name: str = "first") -> Owner:
    """An owner of another machine."""
    return replace(me(name), boot="another", host="elsewhere#1")


@pytest.fixture
def sleeper() -> "Iterator[subprocess.Popen[bytes]]":
    """A process that lives until the test ends it."""
    process = subprocess.Popen(["sleep", "600"])
    yield process
    process.kill()
    process.wait()


def acquire_and_die(root: str, point: str) -> None:
    """A process that acquires a plan and is killed on the way, at this point."""
    pid = os.fork()
    if pid == 0:
        try:
            os.environ[VARIABLE] = point
            open_store(root).claims.acquire("plan", "p", me("crasher"), 100)
        finally:
            os._exit(0)
    assert os.waitpid(pid, 0)[1] == signal.SIGKILL


class ClaimPromises:
    """For a class with a fixture `root`, and the fixture `sleeper` in its module."""

    def test_a_free_claim_is_acquired_and_everybody_sees_who_has_it(self, root: str) -> None:
        assert isinstance(open_store(root).claims.acquire("plan", "a/PLAN.md", me(), 100), Acquired)
        claim = open_store(root).claims.holder("plan", "a/PLAN.md")
        assert claim is not None
        assert (claim.owner, claim.started_at) == (me(), 100)
        assert open_store(root).claims.list_claims() == [claim]
        assert open_store(root).claims.lives(claim)
        assert open_store(root).claims.acquire("plan", "a/PLAN.md", me(), 200) == AlreadyYours(claim)

    def test_a_live_owner_keeps_its_claim(self, root: str, sleeper: "subprocess.Popen[bytes]") -> None:
        open_store(root).claims.acquire("plan", "p", describe_process(sleeper.pid, "first"), 100)
        decision = open_store(root).claims.acquire("plan", "p", me(), 100)
        assert isinstance(decision, HeldBy)
        assert decision.claim.owner.id == "first"

    def test_a_killed_owner_is_taken_over_on_record(self, root: str, sleeper: "subprocess.Popen[bytes]") -> None:
        first = open_store(root).claims.acquire("plan", "p", describe_process(sleeper.pid, "first"), 100)
        os.kill(sleeper.pid, signal.SIGKILL)
        sleeper.wait()
        assert not open_store(root).claims.lives(first.claim)
        decision = open_store(root).claims.acquire("plan", "p", me(), 101)
        assert isinstance(decision, TakenOver)
        assert decision.former == first.claim
        with open_ledger(root) as ledger:
            (fact,) = ledger.facts("claim", "p")
        assert fact.value["event"] == "takeover"
        assert fact.value["former"]["owner"] == "first"  # type: ignore[index]
        assert (fact.value["owner"], fact.value["fence"]) == ("me", decision.claim.fence)

    def test_a_number_that_was_used_again_is_another_process(
        self, root: str, sleeper: "subprocess.Popen[bytes]"
    ) -> None:
        owner = describe_process(sleeper.pid, "first")
        open_store(root).claims.acquire(
            "plan", "p", replace(owner, process_start=str(int(owner.process_start) - 1)), 100
        )
        assert isinstance(open_store(root).claims.acquire("plan", "p", me(), 100), TakenOver)

    def test_the_claim_of_another_machine_is_held(self, root: str) -> None:
        first = open_store(root).claims.acquire("plan", "p", elsewhere(), 100)
        assert open_store(root).claims.lives(first.claim)
        assert isinstance(open_store(root).claims.acquire("plan", "p", me(), 100), HeldBy)

    def test_a_fenced_out_owner_notices_and_cannot_release_its_successor(
        self, root: str, sleeper: "subprocess.Popen[bytes]"
    ) -> None:
        mine = open_store(root).claims.acquire("plan", "p", me("run"), 100).claim
        assert open_store(root).claims.renew(mine)
        other = describe_process(sleeper.pid, "run")
        assert isinstance(open_store(root).claims.takeover("plan", "p", other, 101, reason=""), ReasonMissing)
        decision = open_store(root).claims.takeover("plan", "p", other, 101, reason="it hangs")
        assert isinstance(decision, TakenOver)
        assert decision.claim.fence > mine.fence
        assert not open_store(root).claims.renew(mine)
        assert not open_store(root).claims.lives(mine) or open_store(root).claims.lives(decision.claim)
        assert isinstance(open_store(root).claims.release("plan", "p", "run", fence=mine.fence), NotYours)
        assert open_store(root).claims.holder("plan", "p") == decision.claim

    def test_a_release_is_idempotent_and_the_owners_alone(self, root: str) -> None:
        assert isinstance(open_store(root).claims.release("plan", "p", "me"), NothingHeld)
        first = open_store(root).claims.acquire("plan", "p", me(), 100).claim
        assert isinstance(open_store(root).claims.release("plan", "p", "other"), NotYours)
        assert isinstance(open_store(root).claims.release("plan", "p", "me"), Released)
        assert isinstance(open_store(root).claims.release("plan", "p", "me"), NothingHeld)
        mine = open_store(root).claims.acquire("plan", "p", me("other"), 100)
        assert isinstance(mine, Acquired)
        assert mine.claim.fence > first.fence
        assert not open_store(root).claims.renew(first)

    def test_the_phase_is_shown_to_those_who_look(self, root: str) -> None:
        assert isinstance(open_store(root).claims.set_phase("plan", "p", "me", "Phase 2"), NothingHeld)
        mine = open_store(root).claims.acquire("plan", "p", me(), 100).claim
        assert isinstance(open_store(root).claims.set_phase("plan", "p", "other", "Phase 2"), NotYours)
        assert isinstance(open_store(root).claims.set_phase("plan", "p", "me", "Phase 2 — verified"), Claim)
        found = open_store(root).claims.holder("plan", "p")
        assert found is not None
        assert found.current_phase == "Phase 2 — verified"
        assert open_store(root).claims.renew(mine)

    def test_every_name_can_be_claimed(self, root: str) -> None:
        names = [
            "a b.md",
            "ÜBER.md",
            "x/../y.md",
            "'\"$(id).md",
            "-rf",
            ".",
            "a" * 300,
            "line\nbreak.md",
            "\udcff.md",
            "%s",
        ]
        claims = open_store(root).claims
        for name in names:
            assert isinstance(claims.acquire("plan", name, me(), 100), Acquired)
            assert isinstance(claims.acquire("plan", name, me("other"), 100), HeldBy)
            assert isinstance(claims.takeover("plan", name, me("other"), 100, reason="why"), TakenOver)
        assert sorted(claim.name for claim in claims.list_claims()) == sorted(names)
        with open_ledger(root) as ledger:
            assert len(ledger.facts("claim")) == len(names)

    def test_things_of_one_name_do_not_collide(self, root: str) -> None:
        named = (("plan", "a/FOO.md"), ("plan", "b/FOO.md"), ("plan", "42"), ("issue", "42"), ("task", "42"))
        twins = (("plan", "\udcff"), ("plan", "\\udcff"), ("plan", "\\\\udcff"))
        for kind, name in (*named, *twins):
            assert isinstance(open_store(root).claims.acquire(kind, name, me(f"{kind} x"), 100), Acquired)
        assert len(open_store(root).claims.list_claims()) == len(named) + len(twins)

    def test_a_claim_from_before_a_plan_had_its_id_is_the_same_claim(
        self, root: str, sleeper: "subprocess.Popen[bytes]"
    ) -> None:
        mine = open_store(root).claims.acquire("plan", "PLAN.md", me(), 100, path="PLAN.md")
        later = open_store(root).claims.acquire("plan", "later", me(), 100).claim
        assert isinstance(open_store(root).claims.release("plan", "later", "me"), Released)
        other = describe_process(sleeper.pid, "other")
        assert isinstance(open_store(root).claims.acquire("plan", "id-1", other, 100, path="PLAN.md"), HeldBy)
        moved = open_store(root).claims.acquire("plan", "id-1", me(), 100, path="PLAN.md")
        assert isinstance(moved, AlreadyYours)
        assert moved.claim == replace(mine.claim, name="id-1")
        assert open_store(root).claims.list_claims() == [moved.claim]
        assert open_store(root).claims.renew(moved.claim)
        assert open_store(root).claims.acquire("plan", "third", me(), 100).claim.fence > later.fence

    def test_a_claim_by_the_id_of_a_plan_counts_and_not_one_by_its_path(
        self, root: str, sleeper: "subprocess.Popen[bytes]"
    ) -> None:
        mine = open_store(root).claims.acquire("plan", "id-1", me(), 100).claim
        other = open_store(root).claims.acquire("plan", "PLAN.md", describe_process(sleeper.pid, "other"), 100).claim
        again = open_store(root).claims.acquire("plan", "id-1", me(), 100, path="PLAN.md")
        assert isinstance(again, AlreadyYours)
        assert {claim.fence for claim in open_store(root).claims.list_claims()} == {other.fence, mine.fence}

    @pytest.mark.parametrize("same", [False, pytest.param(True, marks=pytest.mark.full)])
    def test_of_many_processes_that_acquire_at_once_one_wins(self, root: str, same: bool) -> None:
        context = multiprocessing.get_context("fork")
        start, answers = context.Barrier(RACERS), context.Queue()
        racers = [context.Process(target=_race, args=(root, n, same, start, answers)) for n in range(RACERS)]
        for racer in racers:
            racer.daemon = True
            racer.start()
        found = [answers.get(timeout=PATIENCE) for _ in range(RACERS * ROUNDS)]
        for racer in racers:
            racer.kill()
            racer.join()
        assert sorted(found) == _expected("AlreadyYours" if same else "HeldBy")

    def test_of_many_threads_that_acquire_at_once_one_wins(self, root: str) -> None:
        found: list[tuple[int, str]] = []
        start = threading.Barrier(RACERS)

        def race(number: int) -> None:
            for turn in range(ROUNDS):
                start.wait()
                found.append(
                    (
                        turn,
                        type(open_store(root).claims.acquire("plan", f"p{turn}", me(f"racer {number}"), 100)).__name__,
                    )
                )

        racers = [threading.Thread(target=race, args=(number,)) for number in range(RACERS)]
        for racer in racers:
            racer.start()
        for racer in racers:
            racer.join()
        assert sorted(found) == _expected("HeldBy")

    def test_a_claim_that_is_kept_alive_leaves_no_thread_behind(self, root: str) -> None:
        before = set(threading.enumerate())
        claim = open_store(root).claims.acquire("plan", "p", me(), 100).claim
        with open_store(root).claims.keep_alive():
            assert open_store(root).claims.renew(claim)
        assert set(threading.enumerate()) == before


def _expected(loser: str) -> list[tuple[int, str]]:
    return sorted((turn, name) for turn in range(ROUNDS) for name in ("Acquired", *[loser] * (RACERS - 1)))


def _race(root: str, number: int, same: bool, start: "multiprocessing.synchronize.Barrier", answers: object) -> None:
    owner = describe_process(os.getppid(), "me") if same else me(f"racer {number}")
    open_store(root).claims.list_claims()  # whatever it takes to get there has been done before
    for turn in range(ROUNDS):
        start.wait()
        answers.put((turn, type(open_store(root).claims.acquire("plan", f"p{turn}", owner, 100)).__name__))  # type: ignore[attr-defined]
    time.sleep(60)  # lives until it is ended, as an owner does
