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


def test_every_check_is_run_on_the_working_tree_and_shown(project: Project) -> None:
    project.write("hello.txt", "hello\n")
    code, out, _ = project.planrail("check", "plan.md", "1")
    assert code == 0
    assert "✔ grep -q hello hello.txt" in out
    assert "✔ test -s hello.txt" in out
    assert out.strip().endswith("next: planrail done plan.md 1")


def test_a_check_that_fails_is_named_with_the_end_of_its_output(project: Project) -> None:
    code, out, _ = project.planrail("check", "plan.md", "1")
    assert code == 1
    assert "✖ grep -q hello hello.txt" in out
    assert "No such file" in out
    assert "is not proven; missing:" in out
    assert out.strip().endswith("next: planrail check plan.md 1")


def test_programs_get_each_check_with_its_result_and_the_tree(project: Project) -> None:
    project.write("hello.txt", "bye\n")
    answer = project.ask("check", "plan.md", "1")
    assert (answer["ok"], answer["phase"]) == (False, "1")
    assert [(check["origin"], check["passed"]) for check in answer["checks"]] == [("block", False), ("criterion", True)]
    assert len(answer["tree"]) == 40
    assert len(answer["missing"]) == 1


def test_what_looks_like_a_check_and_is_not_run_is_told(project: Project) -> None:
    project.write("hello.txt", "hello\n")
    project.plan.write_text(PLAN.replace("- `test -s hello.txt` passes", "- `grep -q TODO hello.txt` finds nothing"))
    assert "not run: `grep -q TODO hello.txt`, because its words expect" in project.planrail("check", "plan.md", "1")[1]
    assert any(note.startswith("not run: ") for note in project.ask("check", "plan.md", "1")["notes"])


def test_checking_changes_no_file_no_ref_and_no_index(project: Project) -> None:
    project.write("hello.txt", "hello\n")
    index = (project.root / ".git" / "index").read_bytes()
    project.planrail("check", "plan.md", "1")
    assert project.plan.read_text() == PLAN
    assert project.git("status", "--porcelain") == "?? hello.txt\n"
    assert (project.root / ".git" / "index").read_bytes() == index
    assert project.git("for-each-ref", "--format=%(refname)") == "refs/heads/main\n"


def test_what_the_checks_said_is_on_record_with_the_tree(project: Project) -> None:
    project.write("hello.txt", "hello\n")
    answer = project.ask("check", "plan.md", "1")
    with open_ledger(str(project.root)) as ledger:
        [evidence] = read_history(ledger, "plan.md").evidence
    assert (evidence.phase, evidence.tree, evidence.hash) == ("1", answer["tree"], answer["evidence"])
    assert [run.command for run in evidence.runs] == ["grep -q hello hello.txt", "test -s hello.txt"]
    assert evidence.proves


@pytest.mark.full
def test_another_tree_has_another_name_and_the_plans_own_marks_make_none(project: Project) -> None:
    project.write("hello.txt", "hello\n")
    first = project.ask("check", "plan.md", "1")["tree"]
    project.plan.write_text(PLAN.replace("[ ]", "[x]"))
    assert project.ask("check", "plan.md", "1")["tree"] == first
    project.write("hello.txt", "hello again\n")
    assert project.ask("check", "plan.md", "1")["tree"] != first


def test_what_the_users_index_hides_is_seen_all_the_same(project: Project) -> None:
    project.write("hello.txt", "hello\n")
    first = project.ask("check", "plan.md", "1")["tree"]
    project.git("update-index", "--assume-unchanged", "own.txt")
    project.write("own.txt", "other\n")
    assert project.ask("check", "plan.md", "1")["tree"] != first


def test_a_phase_without_a_check_is_refused_with_the_remedy(project: Project) -> None:
    code, _, err = project.planrail("check", "plan.md", "3")
    assert code == 1
    assert "no check" in err
    assert "sh check" in err


def test_the_projects_tests_are_run_as_they_are_committed(project: Project) -> None:
    project.write("planrail.toml", UNAPPROVED + '[testing]\ncommand = "test -e tests.ok"\n')
    project.commit("Say how to test")
    project.write("planrail.toml", UNAPPROVED + '[testing]\ncommand = "true"\n')  # an agent would like that
    project.write("hello.txt", "hello\n")
    answer = project.ask("check", "plan.md", "1")
    assert answer["checks"][-1]["command"] == "test -e tests.ok"
    assert (answer["checks"][-1]["origin"], answer["checks"][-1]["passed"]) == ("tests", False)


