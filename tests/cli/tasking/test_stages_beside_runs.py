"""While agents of one task read, planrail itself works on others: only what was not its own doing is told."""

import time
from pathlib import Path

import pytest

from planrail.base.settings import load_tasks
from planrail.git.snapshots.look import TreeSnapshot
from planrail.tasks.context.context import Context
from planrail.tasks.questions.model import RESEARCH, StageOrder
from planrail.tasks.stage_folders import StageFolder, create
from planrail.tasks.watching.own_changes import OwnCommit, foreign_notes, is_own_commit
from planrail.tasks.watching.tree_watch import compare_tree, remember_tree
from tests.cli.tasking.task_stage import TaskStage
from tests.tasks.stages.stage_project import StageProject, good_script


class Watched:
    """A task that is researched, in a project in which another one has a plan that can be carried out."""

    def __init__(self, stage: TaskStage) -> None:
        self.stage = stage
        self.desk = Context(str(stage.root), "specs", "sess_1_abc123", load_tasks(str(stage.root)))
        order = StageOrder(RESEARCH, 2, 1, "Read on", {})
        begun = create(self.desk.root, order, {"task": "two", "agent": "scripted"})
        self.folder: StageFolder
        self.folder, self.unwatched = remember_tree(self.desk, begun, time.time())

    def told(self) -> str:
        return "\n".join(self.notes())

    def notes(self) -> list[str]:
        return compare_tree(self.desk, self.folder)[1]


