"""`planrail queue`: what waits, runs and rests, and why."""

import time
from pathlib import Path

import pytest

from planrail.base.errors import Held, PlanrailError, UsageError
from planrail.base.records import replace
from planrail.cli.lists import upcoming_command
from planrail.store.ledger import open_tables
from planrail.team.dispatch import Dispatch
from planrail.team.queue_looks import look_at_queues
from planrail.team.queueing import QUEUED, RESTING, Rest
from tests.cli.queue_projects import HOST, answer, answer_json, call, schedule, serve, submit
from tests.cli.queue_projects import project as project

Out = pytest.CaptureFixture[str]


def test_looking_at_a_queue_that_never_was_makes_no_ledger(project: Path, capsys: Out) -> None:
    told = answer(capsys, "queue")
    assert "the queue is empty" in told
    assert "next: planrail list plans" in told
    assert not list((project / ".git").rglob("ledger.db"))
    assert answer_json(capsys, "queue")["waiting"] == []


def test_the_line_is_shown_in_its_order_with_what_runs_before_and_what_rests_behind(project: Path, capsys: Out) -> None:
    for plan in ("first", "second", "third", "fourth"):
        submit(project, plan)
    token = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
    serve(project, Rest(RESTING, 0.0, f"which \033[2Jcolour? {token}", "paused"))
    shown = answer(capsys, "queue")
    assert ("no worker is there" in shown, "next: planrail service install" in shown) == (True, True)
    serve(project)
    submit(project, "urgent", priority=5, account="claude")
    told = answer_json(capsys, "queue")
    assert [row["path"] for row in told["running"]] == ["second.md"]
    assert [(row["place"], row["path"]) for row in told["waiting"]] == [
        (1, "urgent.md"),
        (2, "third.md"),
        (3, "fourth.md"),
    ]
    assert [row["path"] for row in told["resting"]] == ["first.md"]
    lines = answer(capsys, "queue")
    places = [lines.index(name) for name in ("second.md", "urgent.md", "third.md", "fourth.md", "first.md")]
    assert places == sorted(places)
    assert ("colour?" in lines, "\033" in lines, token in lines) == (True, False, False)
    assert "priority 5  claude" in lines
    assert "fourth.md has priority 7" in answer(capsys, "queue", "priority", "fourth.md", "7")
    assert answer_json(capsys, "queue")["waiting"][0]["path"] == "fourth.md"
    with pytest.raises(PlanrailError, match="not in the queue"):
        call("queue", "priority", "c.md", "3")
    with pytest.raises(Held) as refused:
        call("queue", "remove", "second.md")
    assert refused.value.remedy == "planrail stop second.md"


def test_a_plan_is_taken_out_of_the_queue_from_any_folder_and_its_schedule_stays(
    project: Path, capsys: Out, monkeypatch: pytest.MonkeyPatch
) -> None:
    submit(project, "a")
    schedule(project, "a", 3600)
    (project / "deep").mkdir()
    monkeypatch.chdir(project / "deep")
    assert "a.md is out of the queue" in answer(capsys, "queue", "remove", "../a.md")
    assert answer_json(capsys, "queue")["waiting"] == []
    assert len(answer_json(capsys, "list upcoming")["upcoming"]) == 1
    with pytest.raises(PlanrailError, match="not in the queue"):
        call("queue", "remove", "a.md")


def test_each_one_says_what_it_waits_for(project: Path, capsys: Out) -> None:
    submit(project, "runs", account="codex")
    serve(project)
    submit(project, "limited", account="codex")
    submit(project, "spent", account="claude")
    submit(project, "parked", due=time.time() + 7500)
    submit(project, "free")
    with open_tables(str(project)) as tables:
        Dispatch(tables).set_limit("account", "codex", 1)
        Dispatch(tables).hold_account("claude", time.time() + 3600)
    told = {row["path"]: (row["reason"], row["text"]) for row in answer_json(capsys, "queue")["waiting"]}
    assert told["limited.md"] == ("account limit", "1 of 1 of the account codex run")
    assert told["spent.md"][0] == "account"
    assert told["spent.md"][1].startswith("the account claude rests until in ")
    assert told["parked.md"][0] == "due"
    assert told["parked.md"][1].startswith("goes on in 2 h ")
    assert told["free.md"] == ("no worker", "waits for a worker: none is there")


def test_limits_are_set_shown_and_taken_away(project: Path, capsys: Out) -> None:
    assert "at most 2 of repository" in answer(capsys, "queue", "limit", "repository", ".", "2")
    answer(capsys, "queue", "limit", "account", "claude", "0")
    limits = answer_json(capsys, "queue")["limits"]
    assert {(limit["kind"], limit["name"], limit["most"]) for limit in limits} == {
        ("repository", "", 2),
        ("account", "claude", 0),
    }
    submit(project, "a", account="claude")
    assert "nothing of the account claude may run" in answer(capsys, "queue")
    assert answer_json(capsys, "queue", "limit", "account", "claude", "none")["most"] is None
    assert len(answer_json(capsys, "queue")["limits"]) == 1
    for words in (("repository", "elsewhere", "2"), ("account", "claude", "many"), ("--", "account", "claude", "-1")):
        with pytest.raises(UsageError):
            call("queue", "limit", *words)


def test_a_process_takes_up_its_own_submission_and_leaves_another_order_in_the_line(project: Path, capsys: Out) -> None:
    waiting = submit(project, "a", run="first")
    with open_tables(str(project)) as tables:
        with pytest.raises(Held, match=r"a\.md is queued already"):
            Dispatch(tables).take_up(replace(waiting, run="second"), "p", "{}", HOST)
        assert [row.state for row in Dispatch(tables).list_submissions()] == [QUEUED]
        assert Dispatch(tables).take_up(waiting, "p", "{}", HOST) is not None


def test_what_to_type_next_names_the_plan_as_seen_from_here(
    project: Path, capsys: Out, monkeypatch: pytest.MonkeyPatch
) -> None:
    submit(project, "first")
    serve(project, Rest(RESTING, 0.0, "which colour?", "paused"))
    schedule(project, "first", 1000)
    (project / "deep").mkdir()
    monkeypatch.chdir(project / "deep")
    assert answer(capsys, "queue").count("planrail status ../first.md") == 2
    coming = upcoming_command.list_coming(look_at_queues(str(project), all=False))
    assert upcoming_command.following(coming, "") == "planrail resume ../first.md"
