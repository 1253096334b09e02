"""The journal as rows: all that journals promise, and who was taken over has no word in it any more."""

import contextlib
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from planrail.base.errors import Fenced, ToolFailed
from planrail.base.records import replace
from planrail.store.claim_rules import (
    Acquired,
    AlreadyYours,
    Claim,
    HeldBy,
    NothingHeld,
    NotYours,
    Released,
    TakenOver,
)
from planrail.store.failures import DatabaseGone
from planrail.store.journal import Journal
from planrail.store.ledger import open_store
from planrail.store.postgres.claims import RowClaims
from planrail.store.postgres.connections import borrow, close_idle
from planrail.store.postgres.journal import RowJournal
from planrail.store.postgres.run_rows import (
    ADDED,
    FENCED,
    KNOWN,
    StepRow,
    add_step,
    drop_unfinished,
    judge_unfinished,
    load_run_row,
    load_steps,
    save_run,
)
from planrail.store.team import Team, read_team
from tests.runs.journal_promises import JournalPromises
from tests.runs.run_records import make_order, make_phase
from tests.store.claim_promises import me
from tests.store.postgres.leases import let_lapse
from tests.support.patience import PATIENCE
from tests.support.postgres_server import PostgresServer
from tests.support.wire import Wire


@pytest.fixture
def claim(root: str, team: Team) -> Claim:
    """The claim of a run that is on record."""
    order = make_order(make_phase("1"), root=root)
    save_run(team, order, "# Plan\n", "host#1", root)
    return open_store(root).claims.acquire("plan", order.plan, replace(me(), id=order.run, run=order.run), 100).claim


@pytest.fixture
def reopen(team: Team, claim: Claim) -> Callable[[], RowJournal]:
    return lambda: RowJournal(team, "run-1", claim.fence)


class TestRowJournal(JournalPromises):
    """The promises of all journals, of those that a team shares."""


def test_who_was_taken_over_or_let_go_of_the_plan_begins_and_ends_nothing_any_more(
    root: str, team: Team, claim: Claim
) -> None:
    claims, journal = open_store(root).claims, RowJournal(team, "run-1", claim.fence)
    journal.begin("a")
    successor = claims.takeover("plan", claim.name, me("another"), 101, reason="it hangs")
    assert isinstance(successor, TakenOver)
    with pytest.raises(Fenced) as caught:
        journal.end("a", 1)
    assert caught.value.exit_code == 12
    with pytest.raises(Fenced):
        journal.begin("b")
    assert not journal.has("a")
    following = RowJournal(team, "run-1", successor.claim.fence)
    assert following.keys() == []
    claims.release("plan", claim.name, "another")
    with pytest.raises(Fenced):
        following.end("a", 1)


