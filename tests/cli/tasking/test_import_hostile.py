"""Folders of tasks that somebody has filled with what is no document: it is told, never followed, never waited for."""

import json
import os
import socket
from pathlib import Path
from typing import Any

import pytest

from planrail.tasks.work.specs_files import list_files
from tests.cli.tasking.projects import Out, project, task, told
from tests.tasks.importing.specs_trees import Tree, entry, plan_text, section

__all__ = ["project"]


def _tree(root: Path) -> Tree:
    tree = Tree(root, [entry(1, "a")], todo=[section(entry(1, "a"))], next_number=5)
    tree.order = ["1 [NOT STARTED] — x"]
    tree.write()
    return tree


def _skipped(answer: Any) -> list[str]:
    return [one["text"] for one in answer["divergences"] if one["kind"] == "file_unread"]


def _make_pipe(place: Path, outside: Path) -> None:
    os.mkfifo(place)


def _make_socket(place: Path, outside: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        here = os.getcwd()
        os.chdir(place.parent)  # the names of sockets are short
        made.bind(place.name)
        os.chdir(here)


def _make_loop(place: Path, outside: Path) -> None:
    place.symlink_to(place.name)


def _make_link(place: Path, outside: Path) -> None:
    outside.write_text(plan_text("NOT STARTED"))
    place.symlink_to(outside)


_KINDS = [_make_pipe, _make_socket, _make_loop, _make_link]


@pytest.mark.parametrize("make", _KINDS)
def test_what_is_no_document_is_skipped_and_told(project: Path, tmp_path: Path, capsys: Out, make: Any) -> None:
    _tree(project)
    (project / "specs" / "001_a" / "plans").mkdir(parents=True)
    make(project / "specs" / "001_a" / "plans" / "01_x.md", tmp_path / "outside.md")
    answer = told(capsys, "import")
    (line,) = _skipped(answer)
    assert line.startswith("specs/001_a/plans/01_x.md ")
    assert answer["added"] == [1]
    assert told(capsys, "show", "1")["artifacts"] == []
    assert task("check") == 1
    assert "01_x.md" in capsys.readouterr().out
    assert task("recover") == 0
    assert told(capsys, "show", "1")["artifacts"] == []


@pytest.mark.parametrize("name", ["state.json", "TODO.md", "archive/state.json"])
def test_a_file_that_is_none_is_told_and_the_others_are_read(
    project: Path, tmp_path: Path, capsys: Out, name: str
) -> None:
    for make in _KINDS:
        _tree(project)
        (project / "specs" / name).unlink(missing_ok=True)
        make(project / "specs" / name, tmp_path / "outside.md")
        answer = told(capsys, "import", "--dry-run")
        assert [line.split()[0] for line in _skipped(answer)] == [f"specs/{name}"]
        assert answer["added"] == [1]
        (project / "specs" / name).unlink()


def test_a_folder_of_a_task_that_leads_out_of_the_project_is_not_looked_into(
    project: Path, tmp_path: Path, capsys: Out
) -> None:
    _tree(project)
    Tree(tmp_path / "outside").document("reports/01_secret.md")
    (project / "specs" / "001_a").symlink_to(tmp_path / "outside")
    answer = told(capsys, "import")
    assert _skipped(answer) == ["specs/001_a leads out of the project; it was not looked into"]
    assert "secret" not in json.dumps(told(capsys, "show", "1"))


def test_a_folder_of_tasks_that_leads_out_of_the_project_is_refused(project: Path, tmp_path: Path, capsys: Out) -> None:
    _tree(tmp_path / "outside")
    (project / "specs").symlink_to(tmp_path / "outside" / "specs")
    assert task("import") == 1
    assert "specs leads out of the project; nothing was taken over" in capsys.readouterr().err


def test_a_link_inside_the_project_counts_and_one_to_a_folder_is_told(project: Path) -> None:
    tree = _tree(project)
    tree.document("docs/report.md")
    (project / "specs" / "001_a" / "reports").mkdir(parents=True)
    (project / "specs" / "001_a" / "reports" / "01_x.md").symlink_to(project / "docs" / "report.md")
    (project / "specs" / "002_b").symlink_to(project / "specs" / "001_a")
    found = list_files(str(project), "specs")
    assert "specs/001_a/reports/01_x.md" in found.files
    assert found.skipped == {"specs/002_b": "is a link to a folder"}


def test_a_file_that_would_be_replaced_unread_stops_the_import_and_a_plan_that_is_too_large_does_not(
    project: Path, capsys: Out
) -> None:
    path = _tree(project).document("specs/001_a/plans/01_x.md")
    os.truncate(project / path, 51 * 1024 * 1024)
    assert _skipped(told(capsys, "import", "--dry-run")) == [
        f"{path} has 51 MB, more than the 50 that are read; it was not looked into"
    ]
    os.truncate(project / "specs" / "state.json", 60 * 1024 * 1024)
    assert task("import") == 1
    assert "specs/state.json has 60 MB, more than the 50 that are read; nothing was" in capsys.readouterr().err
    assert (project / "specs" / "state.json").stat().st_size == 60 * 1024 * 1024


def test_folders_in_folders_end_somewhere(project: Path) -> None:
    _tree(project)
    place = project / "specs" / "001_a" / "/".join("d" * 60)
    place.mkdir(parents=True)
    (place / "x.md").write_text("x")
    (why,) = list_files(str(project), "specs").skipped.values()
    assert why == "is nested too deeply"


def test_numbers_that_no_file_could_hold_again_stop_nothing(project: Path, capsys: Out) -> None:
    tree = _tree(project)
    tree.active = [entry(1, "a", weight=7)]
    tree.write()
    path = project / "specs" / "state.json"
    long = "9" * 5_000
    path.write_text(path.read_text().replace('"weight": 7', f'"weight": 1e999, "more": NaN, "count": {long}'))
    assert told(capsys, "import")["added"] == [1]
    (one,) = json.loads(path.read_text())["active_projects"]
    assert (one["weight"], one["more"], one["count"]) == ("1e999", "NaN", long)


def test_a_folder_that_is_named_by_its_date_or_that_a_shell_could_take_for_a_command_is_only_a_name(
    project: Path, capsys: Out
) -> None:
    tree = _tree(project)
    tree.document("specs/20260131_notes/x.md")
    tree.document("specs/040_$(touch x)/reports/01_x.md")
    answer = told(capsys, "import")
    assert answer["next_number"] == 41
    found = [one for one in answer["divergences"] if one["kind"] == "folder_without_task"]
    (one,) = [one for one in found if "040" in one["text"]]
    assert one["remedy"] == "planrail task recover 'specs/040_$(touch x)'"
    assert "(1 file)" in one["text"]


@pytest.mark.full
@pytest.mark.parametrize(
    "line",
    [
        "# " + " " * 200_000 + "x",
        "- **Status**: " + " " * 200_000 + "x",
        " - " + " " * 200_000 + "x",
        " " * 200_000 + "x",
        "| 1 | " + " " * 200_000,
        "| " + "9" * 10_000 + " | 1 |",
        "- **Plan**: " + "[" * 200_000,
        "- **Plan**: " + "[](" * 50_000,
        "---\n" + "\n" * 200_000,
        "#### x\n" * 50_000,
    ],
    ids=range(10),
)
def test_a_line_without_end_is_read_in_no_time(project: Path, capsys: Out, line: str) -> None:
    tree = _tree(project)
    todo = project / "specs" / "TODO.md"
    text = todo.read_text()
    front = line + text if line.startswith("---") else text.replace("## Tasks", f"{line}\n\n## Tasks") + f"\n{line}\n"
    todo.write_text(front)
    assert told(capsys, "import", "--dry-run")["added"] == [one["project_number"] for one in tree.active]
