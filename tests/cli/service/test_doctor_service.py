"""What doctor says of the service: nothing to those who need none, and loudly where something waits for nobody."""

import time
from pathlib import Path

import pytest

from planrail.install.findings import BAD, NOTE, WELL
from planrail.install.service import ServiceFacts, check_service, find_facts, judge_service
from planrail.store.ledger import open_tables
from planrail.team.dispatch import Dispatch
from planrail.team.queueing import ScheduleRow, SubmissionRequest
from tests.cli.service.machines import Stage


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stage:
    made = Stage(tmp_path)
    monkeypatch.setenv("PLANRAIL_STATE_DIR", made.environment["PLANRAIL_STATE_DIR"])
    monkeypatch.chdir(made.repository)
    return made


def _schedule(stage: Stage) -> None:
    with open_tables(str(stage.repository)) as tables:
        words = ("", "", "greet", "plans/greet.md", "4h", "9 */4 * * *", "UTC", "interval")
        Dispatch(tables).put_schedule(ScheduleRow(*words, SubmissionRequest(), time.time() + 7200))


RUNS = {"is_installed": True, "is_running": True, "has_worker": True, "in_repository": True}


@pytest.mark.parametrize(
    ("facts", "state", "said", "remedy"),
    [
        ({}, WELL, "nothing here needs one", ""),
        ({"has_worker": True}, WELL, "by hand", ""),
        ({"due": 2}, BAD, "2 schedules wait, and no worker", "planrail service install"),
        ({"due": 1, "waiting": 1}, BAD, "1 schedule and 1 plan in the queue wait", "planrail service install"),
        ({"is_installed": True, "said": "failed"}, BAD, "does not run: failed", "planrail service start"),
        ({"is_installed": True, "due": 1}, BAD, "1 schedule waits for nobody", "planrail service start"),
        ({**RUNS, "has_worker": False, "waiting": 1}, BAD, "no worker", "planrail service restart"),
        ({**RUNS, "due": 1}, BAD, "not told to serve this repository", "planrail service add"),
        ({**RUNS, "due": 1, "is_registered": True}, WELL, "serves this repository", ""),
        (RUNS, WELL, "the service runs", ""),
        ({**RUNS, "survives_logout": False}, NOTE, "logged in", "loginctl enable-linger"),
        ({**RUNS, "other_version": "0.1"}, NOTE, "0.1", "planrail service restart"),
        ({**RUNS, "problem": "the database is away"}, NOTE, "the database is away", "planrail service status"),
    ],
)
def test_a_finding_follows_from_the_facts(facts: dict[str, object], state: str, said: str, remedy: str) -> None:
    finding = judge_service(ServiceFacts(**{"is_installed": False, "is_running": False, **facts}))  # type: ignore[arg-type]
    assert (finding.name, finding.state, finding.remedy) == ("service", state, remedy)
    assert said in finding.text


@pytest.mark.full
def test_a_schedule_that_nobody_will_fire_is_found(stage: Stage) -> None:
    root = str(stage.repository)
    assert judge_service(find_facts(stage.machine, root)).state == WELL
    assert not (stage.folder / "state" / "ledgers").exists()  # who looks makes no ledger
    _schedule(stage)
    assert judge_service(find_facts(stage.machine, root)).remedy == "planrail service install"
    stage.run("install")
    stage.run("remove")
    assert find_facts(stage.machine, root).is_registered is False
    stage.run("add")
    facts = find_facts(stage.machine, root)
    assert (facts.is_running, facts.is_registered, facts.due) == (True, True, 1)


def test_status_shows_schedules_with_their_next_time(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    _schedule(stage)
    stage.run("add")
    stage.run("status")
    said = capsys.readouterr().out
    assert f"{stage.repository}: 1 schedule, 0 runs at work" in said
    assert "plans/greet.md  goes on every 4h (9 */4 * * *); next in " in said


def test_the_machine_that_this_runs_on_can_be_asked(tmp_path: Path) -> None:
    assert check_service(None).name == "service"
    assert check_service(str(tmp_path)).name == "service"
