"""Runs as rows: everybody in a team sees them, wherever they are carried out, and nobody who was taken over ends one."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from planrail.base.errors import Fenced
from planrail.base.records import replace
from planrail.base.run_model import Ending, Order
from planrail.runs.reporting.gathering import elapsed
from planrail.store.journal_lines import list_steps
from planrail.store.ledger import open_store
from planrail.store.owners import describe_process, host_identity
from planrail.store.postgres.connections import borrow
from planrail.store.postgres.journal import RowJournal
from planrail.store.postgres.run_rows import (
    list_run_rows,
    load_run_row,
    move_home,
    save_run,
    save_run_ending,
)
from planrail.store.runs.run_folders import (
    list_runs,
    load_ending,
    load_run,
    new_folder,
    save_ending,
)
from planrail.store.team import Team
from tests.runs.run_records import make_order, make_phase
from tests.store.claim_promises import elsewhere, me
from tests.store.claim_promises import sleeper as sleeper
from tests.store.postgres.leases import let_lapse

_TEXT = "# Plan\r\n\r\n- [ ] ünï \udcff\n"
_PAUSED = Ending("paused", "a person is asked", "planrail resume PLAN.md")
_COMPLETE = Ending("complete", "all is done", "planrail report PLAN.md")


@pytest.fixture
def order(root: str) -> Order:
    return make_order(make_phase("1"), make_phase("a/b"), root=root)


def test_a_run_comes_back_as_it_was_saved_and_changes_its_home_alone(team: Team, order: Order) -> None:
    save_run(team, order, _TEXT, "host#1", order.root)
    row = load_run_row(team, order.run)
    assert row is not None
    assert (row.order, row.ending, row.host, row.current) == (order, None, "host#1", {})
    assert row.load_text() == _TEXT
    assert load_run_row(team, "another") is None
    save_run(team, replace(order, title="another"), "other", "host#2", "/clone/\udcff")
    row = load_run_row(team, order.run)
    assert row is not None
    assert (row.order, row.host) == (replace(order, root="/clone/\udcff"), "host#2")
    assert row.load_text() == _TEXT
    move_home(team, replace(order, root="/clone", workspaces="/clone/rooms"), "host#3")
    row = load_run_row(team, order.run)
    assert row is not None
    assert (row.host, row.order.root, row.order.workspaces) == ("host#3", "/clone", "/clone/rooms")


def test_a_row_that_cannot_be_read_is_left_out(team: Team, order: Order) -> None:
    save_run(team, order, "", "host", order.root)
    for damage in ("", "{", "[]", '{"~": "Nothing"}'):
        with borrow(team.url) as link:
            link.execute("UPDATE runs SET ordered = %s", (damage,))
        assert list_run_rows(team) == []
        assert load_run_row(team, order.run) is None


# ---- endings ----


def test_an_ending_is_kept_and_taken_back(team: Team, order: Order) -> None:
    save_run(team, order, "", "elsewhere#1", "/elsewhere")
    for ending in (_PAUSED, None, _COMPLETE):
        save_run_ending(team, order.run, ending)
        assert [run.ending for run in list_runs(order.root)] == [ending]
    assert list_runs(order.root)[0].is_over


def test_who_holds_the_plan_ends_its_run_and_nobody_else_while_that_one_lives(
    team: Team, order: Order, sleeper: "subprocess.Popen[bytes]"
) -> None:
    save_run(team, order, "", host_identity(), order.root)
    open_store(order.root).claims.acquire("plan", order.plan, replace(me(order.run), run=order.run), 100)
    save_run_ending(team, order.run, _PAUSED)
    save_run_ending(team, order.run, None)
    other = describe_process(sleeper.pid, order.run, order.run)
    open_store(order.root).claims.takeover("plan", order.plan, other, 101, reason="it hangs")
    with pytest.raises(Fenced):
        save_run_ending(team, order.run, _COMPLETE)
    row = load_run_row(team, order.run)
    assert row is not None
    assert row.ending is None
    sleeper.kill()
    sleeper.wait()
    save_run_ending(team, order.run, _COMPLETE)


# ---- as everybody sees them ----


def test_a_run_of_another_machine_is_seen_whole_though_nothing_of_it_is_here(team: Team, order: Order) -> None:
    save_run(team, order, _TEXT, "elsewhere#1", "/elsewhere")
    claim = (
        open_store(order.root)
        .claims.acquire("plan", order.plan, replace(elsewhere(order.run), run=order.run), 100)
        .claim
    )
    times = iter([10.0, 11.0, 12.0, 13.0]).__next__
    journal = RowJournal(team, order.run, claim.fence, clock=times)
    journal.begin("phase/1/1/start")
    journal.end("phase/1/1/start", 7)
    journal.begin("phase/1/1/implement.1")
    (run,) = list_runs(order.root)
    assert (run.state, run.is_live, run.claim, run.is_home) == ("running", True, claim, False)
    assert [(line.at, line.key, line.state, line.result()) for line in run.lines] == [
        (10.0, "phase/1/1/start", "begun", None),
        (11.0, "phase/1/1/start", "ended", 7),
        (12.0, "phase/1/1/implement.1", "begun", None),
    ]
    assert run.current == "phase/1/1/implement.1"
    assert (run.agent_folder, run.text, run.order.root) == ("", _TEXT, "/elsewhere")
    assert (run.started, run.last_at, elapsed(run, 1060)) == (1000, 1000, 60)
    assert not os.path.exists(run.folder)
    assert list_steps(run.lines)[-1].ended is None
    with pytest.raises(Fenced):
        save_run_ending(team, order.run, _COMPLETE)
    let_lapse(team.url)  # its machine is silent
    (run,) = list_runs(order.root)
    assert (run.state, run.is_live, run.is_over) == ("interrupted", False, False)
    open_store(order.root).claims.acquire("plan", order.plan, replace(me("x"), run="another"), 100)
    (run,) = list_runs(order.root)
    assert (run.claim, run.is_live) == (None, False)
    open_store(order.root).claims.release("plan", order.plan, "x")
    save_run_ending(team, order.run, _COMPLETE)
    assert list_runs(order.root)[0].state == "complete"


def test_a_run_that_only_this_machine_has_is_listed_with_those_of_the_team(team: Team, order: Order) -> None:
    new_folder(order.root, replace(order, run="run-0", began=900), _TEXT)
    new_folder(order.root, order, _TEXT)
    save_run(team, order, _TEXT, host_identity(), order.root)
    found = list_runs(order.root)
    assert [(run.order.run, run.shared is None) for run in found] == [("run-1", False), ("run-0", True)]
    assert [run.text for run in found] == [_TEXT, _TEXT]
    assert all(run.is_home for run in found)


def test_an_ending_is_told_to_the_team_before_it_is_written_into_the_folder(team: Team, order: Order) -> None:
    folder = new_folder(order.root, order, _TEXT)
    save_run(team, order, _TEXT, "elsewhere#1", "/elsewhere")
    save_ending(folder, _PAUSED)
    assert list_runs(order.root)[0].ending == _PAUSED
    open_store(order.root).claims.acquire("plan", order.plan, replace(elsewhere(order.run), run=order.run), 100)
    with pytest.raises(Fenced):
        save_ending(folder, _COMPLETE)
    assert load_ending(folder) == _PAUSED


def test_who_ends_the_copy_of_a_run_ends_nothing_of_the_team(team: Team, order: Order, tmp_path: Path) -> None:
    folder = new_folder(order.root, order, _TEXT)
    save_run(team, order, _TEXT, host_identity(), order.root)
    save_ending(shutil.copytree(folder, str(tmp_path / "copy")), _COMPLETE)
    assert list_runs(order.root)[0].ending is None


def test_an_ending_that_only_its_own_machine_could_still_write_down_counts_there(team: Team, order: Order) -> None:
    folder = new_folder(order.root, order, _TEXT)
    save_ending(folder, _COMPLETE)  # the team has no row of it yet
    save_run(team, order, _TEXT, host_identity(), order.root)
    assert load_run(order.root, folder).is_over
    save_run(team, order, _TEXT, "elsewhere#1", "/elsewhere")  # it went on there
    assert load_run(order.root, folder).ending is None


def test_without_a_team_nothing_of_postgresql_is_imported(tmp_path: Path) -> None:
    program = (
        "import sys; from planrail.store.ledger import open_store; from planrail.store.runs import run_folders; "
        f"run_folders.list_runs({str(tmp_path)!r}); store = open_store({str(tmp_path)!r}); "
        f"store.claims.list_claims(); store.open_journal('r', {str(tmp_path)!r}, 1); store.open_ledger(); "
        "sys.exit(any(name.startswith(('psycopg', 'planrail.store.postgres')) for name in sys.modules))"
    )
    environment = {name: value for name, value in os.environ.items() if name != "PLANRAIL_DATABASE"}
    assert subprocess.run([sys.executable, "-c", program], env=environment, check=False).returncode == 0