def test_a_step_begins_though_the_database_is_away_and_its_end_waits_until_it_is_back(
    team: Team, claim: Claim, postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("planrail.store.postgres.journal._GLANCE", 0.1)
    hasty, patient = RowJournal(team, "run-1", claim.fence, patience=0.1), RowJournal(team, "run-1", claim.fence)
    postgres.kill()
    writer = threading.Thread(target=patient.end, args=("b", 7))
    try:
        hasty.begin("a")
        with pytest.raises(DatabaseGone):
            hasty.end("a", 1)
        assert not hasty.has("a")
        writer.start()
    finally:
        postgres.start()
    writer.join(PATIENCE)
    assert patient.is_ours("b")
    hasty.end("a", 1)
    assert {step.key: step.value for step in load_steps(team, "run-1")} == {"b": "7", "a": "1"}


def test_a_run_that_is_not_on_record_has_no_journal(root: str, team: Team) -> None:
    with pytest.raises(ToolFailed, match="not in the team's database"):
        open_store(root).open_journal("run-7", str(root), 1)


def test_a_step_that_we_wrote_is_ours_though_its_answer_was_lost_and_the_plan_is_gone(
    root: str, team: Team, claim: Claim
) -> None:
    step = StepRow("a", 1.25, 2.5, "7")
    with borrow(team.url) as link:
        assert add_step(link, team, "run-1", claim.fence, step) == ADDED
        assert add_step(link, team, "run-1", claim.fence, step) == KNOWN
        open_store(root).claims.takeover("plan", claim.name, me("another"), 101, reason="it hangs")
        assert add_step(link, team, "run-1", claim.fence, step) == KNOWN
        assert add_step(link, team, "run-1", claim.fence, replace(step, ended=2.75)) == FENCED
        assert add_step(link, team, "run-1", claim.fence, replace(step, key="b")) == FENCED


def test_a_takeover_waits_for_a_step_that_is_being_written(root: str, team: Team, claim: Claim) -> None:
    """Whoever follows sees every step that was ever accepted: the two are never in flight together."""
    with borrow(team.url) as link, link.transaction():
        assert add_step(link, team, "run-1", claim.fence, StepRow("a", 1.0, 2.0, "7")) == ADDED
        seen: list[list[str]] = []

        def follow() -> None:
            successor = open_store(root).claims.takeover("plan", claim.name, me("another"), 101, reason="it hangs")
            assert isinstance(successor, TakenOver)
            seen.append(RowJournal(team, "run-1", successor.claim.fence).keys())

        follower = threading.Thread(target=follow)
        follower.start()
        follower.join(0.3)
        assert follower.is_alive()
    follower.join(PATIENCE)
    assert seen == [["a"]]


def test_what_is_under_way_is_shown_to_those_who_look(team: Team, claim: Claim) -> None:
    journal = RowJournal(team, "run-1", claim.fence, clock=iter([10.0, 11.0, 12.0]).__next__)
    journal.begin("phase/1/1/checks.1")
    journal.begin("phase/2/1/checks.1")
    journal.end("phase/2/1/checks.1", 1)
    row = load_run_row(team, "run-1")
    assert row is not None
    assert row.current == {"phase/1/1/checks.1": 10.0, "phase/2/1/checks.1": 11.0}
    assert [(step.key, step.began, step.ended) for step in load_steps(team, "run-1")] == [
        ("phase/2/1/checks.1", 11.0, 12.0)
    ]


def test_a_journal_from_before_there_was_a_team_is_taken_along_once(
    root: str, tmp_path: Path, team: Team, claim: Claim
) -> None:
    before = Journal(str(tmp_path / "journal.jsonl"))
    before.end("a", ("x",))
    before.close()
    journal = open_store(root).open_journal("run-1", str(tmp_path), claim.fence)
    assert (journal.result("a"), journal.is_ours("a")) == (("x",), False)
    drop = [step.key for step in load_steps(team, "run-1")]
    assert drop == ["a"]
    assert not (tmp_path / "journal.jsonl").exists()
    assert open_store(root).open_journal("run-1", str(tmp_path), claim.fence).keys() == ["a"]


# ---- another machine goes on ----

_STEPS = [
    "turn/1/choose",
    "phase/1/0/go_on",
    "phase/1/1/start",
    "phase/1/1/end",
    "phase/a/b/1/start",
    "phase/a/b/1/end",
    "phase/a/b/2/start",
    "phase/a/b/2/implement.1",
    "turn/2/choose",
    "phase/end/1/start",
    "finish/verify_all",
    "finish/mark.1",
]
_UNFINISHED = [
    "phase/a/b/2/start",
    "phase/a/b/2/implement.1",
    "phase/end/1/start",
    "finish/verify_all",
    "finish/mark.1",
]


def test_what_came_before_the_agent_of_a_lost_attempt_stays_and_one_without_an_agent_begins_anew() -> None:
    done = ["turn/1/choose", "phase/1/1/start", "phase/1/1/workspace", "phase/1/1/implement.1", "phase/1/1/end"]
    begun = ["turn/2/choose", "phase/2/1/start", "phase/2/1/baseline", "phase/2/1/fresh", "phase/2/1/workspace"]
    judged = ["phase/2/1/implement.1", "phase/2/1/snapshot.1", "phase/2/1/checks.1"]
    assert judge_unfinished(done) == judge_unfinished([]) == ([], [])
    assert judge_unfinished([*done, *begun, *judged]) == (judged, ["phase/2/1/implement.1"])
    assert judge_unfinished(begun) == ([], ["phase/2/1/implement.1"])
    assert judge_unfinished([*done, *begun[:-1]]) == (begun[1:-1], [])


def test_what_was_begun_on_a_machine_that_is_gone_is_forgotten(team: Team, claim: Claim) -> None:
    journal = RowJournal(team, "run-1", claim.fence)
    for key in _STEPS:
        journal.begin(key)
        journal.end(key, 1)
    assert drop_unfinished(team, "run-1") == _UNFINISHED
    assert drop_unfinished(team, "run-1") == []
    again = RowJournal(team, "run-1", claim.fence)
    assert again.keys() == [key for key in _STEPS if key not in _UNFINISHED]
    again.end("phase/a/b/2/start", 2)
    assert RowJournal(team, "run-1", claim.fence).result("phase/a/b/2/start") == 2
    row = load_run_row(team, "run-1")
    assert row is not None
    assert row.current == {}


_ZOMBIE = """
import json, sys
from planrail.base.errors import Fenced
from planrail.store.ledger import open_store
from planrail.store.owners import describe_process
from planrail.base.records import replace
import os

root = sys.argv[1]
owner = replace(describe_process(os.getpid(), "run-1", "run-1"), host="elsewhere#1")
claim = open_store(root).claims.acquire("plan", "PLAN.md", owner, 100).claim
journal = open_store(root).open_journal("run-1", root, claim.fence)
with open_store(root).claims.keep_alive(beat=0.05):
    journal.begin("a")
    journal.end("a", 1)
    journal.begin("b")
    print(json.dumps(claim.fence), flush=True)
    sys.stdin.readline()
    try:
        journal.end("b", 2)
        said = "ended"
    except Fenced:
        said = "fenced"
    print(json.dumps([said, open_store(root).claims.renew(claim)]), flush=True)
print(json.dumps(type(open_store(root).claims.release("plan", "PLAN.md", "run-1", fence=claim.fence)).__name__), flush=True)
"""


@pytest.fixture
def zombie(root: str, team: Team) -> "Iterator[subprocess.Popen[str]]":
    save_run(team, make_order(make_phase("1"), root=root), "", "elsewhere#1", "/elsewhere")
    command = [sys.executable, "-c", _ZOMBIE, root]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    yield process
    process.kill()
    process.communicate()


def test_a_planrail_that_wakes_up_after_it_was_taken_over_changes_nothing(
    root: str, team: Team, zombie: "subprocess.Popen[str]"
) -> None:
    assert zombie.stdin is not None
    assert zombie.stdout is not None
    fence = int(zombie.stdout.readline())
    os.kill(zombie.pid, signal.SIGSTOP)
    while Path(f"/proc/{zombie.pid}/stat").read_text().rpartition(") ")[2][0] != "T":
        time.sleep(0.01)
    time.sleep(0.1)  # a renewal that was on its way has arrived by then
    let_lapse(team.url)
    mine = open_store(root).claims.acquire("plan", "PLAN.md", replace(me("run-1"), run="run-1"), 101)
    assert isinstance(mine, TakenOver)
    assert mine.claim.fence > fence
    journal = RowJournal(team, "run-1", mine.claim.fence)
    assert journal.keys() == ["a"]
    journal.end("b", 7)
    os.kill(zombie.pid, signal.SIGCONT)
    told, _ = zombie.communicate("go on\n", timeout=PATIENCE)
    assert [json.loads(line) for line in told.splitlines()] == [["fenced", False], NotYours.__name__]
    assert open_store(root).claims.holder("plan", "PLAN.md") == mine.claim
    assert RowJournal(team, "run-1", mine.claim.fence).result("b") == 7


# ---- answers that are lost ----


@pytest.fixture
def wire(postgres: PostgresServer) -> Iterator[Wire]:
    with Wire(postgres.port) as opened:
        yield opened
        close_idle()


@pytest.fixture
def lossy(team: Team, wire: Wire) -> Team:
    """The same team by a wire that loses answers."""
    name = team.url.partition("@/")[2].partition("?")[0]
    return replace(team, url=f"postgresql://postgres@127.0.0.1:{wire.port}/{name}")


def test_a_step_whose_answer_is_lost_is_there_once_and_ours(lossy: Team, wire: Wire, claim: Claim) -> None:
    journal = RowJournal(lossy, "run-1", claim.fence)
    for number in range(3):
        journal.begin(f"a/{number}")
        wire.lose("INSERT INTO steps")
        journal.end(f"a/{number}", number)
        assert journal.is_ours(f"a/{number}")
    assert wire.lost == 3
    assert [step.value for step in load_steps(lossy, "run-1")] == ["0", "1", "2"]


def test_a_claim_whose_answer_is_lost_is_ours(root: str, lossy: Team, wire: Wire) -> None:
    claims = RowClaims(lossy, root)
    for lost in ("INSERT INTO claims", "COMMIT", "setval"):
        wire.lose(lost)
        assert isinstance(claims.acquire("plan", "p", me(), 100), Acquired | AlreadyYours)
        wire.lose(lost if lost == "COMMIT" else "DELETE FROM claims")
        assert isinstance(claims.release("plan", "p", "me"), Released | NothingHeld)
        assert open_store(root).claims.holder("plan", "p") is None
    assert wire.lost == 6


# ---- many machines at once ----


def _contend(root: str, number: int, over: "multiprocessing.synchronize.Event") -> None:
    """A machine that takes the plan whenever it can, and writes steps until somebody else has it."""
    team = read_team(root, os.environ)
    assert team is not None
    owner = replace(me("run-1"), host=f"machine-{number}#1", run="run-1")
    while not over.is_set():
        decision = open_store(root).claims.acquire("plan", "PLAN.md", owner, 100)
        if isinstance(decision, HeldBy):
            time.sleep(0.002)
            continue
        journal = RowJournal(team, "run-1", decision.claim.fence)
        with contextlib.suppress(Fenced):
            while not over.is_set():
                seen = len(journal.keys())
                journal.end(f"{decision.claim.fence}/{seen}", [decision.claim.fence, seen])


@pytest.mark.full
def test_of_many_machines_only_the_one_that_has_the_plan_now_writes_and_it_knows_all_that_was_written(
    root: str, team: Team
) -> None:
    save_run(team, make_order(root=root), "", "host", root)
    context = multiprocessing.get_context("fork")
    over = context.Event()
    machines = [context.Process(target=_contend, args=(root, number, over), daemon=True) for number in range(4)]
    for machine in machines:
        machine.start()
    deadline, rounds = time.monotonic() + PATIENCE, 0
    while rounds < 100 or (len(_fences(team)) < 2 and time.monotonic() < deadline):
        rounds += 1
        time.sleep(0.02)
        let_lapse(team.url)  # their leases run out while they work
    over.set()
    for machine in machines:
        machine.join(PATIENCE)
        assert machine.exitcode == 0
    written = [json.loads(step.value) for step in load_steps(team, "run-1")]
    fences = [fence for fence, _ in written]
    assert fences == sorted(fences)
    assert [seen for _, seen in written] == list(range(len(written)))
    assert len(set(fences)) > 1


def _fences(team: Team) -> set[int]:
    """Those under which something was written so far."""
    return {json.loads(step.value)[0] for step in load_steps(team, "run-1")}