def test_a_project_without_a_test_command_says_so(project: Project) -> None:
    assert "names no command" in project.planrail("check", "plan.md", "1")[1]


def test_an_unapproved_plan_is_not_run(project: Project) -> None:
    project.write("planrail.toml", "")
    project.commit("Ask for approval")
    project.plan.write_text(PLAN.replace("grep -q hello hello.txt", "touch ran.txt"))
    code, _, err = project.planrail("check", "plan.md", "1")
    assert code == 1
    assert "not approved" in err
    assert "planrail approve plan.md" in err
    assert not (project.root / "ran.txt").exists()


def test_an_unknown_phase_is_a_wrong_call(project: Project) -> None:
    code, _, err = project.planrail("check", "plan.md", "9")
    assert code == 2
    assert "it has: 1, 2, 3" in err
    assert not has_ledger(str(project.root))


def test_a_check_that_changes_the_tree_proves_nothing(project: Project) -> None:
    project.plan.write_text(PLAN.replace("grep -q hello hello.txt", "echo more >> own.txt"))
    project.write("hello.txt", "hello\n")
    answer = project.ask("check", "plan.md", "1")
    assert answer["ok"] is False
    assert "own.txt" in answer["missing"][0]


def test_files_that_a_check_leaves_behind_are_no_failure_and_no_evidence(project: Project) -> None:
    project.plan.write_text(PLAN.replace("grep -q hello hello.txt", "grep -q hello hello.txt; date > left.log"))
    project.write("hello.txt", "hello\n")
    answer = project.ask("check", "plan.md", "1")
    assert answer["ok"] is True
    assert any("left.log" in note for note in answer["notes"])
    assert "left.log" not in project.git("ls-tree", "-r", "--name-only", answer["tree"])


def test_a_phase_whose_checks_cannot_fail_is_not_proven(project: Project) -> None:
    text = PLAN.replace("grep -q hello hello.txt", "true").replace("- `test -s hello.txt` passes\n", "")
    project.plan.write_text(text)
    assert project.ask("check", "plan.md", "1")["ok"] is False


def test_secrets_in_the_environment_do_not_reach_a_check(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret")
    project.plan.write_text(PLAN.replace("grep -q hello hello.txt", 'test -z "$ANTHROPIC_API_KEY"'))
    assert project.ask("check", "plan.md", "1")["checks"][0]["passed"] is True


def test_in_a_linked_worktree_its_own_files_are_checked(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.git("worktree", "add", "-q", str(tmp_path / "beside"))
    monkeypatch.chdir(tmp_path / "beside")
    (tmp_path / "beside" / "hello.txt").write_text("hello\n")
    assert project.ask("check", str(project.plan), "1")["ok"] is True
    monkeypatch.chdir(project.root)
    assert project.ask("check", "plan.md", "1")["ok"] is False


def test_a_plan_outside_of_git_can_be_checked(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    settings = tmp_path / "config" / "planrail"
    settings.mkdir(parents=True)
    (settings / "planrail.toml").write_text(UNAPPROVED)
    (folder / "plan.md").write_text(PLAN)
    (folder / "hello.txt").write_text("hello\n")
    monkeypatch.chdir(folder)
    first = project.ask("check", "plan.md", "1")
    assert first["ok"] is True
    (folder / "hello.txt").write_text("hello you\n")
    assert project.ask("check", "plan.md", "1")["tree"] != first["tree"]


def test_a_repository_without_a_commit_can_be_checked(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, settings = tmp_path / "young", tmp_path / "config" / "planrail"
    folder.mkdir()
    settings.mkdir(parents=True)
    (settings / "planrail.toml").write_text(UNAPPROVED)
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    (folder / "plan.md").write_text(PLAN)
    (folder / "hello.txt").write_text("hello\n")
    monkeypatch.chdir(folder)
    assert project.ask("check", "plan.md", "1")["ok"] is True


def test_a_phase_whose_ground_is_not_finished_is_checked_and_that_is_said(project: Project) -> None:
    project.write("more.txt", "more\n")
    answer = project.ask("check", "plan.md", "2")
    assert answer["ok"] is True
    assert "it depends on 1, which is not finished" in answer["notes"]
