"""planrail done --commit: exactly the files of the phase, and nothing that somebody else had lying there."""

import os
from pathlib import Path

import pytest

from planrail.runs.in_session.assigning import assign
from tests.cli.in_session import PLAN, Project, make_project


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Project:
    return make_project(tmp_path, monkeypatch, capsys)


def _hand_out(project: Project) -> None:
    assign({"plan": str(project.plan), "root": str(project.root), "agent": "claude", "session": "s1", "now": "5"})


def _committed(project: Project) -> list[str]:
    return project.git("show", "--name-only", "--format=", "HEAD").split()


def test_a_commit_has_the_named_files_the_mark_and_the_trailers_and_is_made_once(project: Project) -> None:
    before = project.git("rev-parse", "HEAD")
    project.write("hello.txt", "hello\n")
    project.write("mysecret.txt", "secret\n")
    project.write("planrail.toml", "[approval]\nrequired = false\n# mine\n")
    project.planrail("done", "plan.md", "1")
    assert (project.git("rev-parse", "HEAD"), project.git("diff", "--cached", "--name-only")) == (before, "")
    answer = project.ask("done", "plan.md", "1", "--commit", "hello.txt", "-m", "Say hello")
    assert (answer["committed"], answer["left_out"]) == (["hello.txt", "plan.md"], ["mysecret.txt", "planrail.toml"])
    assert answer["commit"] == project.git("rev-parse", "HEAD").strip()
    assert _committed(project) == ["hello.txt", "plan.md"]
    assert project.git("status", "--porcelain") == " M planrail.toml\n?? mysecret.txt\n"
    said = project.git("log", "-1", "--format=%an|%B")
    assert said.startswith("Lena|Say hello\n\n")
    assert f"Planrail-Plan: plan.md\nPlanrail-Phase: 1\nPlanrail-Evidence: {answer['evidence']}\n" in said
    (project.root / "mysecret.txt").unlink()
    project.git("checkout", "planrail.toml")
    assert project.ask("done", "plan.md", "1", "--commit")["commit"] == answer["commit"]
    assert project.git("rev-list", "--count", "HEAD") == "2\n"


def test_all_files_are_committed_as_they_are_but_what_is_ignored_or_left_behind(project: Project) -> None:
    project.plan.write_text(PLAN.replace("grep -q hello hello.txt", "grep -q hello hello.txt; date > left.log"))
    project.write(".gitignore", "*.key\n")
    project.commit("Another check")
    os.rename(project.root / "own.txt", project.root / 'ein "Name".txt')
    project.write("run me.sh", "#!/bin/sh\n").chmod(0o755)
    project.write("my.key", "secret\n")
    project.write("hello.txt", "hello\n")
    before = project.plan.read_text()
    for name in ("my.key", "plan.md.none", "nowhere.txt", "../elsewhere.txt", ".gitignore"):
        assert project.planrail("done", "plan.md", "1", "--commit", "hello.txt", name)[0] == 2, name
    for words in (("-m", "x"), ("--all",), ("--commit", "hello.txt", "--all")):
        assert project.planrail("done", "plan.md", "1", *words)[0] == 2, words
    assert project.plan.read_text() == before
    project.ask("done", "plan.md", "1", "--commit", "--all")
    assert project.git("log", "-1", "--format=%s") == "Greeter: phase 1, Write\n"
    names = project.git("ls-tree", "-r", "-z", "--name-only", "HEAD").split("\0")
    assert {'ein "Name".txt', "run me.sh"} <= set(names)
    assert not {"own.txt", "left.log", "my.key"} & set(names)
    assert project.git("ls-tree", "HEAD", "run me.sh").startswith("100755")