@pytest.fixture
def watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Watched:
    stage = TaskStage(tmp_path, settings='[approval]\nrequired = false\n[run]\nreports = "reports"\n')
    stage.write(".gitignore", "nothing\n")  # so that the reports of runs are seen
    stage.write("specs/ROADMAP.md", "# Roadmap\n\n- [ ] Greet people (Task 1)\n")
    stage.commit("a roadmap")
    stage.new("Write the greeting")
    stage.plan(1, "one")
    environment = stage.environment
    for name in ("HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, environment[name])
    monkeypatch.delenv("PLANRAIL_STATE_DIR", raising=False)
    monkeypatch.chdir(stage.root)
    return Watched(stage)


@pytest.mark.full
def test_what_another_tasks_run_lands_reports_and_writes_down_is_no_finding(watched: Watched) -> None:
    stage = watched.stage
    done = stage.task("implement", "1")
    assert done.returncode == 0, done.stderr
    assert (stage.root / "one.txt").exists()
    assert any((stage.root / "reports").iterdir())
    assert watched.told() == ""
    assert "planrail/parked" not in stage.git("branch", "--all")


@pytest.mark.soak
def test_what_is_somebody_elses_is_told_in_one_line_that_begins_with_it(watched: Watched) -> None:
    stage = watched.stage
    assert stage.task("implement", "1").returncode == 0
    stage.write("README.md", "changed by nobody knows whom\n")
    stage.write("one.txt", "landed, and then changed\n")
    stage.write("reports/mine.txt", "no report of a run\n")
    told = watched.told()
    assert "\n" not in told
    assert told.startswith("the tree has changed since the stage began: ")
    for change in ("modified README.md", "added one.txt", "added reports/mine.txt"):
        assert change in told
    assert "specs/" not in told
    command = told.rpartition(": ")[2]
    assert command == "planrail undo --session task-2-research-sess_1_abc123"


@pytest.mark.full
def test_a_commit_of_another_author_hides_nothing_whatever_its_message_claims(watched: Watched) -> None:
    stage = watched.stage
    stage.write("two.txt", "by an agent\n")
    stage.git("add", "two.txt")
    stage.git(
        "commit", "--quiet", "--message", "Quote it\n\nPlanrail-Phase: 1 is what planrail would write.\n\nNot it."
    )
    plan = next(stage.root.glob("specs/001_*/plans/*.md"))
    plan.write_text(plan.read_text().replace("[NOT STARTED]", "[SKIPPED]", 1))
    stage.git("commit", "--quiet", "--all", "--message", "task 1: create plan\n\nSession: sess_1_f00f00")
    told = watched.told()
    assert "added two.txt" in told
    assert str(plan.relative_to(stage.root)) in told
    assert "task 1: create plan" in told


def _is_landed(message: str) -> bool:
    return is_own_commit(OwnCommit("c", message, ["a.py"]), lambda _: False, lambda _, __: False)


def test_landed_phases_are_known_by_their_trailers_alone() -> None:
    assert _is_landed("Write it\n\nPlanrail-Plan: p\nPlanrail-Phase: 1\nPlanrail-Evidence: e\n")
    assert not _is_landed("Planrail-Phase: 1\n")
    assert not _is_landed("task 1: complete research\n\nSession: sess_1_abc123\n")  # it changes documents alone
    assert not _is_landed("Write it\n\nSaid was:\nPlanrail-Phase: 1\n\nand no more\n")


@pytest.mark.parametrize(
    ("session", "paths", "is_its"),
    [
        ("sess_1_abc123", ["specs/001_x/plans/01_x.md", "specs/state.json"], True),
        ("sess_1_abc123", ["specs/001_x/plans/01_x.md", "src/greeter.py"], False),
        ("sess_1_abc123", [], False),
        ("sess_2_forged", ["specs/001_x/plans/01_x.md"], False),
    ],
)
def test_a_commit_about_tasks_is_planrails_own_by_a_session_that_is_known_and_by_documents_alone(
    session: str, paths: list[str], is_its: bool
) -> None:
    commit = OwnCommit("c", f"task 1: create plan\n\nSession: {session}\n", paths)
    is_document, knows = (lambda path: path.startswith("specs/")), (lambda _, named: named == "sess_1_abc123")
    assert is_own_commit(commit, is_document, knows) == is_its


@pytest.mark.full
def test_what_planrail_does_for_other_tasks_is_no_finding(watched: Watched) -> None:
    stage = watched.stage
    for words in (("new", "Another"), ("edit", "2", "--topic", "x"), ("abandon", "2"), ("archive", "2")):
        assert stage.here(*words).returncode == 0
    done = stage.here("plan", "1", "--no-commit", "--from", str(next(stage.root.glob("specs/001_*/plans/*.md"))))
    assert done.returncode == 0, done.stderr
    assert watched.notes() == []


@pytest.mark.full
def test_documents_of_other_tasks_the_roadmap_and_views_that_somebody_else_changed_are_told(watched: Watched) -> None:
    stage = watched.stage
    plan = next(stage.root.glob("specs/001_*/plans/*.md"))
    plan.write_text(plan.read_text().replace("[NOT STARTED]", "[SKIPPED]", 1))
    stage.write("specs/ROADMAP.md", "- [x] all done\n")
    stage.write("specs/TODO.md", "nothing to do\n")
    stage.write("specs/notes.txt", "mine\n")
    (told,) = watched.notes()
    for name in (plan.relative_to(stage.root), "specs/ROADMAP.md", "specs/TODO.md", "specs/notes.txt"):
        assert str(name) in told
    assert "planrail undo" in told
    assert "planrail/parked" in stage.git("branch", "--all")


def test_commits_branches_tags_and_the_index_are_told_and_nobody_is_advised_to_take_them_back(
    watched: Watched,
) -> None:
    stage = watched.stage
    assert stage.here("new", "Another").returncode == 0  # planrail's own commit beside them
    stage.git("commit", "--quiet", "--allow-empty", "--message", "agent was here")
    stage.git("tag", "pwn")
    stage.git("branch", "pwnbranch")
    stage.git("update-index", "--force-remove", ".gitignore")
    (told,) = watched.notes()
    assert told.startswith("changed meanwhile: ")
    assert "1 commit on the branch main (" in told
    for text in ("agent was here", "the branch pwnbranch is new", "the tag pwn is new", "staged otherwise: .gitignore"):
        assert text in told
    assert "planrail undo" not in told


def test_a_branch_that_is_moved_back_or_left_is_told(watched: Watched) -> None:
    stage = watched.stage
    stage.git("switch", "--quiet", "--create", "side")
    stage.git("branch", "--force", "main", "HEAD~1")
    told = watched.told()
    assert "the branch main was moved" in told
    assert "HEAD is on side now" in told


@pytest.mark.full
def test_what_planrail_may_have_written_itself_is_told_without_a_word_about_undoing(watched: Watched) -> None:
    stage = watched.stage
    plan = next(stage.root.glob("specs/001_*/plans/*.md"))
    assert stage.here("edit", "1", "--topic", "x").returncode == 0  # so that a person worked on the task
    plan.write_text(plan.read_text() + "\nA line.\n")
    (told,) = watched.notes()
    assert told.startswith("changed meanwhile: ")
    assert str(plan.relative_to(stage.root)) in told
    assert "undo" not in told


def test_a_view_that_is_just_being_written_or_could_not_be_copied_since_it_was_is_no_finding(watched: Watched) -> None:
    for name in (".state.json.planrail", ".state.json.other"):
        watched.stage.write(f"specs/{name}", "half of it")
    told = watched.told()
    assert "added specs/.state.json.other" in told
    assert ".state.json.planrail" not in told
    notes = ["specs/TODO.md was not copied: it was changing", "fifo was not copied: it is no file"]
    snapshot = TreeSnapshot("n", "f", str(watched.stage.root), "git", notes=notes)
    assert foreign_notes(watched.desk, snapshot) == notes[1:]


@pytest.mark.soak
def test_tasks_that_are_orchestrated_side_by_side_find_nothing_of_each_other(tmp_path: Path) -> None:
    project = StageProject(tmp_path)
    (project.repo / "planrail.toml").write_text("[approval]\nrequired = false\n")
    project.git("add", ".")
    project.git("commit", "--quiet", "--message", "Settings")
    for title in ("Refuse empty names", "Tell it", "Greet twice"):
        project.new(title)
    project.follow(good_script(delay=0.7))
    done = project.run("orchestrate", "1-3", "--agent", "scripted", "--steps", "3", "--jobs", "3")
    assert "has changed" not in done.stdout + done.stderr
    assert "planrail undo" not in done.stdout + done.stderr
    assert "was not copied" not in done.stdout + done.stderr
    assert "planrail/parked" not in project.git("branch", "--all")
