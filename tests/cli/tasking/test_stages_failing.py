"""What stands in the way of a stage is said with how far it is and how to go on; the next call goes on."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.lanes import soak
from tests.support.patience import PATIENCE
from tests.tasks.stages.stage_project import StageProject, drafted, good_script, plan, reply, report


@pytest.fixture
def project(tmp_path: Path) -> StageProject:
    made = StageProject(tmp_path)
    made.new()
    return made


@pytest.mark.soak
def test_a_time_out_keeps_what_is_there_and_the_next_call_goes_on_unless_it_restarts(project: StageProject) -> None:
    project.follow([reply("This is the last round", "", "author", delay=60), *good_script()])
    for words in ((), ("--restart",)):
        code, told, errors = project.stage("plan", "1", "--timeout", "0.12", *words)
        assert (code, told["status"]) == (1, "timed_out"), errors
        assert told["text"] == "planning stopped after 0.12 minutes: a plan is drafted, and criticised 1 time"
        assert told["next"] == "planrail task plan 1"
    assert len([prompt for prompt in project.prompts() if "Phase: DRAFT" in prompt]) == 2
    assert project.folders() == ["plan-1", "plan-1-left-1"]
    assert project.task(1)["status"] == "planning"
    project.follow(good_script())
    code, told, errors = project.stage("plan", "1")
    assert (code, told["status"]) == (0, "done"), errors
    assert "the plan …" not in errors
    assert "the revision …" in errors
    assert len(project.task(1)["phases"]) == 2


@pytest.mark.soak
def test_an_agent_that_was_cut_off_is_told_with_its_minutes_and_goes_on_in_its_conversation_as_it_was_ordered(
    project: StageProject,
) -> None:
    project.follow([reply("] Research task", report(), delay=60)])
    done = project.run("research", "1", "--agent", "scripted", "--timeout", "0.02", "the", "cache")
    assert done.returncode == 1
    assert "research stopped after 0.02 minutes: nothing is answered yet" in done.stdout
    assert done.stdout.rstrip().endswith("next: planrail task research 1")
    project.follow([reply("You were stopped before you had answered", report())])
    code, _, errors = project.stage("research", "1", "something", "else")
    assert code == 0, errors
    assert "by its own focus; to begin anew: --restart" in errors
    told = json.loads(project.script.with_name("script.json.state").read_text())["conversations"]
    assert [len(prompts) for prompts in told.values()] == [2]


def test_an_answer_that_is_wrong_is_asked_for_once_more_with_what_was_wrong(project: StageProject) -> None:
    wrong = reply("] Research task", report(findings=[]))
    right = reply("Your last answer cannot be used", report())
    project.follow([right, wrong])
    code, told, errors = project.stage("research", "1")
    assert (code, told["status"]) == (0, "done"), errors
    assert "findings is empty" in errors
    (asked,) = [prompt for prompt in project.prompts() if "Your last answer cannot be used" in prompt]
    assert "findings is empty" in asked
    assert len(project.jobs()) == 2


@pytest.mark.full
def test_what_fails_or_is_wrong_twice_ends_the_call(project: StageProject) -> None:
    project.follow([{"match": "", "error": "the model is overloaded", "times": 0}])
    code, told, errors = project.stage("research", "1")
    assert (code, told["status"]) == (1, "failed"), errors
    assert "the model is overloaded" in told["text"]
    project.follow([reply("", '{"title": "x"}')])
    code, told, errors = project.stage("research", "1")
    assert (code, told["status"]) == (1, "invalid"), errors
    assert len(project.jobs()) == 4
    assert project.task(1)["status"] == "researching"
    project.follow(good_script())
    assert project.stage("research", "1")[0] == 0


@pytest.mark.parametrize("failure", [{"crash": True}, soak({"error": "the model is overloaded"})])
def test_an_agent_that_fails_or_dies_is_asked_once_more(project: StageProject, failure: dict[str, object]) -> None:
    project.follow([{"match": "] Research", "times": 1, **failure}, *good_script()])
    code, _, errors = project.stage("research", "1")
    assert code == 0, errors
    assert "; asked once more" in errors


@pytest.mark.full
def test_an_agent_that_is_not_there_or_at_its_limit_is_told(project: StageProject, tmp_path: Path) -> None:
    project.more["PLANRAIL_AGENT_SCRIPT"] = str(tmp_path / "nowhere.json")
    code, told, errors = project.stage("plan", "1")
    assert (code, told["status"]) == (11, "missing"), errors
    assert "no script" in told["text"]
    assert (project.jobs(), project.folders(), project.task(1)["status"]) == ([], [], "not_started")
    del project.more["PLANRAIL_AGENT_SCRIPT"]
    limit = {"match": "This is the last round", "error": "usage limit reached", "reason": "limit", "times": 0}
    project.follow([limit, *good_script()])
    code, told, errors = project.stage("plan", "1")
    assert (code, told["status"]) == (1, "limit"), errors
    assert told["text"] == "planning stopped, the agent is at its usage limit: a plan is drafted, and criticised 1 time"
    project.follow([{**drafted(plan())[0], "match": "You were stopped before you had answered"}, *good_script()])
    assert project.stage("plan", "1")[0] == 0


@pytest.mark.soak
def test_one_of_a_team_that_fails_costs_the_others_nothing(project: StageProject) -> None:
    bad = {"match": "risks and gaps", "error": "overloaded", "times": 0}
    project.follow([bad, *good_script()])
    code, told, errors = project.stage("research", "1", "--team", "3")
    assert (code, told["status"]) == (1, "failed"), errors
    assert "2 of 3 researchers have answered" in told["text"]
    project.follow(good_script())
    code, _, errors = project.stage("research", "1")
    assert code == 0, errors
    assert len([prompt for prompt in project.prompts() if "the straight way" in prompt]) == 2  # and in the one report


@pytest.mark.soak
def test_a_stage_that_cannot_be_read_is_put_aside(project: StageProject) -> None:
    project.follow([reply("", report(), delay=60)])
    project.stage("research", "1", "--timeout", "0.02")
    (project.stage_folder("research-1") / "stage.json").write_text("{half")
    project.follow(good_script())
    assert project.stage("research", "1")[0] == 0
    assert project.folders() == ["research-1-aside-1", "research-1-done-1"]


@pytest.mark.full
@pytest.mark.parametrize("stage", [soak("research"), "plan"])
def test_a_task_that_is_closed_meanwhile_gets_no_document_and_no_more_is_paid(
    project: StageProject, stage: str
) -> None:
    """A person on another machine abandons it, where nobody sees who works on it."""
    project.follow(good_script(delay=2.0))
    process = project.start(stage, "1", "--agent", "scripted", "--json")
    assert process.stderr is not None
    process.stderr.readline()
    code = "from planrail.tasks.context.context import apply, open_context; apply(open_context(print), 1, 'abandon')"
    subprocess.run(
        [sys.executable, "-c", code], cwd=project.repo, env=project.environment(), check=True, timeout=PATIENCE
    )
    printed, errors = process.communicate(timeout=PATIENCE)
    told = json.loads(printed)
    assert (process.returncode, told["status"]) == (1, "refused"), errors
    assert [path for name in ("reports", "plans") for path in (project.repo / "specs").rglob(f"{name}/*")] == []
    assert len(project.jobs()) == 1
    if stage == "research":
        assert "is closed" in errors
        return
    assert told["text"].startswith("task 1 is ABANDONED by now: nothing more is asked, and what was answered is kept")
    assert told["next"] == "planrail task reopen 1 --force"
    kept = project.stage_folder("plan-1") / "plannings" / "plan" / "answers"
    assert [path.name for path in kept.iterdir()] == ["01-draft-001.md"]


_LONG = "overloaded:\n----- text of the plan -----\n\x1b[31mred\x1b[0m\r\n" + "word " * 400


@pytest.mark.full
@pytest.mark.parametrize(("command", "marks"), [("research", "✖✖n"), soak("orchestrate", "✖✖0n")])
def test_a_failure_of_any_length_is_told_in_one_line_without_controls(
    project: StageProject, command: str, marks: str
) -> None:
    project.new("Another")
    project.follow([{"match": "", "error": _LONG, "times": 0}])
    done = project.run(command, "1,2", "--agent", "scripted")
    assert done.returncode == 1
    rows = [line for line in done.stdout.splitlines() if line]
    assert [row[0] for row in rows] == list(marks)
    assert all(len(row) < 400 for row in rows)
    assert all(line.startswith("planrail: task ") for line in done.stderr.splitlines()), done.stderr
    assert "\x1b" not in done.stdout + done.stderr
    assert "overloaded: ----- text of the plan" in done.stdout


@pytest.mark.soak
def test_a_document_that_git_was_too_busy_for_is_named_with_its_command_and_taken_along_later(
    project: StageProject,
) -> None:
    merging = project.repo / ".git" / "MERGE_HEAD"
    merging.write_text(project.git("rev-parse", "HEAD"))
    code, told, errors = project.stage("research", "1")
    assert (code, told["status"]) == (0, "done"), errors
    (note,) = told["notes"]
    path = told["artifact"]
    assert note.endswith(f"git add -- {path} && git commit -m 'task 1: complete research' -- {path}")
    assert "?? specs/" in project.git("status", "--short")
    merging.unlink()
    code, told, errors = project.stage("plan", "1")
    assert (code, told["notes"]) == (0, []), errors
    assert project.git("status", "--short") == ""
    assert path in project.git("show", "--name-only", "--format=", "HEAD")


@pytest.mark.soak
def test_what_a_person_made_of_such_a_document_is_theirs_to_commit(project: StageProject) -> None:
    merging = project.repo / ".git" / "MERGE_HEAD"
    merging.write_text(project.git("rev-parse", "HEAD"))
    _, told, _ = project.stage("research", "1")
    merging.unlink()
    document = project.repo / told["artifact"]
    document.write_text(document.read_text() + "mine\n")
    assert project.stage("plan", "1")[0] == 0
    assert project.git("status", "--short", "--untracked-files=all") == f"?? {told['artifact']}\n"


def test_a_task_that_waits_for_another_is_researched_and_that_is_said_in_a_line(project: StageProject) -> None:
    assert project.run("new", "Tell it", "--depends", "1").returncode == 0
    code, _, errors = project.stage("research", "2")
    assert code == 0, errors
    (line,) = [line for line in errors.splitlines() if "waits for" in line]
    assert line.startswith("planrail: task 2 waits for task 1, which is NOT STARTED")
