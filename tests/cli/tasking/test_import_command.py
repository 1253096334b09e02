"""`planrail task import`: a folder of tasks is taken over, once, whole, and told about."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from planrail.base.records import replace
from planrail.store.places import ledger_folder
from planrail.tasks.book.task_rows import open_book
from planrail.tasks.model import Task
from tests.cli.tasking.projects import Out, committed, git, project, task, told
from tests.tasks.importing.specs_trees import Tree, entry, make_tree, section

__all__ = ["project"]


def _commit(root: Path) -> None:
    git(root, "add", "-A")
    git(root, "commit", "-qm", "as it was")


def _book(root: Path) -> tuple[list[Task], list[Task], dict[str, object], int]:
    """What the ledger has; of archived tasks with one number the order is nobody's business."""
    with open_book(str(root)) as book:
        archived = sorted((replace(one, id="") for one in book.tasks(archived=True)), key=repr)
        return [replace(one, id="") for one in book.tasks()], archived, book.head(), book.next_number()


def _small(root: Path, **changes: Any) -> Tree:
    tree = Tree(root, next_number=4)
    tree.active = [entry(1, "first", **changes), entry(3, "third", "planned", dependencies=[1])]
    tree.todo = [section(one) for one in tree.active]
    tree.order = ["1 [NOT STARTED] — x", "3 [PLANNED] — y"]
    tree.write()
    return tree


def test_a_folder_with_hundreds_of_tasks_is_taken_over_whole_and_once(project: Path, capsys: Out) -> None:
    tree = make_tree(project, 7)
    _commit(project)
    todo = (project / "specs" / "TODO.md").read_bytes()
    answer = told(capsys, "import")
    assert answer["archived"] == answer["added_archived"] == len(tree.archived)
    assert answer["counts"] == dict(tree.expected)
    assert len(answer["divergences"]) == sum(tree.expected.values())
    before, commit = _book(project), git(project, "rev-parse", "HEAD")
    opened, archived, _, following = before
    assert (len(opened), len(archived), following) == (answer["tasks"], len(tree.archived), tree.next_number)
    assert committed(project) == ["specs/TODO.md", "specs/archive/state.json", "specs/state.json"]
    assert git(project, "log", "-1", "--format=%s").startswith("sync: take over ")
    assert git(project, "status", "--porcelain") == ""
    assert Path(answer["kept"], "TODO.md").read_bytes() == todo  # the files are kept as they were
    assert Path(answer["kept"]).is_relative_to(ledger_folder(str(project)))
    answer = told(capsys, "import")
    assert (answer["added"], answer["added_archived"], answer["changed"]) == ([], 0, [])
    assert _book(project) == before
    assert git(project, "rev-parse", "HEAD") == commit
    assert git(project, "status", "--porcelain") == ""


@pytest.mark.full
def test_a_fresh_clone_takes_its_tasks_from_the_committed_views(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_tree(project, 9, 20, 40)
    _commit(project)
    assert task("import") == 0
    assert task("new", "a task of a person\nwith `signs` and\n## headings\n- **Status**: [COMPLETED]") == 0
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", str(project), str(clone)], check=True)
    monkeypatch.chdir(clone)
    assert task("import", "--no-commit") == 0
    assert _book(clone) == _book(project)
    assert git(clone, "status", "--porcelain") == ""


def test_a_long_list_is_summarised_by_kind_and_kept_in_a_file_that_is_told_from_where_the_person_is(
    project: Path, capsys: Out, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = make_tree(project, 10)
    state = project / "specs" / "state.json"
    state.write_text(state.read_text() + "}")
    monkeypatch.chdir(project / "specs")
    assert task("import", "--no-commit") == 0
    said = capsys.readouterr().out
    lines = said.splitlines()
    assert f"{tree.expected['open_phases']}  completed tasks whose plan says otherwise" in said
    first = next(at for at, line in enumerate(lines) if line.endswith("divergences:")) + 1
    assert lines[first].startswith("  specs/state.json cannot be read, it is no JSON")
    assert "specs/TODO.md" in lines[first]
    assert any(line.endswith("     1  file or place that could not be read, or not as a whole") for line in lines)
    for begin in ("  all of them: ", "the files as they were: "):
        path = next(line for line in lines if line.startswith(begin)).removeprefix(begin)
        assert not os.path.isabs(path)
        assert os.path.exists(path)
    path = next(line for line in lines if "all of them" in line).split(": ", 1)[1]
    assert f"{len(Path(path).read_text().splitlines())} divergences:" in said
    assert lines[-1] == "next: planrail task"


def test_the_ledger_keeps_its_word_unless_the_files_is_asked_for(project: Path, capsys: Out) -> None:
    tree = _small(project)
    _commit(project)
    assert task("import") == 0
    tree.active[0]["status"] = "researched"
    tree.active.append(entry(9, "ninth"))
    tree.write()
    answer = told(capsys, "import")
    assert (answer["added"], answer["changed"]) == ([9], [])
    assert [one["text"] for one in answer["divergences"] if "the ledger says" in one["text"]] == [
        "task 1, status: the ledger says `not_started`, the file says `researched`; taken: `not_started`"
    ]
    assert told(capsys, "show", "1")["status"] == "not_started"
    tree.write()
    assert told(capsys, "import", "--theirs")["changed"] == [1]
    assert told(capsys, "show", "1")["status"] == "researched"


def test_a_number_that_the_ledger_has_given_to_another_task_is_not_taken_over(project: Path, capsys: Out) -> None:
    assert task("new", "a task of our own") == 0
    tree = _small(project)
    answer = told(capsys, "import")
    assert answer["added"] == [3, 4]
    assert answer["counts"]["number_clash"] == 1
    assert told(capsys, "show", "1")["title"] == "A task of our own"
    assert told(capsys, "show", "4")["title"] == "First"
    tree.write()
    assert told(capsys, "import")["added"] == []


def test_a_dry_run_writes_nothing_and_without_a_folder_it_is_said_where_one_is_expected(
    project: Path, capsys: Out
) -> None:
    assert task("import") == 1
    assert "there is no specs/state.json" in capsys.readouterr().err
    _small(project)
    before = (project / "specs" / "state.json").read_bytes()
    assert told(capsys, "import", "--dry-run")["added"] == [1, 3]
    assert (project / "specs" / "state.json").read_bytes() == before
    assert not os.path.exists(ledger_folder(str(project)))


def test_an_empty_state_and_bytes_that_are_no_text_stop_nothing(project: Path, capsys: Out) -> None:
    _small(project)
    (project / "specs" / "state.json").write_bytes(b"")
    text = (project / "specs" / "TODO.md").read_bytes()
    (project / "specs" / "TODO.md").write_bytes(text.replace(b"What first", b"\xff\xfe first"))
    answer = told(capsys, "import")
    assert answer["added"] == [1, 3]
    assert "specs/TODO.md" in [one["text"].split()[0] for one in answer["divergences"] if one["kind"] == "file_unread"]
    written = json.loads((project / "specs" / "state.json").read_text())
    assert [one["project_number"] for one in written["active_projects"]] == [1, 3]
