"""planrail as a library: what `import planrail` offers does what the commands do."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import planrail
from planrail.base.errors import UsageError
from tests.support.run_stage import PLAN as RUN
from tests.support.run_stage import RunStage

ROOT = Path(__file__).parents[2]
PLAN = "# Plan\n\n## Phase 1: one [done]\n\n## Phase 2: two [todo]\n\n- [ ] write it\n"


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "PLAN.md"
    path.write_text(PLAN)
    return path


def test_a_plan_is_read_linted_and_changed(plan: Path) -> None:
    read = planrail.read_plan("PLAN.md")
    assert [(phase.id, phase.status) for phase in read.phases] == [("1", "done"), ("2", "todo")]
    assert read.next is not None
    assert read.next.phase == "2"
    assert {problem.severity for problem in planrail.lint("PLAN.md")} <= {"error", "warning"}
    assert planrail.set_status("PLAN.md", "2", "in_progress")
    assert plan.read_text() == PLAN.replace("[todo]", "[in progress]")
    assert not planrail.set_status("PLAN.md", "2", "in_progress")
    with pytest.raises(UsageError, match="no phase '9'"):
        planrail.set_status("PLAN.md", "9", "done")


@pytest.mark.parametrize("folder", ["specs/001-login", "openspec/changes/login", ".kiro/specs/login"])
def test_the_folder_of_a_feature_is_a_plan(folder: str, plan: Path) -> None:
    (feature := plan.parent / folder).mkdir(parents=True)
    for name in ("spec.md", "proposal.md", "requirements.md"):
        (feature / name).write_text("# What is wanted\n")
    with pytest.raises(UsageError, match=r"no tasks\.md yet"):
        planrail.read_plan(folder)
    (feature / "tasks.md").write_text("# Tasks\n\n## 1. Login\n\n- [ ] 1.1 T001 write `src/login.py`\n")
    (phase,) = planrail.read_plan(folder).phases
    assert phase.title == "Login"
    assert [one.line for one in planrail.lint(folder)] == [one.line for one in planrail.lint(f"{folder}/tasks.md")]
    assert planrail.run_status(folder)["progress"] == planrail.run_status(f"{folder}/tasks.md")["progress"]
    assert planrail.set_status(folder, phase.id, "blocked")
    assert planrail.read_plan(f"{folder}/tasks.md").phases[0].status == "blocked"


def test_a_plan_shows_itself_in_a_text_that_grows_with_it_and_not_faster(tmp_path: Path) -> None:
    lengths = []
    for count in (10, 40):
        plan = tmp_path / f"{count}.md"
        plan.write_text(
            "# Plan\n" + "".join(f"\n## Phase {n}: a\n\n### Part\n\n- [ ] x\n" for n in range(10, 10 + count))
        )
        lengths.append(len(repr(planrail.read_plan(str(plan)))))
    assert lengths[1] < 5 * lengths[0]


def test_a_command_is_judged_and_a_program_cannot_approve(plan: Path) -> None:
    assert planrail.judge_command("git log | head").decision == "allow"
    assert planrail.judge_command("rm -rf src").decision == "deny"
    with pytest.raises(planrail.PlanrailError, match="nothing was approved"):
        planrail.approve("PLAN.md")


@pytest.mark.full
def test_a_run_is_started_and_asked_for(tmp_path: Path) -> None:
    stage = RunStage(tmp_path / "stage", 1)
    program = (
        "import json, planrail\n"
        f"end = planrail.start_run(planrail.RunRequest({RUN!r}, finish=True, auto=True))\n"
        f"status = planrail.run_status({RUN!r})\n"
        "try:\n    planrail.resume_run()\nexcept planrail.PlanrailError as error:\n    refused = error.message\n"
        "told = [end.state, end.exit_code, end.run, status['run']['run'], status['progress'], refused]\n"
        "print(json.dumps(told))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=stage.root, env=stage.environment, capture_output=True, text=True
    )
    state, code, run, asked, progress, refused = json.loads(done.stdout)
    assert (state, code, progress) == ("complete", 0, {"done": 1, "total": 1})
    assert run == asked
    assert refused == "no run here waits to be resumed"


def test_nothing_is_loaded_before_it_is_asked_for_and_what_is_not_there_is_an_error() -> None:
    program = "import sys, planrail; print([name for name in sys.modules if name.startswith('planrail.')])"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout == "[]\n"
    with pytest.raises(AttributeError, match="no_such_thing"):
        planrail.no_such_thing  # type: ignore[attr-defined]  # noqa: B018


def test_all_that_is_offered_has_types_and_a_document() -> None:
    from planrail import api

    stub = (ROOT / "src/planrail/__init__.pyi").read_text()
    assert [name for name in api.__all__ if f"import {name} as {name}\n" not in stub] == []
    assert [name for name in api.__all__ if not getattr(api, name).__doc__] == []


@pytest.mark.parametrize("folder", ["with git", pytest.param("without", marks=pytest.mark.full)])
def test_the_example_runs(tmp_path: Path, folder: str) -> None:
    shutil.copytree(ROOT / "src/planrail/examples/greeter", tmp_path / folder)
    if folder == "with git":
        subprocess.run(["git", "init", "-q", folder], cwd=tmp_path, check=True)
    command = [sys.executable, str(ROOT / "examples/library.py")]
    plan = next((tmp_path / folder / "plans").glob("*.md"))
    done = subprocess.run([*command, str(plan)], cwd=tmp_path / folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "next: phase 1" in done.stdout
    missing = subprocess.run([*command, "no.md"], cwd=tmp_path, capture_output=True, text=True)
    assert missing.returncode == 1
    assert "no.md" in missing.stderr
