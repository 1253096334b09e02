"""Claims as rows: all that claims promise, and leases, which tell of owners on machines that nobody here can ask."""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable

import pytest

from planrail.store import signs
from planrail.store.claim_rules import LEASE, Acquired, AlreadyYours, HeldBy, TakenOver
from planrail.store.claims import Claims
from planrail.store.ledger import open_ledger, open_store, open_team_tables
from planrail.store.owners import describe_process
from planrail.store.postgres.connections import borrow
from planrail.store.postgres.contact import NOW
from planrail.store.postgres.names import from_column, to_column
from tests.store.claim_promises import ClaimPromises, acquire_and_die, elsewhere, me
from tests.store.claim_promises import sleeper as sleeper
from tests.store.postgres.leases import let_lapse
from tests.support.patience import PATIENCE
from tests.support.postgres_server import PostgresServer


def seconds_left(url: str) -> float:
    """How long the claims are leased from now: the one that lapses first."""
    with borrow(url) as link:
        row = link.execute("SELECT min(until) - extract(epoch FROM clock_timestamp()) FROM claims").fetchone()
    assert row is not None
    return float(row[0])


def wait_until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.02)


class TestClaimsInRows(ClaimPromises):
    """The promises of all claims, of those that a team shares."""


def test_a_lapsed_lease_of_another_machine_is_taken_over_on_record(root: str, database: str) -> None:
    first = open_store(root).claims.acquire("plan", "p", elsewhere(), 100)
    let_lapse(database)
    assert not open_store(root).claims.lives(first.claim)
    decision = open_store(root).claims.acquire("plan", "p", me(), 101)
    assert isinstance(decision, TakenOver)
    assert decision.claim.fence > first.claim.fence
    with open_ledger(root) as ledger:
        assert [fact.value["fence"] for fact in ledger.facts("claim", "p")] == [decision.claim.fence]


def test_a_process_of_this_machine_lives_however_long_its_lease_has_lapsed(
    root: str, database: str, sleeper: "subprocess.Popen[bytes]"
) -> None:
    os.kill(sleeper.pid, signal.SIGSTOP)
    first = open_store(root).claims.acquire("plan", "p", describe_process(sleeper.pid, "first"), 100)
    let_lapse(database)
    assert open_store(root).claims.lives(first.claim)
    assert isinstance(open_store(root).claims.acquire("plan", "p", me(), 101), HeldBy)


def test_a_lapsed_lease_is_not_held_until_it_is_renewed(root: str, database: str) -> None:
    mine = open_store(root).claims.acquire("plan", "p", elsewhere(), 100).claim
    let_lapse(database)
    assert not open_store(root).claims.lives(mine)
    assert open_store(root).claims.renew(mine)
    assert open_store(root).claims.lives(mine)
    let_lapse(database)
    assert isinstance(open_store(root).claims.acquire("plan", "p", elsewhere(), 100), AlreadyYours)
    assert seconds_left(database) > LEASE - 5
    assert Claims(root).list_claims() == [], "no file is written for it"


@pytest.mark.parametrize("value", ["", '{"kind": "plan"}', "[" * 100_000])
def test_a_damaged_row_blocks_nobody(root: str, database: str, value: str) -> None:
    first = open_store(root).claims.acquire("plan", "p", me("first"), 100).claim
    with borrow(database) as link:
        link.execute("UPDATE claims SET value = %s", (value,))
    assert open_store(root).claims.holder("plan", "p") is None
    assert not open_store(root).claims.lives(first)
    decision = open_store(root).claims.acquire("plan", "p", me(), 101)
    assert isinstance(decision, TakenOver)
    assert decision.claim.fence > first.fence


