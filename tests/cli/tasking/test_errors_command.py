"""`planrail task errors`: what went wrong in groups, and tasks that fix it, made once."""

from pathlib import Path

from planrail.cli.screen import warn
from planrail.tasks.book.task_rows import open_book
from planrail.tasks.context.context import open_context
from planrail.tasks.context.error_records import keep_error, log_error
from planrail.tasks.error_log import from_entry
from tests.cli.tasking.projects import Out, committed, git, task, told
from tests.cli.tasking.projects import project as project


def _fail(message: str, type_: str = "timeout", **where: object) -> str:
    return log_error(open_context(warn), type_, message, **where)


def test_where_nothing_went_wrong_nothing_is_written(project: Path, capsys: Out) -> None:
    before = sorted(project.rglob("*"))
    assert task("errors") == 0
    assert "nothing is left to fix" in capsys.readouterr().out
    assert sorted(project.rglob("*")) == before


def test_an_error_has_its_id_type_severity_context_and_recovery_and_those_of_one_cause_are_one_group(
    project: Path, capsys: Out
) -> None:
    name = _fail("planning stopped after 30 minutes", command="planrail task plan 7", task=7, phase="2")
    _fail("planning stopped after 10 minutes", task=8)
    _fail("the agent is missing", "tool_unavailable")
    groups = told(capsys, "errors")["groups"]
    assert sorted(group["count"] for group in groups) == [1, 2]
    (group,) = [group for group in groups if group["tasks"] == [7, 8]]
    (entry,) = [entry for entry in group["errors"] if entry["id"] == name]
    assert name.removeprefix("err_").isdigit()
    assert (entry["type"], entry["severity"], entry["fix_status"]) == ("timeout", "medium", "unfixed")
    assert entry["context"]["task"] == 7
    assert entry["context"]["session_id"].startswith("sess_")
    assert group["action"]


def test_fixing_makes_one_task_for_each_group_that_has_none_which_is_open(project: Path, capsys: Out) -> None:
    _fail("planning stopped after 30 minutes")
    _fail("planning stopped after 10 minutes")
    _fail("the agent is missing", "tool_unavailable")
    answer = told(capsys, "errors", "--fix")
    assert len(answer["made"]) == 2
    assert {group["unfixed"] for group in answer["groups"]} == {0}
    assert {number for group in answer["groups"] for number in group["fix_tasks"]} == set(answer["made"])
    assert committed(project) == ["specs/TODO.md", "specs/state.json"]
    assert git(project, "log", "-1", "--format=%s").startswith("errors: create 2 tasks")
    assert told(capsys, "errors", "--fix")["made"] == []
    _fail("planning stopped after 45 minutes")
    (number,) = told(capsys, "errors", "--fix")["made"]
    assert number in answer["made"]
    assert len(told(capsys, "list")["tasks"]) == 2
    assert task("abandon", str(number)) == 0
    assert [group["unfixed"] for group in told(capsys, "errors")["groups"] if group["count"] == 3] == [3]
    assert told(capsys, "errors", "--fix")["made"] == [3]


def test_a_person_can_say_that_it_is_fixed_of_what_is_known(project: Path, capsys: Out) -> None:
    name = _fail("planning stopped after 30 minutes")
    assert task("errors", "--fixed", name, "err_0") == 1
    assert "err_0" in capsys.readouterr().err
    assert told(capsys, "errors")["groups"][0]["unfixed"] == 1
    assert told(capsys, "errors", "--fixed", name)["groups"] == []
    assert told(capsys, "errors", "--all")["groups"][0]["errors"][0]["fix_status"] == "fixed"


def test_errors_are_told_in_sentences_that_cannot_steer_the_terminal(project: Path, capsys: Out) -> None:
    _fail("the agent changed nothing", "other", command="task implement", task=2, phase="1", checkpoint="nothing_done")
    _fail("claude was not found on the PATH. Install it.", "tool_unavailable", command="task research", task=3)
    _fail("\x1b[31mred\x1b[0m\nsecond line")
    assert task("errors") == 0
    said = capsys.readouterr().out
    assert "the agent changed nothing  (task 2, phase 1)" in said
    assert "claude was not found on the PATH  (task 3)" in said
    assert ", while implementing, err_" in said
    assert "serious: a program was missing; once, on " in said
    assert all(word not in said for word in ("nothing_done", "other", "tool_unavailable", "medium", "\x1b"))
    assert said.splitlines()[-1] == "next: planrail task errors --fix"


def test_an_imported_error_that_is_being_fixed_by_nobody_gets_a_task(project: Path, capsys: Out) -> None:
    entry = {"id": "err_1", "type": "timeout", "message": "slow 1", "fix_status": "in_progress"}
    with open_book(str(project)) as book:
        keep_error(book, from_entry(entry), 1.0)
    _fail("slow 2")
    (number,) = told(capsys, "errors", "--fix")["made"]
    assert number == 1
