"""What a store promises, whichever database is behind it: alone in a folder, or shared by a team."""

import contextlib
import os
from pathlib import Path

import pytest

from planrail.base.records import replace
from planrail.base.run_model import Ending
from planrail.store.embedded import Store
from planrail.store.ledger import open_store
from planrail.store.owners import describe_process
from planrail.store.runs.run_folders import list_runs, load_run, new_folder, read_journal, save_ending
from tests.runs.run_records import make_order, make_phase
from tests.store.claim_promises import me


@pytest.fixture(params=["embedded", "team"])
def root(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "team":
        monkeypatch.setenv("PLANRAIL_DATABASE", request.getfixturevalue("database"))
    (tmp_path / "project").mkdir()
    return str(tmp_path / "project")


@pytest.fixture
def store(root: str) -> Store:
    return open_store(root)


def test_who_only_looks_makes_nothing_and_sees_what_was_recorded(store: Store) -> None:
    assert not store.has_ledger()
    with store.look() or contextlib.nullcontext() as ledger:
        assert ledger is None or ledger.facts() == []
    assert not store.has_ledger()
    with store.open_ledger() as ledger:
        ledger.add("note", "plan", {"a": 1}, id="1", at=5)
    assert store.has_ledger()
    assert store.has_rows(patience=1.0)
    found = store.look()
    assert found is not None
    with found:
        assert [(fact.id, fact.value) for fact in found.facts("note")] == [("1", {"a": 1})]


def test_a_run_is_found_with_its_journal_and_its_ending(root: str, store: Store) -> None:
    order = make_order(make_phase("1"), root=root)
    folder = new_folder(root, order, "# Plan\n")
    store.save_run(order, "# Plan\n")
    claim = store.claims.acquire("plan", order.plan, describe_process(os.getpid(), order.run, order.run), 100).claim
    with contextlib.closing(store.open_journal(order.run, folder, claim.fence)) as journal:
        journal.begin("a")
        journal.end("a", ("x",))
    run = load_run(root, folder)
    assert run.is_live
    store.claims.release("plan", order.plan, order.run)
    run = load_run(root, folder)
    assert not run.is_live
    assert (run.is_home, run.text, run.is_over) == (True, "# Plan\n", False)
    assert [(line.key, line.state) for line in run.lines] == [("a", "begun"), ("a", "ended")]
    assert read_journal(folder)[1].result() == ("x",)
    save_ending(folder, Ending("complete", "all is done", ""))
    assert [(found.order.run, found.state) for found in list_runs(root, order.plan)] == [(order.run, "complete")]
    assert list_runs(root, "another") == []


def test_runs_are_listed_newest_first_and_by_their_plan(root: str, store: Store) -> None:
    for number in range(3):
        order = make_order(make_phase("1"), root=root, run=f"run-{number}")
        order = replace(order, began=1000 + number, plan=f"{number % 2}\udcff.md")
        new_folder(root, order, "")
        store.save_run(order, "")
    assert [run.order.run for run in list_runs(root)] == ["run-2", "run-1", "run-0"]
    assert [run.order.run for run in list_runs(root, "0\udcff.md")] == ["run-2", "run-0"]


def test_the_one_who_lives_and_holds_a_plan_is_found(store: Store) -> None:
    assert store.claims.live_holder("plan", "p") is None
    claim = store.claims.acquire("plan", "p", me(), 100).claim
    assert store.claims.live_holder("plan", "p") == claim
    assert store.claims.list_leases("plan") == store.claims.list_leases(name="p") == [(claim, True)]
    assert store.claims.list_leases("issue") == []
