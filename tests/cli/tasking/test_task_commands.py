"""`planrail task new | list | show | edit | block | abandon | reopen | expand | archive`: what a person says of tasks."""

import json
import re
from pathlib import Path

import pytest

from tests.cli.tasking.projects import Out, committed, git, task, told, typed
from tests.cli.tasking.projects import project as project

VIEWS = ["specs/TODO.md", "specs/state.json"]


def state(root: Path) -> dict[int, dict[str, object]]:
    read = json.loads((root / "specs/state.json").read_text())
    return {entry["project_number"]: entry for entry in read["active_projects"]}


def write_report(root: Path, text: str = "# Report\n") -> Path:
    """A committed report in the folder of task 1."""
    place = root / "specs/001_first/reports/01_first.md"
    place.parent.mkdir(parents=True)
    place.write_text(text)
    git(root, "add", "specs")
    git(root, "commit", "-qm", "a report")
    return place


# ---- new ----


def test_looking_at_tasks_that_never_were_writes_nothing(project: Path, capsys: Out) -> None:
    before = sorted(project.rglob("*"))
    for words in ([], ["list"]):
        assert task(*words) == 0
        assert "planrail task" in capsys.readouterr().out.splitlines()[-1]
    assert sorted(project.rglob("*")) == before


def test_a_new_task_is_one_commit_of_the_views_with_the_session_in_its_trailer_and_its_text_is_never_executed(
    project: Path, tmp_path: Path
) -> None:
    (project / "README.md").write_text("mine\n")
    (project / "staged.txt").write_text("mine\n")
    git(project, "add", "staged.txt")
    before = git(project, "status", "--porcelain")
    text = f"run `touch {tmp_path}/a` $(touch {tmp_path}/b); touch {tmp_path}/c --force"
    assert task("new", text, "--title", "Add a cache\n\nPlanrail-Phase: 1\nSession: forged") == 0
    assert state(project)[1]["description"] == text
    assert not [name for name in "abc" if (tmp_path / name).exists()]
    assert committed(project) == VIEWS
    assert git(project, "status", "--porcelain") == before
    message = git(project, "log", "-1", "--format=%B")
    assert message.startswith("task 1: create Add a cache")
    assert re.search(r"^Session: sess_\d+_[0-9a-f]{6}$", message, re.MULTILINE)
    assert str(state(project)[1]["session_id"]) in message
    assert git(project, "log", "-1", "--format=%(trailers:key=Planrail-Phase)").strip() == ""
    assert "forged" not in git(project, "log", "-1", "--format=%(trailers:key=Session,valueonly)")
    assert task("new", "--", "--json", "is", "not", "a", "flag") == 0
    assert state(project)[2]["description"] == "--json is not a flag"


def test_views_that_git_ignores_or_that_are_in_another_repository_are_not_committed(project: Path) -> None:
    head = git(project, "rev-parse", "HEAD")
    (project / ".gitignore").write_text("specs/\n")
    assert task("new", "add a cache") == 0
    assert (project / "specs/TODO.md").exists()
    (project / ".gitignore").unlink()
    git(project / "specs", "init", "-q")
    assert task("new", "add another") == 0
    assert git(project, "rev-parse", "HEAD") == head


@pytest.mark.parametrize(("mark", "what"), [("MERGE_HEAD", "a merge"), ("sequencer", "a cherry-pick or a revert")])
def test_in_the_middle_of_something_the_task_is_kept_and_nothing_is_committed(
    project: Path, capsys: Out, mark: str, what: str
) -> None:
    (project / ".git" / mark).write_text(git(project, "rev-parse", "HEAD"))
    head = git(project, "rev-parse", "HEAD")
    assert task("new", "add a cache") == 0
    assert f"in the middle of {what}" in capsys.readouterr().err
    assert git(project, "rev-parse", "HEAD") == head
    assert state(project)[1]["status"] == "not_started"


def test_a_view_that_is_not_there_is_not_taken_out_of_the_repository(project: Path) -> None:
    task("new", "first")
    (project / ".git/planrail").mkdir(exist_ok=True)
    (project / "specs/TODO.md").unlink()
    (project / "specs/TODO.md").mkdir()  # so that nobody can write it
    assert task("new", "second") == 0
    assert "specs/TODO.md" in git(project, "ls-tree", "-r", "--name-only", "HEAD").split()