def test_what_lay_there_before_the_phase_began_is_not_committed(project: Project) -> None:
    project.write("own.txt", "half a thought\n")
    project.write("mysecret.txt", "secret\n")
    project.git("add", "own.txt")
    _hand_out(project)
    project.write("own.txt", "half a thought\nand the phase's\n")
    project.write("hello.txt", "hello\n")
    assert project.ask("done", "plan.md", "1")["done"] is True  # what is marked first can be committed later
    _, out, _ = project.planrail("done", "plan.md", "1", "--commit")
    assert "not committed, though the checks saw it: mysecret.txt, own.txt" in out
    assert "changed before the phase began and since: own.txt" in out
    assert _committed(project) == ["hello.txt", "plan.md"]
    assert project.git("status", "--porcelain") == "MM own.txt\n?? mysecret.txt\n"
    first = project.git("rev-parse", "HEAD").strip()
    again = project.ask("done", "plan.md", "1", "--commit")
    assert (again["done"], again["commit"]) == (True, first)


def test_files_that_nobody_saw_begin_are_not_guessed(project: Project) -> None:
    project.write("hello.txt", "hello\n")
    project.write("unrelated.txt", "mine\n")
    code, _, err = project.planrail("done", "plan.md", "1", "--commit")
    assert (code, "hello.txt, unrelated.txt" in err) == (1, True)
    answer = project.ask("done", "plan.md", "1", "--commit")
    assert (answer["status"], answer["done"], answer["commit"]) == ("refused", False, None)
    assert answer["next"] == "planrail done plan.md 1 --commit hello.txt unrelated.txt"
    assert answer["next"] in err
    assert project.plan.read_text() == PLAN
    assert project.git("rev-list", "--count", "HEAD") == "1\n"


def test_in_the_middle_of_a_merge_nothing_is_marked_or_committed(project: Project) -> None:
    project.git("switch", "-q", "-c", "other")
    project.write("own.txt", "theirs\n")
    project.commit("Theirs")
    project.git("switch", "-q", "main")
    project.write("own.txt", "ours\n")
    project.commit("Ours")
    with pytest.raises(Exception, match="merge"):
        project.git("merge", "other")
    project.write("hello.txt", "hello\n")
    code, _, err = project.planrail("done", "plan.md", "1", "--commit")
    assert code == 1
    assert "in the middle of" in err
    assert project.plan.read_text() == PLAN


def test_a_plan_that_git_does_not_track_is_marked_and_not_committed(project: Project) -> None:
    project.git("rm", "-q", "--cached", "plan.md")
    project.git("commit", "-q", "-m", "Keep the plan out")
    project.write("hello.txt", "hello\n")
    project.ask("done", "plan.md", "1", "--commit", "hello.txt")
    assert project.git("show", "--name-only", "--format=", "HEAD").split() == ["hello.txt"]
    assert "- [x] write hello.txt" in project.plan.read_text()


def test_the_first_commit_of_a_repository_can_be_a_phase(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.git("update-ref", "-d", "HEAD")
    settings = tmp_path / "config" / "planrail"
    settings.mkdir(parents=True)
    (settings / "planrail.toml").write_text("[approval]\nrequired = false\n")
    project.write("hello.txt", "hello\n")
    answer = project.ask("done", "plan.md", "1", "--commit", "--all")
    assert answer["commit"] == project.git("rev-parse", "HEAD").strip()
    assert "hello.txt" in project.git("ls-tree", "-r", "--name-only", "HEAD")
    assert project.git("status", "--porcelain") == ""


def test_names_are_read_from_where_the_person_stands_and_a_folder_stands_for_its_files(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project.root / "src" / "deep").mkdir(parents=True)
    project.write("src/deep/-a.py", "a = 1\n")
    project.write("src/b.py", "b = 1\n")
    project.write("hello.txt", "hello\n")
    monkeypatch.chdir(project.root / "src")
    assert project.ask("done", "../plan.md", "1", "--commit", "../hello.txt", "deep")["done"] is True
    assert project.git("show", "--name-only", "--format=", "HEAD").split() == ["hello.txt", "plan.md", "src/deep/-a.py"]
