"""The views of the book in a checkout: always what the ledger says, always whole, a person's edit never lost."""

import json
import os
from pathlib import Path

import pytest

from planrail.base.records import replace
from planrail.store.places import ledger_folder
from planrail.tasks.book.task_rows import open_book
from planrail.tasks.book.task_views import check_views, write_views
from planrail.tasks.model import Task
from tests.store.task_stage import NOTE, add, change, git, make_project, view, written
from tests.store.task_stage import root as root
from tests.support.mounts import can_mount, read_only, small_disk


@pytest.fixture
def project(tmp_path: Path) -> str:
    """A project with three tasks and its views."""
    root = make_project(tmp_path / "project")
    add(root, "First", "Second", "Third", description="Some words.")
    written(root)
    return root


def test_a_project_without_tasks_gets_no_views_and_no_ledger(tmp_path: Path) -> None:
    answer = write_views(str(tmp_path))
    assert (answer.paths, answer.problems) == ((), ())
    assert list(tmp_path.iterdir()) == []
    assert not Path(ledger_folder(str(tmp_path))).exists()


def test_a_view_that_somebody_edited_is_kept_aside_and_said(project: str) -> None:
    edited = view(project, "TODO.md").read_text().replace("First", "Mine")
    view(project, "TODO.md").write_text(edited)
    change(project, 2, status="planned")
    answer = written(project)
    (kept,) = answer.kept
    assert Path(kept).read_text() == edited
    assert Path(kept).is_relative_to(ledger_folder(project))
    assert written(project).kept == ()
    path = view(project)
    for later, fresh in ((1, False), (0, True)):  # of the same length; and without a trace in the times of the file
        found = path.stat()
        path.write_text(path.read_text().replace("First", "Fists"))
        os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns + later))
        assert check_views(project) == ["specs/state.json is not what the ledger says"]
        assert bool(write_views(project).kept) is not fresh
        assert bool(write_views(project, afresh=True).kept) is fresh
        assert check_views(project) == []


def test_a_view_that_was_only_touched_or_copied_is_still_ours(project: str) -> None:
    path = view(project)
    path.unlink()
    assert check_views(project) == ["specs/state.json is missing"]
    assert written(project).paths == ("specs/state.json",)
    path.chmod(0o640)
    view(project, ".state.json.planrail").write_text("half")  # one who died left it behind
    os.utime(path, ns=(1, 1))
    change(project, 1, status="planned")
    assert written(project).kept == ()
    assert path.stat().st_mode & 0o777 == 0o640
    copy = path.read_bytes()
    path.unlink()
    path.write_bytes(copy)
    change(project, 1, status="planning")
    assert written(project).kept == ()
    assert sorted(found.name for found in path.parent.iterdir()) == ["TODO.md", "state.json"]
    Path(ledger_folder(project), "ledger.db").unlink()  # another ledger at the same place is another book
    add(project, "Other")
    written(project)
    assert "Other" in path.read_text()


def test_a_view_that_git_brought_is_replaced_without_a_word(project: str) -> None:
    git(project, "add", "-A")
    git(project, "commit", "-qm", "one")
    change(project, 1, status="planned")
    written(project)
    git(project, "commit", "-qam", "two")
    change(project, 1, status="planning")
    written(project)
    git(project, "checkout", "-q", "--", "specs")
    git(project, "checkout", "-q", "HEAD^")
    answer = written(project)
    assert (len(answer.paths), answer.kept, answer.problems) == (2, (), ())


def test_tasks_that_a_commit_brought_and_the_ledger_does_not_know_are_left_to_an_import(project: str) -> None:
    document = json.loads(view(project).read_text())
    document["active_projects"].append({**document["active_projects"][0], "project_number": 77})
    view(project).write_text(json.dumps(document))
    git(project, "add", "-A")
    git(project, "commit", "-qm", "theirs")
    change(project, 1, status="planned")
    answer = write_views(project)
    assert answer.kept == ()
    assert "77" in answer.problems[0]
    assert answer.problems[0].endswith("planrail task import")
    assert json.loads(view(project).read_text()) == document
    assert "PLANNED" not in view(project, "TODO.md").read_text(), "one view is not written without the other"