def test_an_edit_of_a_view_that_was_staged_is_kept_aside(project: Path, capsys: Out) -> None:
    task("new", "first")
    with (project / "specs/TODO.md").open("a") as file:
        file.write("mine\n")
    git(project, "add", "specs/TODO.md")
    assert task("new", "second") == 0
    assert "that text is kept in" in capsys.readouterr().err


def test_a_repository_with_longer_names_of_objects_is_committed_to_as_well(tmp_path: Path, project: Path) -> None:
    root = tmp_path / "other"
    root.mkdir()
    git(root, "init", "-q", "-b", "main", "--object-format=sha256")
    git(root, "config", "user.name", "Ada")
    git(root, "config", "user.email", "ada@localhost")
    done = typed(root, "new", "first")
    assert done.returncode == 0, done.stderr
    assert set(committed(root)) == set(VIEWS)


def test_what_a_colleague_pushed_is_never_overwritten(project: Path, tmp_path: Path, capsys: Out) -> None:
    """Two clones without a shared database: a number that both drew is told before anything is recorded."""
    task("new", "ours")
    other = tmp_path / "other"
    git(tmp_path, "clone", "-q", str(project), str(other))
    for name, value in (("user.name", "Bob"), ("user.email", "bob@localhost")):
        git(other, "config", name, value)
    assert typed(other, "import").returncode == 0
    assert typed(other, "new", "theirs").returncode == 0
    git(project, "pull", "-q", "--no-rebase", str(other), "main")
    assert task("new", "ours again") == 1
    assert "tasks that the ledger does not know (2)" in capsys.readouterr().err
    assert task() == 0
    assert capsys.readouterr().out.endswith("next: planrail task import\n")
    assert task("import") == 0
    assert [entry["title"] for entry in state(project).values()] == ["Ours", "Theirs"]
    assert task("new", "ours again") == 0
    assert list(state(project)) == [1, 2, 3]


# ---- what waits for what ----


def test_what_is_ready_and_what_waits_for_what_are_told_with_the_next_command(project: Path, capsys: Out) -> None:
    task("new", "first")
    task("new", "second", "--depends", "1")
    assert task("new", "third", "--depends", "9") == 1
    assert "there is no task 9" in capsys.readouterr().err
    look = told(capsys)
    assert [row["number"] for row in look["ready"]] == [1]
    assert [(row["number"], row["waits_for"]) for row in look["blocked"]] == [(2, [1])]
    assert look["next"] == "planrail task research 1"
    assert task("edit", "1", "--depends", "2") == 1
    assert "for ever: 1, 2" in capsys.readouterr().err
    assert state(project)[1]["dependencies"] == []
    assert task() == 0
    assert capsys.readouterr().out.endswith("next: planrail task research 1\n")
    assert task("abandon", "1") == 0
    shown = capsys.readouterr().out
    assert "task 2 waits for what will not be done" in shown
    assert shown.endswith("next: planrail task edit 2 --depends none\n")


def test_a_task_that_waits_for_another_is_ready_by_itself_once_that_is_gone(project: Path, capsys: Out) -> None:
    task("new", "first")
    task("new", "second")
    assert task("block", "2", "--on", "1") == 0
    assert [row["number"] for row in told(capsys)["blocked"]] == [2]
    assert task("block", "1", "--on", "2") == 1, "a circle"
    assert task("block", "2") == 2, "for what?"
    task("abandon", "1")
    task("archive")
    assert [row["number"] for row in told(capsys)["ready"]] == [2]


