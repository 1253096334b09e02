"""A plan with edits that are not committed: nobody guesses which text is meant, and an agent cannot answer for a person."""

import json
from pathlib import Path

import pytest

from tests.cli.test_run_command import Project, two_phases
from tests.support.lanes import soak

OLD, NEW = "echo 2 > 2.txt", "echo '2, repaired' > 2.txt"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "project")


@pytest.fixture
def edited(project: Project) -> Project:
    """Phase 2 has just been repaired; something else is staged, and something else lies about."""
    project.git("config", "user.name", "me")
    project.git("config", "user.email", "me@localhost")
    project.plan(two_phases())
    edit(project)
    project.write("staged.txt", "staged\n")
    project.git("add", "staged.txt")
    project.write("other.txt", "other\n")
    return project


def edit(project: Project, old: str = OLD, new: str = NEW) -> None:
    text = (project.root / "PLAN.md").read_text()
    assert old in text
    project.write("PLAN.md", text.replace(old, new))


def runs(project: Project) -> list[object]:
    found: list[object] = json.loads(project.ask("list", "runs", "--json").stdout)["runs"]
    return found


def test_without_a_terminal_nothing_begins_and_the_choices_are_named(edited: Project) -> None:
    for words in (("finish", "auto"), ("2",), ("auto", "--submit"), ("every", "4h")):
        done = edited.ask("run", "PLAN.md", *words)
        assert (done.returncode, "PLAN.md has edits that are not committed (phase 2)" in done.stderr) == (1, True)
        assert ("--as-committed" in done.stderr, "--commit-plan" in done.stderr) == (True, True)
    assert (runs(edited), edited.landed()) == ([], [])
    assert json.loads(edited.ask("queue", "--json").stdout)["waiting"] == []
    assert json.loads(edited.ask("list", "upcoming", "--json").stdout)["upcoming"] == []
    edited.git("checkout", "--", "PLAN.md")
    edit(edited, "# Plan", "# Plan of mine")
    done = edited.ask("run", "PLAN.md", "finish", "auto")
    assert (done.returncode, "outside the phases" in done.stderr) == (1, True), done.stderr
    edited.write("planrail.toml", "")
    edited.git("commit", "--quiet", "-m", "Ask for approvals", "--", "planrail.toml")
    before = edited.git("rev-parse", "main")
    done = edited.ask("run", "PLAN.md", "finish", "auto", "--commit-plan")
    assert (done.returncode, "planrail approve PLAN.md" in done.stderr) == (1, True), done.stderr
    assert edited.git("rev-parse", "main") == before, "what could not run is not committed"


@pytest.mark.full
@pytest.mark.parametrize("said", ["option", soak("terminal")])
def test_the_committed_text_runs_where_a_person_says_so(project: Project, said: str) -> None:
    project.plan(f"\n**Status:** in progress\n{two_phases()}")
    edit(project)
    if said == "terminal":
        code, shown = project.type_at_terminal([(r"which text\?", "o")], "run", "PLAN.md", "finish", "auto")
    else:
        done = project.type("run", "PLAN.md", "finish", "auto", "--as-committed")
        code, shown = done.returncode, done.stdout + done.stderr
    assert code == 0, shown
    assert project.git("show", "main:2.txt") == "2\n"
    text = (project.root / "PLAN.md").read_text()
    assert (NEW in text, "- [x] write 1.txt" in text, "- [ ] write 2.txt" in text) == (True, True, True)
    assert "**Status:** in progress" in text
    assert "your edits of phase 2 in PLAN.md did not run, so it is not marked there" in shown


@pytest.mark.full
def test_a_proven_phase_that_is_edited_is_open_for_every_command(project: Project) -> None:
    project.plan(two_phases())
    assert project.type("run", "PLAN.md", "finish", "auto").returncode == 0
    edit(project)
    edit(project, "grep -q 2 2.txt", "grep -q repaired 2.txt")
    project.git("commit", "--quiet", "-m", "Repair", "--", "PLAN.md")
    told = json.loads(project.ask("next", "PLAN.md", "--json").stdout)
    assert (told["phase"], told["command"]) == ("2", "planrail run PLAN.md 2")
    assert "its text has changed since it was proven" in project.ask("show", "PLAN.md").stdout
    status = json.loads(project.ask("status", "PLAN.md", "--json").stdout)
    assert (status["progress"]["done"], status["next"]) == (1, "planrail run PLAN.md 2")
    assert project.type("run", "PLAN.md", "2", "auto").returncode == 0
    assert project.git("show", "main:2.txt") == "2, repaired\n"
    assert json.loads(project.ask("status", "PLAN.md", "--json").stdout)["progress"]["done"] == 2


@pytest.mark.soak
def test_the_edits_are_committed_alone_and_run_where_a_person_says_so(edited: Project) -> None:
    before = edited.git("rev-parse", "main").strip()
    done = edited.type("run", "PLAN.md", "finish", "auto", "--commit-plan")
    assert done.returncode == 0, done.stdout + done.stderr
    assert edited.git("show", "main:2.txt") == "2, repaired\n"
    first = edited.git("rev-list", "--reverse", f"{before}..main").split()[0]
    assert edited.git("show", "--format=", "--name-only", first).split() == ["PLAN.md"]
    assert "A  staged.txt" in edited.git("status", "--porcelain")
    assert "?? other.txt" in edited.git("status", "--porcelain")


