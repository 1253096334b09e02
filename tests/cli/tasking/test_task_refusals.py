"""What is refused is said to people and to programs, with the command that helps."""

import json
from pathlib import Path

import pytest

from tests.cli.tasking.projects import Out, project, task
from tests.cli.tasking.task_stage import TaskStage

__all__ = ["project"]


@pytest.mark.parametrize(
    ("words", "error", "following"),
    [
        (("implement", "1"), "task 1 has no plan", "planrail task plan 1"),
        (("complete", "1"), "task 1 has no plan, so nothing proves that it is done", "planrail task plan 1"),
        (("complete", "9"), "there is no task 9", "planrail task list"),
        (("orchestrate", "9"), "there is no task 9", "planrail task list"),
        (("implement", "1,9"), "there is no task 9", "planrail task list"),
        (("orchestrate", "1,9"), "there is no task 9", "planrail task list"),
        (("reopen", "1"), "", ""),
        (("link-artifact", "1", "plan", "none"), "", ""),
        (("list", "--status", "zzz"), "", ""),
        (("complete", "1", "--force"), "", ""),
        (("complete", "1-2"), "", ""),
        (("orchestrate", "1", "--steps", "0"), "", ""),
    ],
)
def test_a_refusal_is_one_document_for_programs(
    project: Path, capsys: Out, words: tuple[str, ...], error: str, following: str
) -> None:
    assert task("new", "Write the greeting") == 0
    capsys.readouterr()
    code = task(*words, "--json")
    told = json.loads(capsys.readouterr().out)
    assert told["status"] == "refused"
    assert told["error"]
    if error:
        assert (code, told["error"], told["next"]) == (1, error, following)
        assert told["task"] == (int(words[1]) if words[1].isdigit() else None)
    else:
        assert code == (1 if words[0] in ("reopen", "link-artifact") else 2)


@pytest.mark.full
def test_of_several_one_that_is_not_approved_is_followed_by_its_approval(tmp_path: Path) -> None:
    stage = TaskStage(tmp_path, settings="")
    stage.new("Write the greeting")
    stage.new("Write the farewell", "--depends", "1")
    path = stage.plan(1, "one")
    stage.plan(2, "two")
    done = stage.task("implement", "1,2", "--json")
    assert done.returncode == 1
    told = json.loads(done.stdout)
    assert told["command"] == f"planrail approve {path}"
    rows = told["tasks"]
    assert [(row["task"], row["status"], row["state"]) for row in rows] == [
        (1, "planned", "failed"),
        (2, "planned", "held_back"),
    ]
    assert rows[0]["command"] == f"planrail approve {path}"


# ---- what waits for others ----


@pytest.mark.full
def test_a_task_is_not_implemented_before_those_that_it_depends_on_unless_a_person_insists(tmp_path: Path) -> None:
    stage = TaskStage(tmp_path)
    stage.new("First")
    stage.new("Second", "--depends", "1")
    stage.plan(1, "one")
    stage.plan(2, "two")
    done = stage.here("implement", "2", "--json")
    told = json.loads(done.stdout)
    assert (done.returncode, told["status"], told["next"]) == (1, "refused", "planrail task orchestrate 1,2")
    assert "task 2 waits for task 1, which is PLANNED" in told["error"]
    assert "--force" in told["error"]
    assert (stage.status(2), stage.count_starts()) == ("planned", [])
    assert stage.task("implement", "2", "--force").returncode == 0
    assert (stage.status(2), stage.count_starts()) == ("completed", ["two"])
    history = stage.show(2)["history"]
    assert isinstance(history, list)
    [begun] = [one for one in history if one["what"] == "begin_implement"]
    assert "--force" in begun["why"]
    assert "waits for task 1" in begun["why"]