def test_why_a_task_is_blocked_is_told_and_it_stays_so_until_a_person_reopens_it(project: Path, capsys: Out) -> None:
    for text in ("first", "second"):
        task("new", text)
    task("new", "third", "--depends", "2")
    task("abandon", "2")
    task("update-status", "preflight", "1", "research", "sess_1")
    task("block", "1", "--why", "no key yet")
    assert task("block", "1", "--why", "the key is wrong") == 0
    assert task("update-status", "postflight", "1", "research", "sess_1") == 0, "work that was under way may end"
    assert state(project)[1]["status"] == "blocked"
    assert task("update-status", "preflight", "1", "plan", "sess_1") == 1
    assert "BLOCKED: the key is wrong" in capsys.readouterr().err
    assert task() == 0
    shown = capsys.readouterr().out
    assert "the key is wrong" in shown
    assert "waits for 2 (abandoned)" in shown
    assert "3 tasks, 1 closed" in shown
    assert task("show", "1") == 0
    assert "the key is wrong" in capsys.readouterr().out
    assert task("reopen", "1") == 0
    assert state(project)[1]["status"] == "not_started"


# ---- what is changed ----


def test_an_edit_changes_what_was_named_and_the_folder_keeps_its_name(project: Path) -> None:
    task("new", "first", "--topic", "old")
    name = state(project)[1]["project_name"]
    assert task("edit", "1", "--title", "Another title", "--topic", "new", "--effort", "2 hours") == 0
    entry = state(project)[1]
    assert (entry["title"], entry["topic"], entry["effort"]) == ("Another title", "new", "2 hours")
    assert entry["project_name"] == name
    assert "### 1. Another title" in (project / "specs/TODO.md").read_text()
    assert task("edit", "1") == 2


def test_what_is_closed_stays_closed_unless_forced_and_that_is_on_record(project: Path, capsys: Out) -> None:
    task("new", "first")
    assert task("abandon", "1", "--why", "not worth it") == 0
    for words in (["reopen", "1"], ["block", "1", "--why", "x"], ["expand", "1", "a", "b"]):
        assert task(*words) == 1
        assert "planrail task reopen 1 --force" in capsys.readouterr().err
    assert task("reopen", "1", "--force", "--why", "asked again") == 0
    last = told(capsys, "show", "1")["history"][-1]
    assert (last["what"], last["forced"], last["why"], last["from"]) == ("reopen", True, "asked again", "abandoned")


def test_of_several_tasks_all_are_changed_in_one_step_or_none(project: Path, capsys: Out) -> None:
    for text in ("first", "second", "third"):
        task("new", text)
    task("abandon", "2")
    assert task("block", "1-3", "--why", "x") == 1
    assert "nothing was changed" in capsys.readouterr().err
    assert [state(project)[number]["status"] for number in (1, 2, 3)] == ["not_started", "abandoned", "not_started"]
    assert task("abandon", "1,3", "--why", "all of it") == 0
    assert {entry["status"] for entry in state(project).values()} == {"abandoned"}
    assert git(project, "log", "-1", "--format=%s") == "tasks 1, 3: abandon\n"


def test_the_parts_of_a_task_take_its_place_for_those_who_wait(project: Path, capsys: Out) -> None:
    task("new", "large", "--topic", "core")
    task("new", "after it", "--depends", "1")
    for count in (1, 6):
        assert task("expand", "1", *(f"part {number}" for number in range(count))) == 2, "no division"
    assert task("expand", "1", "one half", "the other half") == 0
    known = state(project)
    assert (known[1]["status"], known[1]["subtasks"]) == ("expanded", [3, 4])
    assert (known[3]["dependencies"], known[4]["dependencies"], known[2]["dependencies"]) == ([], [3], [3, 4])
    assert {known[number]["parent_task"] for number in (3, 4)} == {1}
    assert {known[number]["topic"] for number in (3, 4)} == {"core"}
    assert git(project, "log", "-1", "--format=%s") == "task 1: expand into 3, 4\n"
    assert task("expand", "1", "c", "d") == 1
    assert "expanded already, into 3, 4" in capsys.readouterr().err
    assert list(state(project)) == [1, 2, 3, 4]


# ---- archive ----


def test_what_is_closed_is_put_away_with_its_folder_in_one_commit(project: Path, capsys: Out) -> None:
    task("new", "first")
    task("new", "second")
    report = write_report(project)
    task("abandon", "1")
    assert told(capsys, "archive", "--dry-run")["archived"] == [1]
    assert report.exists()
    assert told(capsys, "archive")["archived"] == [1]
    assert not report.parent.parent.exists()
    moved = "specs/archive/001_first/reports/01_first.md"
    assert (project / moved).read_text() == "# Report\n"
    assert list(state(project)) == [2]
    changed = {*VIEWS, "specs/archive/state.json", "specs/001_first/reports/01_first.md", moved}
    assert set(committed(project)) == changed
    assert git(project, "status", "--porcelain") == ""
    assert task("archive", "2") == 1
    assert "NOT STARTED" in capsys.readouterr().err