def test_a_view_or_a_folder_that_is_a_link_is_left_alone_and_said(project: str, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere.json"
    elsewhere.write_text("theirs")
    view(project).unlink()
    view(project).symlink_to(elsewhere)
    change(project, 1, status="planned")
    answer = write_views(project)
    assert answer.paths == ("specs/TODO.md",)
    assert "is a link" in answer.problems[0]
    assert answer.problems[0].endswith("planrail task check --fix")
    assert elsewhere.read_text() == "theirs"
    away = tmp_path / "away"
    (Path(project) / "specs").rename(away)
    (Path(project) / "specs").symlink_to(away)
    before = (away / "TODO.md").read_bytes()
    change(project, 1, status="planning")
    answer = write_views(project)
    assert answer.paths == ()
    assert "out of the project" in answer.problems[0]
    assert (away / "TODO.md").read_bytes() == before


def test_a_place_that_cannot_be_written_stops_nobody(project: str) -> None:
    for name in ("state.json", "TODO.md"):
        view(project, name).unlink()
    view(project).parent.rmdir()
    view(project).parent.write_text("a file where the folder was")
    changed = change(project, 1, status="planned")
    answer = write_views(project)
    assert answer.paths == ()
    assert all(problem.endswith("planrail task check --fix") for problem in answer.problems)
    view(project).parent.unlink()
    written(project)
    with open_book(project) as book:
        assert book.load(1) == changed


def test_each_checkout_has_its_own_views_of_the_one_book(project: str, tmp_path: Path) -> None:
    git(project, "add", "-A")
    git(project, "commit", "-qm", "views")
    other = str(tmp_path / "other")
    git(project, "worktree", "add", "-q", "-b", "side", other)
    change(other, 1, status="planned")
    answer = written(other)
    assert (answer.kept, answer.problems) == ((), ())
    assert "PLANNED" in view(other, "TODO.md").read_text()
    assert "PLANNED" not in view(project, "TODO.md").read_text()
    change(project, 2, status="planned")
    written(project)
    assert check_views(other)
    written(other)


def test_the_folder_and_the_prime_are_settings(tmp_path: Path) -> None:
    root = make_project(tmp_path / "project")
    Path(root, "planrail.toml").write_text('[tasks]\nfolder = "docs/work"\nprime = false\n')
    with open_book(root) as book:
        book.create(lambda number: Task(number, "a", "A"), NOTE)
        book.change(1, lambda task: replace(task, status="planned"), NOTE)
    assert write_views(root).paths == ("docs/work/state.json", "docs/work/TODO.md")


def test_an_archive_that_was_not_written_is_made_good_by_the_next_command(project: str) -> None:
    change(project, 1, status="completed")
    change(project, 1, is_archived=True)
    written(project)
    view(project, "archive/state.json").unlink()
    assert check_views(project) == ["specs/archive/state.json is missing"]
    assert written(project, archive=True).paths == ("specs/archive/state.json",)
    change(project, 2, status="planned")
    assert written(project, archive=True).paths == ("specs/state.json", "specs/TODO.md")


@pytest.mark.skipif(not can_mount(), reason="only root can mount")
def test_a_full_disk_and_a_read_only_folder_stop_nobody(project: str) -> None:
    folder = view(project).parent
    with read_only(folder):
        changed = change(project, 1, status="planned", description="x" * 100)
        answer = write_views(project)
        assert (answer.paths, len(answer.problems)) == ((), 2)
        assert "Read-only" in answer.problems[0]
    written(project)
    with small_disk(folder, "64k"):
        for number in (1, 2, 3):
            change(project, number, description="longer " * 5_000)
        answer = write_views(project)
        assert answer.paths == ()
        assert all("No space" in problem and problem.endswith("--fix") for problem in answer.problems)
        assert list(folder.iterdir()) == [], "nothing is left behind"
    written(project)
    with open_book(project) as book:
        assert book.load(1).status == changed.status
