"""`planrail list upcoming`: what goes on by itself, and when."""

import re
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from planrail.store.ledger import open_tables
from planrail.team.dispatch import Dispatch
from planrail.team.queueing import QUEUED, Rest
from planrail.team.schedules.times import describe_when
from tests.cli.queue_projects import answer, answer_json, schedule, serve, submit
from tests.cli.queue_projects import project as project

Out = pytest.CaptureFixture[str]


def test_a_time_is_told_relative_and_absolute_in_the_zone() -> None:
    now = datetime(2026, 11, 16, 5, 58, tzinfo=UTC).timestamp()
    at = datetime(2026, 11, 16, 8, 3, tzinfo=UTC).timestamp()
    assert describe_when(at, now, "Europe/Berlin") == "in 2 h 5 min · Mon 2026-11-16 09:03 CET"


def test_nothing_to_come_says_so_and_makes_no_ledger(project: Path, capsys: Out) -> None:
    told = answer(capsys, "list upcoming")
    assert "nothing is scheduled" in told
    assert "next: planrail list plans" in told
    assert not list((project / ".git").rglob("ledger.db"))


def test_schedules_and_parked_runs_are_shown_the_next_first(project: Path, capsys: Out) -> None:
    schedule(project, "later", 7200)
    schedule(project, "sooner", 600)
    submit(project, "parked")
    serve(project, Rest(QUEUED, time.time() + 3600, "the usage limit of claude", "parked"))
    told = answer_json(capsys, "list upcoming")
    assert [(row["path"], row["kind"]) for row in told["upcoming"]] == [
        ("sooner.md", "schedule"),
        ("parked.md", "parked"),
        ("later.md", "schedule"),
    ]
    first = told["upcoming"][0]
    assert datetime.fromisoformat(first["at"]).timestamp() == pytest.approx(first["next"], abs=1)
    assert first["zone"] == told["zone"] == "Europe/Berlin"
    assert 590 < first["seconds"] < 601
    lines = answer(capsys, "list upcoming")
    assert re.search(r"in (10 min|9 min \d+ s) · \w{3} \d{4}-\d\d-\d\d \d\d:\d\d CES?T  sooner\.md", lines)
    assert "every 4h  (3 */4 * * *, Europe/Berlin)" in lines
    assert "parked: the usage limit of claude" in lines


def test_all_shows_the_repositories_of_the_service_too(project: Path, capsys: Out, tmp_path: Path) -> None:
    from planrail.team.registry import add_repository
    from tests.cli.run_projects import make_project

    other = make_project(tmp_path / "other")
    add_repository(str(other))
    schedule(project, "here", 600)
    schedule(other, "there", 300)
    assert [row["path"] for row in answer_json(capsys, "list upcoming")["upcoming"]] == ["here.md"]
    told = answer_json(capsys, "list upcoming", "--all")["upcoming"]
    assert [(row["path"], row["repository"]) for row in told] == [("there.md", str(other)), ("here.md", str(project))]


def test_a_held_schedule_says_why_and_how_to_start_it_anew(project: Path, capsys: Out) -> None:
    schedule(project, "a", 600)
    told = answer_json(capsys, "list upcoming")
    assert ("no worker is there" in told["note"], told["next"]) == (True, "planrail service install")
    with open_tables(str(project)) as tables:
        Dispatch(tables).settle_schedule(tables.repository, "a", "failed", "a check failed", began=tables.now() + 9)
    (row,) = answer_json(capsys, "list upcoming")["upcoming"]
    assert (row["state"], row["why"], row["next"], row["at"]) == ("held", "a check failed", None, None)
    shown = answer(capsys, "list upcoming")
    assert ("a check failed" in shown, "next: planrail run a.md every 4h" in shown) == (True, True)