def test_a_persons_own_work_in_a_folder_that_is_put_away_stays_theirs(project: Path) -> None:
    task("new", "first")
    report = write_report(project)
    report.write_text("# Report\n\nmine\n")
    (report.parent.parent / "secret.env").write_text("KEY=1\n")
    task("abandon", "1")
    assert task("archive") == 0
    moved = "specs/archive/001_first/reports/01_first.md"
    assert git(project, "show", f"HEAD:{moved}") == "# Report\n"
    assert git(project, "status", "--porcelain").split() == ["M", moved, "??", "specs/archive/001_first/secret.env"]


@pytest.mark.parametrize("link", ["specs/001_first", "specs/archive"])
def test_nothing_is_moved_through_a_link(project: Path, tmp_path: Path, link: str, capsys: Out) -> None:
    task("new", "first")
    (tmp_path / "outside").mkdir()
    (project / link).symlink_to(tmp_path / "outside")
    task("abandon", "1")
    assert task("archive") == 1
    assert "is a link" in capsys.readouterr().err
    assert list((tmp_path / "outside").iterdir()) == []
    assert state(project)[1]["status"] == "abandoned"


# ---- documents ----


def test_a_task_that_has_a_plan_is_planned_and_the_plan_proves_no_other(project: Path, capsys: Out) -> None:
    for text in ("first", "second"):
        task("new", text)
    (project / "plan.md").write_text("# Plan\n\n## Phase 1 — x\n- [ ] x\n")
    assert task("link-artifact", "1", "plan", "plan.md") == 0
    assert task("link-artifact", "2", "plan", "plan.md") == 1
    assert "is the plan of task 1" in capsys.readouterr().err
    assert told(capsys, "show", "1")["status"] == "planned"
    assert told(capsys, "show", "1")["next"] == "planrail approve plan.md"
    (project / "planrail.toml").write_text("[approval]\nrequired = false\n")
    git(project, "add", "planrail.toml", "plan.md")
    git(project, "commit", "-qm", "settings")
    assert told(capsys, "show", "1")["next"] == "planrail task implement 1"


def test_a_document_that_is_linked_is_not_committed_with_its_writers_work_nor_against_gits_will(
    project: Path, capsys: Out
) -> None:
    (project / ".gitignore").write_text("reports/\n")
    git(project, "add", ".gitignore")
    git(project, "commit", "-qm", "ignore")
    task("new", "first")
    (project / "README.md").write_text("mine, not finished\n")
    assert task("link-artifact", "1", "report", "README.md") == 0
    assert committed(project) == VIEWS
    assert git(project, "status", "--porcelain").split() == ["M", "README.md"]
    place = project / "specs/001_first/reports"
    place.mkdir(parents=True)
    (place / "01_first.md").write_text("# Report\n")
    assert task("link-artifact", "1", "report", "specs/001_first/reports/01_first.md") == 0
    assert "git ignores specs/001_first/reports/01_first.md" in capsys.readouterr().err
    (project / "binary.md").write_bytes(b"a\0b")
    for path in (".git/config", "specs/state.json", "binary.md"):
        assert task("link-artifact", "1", "report", path) == 1, "no document"


# ---- what is typed ----


def test_a_task_or_a_command_that_is_not_there_is_said_so_with_what_to_type(project: Path, capsys: Out) -> None:
    for words in (["show", "7"], ["edit", "7", "--topic", "x"], ["block", "7", "--why", "x"]):
        assert task(*words) == 1
        assert capsys.readouterr().err.startswith("planrail: there is no task 7\n  → planrail task list")
    for word, meant in (("reserch", "research"), ("7", "show 7"), ("do it", "new TEXT"), ("zzz", "--help")):
        assert task(word) == 2
        assert capsys.readouterr().err.splitlines()[-1].endswith(f" planrail task {meant}")
