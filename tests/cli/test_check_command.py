"""planrail check: what a phase's checks say about the working tree, and nothing that anybody else says."""

import subprocess
from pathlib import Path

import pytest

from planrail.store.ledger import has_ledger, open_ledger
from planrail.store.runs.run_facts import read_history
from tests.cli.in_session import PLAN, UNAPPROVED, Project, make_project


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Project:
    return make_project(tmp_path, monkeypatch, capsys)


def test_every_check_is_run_on_the_working_tree_shown_recorded_and_changes_nothing(project: Project) -> None:
    code, out, _ = project.planrail("check", "plan.md", "1")
    assert code == 1
    said = ("✖ grep -q hello hello.txt", "No such file", "is not proven; missing:", "names no command")
    assert [part for part in said if part not in out] == []
    assert out.strip().endswith("next: planrail check plan.md 1")
    project.write("hello.txt", "bye\n")
    answer = project.ask("check", "plan.md", "1")
    assert (answer["ok"], answer["phase"], len(answer["missing"])) == (False, "1", 1)
    assert [(check["origin"], check["passed"]) for check in answer["checks"]] == [("block", False), ("criterion", True)]
    project.write("hello.txt", "hello\n")
    index = (project.root / ".git" / "index").read_bytes()
    code, out, _ = project.planrail("check", "plan.md", "1")
    assert (code, "✔ grep -q hello hello.txt" in out, "✔ test -s hello.txt" in out) == (0, True, True)
    assert out.strip().endswith("next: planrail done plan.md 1")
    answer = project.ask("check", "plan.md", "1")
    with open_ledger(str(project.root)) as ledger:
        evidence = read_history(ledger, "plan.md").evidence[-1]
    assert (evidence.phase, evidence.tree, evidence.hash) == ("1", answer["tree"], answer["evidence"])
    assert [run.command for run in evidence.runs] == ["grep -q hello hello.txt", "test -s hello.txt"]
    assert (evidence.proves, len(evidence.tree)) == (True, 40)
    assert project.plan.read_text() == PLAN
    assert project.git("status", "--porcelain") == "?? hello.txt\n"
    assert (project.root / ".git" / "index").read_bytes() == index
    assert project.git("for-each-ref", "--format=%(refname)") == "refs/heads/main\n"
    project.plan.write_text(PLAN.replace("[ ]", "[x]"))
    assert project.ask("check", "plan.md", "1")["tree"] == answer["tree"], "the plan's own marks make no other tree"
    project.git("update-index", "--assume-unchanged", "own.txt")
    project.write("own.txt", "other\n")
    assert project.ask("check", "plan.md", "1")["tree"] != answer["tree"], "what the index hides is seen"


def test_a_phase_that_cannot_be_checked_is_refused_with_the_remedy(project: Project) -> None:
    code, _, err = project.planrail("check", "plan.md", "9")
    assert (code, "it has: 1, 2, 3" in err, has_ledger(str(project.root))) == (2, True, False)
    code, _, err = project.planrail("check", "plan.md", "3")
    assert (code, "no check" in err, "sh check" in err) == (1, True, True)


@pytest.mark.parametrize(
    ("check", "is_ok", "told"),
    [
        ("echo more >> own.txt", False, "own.txt"),
        ("grep -q hello hello.txt; date > left.log", True, "left.log"),
        ('test -z "$ANTHROPIC_API_KEY" && test -f hello.txt', True, ""),
    ],
)
def test_what_a_check_does_to_the_tree_is_seen_and_it_hears_no_secret(
    project: Project, monkeypatch: pytest.MonkeyPatch, check: str, is_ok: bool, told: str
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret")
    project.plan.write_text(PLAN.replace("grep -q hello hello.txt", check))
    project.write("hello.txt", "hello\n")
    answer = project.ask("check", "plan.md", "1")
    assert answer["ok"] is is_ok
    assert told in str(answer["notes"] if is_ok else answer["missing"])
    assert "left.log" not in project.git("ls-tree", "-r", "--name-only", answer["tree"])


def test_what_proves_nothing_or_is_not_run_is_told(project: Project) -> None:
    project.write("hello.txt", "hello\n")
    project.write("more.txt", "more\n")
    answer = project.ask("check", "plan.md", "2")
    assert (answer["ok"], "it depends on 1, which is not finished" in answer["notes"]) == (True, True)
    project.plan.write_text(PLAN.replace("- `test -s hello.txt` passes", "- `grep -q TODO hello.txt` finds nothing"))
    assert "not run: `grep -q TODO hello.txt`, because its words expect" in project.planrail("check", "plan.md", "1")[1]
    assert any(note.startswith("not run: ") for note in project.ask("check", "plan.md", "1")["notes"])
    text = PLAN.replace("grep -q hello hello.txt", "true").replace("- `test -s hello.txt` passes\n", "")
    project.plan.write_text(text)
    assert project.ask("check", "plan.md", "1")["ok"] is False, "checks that cannot fail"


def test_the_projects_tests_are_run_as_they_are_committed(project: Project) -> None:
    project.write("planrail.toml", UNAPPROVED + '[testing]\ncommand = "test -e tests.ok"\n')
    project.commit("Say how to test")
    project.write("planrail.toml", UNAPPROVED + '[testing]\ncommand = "true"\n')  # an agent would like that
    project.write("hello.txt", "hello\n")
    answer = project.ask("check", "plan.md", "1")
    assert answer["checks"][-1]["command"] == "test -e tests.ok"
    assert (answer["checks"][-1]["origin"], answer["checks"][-1]["passed"]) == ("tests", False)


def test_an_unapproved_plan_is_not_run(project: Project) -> None:
    project.write("planrail.toml", "")
    project.commit("Ask for approval")
    project.plan.write_text(PLAN.replace("grep -q hello hello.txt", "touch ran.txt"))
    code, _, err = project.planrail("check", "plan.md", "1")
    assert code == 1
    assert "not approved" in err
    assert "planrail approve plan.md" in err
    assert not (project.root / "ran.txt").exists()


def test_in_a_linked_worktree_its_own_files_are_checked(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.git("worktree", "add", "-q", str(tmp_path / "beside"))
    monkeypatch.chdir(tmp_path / "beside")
    (tmp_path / "beside" / "hello.txt").write_text("hello\n")
    assert project.ask("check", str(project.plan), "1")["ok"] is True
    monkeypatch.chdir(project.root)
    assert project.ask("check", "plan.md", "1")["ok"] is False


@pytest.mark.parametrize("has_git", [True, False])
def test_a_plan_outside_of_git_or_before_the_first_commit_can_be_checked(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, has_git: bool
) -> None:
    folder, settings = tmp_path / "plain", tmp_path / "config" / "planrail"
    folder.mkdir()
    settings.mkdir(parents=True)
    (settings / "planrail.toml").write_text(UNAPPROVED)
    if has_git:
        subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    (folder / "plan.md").write_text(PLAN)
    (folder / "hello.txt").write_text("hello\n")
    monkeypatch.chdir(folder)
    first = project.ask("check", "plan.md", "1")
    assert (first["ok"], first["base"]) == (True, None)
    assert any("no commit to compare with" in note for note in first["notes"]) or not has_git
    (folder / "hello.txt").write_text("hello you\n")
    assert project.ask("check", "plan.md", "1")["tree"] != first["tree"]
