"""The queue in both databases: who may come, who is served, who waits."""

import pytest

from planrail.base.errors import Held, UsageError
from planrail.base.records import replace
from planrail.runs.request.requests import RunRequest
from planrail.team.dispatch import Dispatch
from planrail.team.queueing import ANSWERED, QUEUED, Limit
from tests.store.queue_stage import StageTables, finish, list_all, submit, take, taken
from tests.store.queue_stage import tables as tables

# ---- submitting ----


def test_a_submission_comes_back_as_it_was_put_in(tables: StageTables) -> None:
    put = submit(
        tables,
        "a",
        request=RunRequest("a.md", "é", parallel=2),
        priority=2,
        account="claude",
        remote="git@h:o/n",
        target="refs/heads/m",
    )
    assert Dispatch(tables).find_submission("a") == put
    assert put.repository == tables.repository
    assert put.state == QUEUED


def test_another_wish_for_a_plan_that_waits_or_runs_is_held(tables: StageTables) -> None:
    assert submit(tables, "a") == submit(tables, "a")
    assert len(Dispatch(tables).list_submissions()) == 1
    with pytest.raises(Held, match="queued already"):
        submit(tables, "a", request=RunRequest("a.md", finish=True))
    take(tables)
    with pytest.raises(Held, match="running already"):
        submit(tables, "a", request=RunRequest("a.md", finish=True))
    Dispatch(tables).ask_stop("a")
    with pytest.raises(Held, match="being stopped"):
        submit(tables, "a")


def test_a_plan_that_rests_goes_on_when_it_is_asked_for_once_more_and_one_that_ended_begins_anew(
    tables: StageTables,
) -> None:
    submit(tables, "a")
    row = take(tables)
    assert row is not None
    assert finish(tables, row, "paused") is not None
    with pytest.raises(Held, match="otherwise"):
        submit(tables, "a", request=RunRequest("a.md", auto=True))
    again = submit(tables, "a")
    assert (again.id, again.state, again.run) == (row.id, QUEUED, "r1")
    assert ANSWERED in again.wish.options
    woken = take(tables)
    assert woken is not None
    finish(tables, woken, "complete")
    assert submit(tables, "a").id != row.id
    assert (len(Dispatch(tables).list_submissions()), len(list_all(tables)[0])) == (1, 2)


def test_a_parked_plan_is_woken_before_its_time(tables: StageTables) -> None:
    submit(tables, "a")
    row = take(tables)
    assert row is not None
    finish(tables, row, "parked", tables.at + 5000)
    assert taken(tables) == ""
    woken = Dispatch(tables).wake("a")
    assert woken is not None
    assert taken(tables) == "a"
    assert Dispatch(tables).wake("a") is None, "it runs"


def test_a_yes_counts_for_one_turn_and_makes_no_other_wish(tables: StageTables) -> None:
    submit(tables, "a")
    row = take(tables)
    assert row is not None
    finish(tables, row, "paused")
    woken = Dispatch(tables).wake("a", is_answered=True)
    assert woken is not None
    assert submit(tables, "a") == woken
    for ending, is_answered in (("not_begun", True), ("held", True), ("yielded", True), ("paused", False)):
        tables.at += 1000
        row = take(tables)
        assert row is not None
        assert (ANSWERED in row.wish.options) == is_answered, ending
        rested = finish(tables, row, ending)
        assert rested is not None
        assert rested.tries == (1 if ending == "not_begun" else 0), "a turn that went well forgives it"


def test_a_process_takes_up_what_waits_for_its_run_or_rests_and_no_other_order(tables: StageTables) -> None:
    waiting = submit(tables, "a", run="first")
    with pytest.raises(Held, match="queued already"):
        Dispatch(tables).take_up(replace(waiting, run="second"), "p", "{}", "here")
    mine = Dispatch(tables).take_up(waiting, "p", "{}", "here")
    assert mine is not None
    assert Dispatch(tables).take_up(waiting, "q", "{}", "here") is None, "a process at work has it"
    finish(tables, mine, "paused")
    again = Dispatch(tables).take_up(replace(waiting, run="second"), "p", "{}", "here")
    assert again is not None
    assert (again.id, again.run) == (mine.id, "second")


# ---- serving ----


def test_priority_comes_first_then_who_came_first(tables: StageTables) -> None:
    for plan, priority in (("a", 0), ("b", 0), ("c", 5), ("d", -1)):
        submit(tables, plan, priority=priority)
    assert Dispatch(tables).set_priority("d", 9) is not None
    assert Dispatch(tables).set_priority("none", 3) is None
    assert [taken(tables) for _ in range(5)] == ["d", "c", "a", "b", ""]


