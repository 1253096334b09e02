"""What leaves the store: facts, texts and rows of the queue, by the one way that there is, in both databases."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from planrail.base.errors import ToolFailed
from planrail.base.run_model import Order
from planrail.base.values import pack
from planrail.store.fact_rows import Ledger, open_folder
from planrail.store.postgres.tables import PgLedger
from planrail.store.pruning import PRUNED, forget_plan, list_ages
from planrail.store.team import Team
from planrail.team.dispatch import Dispatch
from planrail.team.queueing import QUEUED
from tests.store.queue_stage import StageTables, make, make_schedule, submit
from tests.store.queue_stage import tables as tables


class Died(BaseException):
    """The process is gone."""


@pytest.fixture(params=["embedded", "team"])
def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Ledger]:
    is_embedded = request.param == "embedded"
    found = open_folder(str(tmp_path)) if is_embedded else PgLedger(Team(request.getfixturevalue("database"), "one"))
    with found:
        yield found


def _approve(ledger: Ledger, plan: str, text: str, at: int = 1) -> str:
    hash = ledger.keep_text(text)
    ledger.add("approval", plan, {"text": hash, "who": "ann"}, at=at)
    return hash


def test_a_plan_is_forgotten_with_its_texts_and_a_fact_says_so(ledger: Ledger) -> None:
    text, other = _approve(ledger, "old", "an old plan"), _approve(ledger, "other", "another plan")
    ledger.add("phase", "old", {"phase": "1"}, at=5)
    assert forget_plan(ledger, "old", "ann", 100, before=50)
    (fact,) = ledger.facts(plan="old")
    assert (fact.kind, fact.at) == (PRUNED, 100)
    assert fact.value == {"by": "ann", "before": 50, "facts": 2, "texts": 1, "runs": 0}
    assert (ledger.text(text), ledger.text(other)) == (None, "another plan")
    assert list_ages(ledger) == {"old": 0, "other": 1}


def test_the_fact_that_says_so_goes_in_its_turn_and_leaves_nothing(ledger: Ledger) -> None:
    ledger.add("phase", "old", {}, at=5)
    assert forget_plan(ledger, "old", "ann", 100, before=50)
    assert forget_plan(ledger, "old", "ann", 200, before=150)
    assert ledger.facts() == []


def test_facts_of_some_kinds_go_and_the_others_stay(ledger: Ledger) -> None:
    for kind in ("order", "phase", "evidence"):
        ledger.add(kind, "done", {}, at=5)
    assert forget_plan(ledger, "done", "ann", 100, before=50, kinds=["order"])
    assert [fact.kind for fact in ledger.facts()] == ["phase", "evidence", PRUNED]


def test_a_plan_that_something_was_said_of_since_loses_nothing(ledger: Ledger) -> None:
    ledger.add("phase", "plan", {}, at=5)
    ledger.add("approval", "plan", {}, at=50)
    assert not forget_plan(ledger, "plan", "ann", 100, before=50)
    assert [fact.kind for fact in ledger.facts()] == ["phase", "approval"]


def test_a_text_that_another_plan_names_stays(ledger: Ledger) -> None:
    text = _approve(ledger, "old", "the same")
    _approve(ledger, "new", "the same", at=60)
    assert forget_plan(ledger, "old", "ann", 100, before=50)
    assert ledger.text(text) == "the same"


def test_a_text_that_another_repository_names_stays(database: str) -> None:
    one, two = (PgLedger(Team(database, name)) for name in ("one", "two"))
    text = _approve(one, "old", "the same")
    _approve(two, "old", "the same")
    assert forget_plan(one, "old", "ann", 100, before=50)
    assert two.text(text) == "the same"
    assert [fact.kind for fact in two.facts()] == ["approval"]


def _prune_then(ledger: Ledger, sql: str) -> None:
    """In the same transaction, and behind the end of what it may do."""
    with ledger.exclusive():
        with ledger.pruning():
            pass
        ledger.change(sql)


def _forget_and_die(ledger: Ledger) -> None:
    with ledger.exclusive():
        assert forget_plan(ledger, "old", "ann", 100, before=50)
        raise Died


@pytest.mark.parametrize("sql", ["DELETE FROM facts", "DELETE FROM texts", "UPDATE facts SET at = 1"])
def test_nothing_else_can_remove_or_change_what_is_on_record(ledger: Ledger, sql: str) -> None:
    _approve(ledger, "plan", "a plan")
    ledger.add("phase", "old", {}, at=5)
    for _ in ("before", "after"):
        with pytest.raises(ToolFailed, match="never"):
            ledger.change(sql)
        forget_plan(ledger, "old", "ann", 100, before=50)
    with pytest.raises(ToolFailed, match="never"):
        _prune_then(ledger, sql)
    assert [fact.kind for fact in ledger.facts(plan="plan")] == ["approval"]


def test_a_prune_that_dies_half_way_has_removed_nothing(ledger: Ledger) -> None:
    text = _approve(ledger, "old", "an old plan")
    with pytest.raises(Died):
        _forget_and_die(ledger)
    assert [fact.kind for fact in ledger.facts()] == ["approval"]
    assert ledger.text(text) == "an old plan"
    with pytest.raises(ToolFailed, match="never"):
        ledger.change("DELETE FROM facts")


def test_a_team_forgets_the_runs_and_steps_of_a_plan(database: str) -> None:
    import json

    ledger = PgLedger(Team(database, "one"))
    order = json.dumps(pack(Order("", "", "", "", "", "", "", True, "", (), None)))  # type: ignore[arg-type]
    for repository, run, plan in (("one", "r1", "old"), ("one", "r2", "new"), ("two", "r1", "old")):
        row = "INSERT INTO runs (repository, run, plan, began, ordered, text) VALUES (?, ?, ?, 1, ?, '')"
        ledger.change(row, repository, run, plan, order)
        step = "INSERT INTO steps (repository, run, key, began, ended, value) VALUES (?, ?, 'choose', 1, 2, '')"
        ledger.change(step, repository, run)
    assert forget_plan(ledger, "old", "ann", 100, before=50)
    for table in ("runs", "steps"):
        assert sorted(ledger.rows(f"SELECT repository, run FROM {table}")) == [("one", "r2"), ("two", "r1")]
    assert ledger.facts()[-1].value["runs"] == 1


# ---- the queue ----


def _list_plans(tables: StageTables) -> list[tuple[str, str]]:
    return [tuple(row) for row in tables.rows("SELECT plan, state FROM submissions ORDER BY plan, submitted")]


def _end(tables: StageTables, plan: str) -> None:
    submit(tables, plan)
    Dispatch(tables).remove(plan)


def test_submissions_and_schedules_that_ended_long_ago_go(tables: StageTables) -> None:
    _end(tables, "gone")
    Dispatch(tables).put_schedule(make_schedule("gone", next=tables.at + 60))
    Dispatch(tables).end_schedules("gone", "stopped")
    submit(tables, "waits")
    tables.at += 100
    before = tables.at
    _end(tables, "new")
    assert Dispatch(tables).prune(before) == 2
    assert _list_plans(tables) == [("new", "ended"), ("waits", QUEUED)]
    assert tables.rows("SELECT id FROM schedules") == []


def test_the_last_submission_of_a_plan_that_is_kept_or_scheduled_stays(tables: StageTables) -> None:
    for plan in ("kept", "scheduled", "gone"):
        for _ in range(3):
            _end(tables, plan)
    Dispatch(tables).put_schedule(make_schedule("scheduled", next=tables.at + 60))
    last = {plan: Dispatch(tables).find_submission(plan) for plan in ("kept", "scheduled")}
    tables.at += 100
    assert Dispatch(tables).prune(tables.at, {"kept"}) == 7
    assert {plan: Dispatch(tables).find_submission(plan) for plan in last} == last
    assert len(_list_plans(tables)) == 2


def test_what_is_not_ended_stays_however_old_it_is(tables: StageTables) -> None:
    Dispatch(tables).submit(make("waits"))
    Dispatch(tables).put_schedule(make_schedule("scheduled", next=tables.at + 60))
    tables.at += 1e9
    assert Dispatch(tables).prune(tables.at) == 0
    assert len(Dispatch(tables).list_submissions()) == len(Dispatch(tables).list_schedules()) == 1
