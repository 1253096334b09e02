"""`planrail queue` and `planrail list upcoming` where several machines share a database."""

import time
from pathlib import Path

import pytest

from planrail.runs.request.requests import RunRequest
from planrail.store.addresses import name_repository
from planrail.store.ledger import open_team_tables
from planrail.team.dispatch import Dispatch
from planrail.team.queueing import Submission, SubmissionRequest, WorkerRow
from tests.cli.queue_projects import answer, answer_json, schedule, submit
from tests.cli.queue_projects import project as project
from tests.postgres import database as database
from tests.postgres import forget_teams
from tests.postgres import postgres as postgres

Out = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _team(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLANRAIL_DATABASE", database)
    forget_teams()


def put_elsewhere(database: str, **fields: str) -> None:
    """A submission of another repository."""
    with open_team_tables(database) as tables:
        row = Submission("", "host/team/other", "x", "x.md", SubmissionRequest(RunRequest("x.md")), **fields)  # type: ignore[arg-type]
        Dispatch(tables).submit(row)


def test_a_project_shows_its_own_line_and_all_that_of_the_database(project: Path, capsys: Out, database: str) -> None:
    submit(project, "a", remote="git@h:o/n")
    put_elsewhere(database, remote="git@h:o/other")
    schedule(project, "a", 600)
    assert [row["path"] for row in answer_json(capsys, "queue")["waiting"]] == ["a.md"]
    told = answer_json(capsys, "queue", "--all")["waiting"]
    names = [(row["path"], row["repository"]) for row in told]
    assert names == [("a.md", name_repository(str(project))), ("x.md", "host/team/other")]
    assert len(answer_json(capsys, "list upcoming", "--all")["upcoming"]) == 1


def test_what_is_run_in_place_waits_for_a_worker_of_its_own_machine(project: Path, capsys: Out, database: str) -> None:
    submit(project, "near", host="laptop#1")
    submit(project, "clone", host="laptop#1", remote="git@h:o/n")
    with open_team_tables(database) as tables:
        Dispatch(tables).save_worker(WorkerRow("w", "big#2", 7, "{}", 4, busy=4))
    told = answer(capsys, "queue")
    assert "waits for a worker on laptop" in told
    assert "waits for a free slot" in told
    assert "worker: process 7 on big, 4 of 4 slots busy" in told
    assert "no worker is there" not in told


def test_limits_are_those_of_the_team(project: Path, capsys: Out, database: str) -> None:
    answer(capsys, "queue", "limit", "repository", ".", "1")
    answer(capsys, "queue", "limit", "repository", "host/team/other", "3")
    answer(capsys, "queue", "limit", "account", "*", "2")
    limits = {(limit["kind"], limit["name"]): limit["most"] for limit in answer_json(capsys, "queue")["limits"]}
    own = name_repository(str(project))
    assert limits == {("repository", own): 1, ("repository", "host/team/other"): 3, ("account", "*"): 2}
    with open_team_tables(database) as tables:
        Dispatch(tables).hold_account("claude", time.time() + 900)
    assert list(answer_json(capsys, "queue")["accounts"]) == ["claude"]