def test_one_that_was_served_goes_behind_the_others(tables: StageTables) -> None:
    submit(tables, "a")
    submit(tables, "b")
    for expected in ("a", "b", "a", "b"):
        row = take(tables)
        assert row is not None
        assert row.plan == expected
        finish(tables, row, "yielded")
    submit(tables, "c")
    row = take(tables)
    assert row is not None
    assert row.plan == "a", "it has waited for longer than the new one"
    submit(tables, "d")
    finish(tables, row, "yielded")
    assert [taken(tables) for _ in range(4)] == ["b", "c", "d", "a"], "behind those that came during its turn"


def test_what_is_due_later_is_not_taken_before(tables: StageTables) -> None:
    submit(tables, "a", due=tables.at + 100)
    assert take(tables) is None
    assert Dispatch(tables).next_due() == 1_000_100.0
    tables.at += 100
    assert taken(tables) == "a"


@pytest.mark.parametrize("kind", ["repository", "account"])
def test_a_limit_holds_others_back_until_one_is_done(tables: StageTables, kind: str) -> None:
    name = tables.repository if kind == "repository" else "claude"
    Dispatch(tables).set_limit(kind, name, 1)
    submit(tables, "a", account="claude")
    submit(tables, "b", account="claude")
    row = take(tables)
    assert row is not None
    assert taken(tables) == ""
    Dispatch(tables).ask_stop("a")
    assert taken(tables) == "", "one that is being stopped is still there"
    finish(tables, row, "stopped")
    assert taken(tables) == "b"


def test_a_limit_for_every_account_holds_where_there_is_none_of_its_own(tables: StageTables) -> None:
    Dispatch(tables).set_limit("account", "*", 1)
    Dispatch(tables).set_limit("account", "codex", 2)
    for number, account in enumerate(("claude", "claude", "codex", "codex", "codex", "")):
        submit(tables, f"p{number}", account=account)
    assert [taken(tables) for _ in range(5)] == ["p0", "p2", "p3", "p5", ""]


def test_limits_that_make_no_sense_are_refused_and_others_can_be_changed_and_taken_away(tables: StageTables) -> None:
    for kind, name, most in (("colour", "red", 1), ("account", "a", -1), ("repository", "*", 0), ("account", "", 1)):
        with pytest.raises(UsageError):
            Dispatch(tables).set_limit(kind, name, most)
    Dispatch(tables).set_limit("account", "a", 1)
    Dispatch(tables).set_limit("account", "a", 3)
    assert Dispatch(tables).list_limits() == [Limit("account", "a", 3)]
    Dispatch(tables).set_limit("account", "a", 0)
    submit(tables, "p", account="a")
    assert taken(tables) == ""
    Dispatch(tables).set_limit("account", "a", None)
    assert Dispatch(tables).list_limits() == []
    assert taken(tables) == "p"


def test_an_account_at_its_usage_limit_starts_nothing_until_then(tables: StageTables) -> None:
    submit(tables, "a", account="claude")
    submit(tables, "b", account="codex")
    Dispatch(tables).hold_account("claude", tables.at + 50)
    assert Dispatch(tables).list_holds() == {"claude": tables.at + 50}
    assert Dispatch(tables).next_due() == tables.at + 50
    assert [taken(tables), taken(tables)] == ["b", ""]
    tables.at += 50
    assert Dispatch(tables).list_holds() == {}
    assert taken(tables) == "a"


def test_what_is_run_in_place_is_taken_on_its_own_host_only(tables: StageTables) -> None:
    submit(tables, "near", host="here", root="/r")
    submit(tables, "far", host="there", root="/r")
    submit(tables, "clone", host="there", remote="git@h:o/n")
    assert [taken(tables), taken(tables), taken(tables)] == ["near", "clone", ""]
    assert taken(tables, "there") == "far"


def test_one_at_work_learns_whether_another_could_have_its_place(tables: StageTables) -> None:
    Dispatch(tables).set_limit("repository", tables.repository, 1)
    submit(tables, "a", priority=1)
    mine = take(tables)
    assert mine is not None
    assert not Dispatch(tables).wants_turn(mine, "here")
    submit(tables, "low")
    assert not Dispatch(tables).wants_turn(mine, "here"), "it would be served first again"
    submit(tables, "far", priority=1, host="there")
    assert not Dispatch(tables).wants_turn(mine, "here")
    submit(tables, "b", priority=1)
    assert Dispatch(tables).wants_turn(mine, "here"), "the limit counts only the others"