def test_repositories_do_not_meet(root: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("github.com/a/b", "github.com/a/c"):
        monkeypatch.setenv("PLANRAIL_REPOSITORY", name)
        assert isinstance(open_store(root).claims.acquire("plan", "p", me(name), 100), Acquired)


def test_the_fence_grows_also_in_a_database_that_was_restored_from_an_old_copy(root: str, database: str) -> None:
    before = open_store(root).claims.acquire("plan", "p", me(), 100).claim.fence
    with borrow(database) as link:
        link.execute("SELECT setval('fences', 1)")
        link.execute("DELETE FROM claims")
    time.sleep(0.002)  # nobody restores a database within the same millisecond
    assert open_store(root).claims.acquire("plan", "p", me(), 100).claim.fence > before


def test_a_claim_on_the_disk_from_before_there_was_a_team_is_respected(
    root: str, sleeper: "subprocess.Popen[bytes]"
) -> None:
    Claims(root).acquire("plan", "p", describe_process(sleeper.pid, "first"), 100)
    assert isinstance(open_store(root).claims.acquire("plan", "p", me(), 100), HeldBy)
    sleeper.kill()
    sleeper.wait()
    assert isinstance(open_store(root).claims.acquire("plan", "p", me(), 100), Acquired)


def test_a_claim_that_is_held_for_good_never_lapses_and_can_be_taken_over_for_a_reason(root: str) -> None:
    mine = open_store(root).claims.acquire("plan", "p", elsewhere(), 100).claim
    assert open_store(root).claims.hold_for_good(mine)
    assert open_store(root).claims.renew(mine)
    assert seconds_left(os.environ["PLANRAIL_DATABASE"]) == float("inf")
    assert isinstance(open_store(root).claims.acquire("plan", "p", me(), 101), HeldBy)
    assert isinstance(open_store(root).claims.takeover("plan", "p", me(), 101, reason="they are on holiday"), TakenOver)
    assert seconds_left(os.environ["PLANRAIL_DATABASE"]) <= LEASE
    assert not open_store(root).claims.hold_for_good(mine)


# ---- kept alive ----


def test_claims_live_as_long_as_their_process_gives_signs_also_after_the_database_was_away(
    root: str, database: str, postgres: PostgresServer
) -> None:
    claims = open_store(root).claims
    held = [claims.acquire(kind, "7", elsewhere(), 100).claim for kind in ("plan", "issue")]
    with claims.keep_alive(beat=0.05):
        postgres.kill()
        time.sleep(0.3)
        postgres.start()
        let_lapse(database)
        wait_until(lambda: all(claims.lives(claim) for claim in held))
        postgres.stop()
    running = [thread for thread in threading.enumerate() if thread.name == "planrail-signs"]  # it was not waited for
    postgres.start()
    for thread in running:
        thread.join(PATIENCE)
        assert not thread.is_alive()
    let_lapse(database)
    assert not any(claims.lives(claim) for claim in held)


def test_a_claim_that_was_taken_over_does_not_live_by_the_signs_of_its_former_owner(
    root: str, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    claims = open_store(root).claims
    mine = claims.acquire("plan", "p", elsewhere(), 100).claim
    let_lapse(database)
    monkeypatch.setattr(signs, "_serves", "the other worker")
    theirs = claims.acquire("plan", "p", elsewhere("other"), 101)
    assert isinstance(theirs, TakenOver)
    monkeypatch.setattr(signs, "_serves", "")
    let_lapse(database)
    with open_team_tables(database, "x") as tables:
        signs.give_sign(tables)
    assert not claims.lives(mine)
    assert not claims.lives(theirs.claim)


def test_after_the_database_was_away_nobody_is_taken_over_before_there_was_time_for_a_sign(
    root: str, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    claims = open_store(root).claims
    mine = claims.acquire("plan", "p", elsewhere(), 100).claim
    let_lapse(database)
    with borrow(database) as link:  # nobody was in contact for a minute
        link.execute(f"UPDATE contact SET last = {NOW} - 60")
    slept: list[float] = []

    def sign_meanwhile(seconds: float) -> None:
        slept.append(seconds)
        with open_team_tables(database, "x") as tables:
            signs.give_sign(tables)

    monkeypatch.setattr("planrail.store.postgres.claims.time.sleep", sign_meanwhile)
    assert not claims.lives(mine)
    assert isinstance(claims.acquire("plan", "p", me(), 101), HeldBy)
    assert len(slept) == 1


def test_who_gives_no_sign_after_the_database_was_away_is_taken_over_in_the_end(
    root: str, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    claims = open_store(root).claims
    claims.acquire("plan", "p", elsewhere(), 100)
    let_lapse(database)
    with borrow(database) as link:
        link.execute(f"UPDATE contact SET last = {NOW} - 60")

    def time_goes_by(seconds: float) -> None:
        with borrow(database) as link:
            link.execute("UPDATE contact SET since = since - %s", (seconds,))

    monkeypatch.setattr("planrail.store.postgres.claims.time.sleep", time_goes_by)
    assert isinstance(claims.acquire("plan", "p", me(), 101), TakenOver)


def test_who_dies_in_the_middle_of_a_takeover_has_taken_nothing(root: str, sleeper: "subprocess.Popen[bytes]") -> None:
    first = open_store(root).claims.acquire("plan", "p", describe_process(sleeper.pid, "first"), 100).claim
    sleeper.kill()
    sleeper.wait()
    acquire_and_die(root, "claim.takeover_recorded")
    assert open_store(root).claims.holder("plan", "p") == first
    decision = open_store(root).claims.acquire("plan", "p", me(), 101)
    assert isinstance(decision, TakenOver)
    assert decision.former == first


@pytest.mark.parametrize("name", ["a", "", "\\", "\\\\", "\\x00", "\0", "\udcff", "\\udcff", "ü\\ü", "\\u0041"])
def test_a_name_comes_out_of_its_column_as_it_went_in(name: str) -> None:
    assert from_column(to_column(name)) == name
