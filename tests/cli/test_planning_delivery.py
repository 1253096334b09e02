"""A disk that takes nothing more: what is there already is said, and how to go on."""

from pathlib import Path

import pytest

from planrail.ask.asking import AgentQuestion, AgentWatcher, Asking
from planrail.base.errors import ToolFailed
from planrail.base.records import replace
from planrail.planning.headless.delivery import Delivered, Undelivered, deliver, told_changes
from planrail.planning.options import PlanningOptions
from planrail.planning.planning import Planning, PlanningState, begin
from planrail.planning.plannings import KeptPlanning, load, save, save_stand
from tests.planning.conducting_fakes import PLAN


def _kept(folder: Path, place: str, **texts: str) -> KeptPlanning:
    planning: Planning = replace(begin("20260101-1", "Refuse empty names", PlanningOptions()), plan=PLAN, **texts)
    about = {"plan_file": place, "root": str(folder), "agent": "scripted", "critic": "scripted", "created": "0"}
    kept = KeptPlanning(planning, about)
    save(str(folder / "state"), kept)
    return kept


@pytest.mark.parametrize("original", ["", PLAN.replace("Refuse", "Accept")])
def test_a_plan_that_cannot_be_written_is_kept_and_can_be_gone_on_with(tmp_path: Path, original: str) -> None:
    (tmp_path / "file").write_text("no folder")
    kept = _kept(tmp_path, str(tmp_path / "file" / "PLAN.md"), original=original)
    failed = deliver(str(tmp_path / "state"), kept, 0.0)
    assert isinstance(failed, Undelivered)
    assert isinstance(failed.error, ToolFailed)
    assert Path(failed.kept).read_text() == PLAN
    assert failed.kept in failed.error.message
    assert failed.error.remedy.endswith("planrail plan --resume 20260101-1")


def test_a_process_that_died_with_the_plan_written_leaves_nothing_beside_it(tmp_path: Path) -> None:
    plans = tmp_path / "plans"
    plans.mkdir()
    kept = _kept(tmp_path, str(plans / "PLAN.md"))
    for _ in range(2):
        assert isinstance(deliver(str(tmp_path / "state"), kept, 0.0), Delivered)
        assert [path.name for path in plans.iterdir()] == ["PLAN.md"]
        (plans / ".PLAN.md.20260101-1").hardlink_to(plans / "PLAN.md")


def test_a_refined_plan_is_put_beside_the_changed_one_and_over_nothing(tmp_path: Path) -> None:
    (tmp_path / "PLAN.md").write_text("mine")
    (tmp_path / "PLAN.refined.md").write_text("from before")
    kept = _kept(tmp_path, str(tmp_path / "PLAN.md"), original=PLAN.replace("Refuse", "Accept"))
    places = []
    for _ in range(2):
        failed = deliver(str(tmp_path / "state"), kept, 0.0)
        assert isinstance(failed, Undelivered)
        places.append(failed.kept)
    assert places == [str(tmp_path / "PLAN.refined-20260101-1.md")] * 2
    assert (tmp_path / "PLAN.refined.md").read_text() == "from before"
    assert (tmp_path / "PLAN.md").read_text() == "mine"


def test_an_agent_whose_job_cannot_be_written_has_not_answered(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "jobs").write_text("no folder")
    asking = Asking(
        str(tmp_path / "jobs"), str(tmp_path), AgentWatcher(lambda one, event: None, lambda one, why, again: None)
    )
    questions = [AgentQuestion(f"explore-{number}", "explorer", "Look.", agent="scripted") for number in (1, 2)]
    replies = [*asking.ask_all(questions, 10), asking.ask(questions[0], 10)]
    assert {(reply.ok, reply.reason) for reply in replies} == {(False, "disk")}
    assert "could not be kept: Not a directory" in replies[0].error
    assert capfd.readouterr().err == ""  # no traceback of a thread


def test_a_state_that_cannot_be_saved_says_how_to_go_on(tmp_path: Path) -> None:
    kept = _kept(tmp_path, str(tmp_path / "PLAN.md"))
    (tmp_path / "state" / "plannings" / "20260101-1" / "asides.json").mkdir()
    with pytest.raises(ToolFailed, match="is kept there") as failure:
        save_stand(str(tmp_path / "state"), kept, PlanningState(kept.planning))
    assert failure.value.remedy == "make room there, then: planrail plan --resume 20260101-1"
    assert load(str(tmp_path / "state"), "20260101-1").planning.plan == PLAN
    assert told_changes(str(tmp_path / "state"), "20260101-1") == ""
