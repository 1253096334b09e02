"""`planrail task recover`: tasks in flight that nobody works on go back to where their documents say."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from planrail.base.records import replace
from planrail.store.claim_rules import TASK
from planrail.store.ledger import open_store
from planrail.store.owners import describe_process
from planrail.tasks.book.task_rows import Note, open_book
from planrail.tasks.model import Task
from planrail.tasks.questions.model import StageOrder
from planrail.tasks.stage_folders import Kept, create, open_stages, save_answer
from tests.cli.tasking.projects import Out, git, project, task, told, typed
from tests.cli.tasking.task_stage import TaskStage
from tests.tasks.importing.specs_trees import Tree, entry, plan_text, section

__all__ = ["project"]
from tests.tasks.stages.stage_project import report


def _import(root: Path, *entries: dict[str, object]) -> None:
    Tree(root, list(entries), todo=[section(one) for one in entries], next_number=50).write()
    git(root, "add", "-A")
    git(root, "commit", "-qm", "as it was")
    assert task("import") == 0


def _set(root: Path, number: int, **changes: object) -> Task:
    with open_book(str(root)) as book:
        return book.change(number, lambda known: replace(known, **changes), Note("a test"))


def _begin(root: Path, known: Task, *, answered: bool) -> None:
    order = StageOrder("research", known.number, 1, known.title, {}, "normal", 1, False)
    stage = create(str(root), order, {"task": known.id, "agent": "claude"})
    if answered:
        save_answer(stage, "research", Kept(report()))


@pytest.mark.parametrize("words", [[], ["1"]])
@pytest.mark.parametrize(
    ("status", "documents", "after"),
    [
        ("researching", [], "not_started"),
        ("planning", [], "not_started"),
        ("planning", ["report"], "researched"),
        ("researching", ["report", "plan"], "planned"),
        ("implementing", ["report", "plan"], "planned"),
        ("implementing", [], "not_started"),
    ],
)
def test_a_task_that_nobody_works_on_goes_back_to_where_its_documents_say(
    project: Path, capsys: Out, status: str, documents: list[str], after: str, words: list[str]
) -> None:
    tree = Tree(project)
    texts = {"report": "# A report\n", "plan": plan_text("NOT STARTED", "NOT STARTED")}
    paths = [(type_, tree.document(f"specs/001_a/{type_}s/01_x.md", texts[type_])) for type_ in documents]
    _import(project, entry(1, "a", artifacts=[{"path": path, "type": type_} for type_, path in paths]))
    _set(project, 1, status=status)
    assert task("recover", *words) == 0
    assert "nobody works on it any more" in capsys.readouterr().out
    shown = told(capsys, "show", "1")
    assert shown["status"] == after
    last = shown["history"][-1]
    assert (last["what"], last["from"], last["to"]) == ("recovered", status, after)
    assert git(project, "status", "--porcelain") == ""
    assert "nothing to recover" in (task("recover"), capsys.readouterr().out)[1]


def test_work_of_which_a_part_is_done_is_done_in_part(project: Path, capsys: Out) -> None:
    path = Tree(project).document("specs/001_a/plans/01_x.md", plan_text("COMPLETED", "NOT STARTED"))
    _import(project, entry(1, "a", artifacts=[{"path": path, "type": "plan"}]))
    _set(project, 1, status="implementing")
    assert task("recover") == 0
    assert told(capsys, "show", "1")["status"] == "partial"


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


def test_a_task_in_somebodys_hands_is_left_and_the_others_are_recovered(project: Path, capsys: Out) -> None:
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
    done = stage.task("recover")
    assert f"a run of its plan has not ended: planrail task implement {number}" in done.stdout, (
        done.stdout + done.stderr
    )
    assert stage.status(number) == "implementing"
    stage.type("stop", stage.artifact(number, "plan"))
