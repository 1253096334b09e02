"""A yes that was given on a laptop is heard by the workers, for the text that it was given for."""

import pytest

from planrail.cli.plans import approve_command
from tests.approval.scripted_desk import WORD, ScriptedTerminal, arguments_of, make_desk
from tests.postgres import forget_teams
from tests.support.worker_stage import Plan, Size, WorkerStage
from tests.team.conftest import MakeStage
from tests.team.promises import everything_is_done_once

_SETTINGS = "[approval]\nrequired = true\n"


@pytest.fixture
def stage(make_stage: MakeStage, database: str, monkeypatch: pytest.MonkeyPatch) -> WorkerStage:
    """A plan that needs a yes, and a person at the laptop."""
    made = make_stage(Size(plans=1, phases=2), database, has_remotes=True, settings=_SETTINGS)
    monkeypatch.chdir(made.plans[0].root)
    for name in ("PLANRAIL_DATABASE", "HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, made.laptop.environment[name])
    monkeypatch.delenv("PLANRAIL_STATE_DIR")
    forget_teams()
    return made


def _approve(plan: Plan) -> None:
    assert approve_command.approve(arguments_of(approve_command, plan.path), make_desk(ScriptedTerminal([WORD]))) == 0


@pytest.mark.full
def test_a_plan_that_was_approved_on_a_laptop_runs_on_a_worker(stage: WorkerStage) -> None:
    _approve(stage.plans[0])
    stage.submit()
    stage.machine("worker").start_worker()
    stage.wait_until_done()
    everything_is_done_once(stage)


@pytest.mark.full
def test_a_plan_that_nobody_approved_is_not_submitted(stage: WorkerStage) -> None:
    with pytest.raises(AssertionError):
        stage.submit()
    assert stage.open_submissions() == []


@pytest.mark.soak
def test_a_phase_that_was_edited_since_is_refused_on_the_worker(stage: WorkerStage) -> None:
    plan = stage.plans[0]
    _approve(plan)
    stage.submit()
    file = plan.root / plan.path
    file.write_text(file.read_text().replace("echo plan0 2", "echo plan0 2 edited"))
    stage.git(plan.root, "commit", "-q", "-a", "-m", "Edit")
    stage.git(plan.root, "push", "-q", "origin", "main")
    stage.machine("worker").start_worker()
    stage.wait_for(lambda: not stage.rows("SELECT 1 FROM submissions WHERE state IN ('queued', 'taken')"))
    assert "edited" not in stage.starts.read_text()
    assert "2" not in stage.landed(plan)
    [(said,)] = stage.rows("SELECT said FROM submissions")
    assert "approv" in said
