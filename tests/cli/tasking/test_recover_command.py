"""`planrail task recover`: out of the archive, and back to where documents say what a stage that died has left."""

import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from planrail.base.records import replace
from planrail.store.claim_rules import TASK
from planrail.store.ledger import open_store
from planrail.store.owners import describe_process
from planrail.tasks.book.task_rows import Note, open_book
from planrail.tasks.model import Task
from planrail.tasks.questions.model import StageOrder
from planrail.tasks.stage_folders import Kept, create, open_stages, save_answer
from tests.cli.tasking.projects import Out, committed, git, project, task, told, typed
from tests.cli.tasking.task_stage import TaskStage
from tests.tasks.importing.specs_trees import Tree, entry, plan_text, section
from tests.tasks.stages.stage_project import report

__all__ = ["project"]


def _import(root: Path, *entries: dict[str, Any], archived: tuple[dict[str, Any], ...] = ()) -> None:
    tree = Tree(root, list(entries), list(archived), [section(one) for one in entries], next_number=50)
    tree.write()
    git(root, "add", "-A")
    git(root, "commit", "-qm", "as it was")
    assert task("import") == 0


def _task(root: Path, number: int) -> Task:
    with open_book(str(root)) as book:
        return book.load(number)


def _set(root: Path, number: int, **changes: object) -> Task:
    with open_book(str(root)) as book:
        return book.change(number, lambda known: replace(known, **changes), Note("a test"))


# ---- out of the archive ----


def test_an_archived_task_comes_back_with_its_folder_and_its_state(project: Path, capsys: Out) -> None:
    path = Tree(project).document("specs/001_a/reports/01_x.md")
    _import(project, entry(1, "a", "abandoned", artifacts=[{"path": path, "type": "report"}]), entry(2, "b"))
    before = _task(project, 1)
    assert task("archive", "1") == 0
    assert not (project / path).exists()
    assert task("recover", "1") == 0
    assert _task(project, 1) == before
    assert (project / path).is_file()
    assert path in committed(project)
    assert git(project, "status", "--porcelain") == ""
    assert told(capsys, "check")["divergences"] == []
    head = git(project, "rev-parse", "HEAD")
    assert task("recover") == 0
    assert "nothing to recover" in capsys.readouterr().out
    assert git(project, "rev-parse", "HEAD") == head
    assert task("recover", "77") == 1


def test_where_all_are_archived_the_next_command_is_a_new_one_and_no_import(project: Path, capsys: Out) -> None:
    _import(project, entry(1, "a", "abandoned"))
    assert task("archive", "1") == 0
    for words in ((), ("list",)):
        capsys.readouterr()
        assert task(*words) == 0
        said = capsys.readouterr().out
        assert "no task is open; 1 task in the archive" in said
        assert "next: planrail task new" in said


def test_of_several_archived_tasks_with_a_number_one_has_to_be_named_and_gets_a_number_that_is_free(
    project: Path, capsys: Out
) -> None:
    _import(project, archived=(entry(1, "one", "completed"), entry(1, "two", "completed")))
    assert task("recover", "1") == 2
    assert "planrail task recover 1 --name one" in capsys.readouterr().err
    assert task("recover", "1", "--name", "two") == 0
    assert _task(project, 1).name == "two"
    assert task("recover", "1", "--name", "one") == 0
    assert _task(project, 50).name == "one"


def test_a_folder_of_no_task_becomes_one(project: Path, capsys: Out) -> None:
    _import(project, entry(1, "a"))
    Tree(project).document("specs/archive/032_mend_the_roof/plans/01_x.md", plan_text("NOT STARTED"))
    assert task("recover", "specs/archive/032_mend_the_roof") == 0
    found = _task(project, 32)
    assert (found.title, found.status) == ("Mend the roof", "planned")
    assert [one.path for one in found.artifacts] == ["specs/032_mend_the_roof/plans/01_x.md"]
    assert (project / found.artifacts[0].path).is_file()
    assert told(capsys, "check")["divergences"] == []


# ---- tasks in flight that nobody works on ----


@pytest.mark.parametrize(
    ("status", "folder", "after"), [("researching", "reports", "researched"), ("researching", "plans", "planned")]
)
def test_a_stage_that_died_is_over_where_its_document_is_there(
    project: Path, status: str, folder: str, after: str
) -> None:
    _import(project, entry(1, "a"))
    _set(project, 1, status=status)
    path = Tree(project).document(f"specs/001_a/{folder}/01_x.md")
    assert task("recover", "1") == 0
    found = _task(project, 1)
    assert (found.status, [one.path for one in found.artifacts]) == (after, [path])
    assert path in committed(project)