@pytest.mark.full
def test_marks_of_progress_are_no_edits(project: Project) -> None:
    project.plan(f"\n| Phase | Status |\n|---|---|\n| 1 | ⬚ |\n| 2 | ⬚ |\n{two_phases()}")
    assert project.type("set", "PLAN.md", "2", "blocked").returncode == 0
    assert project.type("set", "PLAN.md", "2", "todo").returncode == 0
    edit(project, "- [ ] write 1.txt", "- [x] write 1.txt")
    assert project.git("status", "--porcelain") == " M PLAN.md\n"
    done = project.type("run", "PLAN.md", "finish", "auto")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.full
@pytest.mark.parametrize("place", [soak("inside"), "outside"])
def test_a_plan_that_nobody_has_committed_runs_as_it_is(project: Project, place: str) -> None:
    project.write("README", "read me\n")
    project.commit()
    file = project.root / "NEW.md" if place == "inside" else project.root.parent / "plans" / "NEW.md"
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"# New\n{two_phases()}")
    done = project.type("run", str(file), "finish", "auto")
    assert done.returncode == 0, done.stdout + done.stderr
    assert sorted(project.landed()) == ["1", "2"]


@pytest.mark.full
def test_a_run_that_rests_goes_on_with_its_text_only_where_a_person_says_so(project: Project) -> None:
    project.plan(two_phases())
    assert project.type("run", "PLAN.md", "finish").stdout.startswith("paused: ")
    edit(project)
    for words in (("resume", "PLAN.md"), ("run", "PLAN.md", "finish")):
        refused = project.type(*words)
        assert (refused.returncode, "--as-committed goes on" in refused.stderr) == (1, True), refused.stderr
    assert project.landed() == ["1"]
    done = project.type("resume", "PLAN.md", "--as-committed")
    assert done.returncode == 0, done.stdout + done.stderr
    assert project.git("show", "main:2.txt") == "2\n"


@pytest.mark.soak
def test_a_text_of_another_branch_is_not_taken_for_the_targets(project: Project) -> None:
    project.write("planrail.toml", '[approval]\nrequired = false\n[run]\ntarget = "main"\n')
    project.plan(two_phases())
    project.git("switch", "--quiet", "--create", "other")
    edit(project)
    project.git("commit", "--quiet", "-m", "Repair", "--", "PLAN.md")
    done = project.type("run", "PLAN.md", "finish", "auto", "--commit-plan")
    assert (done.returncode, "says something else here than on main" in done.stderr) == (1, True), done.stderr
    assert project.type("run", "PLAN.md", "finish", "auto", "--as-committed").returncode == 0
    assert project.git("show", "main:2.txt") == "2\n"


@pytest.mark.soak
def test_a_worker_leaves_a_plan_alone_that_is_being_edited(project: Project) -> None:
    project.plan(two_phases())
    assert project.type("run", "PLAN.md", "finish", "auto", "--submit").returncode == 0
    edit(project)
    project.type("worker", "--once")
    assert (runs(project), project.landed()) == ([], [])
    assert "edits that are not committed" in project.ask("status", "PLAN.md").stdout
    project.git("commit", "--quiet", "-m", "Repair", "--", "PLAN.md")
    done = project.type("run", "PLAN.md", "finish", "auto")
    assert done.returncode == 0, done.stdout + done.stderr
    assert project.git("show", "main:2.txt") == "2, repaired\n"


def _ask_for_approvals(edited: Project) -> str:
    edited.write("planrail.toml", "")
    edited.git("commit", "--quiet", "-m", "Ask for approvals", "--", "planrail.toml")
    return edited.git("rev-parse", "main")


def test_nothing_begins_at_a_terminal_without_a_choice_and_an_approval(edited: Project) -> None:
    words = ("run", "PLAN.md", "finish", "auto")
    for answer in ("s", "yes"):
        code, shown = edited.type_at_terminal([(r"which text\?", answer)], *words)
        assert (code, "nothing was started" in shown) == (1, True), shown
    code, shown = edited.type_at_terminal([(r"which text\?", "c")], *words, CLAUDECODE="1")
    assert (code, "which text?" in shown, "--as-committed" in shown) == (1, False, True), "an agent is not asked"
    before = _ask_for_approvals(edited)
    code, shown = edited.type_at_terminal([(r"which text\?", "c"), (r"approve\? Type ", "n")], *words)
    assert (code, "not approved" in shown) == (1, True), shown
    assert (edited.git("rev-parse", "main"), runs(edited)) == (before, [])


@pytest.mark.full
def test_a_person_at_a_terminal_commits_approves_and_runs_the_edits(edited: Project) -> None:
    _ask_for_approvals(edited)
    answers = [(r"which text\?", "c"), (r"approve\? Type (\w+) for yes", r"\1")]
    code, shown = edited.type_at_terminal(answers, "run", "PLAN.md", "finish", "auto")
    assert code == 0, shown
    assert edited.git("show", "main:2.txt") == "2, repaired\n"
    assert "A  staged.txt" in edited.git("status", "--porcelain")