@pytest.mark.parametrize(
    ("status", "documents", "words", "after"),
    [
        ("researching", [], ["1"], "not_started"),
        ("planning", ["report"], [], "researched"),
        ("researching", ["report", "plan"], [], "planned"),
        ("implementing", ["report", "plan"], ["1"], "planned"),
        ("implementing", [], [], "not_started"),
        ("implementing", ["begun plan", "summary"], [], "partial"),
    ],
)
def test_a_task_that_nobody_works_on_goes_back_to_where_its_documents_say(
    project: Path, capsys: Out, status: str, documents: list[str], words: list[str], after: str
) -> None:
    tree = Tree(project)
    texts = {"plan": plan_text("NOT STARTED", "NOT STARTED"), "begun plan": plan_text("COMPLETED", "NOT STARTED")}
    linked = []
    for name in documents:
        type_ = name.removeprefix("begun ")
        folder = "summaries" if type_ == "summary" else f"{type_}s"
        linked += [{"path": tree.document(f"specs/001_a/{folder}/01_x.md", texts.get(name, "# A\n")), "type": type_}]
    _import(project, entry(1, "a", artifacts=linked))
    _set(project, 1, status=status)
    assert task("recover", *words) == 0
    assert "nobody works on it any more" in capsys.readouterr().out
    shown = told(capsys, "show", "1")
    assert (shown["status"], bool(_task(project, 1).resume_phase)) == (after, after == "partial")
    last = shown["history"][-1]
    assert last["what"] == ("interrupt" if after == "partial" else "recovered")
    assert (last["from"], last["to"]) == (status, after)
    assert git(project, "status", "--porcelain") == ""
    assert "nothing to recover" in (task("recover"), capsys.readouterr().out)[1]


def _begin(root: Path, known: Task, *, answered: bool) -> None:
    order = StageOrder("research", known.number, 1, known.title, {}, "normal", 1, False)
    stage = create(str(root), order, {"task": known.id, "agent": "claude"})
    if answered:
        save_answer(stage, "research", Kept(report()))


def test_a_stage_with_nothing_answered_is_left_and_one_with_answers_can_go_on(project: Path, capsys: Out) -> None:
    _import(project, entry(1, "a"), entry(2, "b"))
    _begin(project, _set(project, 1, status="researching"), answered=False)
    _begin(project, _set(project, 2, status="researching"), answered=True)
    assert task("recover") == 0
    said = capsys.readouterr().out
    assert "can go on: planrail task research 2" in said
    assert told(capsys, "show", "1")["status"] == "not_started"
    assert told(capsys, "show", "2")["status"] == "researching"
    assert open_stages(str(project), 1) == []
    assert len(open_stages(str(project), 2)) == 1
    assert task("recover", "2") == 0
    assert capsys.readouterr().out.rstrip().endswith("next: planrail task research 2")


def test_a_task_that_a_process_holds_is_left_and_the_others_are_recovered(project: Path, capsys: Out) -> None:
    _import(project, entry(1, "a"), entry(2, "b"))
    _set(project, 1, status="researching")
    _set(project, 2, status="researching")
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        owner = describe_process(other.pid, "another")
        open_store(str(project)).claims.acquire(TASK, "1", owner, int(time.time()))
        assert task("recover") == 0
        assert "it is being worked on" in capsys.readouterr().out
        assert told(capsys, "show", "1")["status"] == "researching"
        assert told(capsys, "show", "2")["status"] == "not_started"
        assert typed(project, "recover", "1").returncode == 10
        other.communicate(b"\n")
    assert task("recover", "1") == 0
    assert told(capsys, "show", "1")["status"] == "not_started"


@pytest.mark.full
def test_a_run_that_has_not_ended_is_gone_on_with_instead(tmp_path: Path) -> None:
    stage = TaskStage(tmp_path)
    number = stage.new("A task")
    stage.plan(number, "one", "two", before_one="sleep 60")
    process = stage.start("task", "implement", str(number))
    for _ in range(600):
        begun = [order for order in stage.root.glob(".git/planrail/runs/*/order.json") if order.parent.suffix != ".tmp"]
        if stage.status(number) == "implementing" and begun:
            break
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    done = stage.here("recover")
    assert f"a run of its plan has not ended: planrail task implement {number}" in done.stdout, (
        done.stdout + done.stderr
    )
    assert stage.status(number) == "implementing"
    stage.type("stop", stage.artifact(number, "plan"))
